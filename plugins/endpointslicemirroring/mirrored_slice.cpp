#include "plugins/endpointslicemirroring/mirrored_slice.hpp"

#include <davit/json_writer.hpp>
#include <map>
#include <utility>

namespace davit::endpointslicemirroring {
namespace {

constexpr std::string_view kSkipLabel = "endpointslice.kubernetes.io/skip-mirror";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

using Texts = std::map<std::string_view, std::string_view>;

bool is_own_label(std::string_view key) {
  return key == EndpointSlice::kServiceNameLabel || key == EndpointSlice::kManagedByLabel;
}
bool is_left_out(std::string_view annotation) {
  return annotation == endpoint::kTriggerTimeAnnotation || annotation == kLastApplied;
}

Texts texts(Value members) {
  Texts out;
  for (const Member& each : members.members()) out.emplace(each.key, each.value.string());
  return out;
}

Texts wanted_annotations(const Endpoints& endpoints) {
  Texts out = texts(endpoints.annotations());
  std::erase_if(out, [](const auto& each) { return is_left_out(each.first); });
  return out;
}

/// An object that was deleted and made again has the name of the owner, and another UID.
bool is_of_former_object(const EndpointSlice& slice, const Endpoints& endpoints) {
  for (const Value each : slice.owner_references().elements()) {
    const OwnerReference owner(each);
    if (owner.kind() == Endpoints::kResource.kind && owner.name() == endpoints.name() &&
        owner.uid() != endpoints.uid()) {
      return true;
    }
  }
  return false;
}

void write(JsonWriter& body, std::string_view key, const Texts& texts) {
  body.key(key).begin_object();
  for (const auto& [name, value] : texts) body.member(name, value);
  body.end_object();
}

}  // namespace

bool should_mirror(const Endpoints& endpoints) {
  return endpoints.label(kSkipLabel) != "true" &&
         endpoints.annotations()[endpoint::kLeaderAnnotation].is_absent();
}

bool has_metadata_of(const EndpointSlice& slice, const Endpoints& endpoints) {
  Texts labels = texts(slice.labels());
  std::erase_if(labels, [](const auto& each) { return is_own_label(each.first); });
  return labels == texts(endpoints.labels()) &&
         texts(slice.annotations()) == wanted_annotations(endpoints) &&
         !is_of_former_object(slice, endpoints);
}

std::string slice_body(const MirroredSlice& slice, const Endpoints& endpoints) {
  Texts labels = texts(endpoints.labels());
  labels.insert_or_assign(EndpointSlice::kServiceNameLabel, endpoints.name());
  labels.insert_or_assign(EndpointSlice::kManagedByLabel, kMirrorManager);
  JsonWriter body;
  body.begin_object().member("apiVersion", EndpointSlice::kResource.api_version());
  body.member("kind", EndpointSlice::kResource.kind).key("metadata").begin_object();
  body.member("namespace", endpoints.ns());
  if (slice.name.empty()) {
    body.member("generateName", endpoint::slice_name_prefix(endpoints.name()));
  } else {
    body.member("name", slice.name);
  }
  write(body, "labels", labels);
  write(body, "annotations", wanted_annotations(endpoints));
  body.key("ownerReferences").begin_array();
  owner_identity(endpoints).write_controller_reference(body);
  body.end_array().end_object();
  body.member("addressType", ip::family_name(slice.group.first));
  endpoint::write_slice_ports(body, endpoint::in_written_order(slice.group.second));
  endpoint::write_endpoints(body, slice.endpoints);
  body.end_object();
  return std::move(body).text();
}

}  // namespace davit::endpointslicemirroring
