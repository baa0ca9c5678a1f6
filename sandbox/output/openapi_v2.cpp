#include "sandbox/output/openapi_v2.hpp"

#include <algorithm>
#include <array>
#include <protozero/pbf_writer.hpp>

#include "lib/net/accept.hpp"
#include "sandbox/output/openapi.hpp"

namespace davit::sandbox {

namespace {

using protozero::pbf_writer;

constexpr std::string_view kOldType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kV2JsonType = "application/json";

// Field numbers of OpenAPIv2.proto, as far as they are used.
enum class Document : protozero::pbf_tag_type {
  kSwagger = 1,
  kInfo = 2,
  kPaths = 8,
  kDefinitions = 9
};
enum class Info : protozero::pbf_tag_type { kTitle = 1, kVersion = 2 };
enum class PathItem : protozero::pbf_tag_type { kPatch = 8 };
enum class Operation : protozero::pbf_tag_type {
  kOperationId = 5,
  kParameters = 8,
  kResponses = 9,
  kVendorExtension = 13,
};
enum class Query : protozero::pbf_tag_type { kIn = 2, kName = 4, kType = 6 };
enum class Schema : protozero::pbf_tag_type {
  kRef = 1,
  kFormat = 2,
  kDescription = 4,
  kRequired = 19,
  kAdditionalProperties = 21,
  kType = 22,
  kItems = 23,
  kProperties = 25,
  kVendorExtension = 31,
};
constexpr protozero::pbf_tag_type kFirst = 1;   // The only field of most wrappers.
constexpr protozero::pbf_tag_type kSecond = 2;  // The value of a named pair; the YAML of an Any.
constexpr protozero::pbf_tag_type kThird = 3;   // A query parameter among the non-body ones.

template <typename Tag>
protozero::pbf_tag_type tag(Tag value) {
  return static_cast<protozero::pbf_tag_type>(value);
}

constexpr std::string_view kV3Prefix = "#/components/schemas/";
constexpr std::string_view kV2Prefix = "#/definitions/";

/// The members of a schema that v2 keeps.
constexpr std::array<std::string_view, 16> kKept = {
    "description", "type",          "format",           "required",  "enum",     "minimum",
    "maximum",     "minLength",     "maxLength",        "minItems",  "maxItems", "pattern",
    "uniqueItems", "maxProperties", "exclusiveMinimum", "multipleOf"};

/// The reference of a schema of v3, also where v3 has to wrap it in allOf; "" when it has none.
std::string reference_of(const Json& schema) {
  std::string ref = schema.text_at({"$ref"});
  if (const Json* all = schema.find("allOf"); ref.empty() && all != nullptr && all->size() == 1) {
    ref = all->items().front().text_at({"$ref"});
  }
  if (!ref.starts_with(kV3Prefix)) return ref;
  return std::string(kV2Prefix) + ref.substr(kV3Prefix.size());
}

/// Whether values may be what v2 has no words for.
bool is_open(const Json& schema) {
  return schema.get("nullable").boolean() ||
         schema.get("x-kubernetes-preserve-unknown-fields").boolean();
}

Json schema_in_v2(const Json& schema) {
  Json out = Json::object();
  if (const std::string ref = reference_of(schema); !ref.empty()) out.set("$ref", ref);
  const bool open = is_open(schema);
  for (const Json::Member& each : schema.members()) {
    const bool named = std::ranges::find(kKept, each.key) != kKept.end();
    const bool shape = each.key == "type" || each.key == "required";
    if (each.key.starts_with("x-") || (named && !(open && shape))) out.set(each.key, each.value);
    if (open) continue;
    const bool nested = each.key == "items" || each.key == "additionalProperties";
    if (nested && each.value.is_object()) out.set(each.key, schema_in_v2(each.value));
    if (each.key != "properties") continue;
    Json properties = Json::object();
    for (const Json::Member& one : each.value.members()) {
      properties.set(one.key, schema_in_v2(one.value));
    }
    out.set("properties", std::move(properties));
  }
  return out;
}

/// Parameters have their type beside their name in v2, not in a schema.
Json path_in_v2(const Json& item) {
  Json out = item;
  for (Json& parameter : out["patch"]["parameters"].make_array()) {
    const Json schema = parameter.get("schema");
    parameter.erase("schema");
    for (const Json::Member& each : schema.members()) parameter.set(each.key, each.value);
  }
  return out;
}

void write_schema(pbf_writer& out, const Json& schema);

/// Writes a schema as member `number`. Uses add_message(), because a nested writer drops an empty
/// message, and the schema of an arbitrary value is empty.
void add_schema(pbf_writer& out, protozero::pbf_tag_type number, const Json& schema) {
  std::string text;
  pbf_writer inner(text);
  write_schema(inner, schema);
  out.add_message(number, text);
}

/// NamedSchema: name and value.
void write_named(pbf_writer& list, const std::string& name, const Json& schema) {
  pbf_writer named(list, kFirst);
  named.add_string(kFirst, name);
  add_schema(named, kSecond, schema);
}

void write_vendor_extensions(pbf_writer& out, protozero::pbf_tag_type field, const Json& object) {
  for (const Json::Member& each : object.members()) {
    if (!each.key.starts_with("x-")) continue;
    pbf_writer named(out, field);
    named.add_string(kFirst, each.key);
    pbf_writer any(named, kSecond);
    any.add_string(kSecond, to_text(each.value));  // JSON is YAML.
  }
}

void write_schema(pbf_writer& out, const Json& schema) {
  if (const Json* ref = schema.find("$ref")) out.add_string(tag(Schema::kRef), ref->text());
  if (const Json* format = schema.find("format")) {
    out.add_string(tag(Schema::kFormat), format->text());
  }
  if (const Json* description = schema.find("description")) {
    out.add_string(tag(Schema::kDescription), description->text());
  }
  for (const Json& each : schema.get("required").items()) {
    out.add_string(tag(Schema::kRequired), each.text());
  }
  if (const Json* values = schema.find("additionalProperties")) {
    pbf_writer item(out, tag(Schema::kAdditionalProperties));
    add_schema(item, kFirst, *values);
  }
  if (const Json* type = schema.find("type")) {
    pbf_writer item(out, tag(Schema::kType));
    item.add_string(kFirst, type->text());
  }
  if (const Json* items = schema.find("items")) {
    pbf_writer item(out, tag(Schema::kItems));
    add_schema(item, kFirst, *items);
  }
  if (const Json* properties = schema.find("properties")) {
    pbf_writer list(out, tag(Schema::kProperties));
    for (const Json::Member& each : properties->members()) write_named(list, each.key, each.value);
  }
  write_vendor_extensions(out, tag(Schema::kVendorExtension), schema);
}

void write_parameter(pbf_writer& operation, const Json& parameter) {
  pbf_writer item(operation, tag(Operation::kParameters));
  pbf_writer any(item, kFirst);
  pbf_writer non_body(any, kSecond);
  pbf_writer query(non_body, kThird);
  query.add_string(tag(Query::kIn), parameter.text_at({"in"}));
  query.add_string(tag(Query::kName), parameter.text_at({"name"}));
  query.add_string(tag(Query::kType), parameter.text_at({"type"}));
}

/// Operations but PATCH have no reader. Parameters of a body do not either.
void write_path(pbf_writer& paths, const std::string& path, const Json& item) {
  if (!item.get("patch").is_object()) return;
  pbf_writer named(paths, kSecond);
  named.add_string(kFirst, path);
  pbf_writer value(named, kSecond);
  pbf_writer patch(value, tag(PathItem::kPatch));
  const Json& operation = item.get("patch");
  patch.add_string(tag(Operation::kOperationId), operation.text_at({"operationId"}));
  for (const Json& each : operation.get("parameters").items()) {
    if (each.get("in").text() == "query") write_parameter(patch, each);
  }
  patch.add_message(tag(Operation::kResponses), std::string());
  write_vendor_extensions(patch, tag(Operation::kVendorExtension), operation);
}

}  // namespace

std::optional<OpenApiV2Form> negotiate_openapi_v2(std::string_view accept) {
  for (const AcceptEntry& entry : parse_accept(accept)) {
    if (entry.takes(kV2JsonType)) return OpenApiV2Form::kJson;
    if (entry.type == kOpenApiV2Type || entry.type == kOldType) return OpenApiV2Form::kProtobuf;
  }
  return std::nullopt;
}

Json openapi_v2_document(const Json& paths, const Json& schemas) {
  Json out = Json::object(
      {{"swagger", "2.0"},
       {"info", Json::object({{"title", "Kubernetes"}, {"version", kOpenApiInfoVersion}})}});
  Json converted = Json::object();
  for (const Json::Member& each : paths.members()) converted.set(each.key, path_in_v2(each.value));
  out.set("paths", std::move(converted));
  Json definitions = Json::object();
  for (const Json::Member& each : schemas.members()) {
    definitions.set(each.key, schema_in_v2(each.value));
  }
  out.set("definitions", std::move(definitions));
  return out;
}

std::string openapi_v2_protobuf(const Json& document) {
  std::string text;
  pbf_writer out(text);
  out.add_string(tag(Document::kSwagger), document.text_at({"swagger"}));
  {
    pbf_writer info(out, tag(Document::kInfo));
    info.add_string(tag(Info::kTitle), document.text_at({"info", "title"}));
    info.add_string(tag(Info::kVersion), document.text_at({"info", "version"}));
  }
  {
    pbf_writer paths(out, tag(Document::kPaths));
    for (const Json::Member& each : document.get("paths").members()) {
      write_path(paths, each.key, each.value);
    }
  }
  {
    pbf_writer definitions(out, tag(Document::kDefinitions));
    for (const Json::Member& each : document.get("definitions").members()) {
      write_named(definitions, each.key, each.value);
    }
  }
  return text;
}

}  // namespace davit::sandbox
