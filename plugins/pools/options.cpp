#include "plugins/pools/options.hpp"

#include <algorithm>
#include <davit/options.hpp>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

namespace davit::pools {
namespace {

constexpr std::string_view kPools = "pools";
constexpr std::string_view kClasses = "classes";
constexpr std::string_view kWithoutClass = "withoutClass";
constexpr std::string_view kIpMode = "ipMode";
constexpr std::string_view kOnPoolChange = "onPoolChange";
constexpr std::string_view kHandOver = "handOver";
constexpr std::string_view kInstances = "instances";
constexpr std::string_view kRoutes = "routes";

Status refuse(std::string_view place, std::string_view what) {
  return {Code::kInvalid, std::string(place) + ": " + std::string(what)};
}
Status refuse(std::string what) { return {Code::kInvalid, std::move(what)}; }

/// One of these texts; the first one if the member is absent.
Result<std::string> read_choice(Value config, std::string_view name,
                                std::initializer_list<std::string_view> known) {
  const Value value = config[name];
  if (value.is_absent()) return std::string(*known.begin());
  const std::string_view text = value.string();
  if (std::find(known.begin(), known.end(), text) != known.end()) return std::string(text);
  std::string all;
  for (const std::string_view each : known) all.append(all.empty() ? "" : " or ").append(each);
  return refuse(name, "must be " + all);
}

/// `place`: that of the object, with a dot behind it; empty: the configuration itself.
Result<bool> read_boolean(Value object, const std::string& place, std::string_view name,
                          bool fallback) {
  const Value value = object[name];
  if (value.is_absent()) return fallback;
  const std::optional<bool> boolean = value.boolean();
  if (!boolean) return refuse(place + std::string(name), "must be true or false");
  return *boolean;
}

/// The host judges the names.
Result<LoadBalancerClasses> read_classes(Value config) {
  LoadBalancerClasses out;
  const Value list = config[kClasses];
  if (!list.is_absent() && list.kind() != Kind::kArray) return refuse(kClasses, "must be a list");
  for (const Value each : list.elements()) {
    const std::string place = "classes[" + std::to_string(out.names.size()) + "]";
    if (each.string().empty() || each.string().find(',') != std::string_view::npos) {
      return refuse(place, "must be the name of a class");
    }
    out.names.emplace_back(each.string());
  }
  const Result<bool> without = read_boolean(config, "", kWithoutClass, true);
  if (!without) return without.error();
  out.takes_unclassed = *without;
  if (!*without && out.names.empty())
    return refuse(kWithoutClass, "is false, and classes is empty");
  return out;
}

// ---- Blocks

std::optional<Address> parse_address(std::string_view text) {
  std::optional<Address> out = Address::parse(text);
  return out && !out->is_mapped() ? out : std::nullopt;
}

Result<Block> read_cidr(const std::string& place, std::string_view text) {
  const std::optional<ip::Prefix> prefix = ip::Prefix::parse(text);
  if (!prefix || prefix->first().is_mapped()) {
    return refuse(place, "\"" + std::string(text) + "\" is not a CIDR");
  }
  if (Address::parse(text.substr(0, text.find('/'))) != prefix->first()) {
    return refuse(place, std::string(text) + " is not aligned: its network is " + prefix->text());
  }
  return Block{{prefix->first(), prefix->last()}, true};
}

Result<Block> read_range(const std::string& place, std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<Address> first = parse_address(text.substr(0, dash));
  const std::optional<Address> last =
      dash == text.npos ? first : parse_address(text.substr(dash + 1));
  if (!first || !last) {
    return refuse(place, "\"" + std::string(text) + "\" is not an address, a range or a CIDR");
  }
  if (first->family != last->family) {
    return refuse(place, std::string(text) + " has two families");
  }
  if (AddressOrder()(*last, *first)) {
    return refuse(place, std::string(text) + " ends before it begins");
  }
  return Block{{*first, *last}, false};
}

/// Addresses that no Service can have.
Status check_kind(const std::string& place, const std::string& text, const Range& range) {
  struct Special {
    const char* cidr;
    const char* kind;
  };
  constexpr Special kSpecial[] = {
      {"0.0.0.0/32", "the unspecified address"},      {"::/128", "the unspecified address"},
      {"127.0.0.0/8", "loopback addresses"},          {"::1/128", "loopback addresses"},
      {"169.254.0.0/16", "link-local addresses"},     {"fe80::/10", "link-local addresses"},
      {"224.0.0.0/4", "multicast addresses"},         {"ff00::/8", "multicast addresses"},
      {"255.255.255.255/32", "the broadcast address"}};
  for (const Special& each : kSpecial) {
    const ip::Prefix prefix = *ip::Prefix::parse(each.cidr);
    if (range.overlaps({prefix.first(), prefix.last()})) {
      return refuse(place, text + " has " + each.kind);
    }
  }
  return {};
}

Result<Block> read_block(Value value, const std::string& place) {
  std::string text(value.string());
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  Result<Block> block =
      text.find('/') == text.npos ? read_range(place, text) : read_cidr(place, text);
  if (!block) return block;
  if (Status s = check_kind(place, text, block->range); !s.ok()) return s;
  return block;
}

// ---- Pools

Status read_flags(Value value, const std::string& place, Pool& out) {
  const std::pair<std::string_view, bool*> kFlags[] = {
      {"auto", &out.is_auto},
      {"allowRequests", &out.allows_requests},
      {"skipEnds", &out.skips_ends},
      {"skipDot0And255", &out.skips_dot_0_and_255}};
  for (const auto& flag : kFlags) {
    const Result<bool> read = read_boolean(value, place + ".", flag.first, *flag.second);
    if (!read) return read.error();
    *flag.second = *read;
  }
  return {};
}

/// The Services that it is for, and its turn.
Status read_scope(Value value, const std::string& place, Pool& out) {
  const Value priority = value["priority"];
  out.priority = priority.integer_or(0);
  if (out.priority < 0 || (!priority.is_absent() && !priority.integer())) {
    return refuse(place + ".priority", "must be an integer that is not negative");
  }
  const Value namespaces = value["namespaces"];
  for (const Value each : namespaces.elements()) {
    if (each.string().empty()) return refuse(place + ".namespaces", "must be a list of names");
    out.namespaces.emplace_back(each.string());
  }
  if (!namespaces.is_absent() && namespaces.kind() != Kind::kArray) {
    return refuse(place + ".namespaces", "must be a list of names");
  }
  const Value services = value["serviceSelector"];
  if (!services.is_absent() && !services.text()) {
    return refuse(place + ".serviceSelector", "must be a label selector in text form");
  }
  if (services.string().empty()) return {};
  Result<Selector> selector = Selector::parse_text(services.string());
  if (!selector) return selector.error().with_context(place + ".serviceSelector");
  out.services = std::move(*selector);
  return {};
}

Result<Pool> read_pool(Value value, const std::string& place) {
  if (value.kind() != Kind::kObject) return refuse(place, "must be an object");
  Status checked =
      check_options(value, {"name", "addresses", "auto", "allowRequests", "skipEnds",
                            "skipDot0And255", "priority", "namespaces", "serviceSelector"});
  Pool out;
  out.name = value["name"].string();
  if (checked.ok() && out.name.empty()) checked = Status(Code::kInvalid, "it has no name");
  if (checked.ok() && value["addresses"].count() == 0) {
    checked = Status(Code::kInvalid, "it has no addresses");
  }
  if (!checked.ok()) return checked.with_context(place);
  std::size_t index = 0;
  for (const Value each : value["addresses"].elements()) {
    Result<Block> block = read_block(each, place + ".addresses[" + std::to_string(index++) + "]");
    if (!block) return block.error();
    out.blocks.push_back(*block);
  }
  if (Status s = read_flags(value, place, out); !s.ok()) return s;
  if (Status s = read_scope(value, place, out); !s.ok()) return s;
  return out;
}

Status check_overlap(const Pools& pools) {
  struct Owned {
    Range range;
    const std::string* pool;
  };
  std::vector<Owned> all;
  for (const Pool& pool : pools) {
    for (const Block& each : pool.blocks) all.push_back({each.range, &pool.name});
  }
  std::sort(all.begin(), all.end(), [](const Owned& a, const Owned& b) {
    return AddressOrder()(a.range.first, b.range.first);
  });
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Owned& before = all[i - 1];
    const Owned& each = all[i];
    if (!before.range.overlaps(each.range)) continue;
    const std::string at = each.range.first.text();
    if (before.pool == each.pool) {
      return refuse("two entries of pool " + *each.pool + " overlap at " + at);
    }
    // In the order of the configuration, as people read it.
    const bool is_in_order = before.pool < each.pool;
    return refuse("pools " + (is_in_order ? *before.pool : *each.pool) + " and " +
                  (is_in_order ? *each.pool : *before.pool) + " overlap at " + at);
  }
  return {};
}

Result<Pools> read_pools(Value list) {
  Pools out;
  if (!list.is_absent() && list.kind() != Kind::kArray) return refuse(kPools, "must be a list");
  for (const Value each : list.elements()) {
    Result<Pool> pool = read_pool(each, "pools[" + std::to_string(out.size()) + "]");
    if (!pool) return pool.error();
    if (std::any_of(out.begin(), out.end(),
                    [&](const Pool& other) { return other.name == pool->name; })) {
      return refuse("two pools are named " + pool->name);
    }
    out.push_back(std::move(*pool));
  }
  if (Status s = check_overlap(out); !s.ok()) return s;
  return out;
}

}  // namespace

Result<Options> read_options(Value config) {
  const Status known = check_options(config, {kPools, kClasses, kWithoutClass, kIpMode,
                                              kOnPoolChange, kHandOver, kInstances, kRoutes});
  if (!known.ok()) return known;
  Options out;
  Result<LoadBalancerClasses> classes = read_classes(config);
  if (!classes) return classes.error();
  out.classes = std::move(*classes);
  Result<std::string> mode = read_choice(config, kIpMode, {"VIP", "Proxy"});
  if (!mode) return mode.error();
  out.ip_mode = std::move(*mode);
  const Result<std::string> change = read_choice(config, kOnPoolChange, {"keep", "reassign"});
  if (!change) return change.error();
  out.reassigns = *change == "reassign";
  const Result<std::string> hand_over = read_choice(config, kHandOver, {"none", "kube-vip"});
  if (!hand_over) return hand_over.error();
  out.hands_over = *hand_over == "kube-vip";
  Result<Inventory> inventory = read_inventory(config[kInstances]);
  if (!inventory) return inventory.error();
  out.inventory = std::move(*inventory);
  const Result<RouteSettings> routes = read_route_settings(config[kRoutes]);
  if (!routes) return routes.error();
  out.routes = *routes;
  Result<Pools> pools = read_pools(config[kPools]);
  if (!pools) return pools.error();
  out.pools = std::move(*pools);
  return out;
}

}  // namespace davit::pools
