#include "sandbox/crd/published_schema.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

constexpr std::string_view kObjectMeta =
    "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

Json text_property(std::string_view description) {
  return Json::object({{"description", description}, {"type", "string"}});
}

/// apiVersion, kind and metadata, whatever the definition says of them.
void add_type_and_metadata(Json& schema) {
  Json& properties = schema["properties"];
  properties.make_object();
  properties.set("apiVersion", text_property("The group and version of this object's type."));
  properties.set("kind", text_property("The type of this object."));
  properties.set("metadata",
                 Json::object({{"description", "Name, labels and what else all objects have."},
                               {"allOf", Json::array({Json::object({{"$ref", kObjectMeta}})})}}));
}

void require(Json& schema, std::string_view name) {
  Json& required = schema["required"];
  const bool known = std::ranges::any_of(required.items(),
                                         [name](const Json& each) { return each.text() == name; });
  if (!known) required.push_back(Json(name));
}

/// Bounded by the depth that compile_schema() takes.
void publish_below(Json& schema) {
  if (schema.get("x-kubernetes-int-or-string").boolean() && !schema.contains("anyOf")) {
    schema.set("anyOf", Json::array({Json::object({{"type", "integer"}}),
                                     Json::object({{"type", "string"}})}));
  }
  if (Json* properties = schema.find("properties")) {
    for (Json::Member& each : properties->make_object()) publish_below(each.value);
  }
  for (const std::string_view name : {"items", "additionalProperties"}) {
    Json* below = schema.find(name);
    if (below != nullptr && below->is_object()) publish_below(*below);
  }
  if (!schema.get("x-kubernetes-embedded-resource").boolean()) return;
  add_type_and_metadata(schema);
  require(schema, "kind");
  require(schema, "apiVersion");
}

}  // namespace

Json published_schema(const Json& schema) {
  Json out = schema;
  out.make_object();
  publish_below(out);
  add_type_and_metadata(out);
  return out;
}

}  // namespace davit::sandbox
