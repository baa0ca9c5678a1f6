#include "sandbox/policy/mutated_object.hpp"

#include <utility>
#include <vector>

#include "sandbox/policy/match_resources.hpp"
#include "sandbox/rest/convert.hpp"

namespace davit::sandbox {

namespace {

/// The part of a subresource whose kind is another than the resource's; null: it has none.
const Subresource* part_with_kind(const Resource& resource, std::string_view subresource) {
  const Subresource* const part = subresource.empty() ? nullptr : resource.subresource(subresource);
  return part == nullptr || part->kind.empty() ? nullptr : part;
}

}  // namespace

BodyType admitted_type(const Resource& resource, std::string_view subresource) {
  if (part_with_kind(resource, subresource) == nullptr) return BodyType::of(resource);
  RequestKind kind = request_kind(resource, subresource);
  return BodyType::of_kind(std::move(kind.group), std::move(kind.version), std::move(kind.kind));
}

std::string no_object_text(const Json& value) {
  const std::string_view type = value.is_array()     ? "array"
                                : value.is_number()  ? "number"
                                : value.is_boolean() ? "bool"
                                                     : "string";
  return "couldn't get version/kind; json parse error: json: cannot unmarshal " +
         std::string(type) +
         R"( into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
         R"(Kind string "json:\"kind,omitempty\"" })";
}

MutatedObject adopt_mutated(const RestParts& parts, Json object, const Resource& matched,
                            const JudgedWrite& write, FieldValidation unknown) {
  std::vector<std::string> ignored;
  const BodyType type = admitted_type(matched, write.subresource);
  if (!object.is_object()) return {{}, no_object_text(object)};
  if (type.custom != nullptr && object.get("kind").text().empty()) {
    return {{}, "Object 'Kind' is missing in '" + to_text(object) + '\''};
  }
  if (ApiFailure fault = keep_type(object, type)) return {{}, fault->message};
  if (ApiFailure fault = conform_body(object, type, unknown, {}, ignored)) {
    return {{}, fault->message.substr(fault->message.find(": ") + 2)};
  }
  if (part_with_kind(write.resource, write.subresource) == nullptr) {
    ApiResult<Json> own = convert(parts, std::move(object), write.resource);
    if (!own) return {{}, std::move(own.error().message)};
    object = std::move(*own);
    if (write.resource.rules != nullptr) write.resource.rules->set_defaults(object);
  }
  return {std::move(object), ""};
}

}  // namespace davit::sandbox
