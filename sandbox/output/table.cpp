#include "sandbox/output/output.hpp"

namespace davit::sandbox {

namespace {

std::string meta_api_version(const OutputForm& form) { return "meta.k8s.io/" + form.meta_version; }

Json definition_of(const Column& column) {
  return Json::object({{"name", column.name},
                       {"type", column.type},
                       {"format", column.format},
                       {"description", column.description},
                       {"priority", column.priority}});
}

Json row_object(const Json& object, const OutputForm& form) {
  switch (form.include) {
    case IncludeObject::kNone:
      break;
    case IncludeObject::kMetadata:
      return to_partial_metadata(object, form);
    case IncludeObject::kWhole:
      return object;
  }
  return Json();
}

/// Pods that have ended are greyed out by some clients.
void add_conditions(Json& row, const Resource& resource, const Json& object) {
  if (!resource.group.empty() || resource.kind != "Pod") return;
  const std::string& phase = object.text_at({"status", "phase"});
  if (phase != "Succeeded" && phase != "Failed") return;
  row["conditions"].push_back(
      Json::object({{"type", "Completed"}, {"status", "True"}, {"reason", phase}}));
}

/// Kinds without rules show what every object has.
std::vector<Column> columns_of(const Resource& resource) {
  if (resource.rules != nullptr) return resource.rules->columns();
  return {{.name = "Name", .type = "string", .format = "name", .description = ""},
          {.name = "Created At", .type = "date", .format = "", .description = ""}};
}

Json::Items cells_of(const Resource& resource, const Json& object, WallTime now) {
  if (resource.rules != nullptr) return resource.rules->cells(object, now);
  return {object.text_at({"metadata", "name"}), object.text_at({"metadata", "creationTimestamp"})};
}

}  // namespace

Json to_partial_metadata(const Json& object, const OutputForm& form) {
  Json metadata = object.get("metadata");
  metadata.make_object();
  Json out =
      Json::object({{"kind", "PartialObjectMetadata"}, {"apiVersion", meta_api_version(form)}});
  out["metadata"] = std::move(metadata);
  return out;
}

Json to_table(const Resource& resource, std::span<const Json> objects, Json list_metadata,
              const OutputForm& form, ShowColumns show, WallTime now) {
  Json out = Json::object({{"kind", "Table"}, {"apiVersion", meta_api_version(form)}});
  list_metadata.make_object();
  out["metadata"] = std::move(list_metadata);
  Json& definitions = out["columnDefinitions"];
  if (show == ShowColumns::kYes) {
    for (const Column& column : columns_of(resource)) {
      definitions.push_back(definition_of(column));
    }
  }
  Json::Items& rows = out["rows"].make_array();
  rows.reserve(objects.size());
  for (const Json& object : objects) {
    Json row = Json::object({{"cells", Json(cells_of(resource, object, now))}});
    add_conditions(row, resource, object);
    row["object"] = row_object(object, form);
    rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace davit::sandbox
