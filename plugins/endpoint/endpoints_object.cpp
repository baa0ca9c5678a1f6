#include "plugins/endpoint/endpoints_object.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/time.hpp>
#include <string_view>

#include "plugins/endpoint/truncation.hpp"

namespace davit::endpoint {

namespace {

constexpr std::string_view kTruncated = "truncated";

/// Labels that the controller itself adds.
bool is_own_label(std::string_view key) { return key == kHeadlessLabel || key == kManagedByLabel; }

bool labels_are_right(Value current, Value wanted) {
  if (current[kManagedByLabel].string() != kManager) return false;
  std::size_t copied = 0;
  for (const Member& each : current.members()) {
    if (is_own_label(each.key)) continue;
    const auto value = wanted[each.key].text();
    if (!value || *value != each.value.string()) return false;
    ++copied;
  }
  return copied == wanted.count();
}

void write_addresses(JsonWriter& body, std::string_view name,
                     const std::vector<EndpointAddress>& addresses) {
  if (addresses.empty()) return;
  body.key(name).begin_array();
  for (const EndpointAddress& each : addresses) {
    body.begin_object().member("ip", each.ip);
    if (!each.hostname.empty()) body.member("hostname", each.hostname);
    if (each.node_name) body.member("nodeName", *each.node_name);
    if (each.target) {
      body.key("targetRef");
      each.target->write(body);
    }
    body.end_object();
  }
  body.end_array();
}

void write_subsets(JsonWriter& body, const Subsets& subsets) {
  body.key("subsets").begin_array();
  for (const EndpointSubset& subset : subsets) {
    body.begin_object();
    write_addresses(body, "addresses", subset.ready);
    write_addresses(body, "notReadyAddresses", subset.not_ready);
    if (!subset.ports.empty()) {
      body.key("ports").begin_array();
      for (const EndpointPort& port : subset.ports) {
        body.begin_object();
        if (!port.name.empty()) body.member("name", port.name);
        body.member("port", port.port).member("protocol", port.protocol);
        if (port.app_protocol) body.member("appProtocol", *port.app_protocol);
        body.end_object();
      }
      body.end_array();
    }
    body.end_object();
  }
  body.end_array();
}

void write_labels(JsonWriter& body, const Service& service) {
  body.key("labels").begin_object();
  for (const Member& each : service.labels().members()) {
    if (!is_own_label(each.key)) body.member(each.key, each.value);
  }
  if (!service.has_cluster_ip()) body.member(kHeadlessLabel, "");
  body.member(kManagedByLabel, kManager).end_object();
}

void write_annotations(JsonWriter& body, Value current, Capacity capacity,
                       std::optional<WallTime> trigger) {
  body.key("annotations").begin_object();
  for (const Member& each : current.members()) {
    if (each.key != kOverCapacityAnnotation && each.key != kTriggerTimeAnnotation) {
      body.member(each.key, each.value);
    }
  }
  if (capacity == Capacity::kTruncated) body.member(kOverCapacityAnnotation, kTruncated);
  if (trigger) body.member(kTriggerTimeAnnotation, format_time(*trigger));
  body.end_object();
}

}  // namespace

bool is_right(const Endpoints& current, const Service& service, const Subsets& wanted) {
  if (current.annotation(kOverCapacityAnnotation)) return false;
  if (!labels_are_right(current.labels(), service.labels())) return false;
  const Subsets subsets = read_subsets(current);
  if (address_count(subsets) > kAddressesMax) return false;
  return same_subsets(subsets, wanted) || same_subsets(canonical(subsets), wanted);
}

std::string endpoints_body(const Lookup<Endpoints>& current, const Service& service,
                           const Subsets& subsets, Capacity capacity,
                           std::optional<WallTime> trigger) {
  const Value metadata = current ? current->metadata() : Value();
  JsonWriter body;
  body.begin_object().member("apiVersion", "v1").member("kind", "Endpoints");
  body.key("metadata").begin_object();
  if (!current) body.member("name", service.name());
  for (const Member& each : metadata.members()) {
    if (each.key != "labels" && each.key != "annotations") body.member(each.key, each.value);
  }
  write_labels(body, service);
  write_annotations(body, metadata[&Names::annotations], capacity, trigger);
  body.end_object();
  if (current) {
    for (const Member& each : current->value().members()) {
      if (each.key != "apiVersion" && each.key != "kind" && each.key != "metadata" &&
          each.key != "subsets") {
        body.member(each.key, each.value);
      }
    }
  }
  write_subsets(body, subsets);
  body.end_object();
  return std::move(body).text();
}

}  // namespace davit::endpoint
