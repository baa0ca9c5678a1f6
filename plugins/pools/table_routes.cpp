#include "plugins/pools/table_routes.hpp"

#include <charconv>
#include <cstddef>
#include <davit/json_writer.hpp>
#include <utility>

namespace davit::pools {
namespace {

/// Below the 1 MiB that an object may have.
constexpr std::size_t kTextMax = std::size_t{900} * 1024;

Key map_key() { return {std::string(kRoutesNamespace), std::string(kRoutesName)}; }

}  // namespace

Result<TableRoutes::Content> TableRoutes::read() const {
  const Result<ConfigMap> found = cluster_.client().get<ConfigMap>(map_key());
  if (found.error().code() == Code::kNotFound) return Content();
  if (!found) return found.error();
  Content out;
  const Value data = found->value()["data"];
  out.text = data["routes"].string();
  out.table = parse_routes(out.text);
  const std::string_view count = data["generation"].string();
  std::from_chars(count.data(), count.data() + count.size(), out.generation);
  return out;
}

Result<std::vector<CloudAddress>> TableRoutes::addresses_of(const std::string& destination,
                                                            const RouteLine& line) const {
  const Lookup<Node> node = nodes_.get({"", line.node});
  if (!node.error().ok()) return node.error();
  if (node) {
    std::vector<CloudAddress> all = read_addresses(node->status()["addresses"]);
    if (next_hop(all, destination) == line.hop) return all;
  }
  return std::vector<CloudAddress>{{"InternalIP", line.hop}};
}

CloudReply TableRoutes::list(std::string_view /*cluster*/) {
  const Result<Content> content = read();
  if (!content) return CloudReply::failed(content.error());
  std::vector<CloudRoute> out;
  for (const auto& [destination, line] : content->table) {
    Result<std::vector<CloudAddress>> addresses = addresses_of(destination, line);
    if (!addresses) return CloudReply::failed(addresses.error());
    out.push_back({.name = destination,
                   .node = line.node,
                   .destination = destination,
                   .addresses = *std::move(addresses),
                   .follows_addresses = true});
  }
  return CloudReply::with(out);
}

CloudReply TableRoutes::create(const CloudRouteCall& at) {
  const CloudRoute& route = at.route;
  const Result<std::string> hop = next_hop(route);
  if (!hop) return CloudReply::failed(hop.error());
  Status written = writes_.make([route, line = RouteLine{*hop, route.node}](RouteTable& table) {
    table[route.destination] = line;
  });
  return written.ok() ? CloudReply::done() : CloudReply::failed(std::move(written));
}

CloudReply TableRoutes::remove(const CloudRouteCall& at) {
  const CloudRoute& route = at.route;
  Status written = writes_.make([route](RouteTable& table) {
    const auto line = table.find(route.destination);
    // Another Node may have got the destination since.
    if (line != table.end() && line->second.node == route.node) table.erase(line);
  });
  return written.ok() ? CloudReply::done() : CloudReply::failed(std::move(written));
}

Status TableRoutes::write(const std::vector<SharedWrites::Change>& changes) const {
  Result<Content> content = read();
  if (!content) return content.error();
  for (const SharedWrites::Change& each : changes) each(content->table);
  const std::string text = routes_text(content->table);
  if (text == content->text) return {};
  if (text.size() > kTextMax) return {Code::kUnavailable, "the table has more than 900 KiB"};
  JsonWriter body;
  body.begin_object().member("apiVersion", "v1").member("kind", "ConfigMap");
  body.key("metadata").begin_object().member("name", kRoutesName);
  body.member("namespace", kRoutesNamespace).end_object();
  body.key("data").begin_object().member("routes", text);
  body.member("generation", std::to_string(content->generation + 1)).end_object().end_object();
  return cluster_.client()
      .patch<ConfigMap>(map_key(), PatchType::kApply, body.text(),
                        {.field_manager = "davit-pools", .force = true})
      .error();
}

}  // namespace davit::pools
