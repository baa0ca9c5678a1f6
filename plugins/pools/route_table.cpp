#include "plugins/pools/route_table.hpp"

#include <algorithm>
#include <array>
#include <davit/options.hpp>
#include <utility>

namespace davit::pools {
namespace {

constexpr std::int64_t kTableMax = 0xffffffff;
/// Those below are the kernel's own and the administrator's.
constexpr std::int64_t kProtocolMin = 5;
constexpr std::int64_t kProtocolMax = 255;

struct Numbers {
  std::int64_t first;
  std::int64_t last;
};
/// Those of other programs, from RIP daemons to DHCP clients: RTPROT_* of linux/rtnetlink.h.
constexpr std::array kProtocolsOfOthers = {Numbers{8, 18}, Numbers{42, 42}, Numbers{99, 99},
                                           Numbers{186, 189}, Numbers{192, 192}};

bool is_of_others(std::int64_t protocol) {
  return std::any_of(
      kProtocolsOfOthers.begin(), kProtocolsOfOthers.end(),
      [protocol](const Numbers& each) { return each.first <= protocol && protocol <= each.last; });
}

std::string_view take_word(std::string_view& line) {
  const std::size_t blank = line.find(' ');
  const std::string_view word = line.substr(0, blank);
  line = blank == line.npos ? std::string_view() : line.substr(blank + 1);
  return word;
}

}  // namespace

Result<RouteSettings> read_route_settings(Value routes) {
  RouteSettings out;
  if (routes.is_absent()) return out;
  const std::string_view kind = routes["kind"].string();
  const bool is_kernel = kind == "kernel";
  const Status known = is_kernel ? check_options(routes, {"kind", "table", "protocol"})
                                 : check_options(routes, {"kind"});
  if (!known.ok()) return known.with_context("routes");
  if (kind != "none" && kind != "table" && !is_kernel) {
    return Status(Code::kInvalid, "routes.kind: must be none, table or kernel");
  }
  if (kind == "table") out.kind = RouteKind::kTable;
  if (!is_kernel) return out;
  out.kind = RouteKind::kKernel;
  const std::int64_t table =
      routes["table"].is_absent() ? out.table : routes["table"].integer_or(0);
  if (table < 1 || table > kTableMax) {
    return Status(Code::kInvalid, "routes.table: must be from 1 to 4294967295");
  }
  const std::int64_t protocol =
      routes["protocol"].is_absent() ? out.protocol : routes["protocol"].integer_or(0);
  if (protocol < kProtocolMin || protocol > kProtocolMax) {
    return Status(Code::kInvalid, "routes.protocol: must be from 5 to 255");
  }
  if (is_of_others(protocol)) {
    return Status(Code::kInvalid, "routes.protocol: " + std::to_string(protocol) +
                                      " belongs to the routes of another program; such as 157 does "
                                      "not");
  }
  out.table = static_cast<std::uint32_t>(table);
  out.protocol = static_cast<std::uint8_t>(protocol);
  return out;
}

RouteTable parse_routes(std::string_view text) {
  RouteTable out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    const std::string destination(take_word(line));
    const std::string hop(take_word(line));
    const std::string node(take_word(line));
    if (!ip::Prefix::parse(destination) || !ip::Address::parse(hop) || node.empty()) continue;
    if (line.empty()) out[destination] = {hop, node};
  }
  return out;
}

std::string routes_text(const RouteTable& table) {
  std::string out;
  for (const auto& [destination, line] : table) {
    out.append(destination).append(" ").append(line.hop).append(" ").append(line.node) += '\n';
  }
  return out;
}

std::optional<std::string> next_hop(const std::vector<CloudAddress>& addresses,
                                    std::string_view destination) {
  const std::optional<ip::Prefix> prefix = ip::Prefix::parse(destination);
  if (!prefix) return std::nullopt;
  for (const std::string_view type : {"InternalIP", "ExternalIP"}) {
    for (const CloudAddress& each : addresses) {
      if (each.type != type) continue;
      const std::optional<ip::Address> address = ip::Address::parse(each.address);
      if (address && address->family == prefix->first().family) return address->text();
    }
  }
  return std::nullopt;
}

Result<std::string> next_hop(const CloudRoute& route) {
  std::optional<std::string> hop = next_hop(route.addresses, route.destination);
  if (hop) return *std::move(hop);
  return Status(Code::kUnavailable,
                "node " + route.node + " has no address of the family of " + route.destination);
}

}  // namespace davit::pools
