#include "plugins/shared/endpoint/slice_endpoint.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "plugins/shared/endpoint/fnv128.hpp"

namespace davit::endpoint {

namespace {

// Names and addresses hold no line break.
constexpr char kFieldEnd = '\n';

std::vector<std::string> read_names(Value list) {
  std::vector<std::string> names;
  for (const Value each : list.elements()) names.emplace_back(each[&Names::name].string());
  return names;
}

std::optional<std::string> read_text(Value value) {
  const std::optional<std::string_view> text = value.text();
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

void write_names(JsonWriter& out, std::string_view key, const std::vector<std::string>& names) {
  if (names.empty()) return;
  out.key(key).begin_array();
  for (const std::string& each : names) out.begin_object().member("name", each).end_object();
  out.end_array();
}

void write_conditions(JsonWriter& out, const EndpointConditions& conditions) {
  const auto member = [&out](std::string_view key, const std::optional<bool>& value) {
    if (value) out.member(key, *value);
  };
  out.key("conditions").begin_object();
  member("ready", conditions.ready);
  member("serving", conditions.serving);
  member("terminating", conditions.terminating);
  out.end_object();
}

}  // namespace

SliceEndpoint SliceEndpoint::read(Value value) {
  SliceEndpoint out;
  for (const Value each : value[&Names::addresses].elements()) {
    out.addresses.emplace_back(each.string());
  }
  std::sort(out.addresses.begin(), out.addresses.end());
  const Value conditions = value[&Names::conditions];
  out.conditions = {conditions["ready"].boolean(), conditions["serving"].boolean(),
                    conditions["terminating"].boolean()};
  out.hostname = value[&Names::hostname].string();
  out.target = ObjectReference::read(value[&Names::target_ref]);
  out.node_name = read_text(value[&Names::node_name]);
  out.zone = read_text(value["zone"]);
  const Value hints = value["hints"];
  if (hints.kind() == Kind::kObject) {
    out.hints = {read_names(hints["forZones"]), read_names(hints["forNodes"])};
  }
  return out;
}

void SliceEndpoint::write(JsonWriter& out) const {
  out.begin_object().key("addresses").begin_array();
  for (const std::string& each : addresses) out.string(each);
  out.end_array();
  write_conditions(out, conditions);
  if (!hostname.empty()) out.member("hostname", hostname);
  if (target) {
    out.key("targetRef");
    target->write(out);
  }
  if (node_name) out.member("nodeName", *node_name);
  if (zone) out.member("zone", *zone);
  if (!hints.empty()) {
    out.key("hints").begin_object();
    write_names(out, "forZones", hints.zones);
    write_names(out, "forNodes", hints.nodes);
    out.end_object();
  }
  out.end_object();
}

std::string SliceEndpoint::identity() const {
  std::string out;
  for (const std::string& each : addresses) {
    out += each;
    out += ' ';
  }
  for (const std::string& each :
       {hostname, target ? target->ns : std::string(), target ? target->name : std::string()}) {
    out += kFieldEnd;
    out += each;
  }
  return out;
}

bool SliceEndpoint::same_state(const SliceEndpoint& other) const {
  return node_name == other.node_name && zone == other.zone && conditions == other.conditions &&
         same_reference(target, other.target);
}

void write_endpoints(JsonWriter& out, std::span<const SliceEndpoint> endpoints) {
  out.key("endpoints").begin_array();
  for (const SliceEndpoint& each : endpoints) each.write(out);
  out.end_array();
}

std::string slice_name_prefix(std::string_view service_name) {
  constexpr std::size_t kNameMax = 253;  // A DNS subdomain's longest name.
  return std::string(service_name) + (service_name.size() < kNameMax ? "-" : "");
}

SlicePorts read_slice_ports(Value ports) {
  SlicePorts out;
  for (const Value each : ports.elements()) {
    EndpointPort port{std::string(each[&Names::name].string()), each[&Names::port].integer_or(0),
                      std::string(each[&Names::protocol].string()),
                      read_text(each[&Names::app_protocol])};
    out.push_back(std::move(port));
  }
  return out;
}

SlicePorts in_written_order(SlicePorts ports) {
  std::sort(ports.begin(), ports.end(), [](const EndpointPort& a, const EndpointPort& b) {
    return fnv1a_128(slice_dump_text(a)) < fnv1a_128(slice_dump_text(b));
  });
  return ports;
}

SlicePorts as_group(SlicePorts ports) {
  std::sort(ports.begin(), ports.end());
  return ports;
}

void write_slice_ports(JsonWriter& out, const SlicePorts& ports) {
  out.key("ports").begin_array();
  for (const EndpointPort& each : ports) {
    out.begin_object().member("name", each.name).member("port", each.port);
    out.member("protocol", each.protocol);
    if (each.app_protocol) out.member("appProtocol", *each.app_protocol);
    out.end_object();
  }
  out.end_array();
}

std::string slice_dump_text(const EndpointPort& port) {
  return "(v1.EndpointPort){Name:(*string)" + port.name + " Protocol:(*v1.Protocol)" +
         port.protocol + " Port:(*int32)" + std::to_string(port.port) + " AppProtocol:(*string)" +
         port.app_protocol.value_or("<nil>") + "}";
}

}  // namespace davit::endpoint
