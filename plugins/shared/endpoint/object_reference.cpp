#include "plugins/shared/endpoint/object_reference.hpp"

#include <string_view>
#include <tuple>

namespace davit::endpoint {

namespace {

auto comparable(const ObjectReference& each) {
  return std::tie(each.kind, each.ns, each.name, each.uid, each.api_version, each.field_path);
}

std::string owned(Value value) { return std::string(value.string()); }

}  // namespace

ObjectReference ObjectReference::to(const Pod& pod) {
  return {.kind = std::string(Pod::kResource.kind),
          .ns = std::string(pod.ns()),
          .name = std::string(pod.name()),
          .uid = std::string(pod.uid()),
          .api_version = {},
          .resource_version = {},
          .field_path = {}};
}

std::optional<ObjectReference> ObjectReference::read(Value value) {
  if (value.kind() != Kind::kObject) return std::nullopt;
  return ObjectReference{owned(value[&Names::kind]),        owned(value[&Names::ns]),
                         owned(value[&Names::name]),        owned(value[&Names::uid]),
                         owned(value[&Names::api_version]), owned(value[&Names::resource_version]),
                         owned(value[&Names::field_path])};
}

void ObjectReference::write(JsonWriter& out) const {
  const auto member = [&out](std::string_view key, const std::string& text) {
    if (!text.empty()) out.member(key, text);
  };
  out.begin_object();
  member("kind", kind);
  member("namespace", ns);
  member("name", name);
  member("uid", uid);
  member("apiVersion", api_version);
  member("resourceVersion", resource_version);
  member("fieldPath", field_path);
  out.end_object();
}

bool same_reference(const std::optional<ObjectReference>& a,
                    const std::optional<ObjectReference>& b) {
  if (!a || !b) return !a && !b;
  return comparable(*a) == comparable(*b);
}

}  // namespace davit::endpoint
