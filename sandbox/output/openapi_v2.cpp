#include "sandbox/output/openapi_v2.hpp"

#include <protozero/pbf_writer.hpp>

namespace davit::sandbox {

namespace {

using protozero::pbf_writer;

// Field numbers of OpenAPIv2.proto, as far as they are used.
enum class Document : protozero::pbf_tag_type {
  kSwagger = 1,
  kInfo = 2,
  kPaths = 8,
  kDefinitions = 9
};
enum class Info : protozero::pbf_tag_type { kTitle = 1, kVersion = 2 };
enum class Schema : protozero::pbf_tag_type {
  kRef = 1,
  kFormat = 2,
  kDescription = 4,
  kRequired = 18,
  kAdditionalProperties = 20,
  kType = 21,
  kItems = 22,
  kProperties = 24,
  kVendorExtension = 30,
};
constexpr protozero::pbf_tag_type kFirst = 1;   // The only field of most wrappers.
constexpr protozero::pbf_tag_type kSecond = 2;  // The value of a named pair; the YAML of an Any.

template <typename Tag>
protozero::pbf_tag_type tag(Tag value) {
  return static_cast<protozero::pbf_tag_type>(value);
}

constexpr std::string_view kV3Prefix = "#/components/schemas/";

/// The reference of `schema`, also where v3 has to wrap it in allOf; "" when it is none.
std::string reference_of(const Json& schema) {
  std::string ref = schema.text_at({"$ref"});
  if (const Json* all = schema.find("allOf"); ref.empty() && all != nullptr && all->size() == 1) {
    ref = all->items().front().text_at({"$ref"});
  }
  if (!ref.starts_with(kV3Prefix)) return ref;
  return "#/definitions/" + ref.substr(kV3Prefix.size());
}

void write_schema(pbf_writer& out, const Json& schema);

/// NamedSchema: name and value.
void write_named(pbf_writer& list, const std::string& name, const Json& schema) {
  pbf_writer named(list, kFirst);
  named.add_string(kFirst, name);
  pbf_writer value(named, kSecond);
  write_schema(value, schema);
}

void write_vendor_extensions(pbf_writer& out, const Json& schema) {
  for (const Json::Member& each : schema.members()) {
    if (!each.key.starts_with("x-")) continue;
    pbf_writer named(out, tag(Schema::kVendorExtension));
    named.add_string(kFirst, each.key);
    pbf_writer any(named, kSecond);
    any.add_string(kSecond, to_text(each.value));  // JSON is YAML.
  }
}

void write_schema(pbf_writer& out, const Json& schema) {
  if (const std::string ref = reference_of(schema); !ref.empty()) {
    out.add_string(tag(Schema::kRef), ref);
  }
  if (const Json* format = schema.find("format")) {
    out.add_string(tag(Schema::kFormat), format->text());
  }
  if (const Json* description = schema.find("description")) {
    out.add_string(tag(Schema::kDescription), description->text());
  }
  for (const Json& each : schema.get("required").items()) {
    out.add_string(tag(Schema::kRequired), each.text());
  }
  if (const Json* values = schema.find("additionalProperties"); values && values->is_object()) {
    pbf_writer item(out, tag(Schema::kAdditionalProperties));
    pbf_writer value(item, kFirst);
    write_schema(value, *values);
  }
  if (const Json* type = schema.find("type")) {
    pbf_writer item(out, tag(Schema::kType));
    item.add_string(kFirst, type->text());
  }
  if (const Json* items = schema.find("items")) {
    pbf_writer item(out, tag(Schema::kItems));
    pbf_writer value(item, kFirst);
    write_schema(value, *items);
  }
  if (const Json* properties = schema.find("properties")) {
    pbf_writer list(out, tag(Schema::kProperties));
    for (const Json::Member& each : properties->members()) write_named(list, each.key, each.value);
  }
  write_vendor_extensions(out, schema);
}

}  // namespace

std::string openapi_v2_document(const Json& schemas, std::string_view version) {
  std::string text;
  pbf_writer document(text);
  document.add_string(tag(Document::kSwagger), "2.0");
  {
    pbf_writer info(document, tag(Document::kInfo));
    info.add_string(tag(Info::kTitle), "Kubernetes");
    info.add_string(tag(Info::kVersion), version.data(), version.size());
  }
  document.add_message(tag(Document::kPaths), std::string());
  pbf_writer definitions(document, tag(Document::kDefinitions));
  for (const Json::Member& each : schemas.members()) write_named(definitions, each.key, each.value);
  definitions.commit();
  return text;
}

}  // namespace davit::sandbox
