#include "plugins/pools/claim.hpp"

#include <algorithm>
#include <chrono>
#include <davit/mutant.hpp>
#include <map>
#include <utility>

namespace davit::pools {
namespace {

/// One place in which a Service may ask for something, and what is there.
struct Source {
  std::string_view name;
  std::string_view text;
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Status wrong_wish(std::string text) { return {Code::kInvalid, std::move(text)}; }

/// The annotations of one meaning that are there.
template <std::size_t N>
std::vector<Source> sources(const Service& service, const std::string_view (&names)[N]) {
  std::vector<Source> out;
  for (const std::string_view name : names) {
    const std::string_view text = trim(service.annotation(name).value_or(""));
    if (!text.empty()) out.push_back({name, text});
  }
  return out;
}

std::vector<Source> address_sources(const Service& service) {
  constexpr std::string_view kNames[] = {"davit.dev/load-balancer-ips",
                                         "metallb.io/loadBalancerIPs",
                                         "metallb.universe.tf/loadBalancerIPs"};
  std::vector<Source> out = sources(service, kNames);
  const std::string_view own = trim(service.spec()["loadBalancerIP"].string());
  if (!own.empty()) out.insert(out.begin(), {"loadBalancerIP", own});
  // A value that this provider has handed over itself is not a wish.
  const std::string_view vip = trim(service.annotation(kKubeVip).value_or(""));
  if (!vip.empty() && vip != trim(service.annotation(kHandedOver).value_or(""))) {
    out.push_back({kKubeVip, vip});
  }
  return out;
}

bool is_unspecified(const Address& address) {
  return std::all_of(address.bytes.begin(), address.bytes.end(),
                     [](std::uint8_t each) { return each == 0; });
}

Result<AddressSet> wished_addresses(const Source& source) {
  AddressSet out;
  std::string_view rest = source.text;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = rest.find(',');
    is_last = comma == rest.npos;
    const std::string_view text = trim(rest.substr(0, comma));
    if (!is_last) rest.remove_prefix(comma + 1);
    const std::optional<Address> address = Address::parse(text);
    if (!address || address->is_mapped() || is_unspecified(*address)) {
      return wrong_wish(std::string(source.name) + ": \"" + std::string(text) +
                        "\" is not an address");
    }
    out.insert(*address);
  }
  return out;
}

std::string contradiction(std::string_view what, const Source& a, const Source& b) {
  return "the Service asks for different " + std::string(what) + ": " + std::string(a.text) +
         " in " + std::string(a.name) + ", " + std::string(b.text) + " in " + std::string(b.name);
}

Status read_asked(const Service& service, Claim& out) {
  const std::vector<Source> all = address_sources(service);
  std::optional<AddressSet> wanted;
  for (const Source& each : all) {
    Result<AddressSet> read = wished_addresses(each);
    if (!read) return read.error();
    if (wanted && *wanted != *read)
      return wrong_wish(contradiction("addresses", all.front(), each));
    wanted = std::move(*read);
  }
  if (!wanted) return {};
  for (const Address& each : *wanted) {
    if (std::find(out.families.begin(), out.families.end(), each.family) == out.families.end()) {
      return wrong_wish(each.text() + " is of no family of the Service");
    }
    std::optional<Address>& asked = out.asked[static_cast<std::size_t>(each.family)];
    if (asked) {
      return wrong_wish("the Service asks for two addresses of one family: " + asked->text() +
                        ", " + each.text());
    }
    asked = each;
  }
  return {};
}

/// The text on which the annotations with these names agree; empty without any of them.
template <std::size_t N>
Result<std::string> read_one(const Service& service, std::string_view what,
                             const std::string_view (&names)[N]) {
  const std::vector<Source> all = sources(service, names);
  if (all.empty()) return std::string();
  for (const Source& each : all) {
    if (each.text != all.front().text) return wrong_wish(contradiction(what, all.front(), each));
  }
  return std::string(all.front().text);
}

Status read_wishes(const Service& service, Claim& out) {
  constexpr std::string_view kPools[] = {"davit.dev/address-pool", "metallb.io/address-pool",
                                         "metallb.universe.tf/address-pool"};
  constexpr std::string_view kKeys[] = {"davit.dev/sharing-key", "metallb.io/allow-shared-ip",
                                        "metallb.universe.tf/allow-shared-ip"};
  // First: other Services are judged by the key even if the rest of this one is wrong.
  Result<std::string> key = read_one(service, "sharing keys", kKeys);
  if (!key) return key.error();
  out.look.sharing.key = std::move(*key);
  Result<std::string> pool = read_one(service, "pools", kPools);
  if (!pool) return pool.error();
  out.pool = std::move(*pool);
  return read_asked(service, out);
}

std::vector<Family> read_families(const Service& service) {
  std::vector<Family> out;
  for (const Value each : service.ip_families().elements()) {
    const Family family =
        each.string() == ip::family_name(Family::kIPv6) ? Family::kIPv6 : Family::kIPv4;
    if (std::find(out.begin(), out.end(), family) == out.end()) out.push_back(family);
  }
  if (out.empty()) out.push_back(Family::kIPv4);
  return out;
}

Sharing read_sharing(const Service& service) {
  Sharing out;
  for (const Value each : service.ports().elements()) {
    const std::string_view protocol = each[&Names::protocol].string();
    out.ports.insert(std::to_string(each[&Names::port].integer_or(0)) + "/" +
                     std::string(protocol.empty() ? "TCP" : protocol));
  }
  out.is_local = service.spec()["externalTrafficPolicy"].string() == "Local";
  out.selector = label_text(service.selector());
  return out;
}

}  // namespace

bool may_share(const Sharing& a, const Sharing& b) {
  if (a.key.empty() || a.key != b.key || a.is_local != b.is_local) return false;
  if (a.is_local && a.selector != b.selector) return false;
  return std::none_of(a.ports.begin(), a.ports.end(),
                      [&](const std::string& each) { return b.ports.contains(each); });
}

std::string label_text(Value labels) {
  std::map<std::string, std::string> sorted;
  for (const Member& each : labels.members()) sorted.emplace(each.key, each.value.string());
  std::string out;
  for (const auto& [key, value] : sorted) out += (out.empty() ? "" : ",") + key + "=" + value;
  return out;
}

std::vector<Address> shown_addresses(const Service& service) {
  std::vector<Address> out;
  for (const Value each : service.status()["loadBalancer"]["ingress"].elements()) {
    const std::optional<Address> address = Address::parse(each[&Names::ip].string());
    if (address && std::find(out.begin(), out.end(), *address) == out.end()) {
      out.push_back(*address);
    }
  }
  return out;
}

bool wants_addresses(const Service& service, const LoadBalancerClasses& classes) {
  return service.type() == "LoadBalancer" && classes.has(service.spec()["loadBalancerClass"]);
}

std::vector<Address> used_addresses(const Service& service, const LoadBalancerClasses& classes,
                                    const Pools& pools) {
  std::vector<Address> out = shown_addresses(service);
  if (out.empty() || wants_addresses(service, classes)) return out;
  if (!service.has_finalizer(kCleanupFinalizer) || mutant("address-of-another-class")) return {};
  std::erase_if(out, [&pools](const Address& each) { return pool_of(pools, each) == nullptr; });
  return out;
}

Claim read_claim(const Service& service, const Pools& pools) {
  Claim out;
  out.uid = service.uid();
  const auto created = service.creation_time().value_or(WallTime());
  out.age = {std::chrono::duration_cast<std::chrono::seconds>(created.time_since_epoch()).count(),
             service.key()};
  out.families = read_families(service);
  out.needs_all = service.spec()["ipFamilyPolicy"].string() != "PreferDualStack";
  out.look.sharing = read_sharing(service);
  out.look.labels = label_text(service.labels());
  out.fitting = fitting_pools(pools, service.ns(), service.labels());
  out.shown = shown_addresses(service);
  out.mistake = read_wishes(service, out);
  return out;
}

}  // namespace davit::pools
