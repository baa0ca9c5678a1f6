#include <algorithm>
#include <davit/cloud_data.hpp>
#include <davit/json_writer.hpp>
#include <string_view>
#include <utility>

namespace davit {
namespace {

constexpr std::string_view kType = "type";
constexpr std::string_view kAddress = "address";
constexpr std::string_view kProviderId = "providerID";
constexpr std::string_view kInstanceType = "instanceType";
constexpr std::string_view kZone = "zone";
constexpr std::string_view kRegion = "region";
constexpr std::string_view kNodeAddresses = "nodeAddresses";
constexpr std::string_view kLabels = "additionalLabels";
constexpr std::string_view kName = "name";
constexpr std::string_view kTargetNode = "targetNode";
constexpr std::string_view kTargetAddresses = "targetNodeAddresses";
constexpr std::string_view kEnableAddresses = "enableNodeAddresses";
constexpr std::string_view kDestination = "destinationCIDR";
constexpr std::string_view kBlackhole = "blackhole";

std::string text_of(Value object, std::string_view name) {
  return std::string(object[name].string());
}

/// Writes the member unless it is empty.
void write_text(JsonWriter& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.member(name, text);
}

void write_addresses(JsonWriter& out, std::string_view name,
                     const std::vector<CloudAddress>& addresses) {
  if (addresses.empty()) return;
  out.key(name).begin_array();
  for (const CloudAddress& each : addresses) {
    out.begin_object().member(kType, each.type).member(kAddress, each.address).end_object();
  }
  out.end_array();
}

void write_route(JsonWriter& out, const CloudRoute& route) {
  out.begin_object();
  write_text(out, kName, route.name);
  write_text(out, kTargetNode, route.node);
  write_addresses(out, kTargetAddresses, route.addresses);
  if (route.follows_addresses) out.member(kEnableAddresses, true);
  out.member(kDestination, route.destination);
  if (route.is_blackhole) out.member(kBlackhole, true);
  out.end_object();
}

}  // namespace

// ---- Classes

bool LoadBalancerClasses::has(Value name) const {
  if (name.is_absent()) return takes_unclassed;
  return std::find(names.begin(), names.end(), name.string()) != names.end();
}

std::string LoadBalancerClasses::text() const {
  std::string out;
  for (const std::string& each : names) out.append(out.empty() ? "" : ",").append(each);
  return out;
}

void LoadBalancerClasses::read(std::string_view text) {
  names.clear();
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    if (!name.empty()) names.emplace_back(name);
  }
}

// ---- Values

std::vector<CloudAddress> read_addresses(Value list) {
  std::vector<CloudAddress> out;
  out.reserve(list.count());
  for (const Value each : list.elements()) {
    out.push_back({text_of(each, kType), text_of(each, kAddress)});
  }
  return out;
}

CloudMetadata CloudMetadata::read(Value json) {
  CloudMetadata out{
      text_of(json, kProviderId), text_of(json, kInstanceType),         text_of(json, kZone),
      text_of(json, kRegion),     read_addresses(json[kNodeAddresses]), {}};
  for (const Member each : json[kLabels].members()) {
    out.labels.emplace(each.key, each.value.string());
  }
  return out;
}

std::string CloudMetadata::json() const {
  JsonWriter out;
  out.begin_object();
  write_text(out, kProviderId, provider_id);
  write_text(out, kInstanceType, instance_type);
  write_text(out, kZone, zone);
  write_text(out, kRegion, region);
  write_addresses(out, kNodeAddresses, addresses);
  if (!labels.empty()) {
    out.key(kLabels).begin_object();
    for (const auto& [name, value] : labels) out.member(name, value);
    out.end_object();
  }
  out.end_object();
  return std::move(out).text();
}

CloudRoute CloudRoute::read(Value json) {
  return {.name = text_of(json, kName),
          .node = text_of(json, kTargetNode),
          .destination = text_of(json, kDestination),
          .addresses = read_addresses(json[kTargetAddresses]),
          .follows_addresses = json[kEnableAddresses].is_true(),
          .is_blackhole = json[kBlackhole].is_true()};
}

std::string CloudRoute::json() const {
  JsonWriter out;
  write_route(out, *this);
  return std::move(out).text();
}

std::vector<CloudRoute> read_routes(Value list) {
  std::vector<CloudRoute> out;
  out.reserve(list.count());
  for (const Value each : list.elements()) out.push_back(CloudRoute::read(each));
  return out;
}

std::string routes_json(std::span<const CloudRoute> routes) {
  JsonWriter out;
  out.begin_array();
  for (const CloudRoute& each : routes) write_route(out, each);
  out.end_array();
  return std::move(out).text();
}

}  // namespace davit
