#include "plugins/endpoint/slice_object.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/time.hpp>
#include <map>
#include <utility>

#include "plugins/endpoint/endpoints_object.hpp"

namespace davit::endpoint {

namespace {

bool is_reserved(std::string_view label) {
  return label == EndpointSlice::kServiceNameLabel || label == EndpointSlice::kManagedByLabel ||
         label == kHeadlessLabel;
}

std::map<std::string_view, std::string_view> free_labels(Value labels) {
  std::map<std::string_view, std::string_view> out;
  for (const Member& each : labels.members()) {
    if (!is_reserved(each.key)) out.emplace(each.key, each.value.string());
  }
  return out;
}

std::map<std::string_view, std::string_view> all_labels(const Service& service) {
  std::map<std::string_view, std::string_view> out = free_labels(service.labels());
  out.emplace(EndpointSlice::kServiceNameLabel, service.name());
  out.emplace(EndpointSlice::kManagedByLabel, kSliceManager);
  if (!service.has_cluster_ip()) out.emplace(kHeadlessLabel, "");
  return out;
}

void write_slice_labels(JsonWriter& body, const Service& service) {
  body.key("labels").begin_object();
  for (const auto& [key, value] : all_labels(service)) body.member(key, value);
  body.end_object();
}

void write_annotations(JsonWriter& body, Value stored, std::optional<WallTime> trigger) {
  body.key("annotations").begin_object();
  for (const Member& each : stored.members()) {
    if (each.key != kTriggerTimeAnnotation) body.member(each.key, each.value);
  }
  if (trigger) body.member(kTriggerTimeAnnotation, format_time(*trigger));
  body.end_object();
}

void write_new_metadata(JsonWriter& body, const PlannedSlice& slice, const Service& service) {
  body.member("generateName", slice_name_prefix(service.name()));
  body.member("namespace", service.ns());
  if (!slice.name.empty()) body.member("name", slice.name);
  body.key("ownerReferences").begin_array();
  owner_identity(service).write_controller_reference(body);
  body.end_array();
}

void write_stored_metadata(JsonWriter& body, Value metadata) {
  for (const Member& each : metadata.members()) {
    if (each.key != "labels" && each.key != "annotations") body.member(each.key, each.value);
  }
}

/// Keeps the members that the controller does not write.
void write_stored_members(JsonWriter& body, const EndpointSlice& stored) {
  for (const Member& each : stored.value().members()) {
    if (each.key != "apiVersion" && each.key != "kind" && each.key != "metadata" &&
        each.key != "endpoints") {
      body.member(each.key, each.value);
    }
  }
}

}  // namespace

bool is_owned_by(const EndpointSlice& slice, const Service& service) {
  for (const Value each : slice.owner_references().elements()) {
    const OwnerReference owner(each);
    if (owner.uid() == service.uid() && owner.kind() == Service::kResource.kind &&
        owner.api_version() == Service::kResource.api_version()) {
      return true;
    }
  }
  return false;
}

bool has_labels_of(const EndpointSlice& slice, const Service& service) {
  return free_labels(slice.labels()) == free_labels(service.labels());
}

bool is_placeholder(const EndpointSlice& slice, const Service& service) {
  if (slice.endpoints().count() != 0 || slice.ports().count() != 0) return false;
  const auto wanted = all_labels(service);
  for (const auto& [key, value] : wanted) {
    if (slice.labels()[key].string() != value) return false;
  }
  for (const Member& each : slice.labels().members()) {
    if (!each.value.string().empty() && !wanted.contains(each.key)) return false;
  }
  return true;
}

std::string slice_body(const PlannedSlice& slice, const Service& service, IpFamily type,
                       std::optional<WallTime> trigger) {
  JsonWriter body;
  body.begin_object().member("apiVersion", EndpointSlice::kResource.api_version());
  body.member("kind", EndpointSlice::kResource.kind).key("metadata").begin_object();
  const Value metadata = slice.stored ? slice.stored->metadata() : Value();
  if (slice.stored) {
    write_stored_metadata(body, metadata);
  } else {
    write_new_metadata(body, slice, service);
  }
  write_slice_labels(body, service);
  write_annotations(body, metadata[&Names::annotations], trigger);
  body.end_object();
  if (slice.stored) {
    write_stored_members(body, *slice.stored);
  } else {
    body.member("addressType", ip::family_name(type));
    write_slice_ports(body, slice.ports);
  }
  if (slice.content == PlannedSlice::Content::kAsStored) {
    body.key("endpoints").value(slice.stored->endpoints());
  } else {
    write_endpoints(body, slice.endpoints);
  }
  body.end_object();
  return std::move(body).text();
}

}  // namespace davit::endpoint
