#include "plugins/pools/route_table.hpp"

#include <davit/options.hpp>
#include <utility>

namespace davit::pools {
namespace {

std::string_view take_word(std::string_view& line) {
  const std::size_t blank = line.find(' ');
  const std::string_view word = line.substr(0, blank);
  line = blank == line.npos ? std::string_view() : line.substr(blank + 1);
  return word;
}

}  // namespace

Result<RouteKind> read_route_kind(Value routes) {
  if (routes.is_absent()) return RouteKind::kNone;
  if (Status s = check_options(routes, {"kind"}); !s.ok()) return s.with_context("routes");
  const std::string_view kind = routes["kind"].string();
  if (kind == "none") return RouteKind::kNone;
  if (kind == "table") return RouteKind::kTable;
  return Status(Code::kInvalid, "routes.kind: must be none or table");
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

}  // namespace davit::pools
