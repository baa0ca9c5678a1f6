// Tables, metadata alone, and bodies as text.
#include "sandbox/output/output.hpp"
#include "sandbox/output/yaml_text.hpp"

namespace davit::sandbox {

namespace {

Json column_json(const Column& column) {
  return Json::object({{"name", column.name},
                       {"type", column.type},
                       {"format", column.format},
                       {"description", column.description},
                       {"priority", column.priority}});
}

Json row_object(const Json& object, const OutputForm& form) {
  switch (form.include) {
    case IncludeObject::kNone:
      return {};
    case IncludeObject::kWhole:
      return object;
    case IncludeObject::kMetadata:
      break;
  }
  return to_partial_metadata(object, form);
}

/// Kinds without rules show what every object has.
std::vector<Column> columns_of(const Resource& resource) {
  if (resource.rules != nullptr) return resource.rules->columns();
  return {{.name = "Name", .type = "string", .format = "name", .description = ""},
          {.name = "Created At", .type = "date", .format = "", .description = ""}};
}

Json::Items cells_of(const Resource& resource, const Json& object, host::WallTime now) {
  if (resource.rules != nullptr) return resource.rules->cells(object, now);
  return {object.text_at({"metadata", "name"}), object.text_at({"metadata", "creationTimestamp"})};
}

}  // namespace

Json to_table(const Resource& resource, std::span<const Json> objects, Json list_metadata,
              const OutputForm& form, ShowColumns show, host::WallTime now) {
  Json definitions;
  if (show == ShowColumns::kYes) {
    definitions = Json::array();
    for (const Column& each : columns_of(resource)) definitions.push_back(column_json(each));
  }
  Json rows = Json::array();
  for (const Json& each : objects) {
    rows.push_back(Json::object(
        {{"cells", Json(cells_of(resource, each, now))}, {"object", row_object(each, form)}}));
  }
  return Json::object({{"kind", "Table"},
                       {"apiVersion", "meta.k8s.io/" + form.meta_version},
                       {"metadata", std::move(list_metadata)},
                       {"columnDefinitions", std::move(definitions)},
                       {"rows", std::move(rows)}});
}

Json to_partial_metadata(const Json& object, const OutputForm& form) {
  return Json::object({{"kind", "PartialObjectMetadata"},
                       {"apiVersion", "meta.k8s.io/" + form.meta_version},
                       {"metadata", object.get("metadata")}});
}

std::string encode_body(const Json& body, const OutputForm& form) {
  if (form.media == Media::kYaml) return to_yaml_text(body);
  return (form.pretty ? to_pretty_text(body) : to_text(body)) + '\n';
}

std::string content_type(const OutputForm& form) {
  return form.media == Media::kYaml ? "application/yaml" : "application/json";
}

}  // namespace davit::sandbox
