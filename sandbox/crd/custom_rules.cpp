#include "sandbox/crd/custom_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <davit/kube/time.hpp>
#include <utility>

#include "lib/kube/validation/list_types.hpp"
#include "sandbox/crd/embedded_resources.hpp"
#include "sandbox/kinds/age_text.hpp"

namespace davit::sandbox {

namespace {

/// A cell of a typed column; null when the value is of another type.
Json cell_of(const std::string& type, const Json& value, WallTime now) {
  if (type == "string") return Json(printed(value));
  if (type == "date") {
    if (!value.is_string()) return {};
    return parse_wire_time(value.text()) ? Json(human_age(value.text(), now)) : Json("<invalid>");
  }
  if (type == "boolean") return value.is_boolean() ? value : Json();
  if (!value.is_number()) return {};
  return type == "number" || value.integer() ? value : Json();
}

bool same_outside(const Json& a, const Json& b, std::initializer_list<std::string_view> ignored) {
  const auto covered = [&](const Json& x, const Json& y) {
    return std::all_of(x.members().begin(), x.members().end(), [&](const Json::Member& each) {
      if (std::find(ignored.begin(), ignored.end(), each.key) != ignored.end()) return true;
      const Json* other = y.find(each.key);
      return other != nullptr && *other == each.value;
    });
  };
  return covered(a, b) && covered(b, a);
}

/// ".spec.replicas", as upstream names the fields that /scale shows.
std::string dotted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& each : names) out += '.' + each;
  return out;
}

/// Null if it or something above it is missing.
const Json* value_of(const Json& object, const std::vector<std::string>& names) {
  const Json* out = &object;
  for (const std::string& each : names) {
    out = out->find(each);
    if (out == nullptr) return nullptr;
  }
  return out;
}

std::string wrong_type(const std::vector<std::string>& names, const Json& value,
                       std::string_view wanted) {
  const char* type = "map[string]interface {}";
  if (value.is_null()) type = "<nil>";
  if (value.is_string()) type = "string";
  if (value.is_boolean()) type = "bool";
  if (value.is_array()) type = "[]interface {}";
  if (value.is_number()) type = value.integer() ? "int64" : "float64";
  const std::string text = value.is_null()     ? "<nil>"
                           : value.is_string() ? value.text()
                                               : to_text(value);
  return dotted(names) + " accessor error: " + text + " is of the type " + type + ", expected " +
         std::string(wanted);
}

/// k8s: ValidateScaleSpec and ValidateScaleStatus of the same package as the schema's errors, which
/// these come on top of.
void check_replicas(const Json& object, const std::vector<std::string>& names,
                    FieldErrors& errors) {
  const Json* value = value_of(object, names);
  if (value == nullptr) return;
  const std::string field = dotted(names);
  const std::optional<std::int64_t> replicas = value->is_number() ? value->integer() : std::nullopt;
  if (!replicas) {
    errors.push_back(field_invalid(field, Json(0), wrong_type(names, *value, "int64")));
  } else if (*replicas < 0) {
    errors.push_back(field_invalid(field, *value, "should be a non-negative integer"));
  } else if (*replicas > INT32_MAX) {
    errors.push_back(field_invalid(field, *value, "should be less than or equal to 2147483647"));
  }
}

}  // namespace

Result<std::shared_ptr<const CustomRules>> CustomRules::compile(const Json& version, Scope scope,
                                                                DefinitionFacts shared) {
  Result<std::unique_ptr<const SchemaNode>> schema =
      compile_schema(version.get("schema").get("openAPIV3Schema"));
  if (!schema) return schema.error();
  struct Made : CustomRules {  // The constructor is for this function alone.
    Made(std::unique_ptr<const SchemaNode> node, Scope where)
        : CustomRules(std::move(node), where) {}
  };
  auto rules = std::make_shared<Made>(std::move(*schema), scope);
  if (Status read = rules->read_columns(version.get("additionalPrinterColumns")); !read.ok()) {
    return read;
  }
  if (Status read = rules->read_fields(version.get("selectableFields")); !read.ok()) return read;
  if (Status read = rules->read_subresources(version.get("subresources")); !read.ok()) return read;
  rules->validations_ =
      RuleTree::compile(version.get("schema").get("openAPIV3Schema"), *rules->schema_);
  rules->shared_ = std::move(shared);
  return std::shared_ptr<const CustomRules>(std::move(rules));
}

Status CustomRules::read_columns(const Json& columns) {
  const auto add = [this](Column column, std::string_view path) -> Status {
    Result<JsonPath> parsed = JsonPath::parse(path);
    if (!parsed) return parsed.error();
    columns_.push_back({std::move(column), std::move(*parsed)});
    return {};
  };
  if (columns.size() == 0) {
    return add({.name = "Age",
                .type = "date",
                .format = "",
                .description = "How long ago the object was created.",
                .priority = 0},
               ".metadata.creationTimestamp");
  }
  for (const Json& each : columns.items()) {
    Column column{.name = each.text_at({"name"}),
                  .type = each.text_at({"type"}),
                  .format = each.text_at({"format"}),
                  .description = each.text_at({"description"}),
                  .priority = static_cast<int>(each.get("priority").integer_or(0))};
    // A path that cannot be read was accepted: the objects are shown as if there were no columns.
    if (!add(std::move(column), each.text_at({"jsonPath"})).ok()) {
      columns_.clear();
      return read_columns(Json());
    }
  }
  return {};
}

Status CustomRules::read_fields(const Json& selectable) {
  for (const Json& each : selectable.items()) {
    std::string name = each.text_at({"jsonPath"});
    Result<JsonPath> path = JsonPath::parse(name);
    if (!path) return path.error();
    if (name.starts_with('.')) name.erase(0, 1);
    selectable_.push_back({std::move(name), std::move(*path)});
  }
  return {};
}

Status CustomRules::read_subresources(const Json& subresources) {
  has_status_ = subresources.get("status").is_object();
  const Json& scale = subresources.get("scale");
  if (!scale.is_object()) return {};
  const auto names = [&](std::string_view member) {
    const Result<JsonPath> path = JsonPath::parse(scale.text_at({member}));
    return path ? path->names() : std::vector<std::string>();
  };
  scale_ = ScalePaths{names("specReplicasPath"), names("statusReplicasPath"),
                      names("labelSelectorPath")};
  // A path that is more than names was accepted, and leads nowhere.
  if (scale_->spec_replicas.empty()) scale_.reset();
  return {};
}

void CustomRules::set_defaults(Json& object) const { fill_defaults(object, *schema_); }

void CustomRules::prepare_create(Json& object) const {
  if (has_status_) object.erase("status");
}

void CustomRules::prepare_update(Json& object, const Json& old, UpdateTarget target) const {
  if (!has_status_) return;
  const Json* status = target == UpdateTarget::kStatus ? object.find("status") : old.find("status");
  const std::optional<Json> kept = status == nullptr ? std::nullopt : std::optional(*status);
  if (target == UpdateTarget::kStatus) {
    const Json* entries = object.at({"metadata", "managedFields"});
    const std::optional<Json> owners = entries == nullptr ? std::nullopt : std::optional(*entries);
    object = old;
    if (owners) object["metadata"].set("managedFields", *owners);
  }
  if (kept) {
    object.set("status", *kept);
  } else {
    object.erase("status");
  }
}

void CustomRules::check_scale(const Json& object, UpdateTarget target, FieldErrors& errors) const {
  if (!scale_) return;
  if (target != UpdateTarget::kStatus) check_replicas(object, scale_->spec_replicas, errors);
  check_replicas(object, scale_->status_replicas, errors);
  if (scale_->label_selector.empty()) return;
  const Json* selector = value_of(object, scale_->label_selector);
  if (selector == nullptr || selector->is_string()) return;
  errors.push_back(field_invalid(dotted(scale_->label_selector), Json(""),
                                 wrong_type(scale_->label_selector, *selector, "string")));
}

FieldErrors CustomRules::validate_create(const Json& object) const {
  FieldErrors errors;
  check_metadata(object.get("metadata"), NameRule::kSubdomain, scope_, FieldPath("metadata"),
                 errors);
  check_value(object, *schema_, errors);
  check_scale(object, UpdateTarget::kObject, errors);
  check_embedded_resources(object, *schema_, errors);
  check_list_types(object, *schema_, errors);
  check_rules_of(validations_.get(), object, nullptr, errors);
  return errors;
}

FieldErrors CustomRules::validate_update(const Json& object, const Json& old,
                                         UpdateTarget target) const {
  FieldErrors errors;
  check_metadata_update(object.get("metadata"), old.get("metadata"), FieldPath("metadata"), errors);
  if (target == UpdateTarget::kStatus) {
    check_status(object, old, errors);
  } else {
    check_update(object, &old, *schema_, errors);
  }
  check_scale(object, target, errors);
  if (target != UpdateTarget::kStatus) check_embedded_resources(object, *schema_, errors);
  FieldErrors former;
  check_list_types(old, *schema_, former);
  if (former.empty()) check_list_types(object, *schema_, errors);
  check_rules_of(validations_.get(), object, &old, errors);
  return errors;
}

/// Only the status counts, as a value by itself.
void CustomRules::check_status(const Json& object, const Json& old, FieldErrors& errors) const {
  const Json* status = object.find("status");
  const SchemaNode* schema = schema_->property("status");
  if (status == nullptr || schema == nullptr) return;
  FieldErrors found;
  check_update(*status, old.find("status"), *schema, found);
  for (FieldError& each : found) {
    const bool is_whole = each.field.empty() || each.field == "<nil>";
    each.field = is_whole ? "status" : "status." + each.field;
    errors.push_back(std::move(each));
  }
}

bool CustomRules::raises_generation(const Json& object, const Json& old) const {
  return has_status_ ? !same_outside(object, old, {"metadata", "status"})
                     : !same_outside(object, old, {"metadata"});
}

Pairs CustomRules::fields(const Json& object) const {
  Pairs out;
  for (const SelectableField& each : selectable_) {
    const Json* value = each.path.first(object);
    out.emplace_back(each.name, value == nullptr || value->is_null() ? "" : printed(*value));
  }
  return out;
}

bool CustomRules::knows_field(std::string_view field) const {
  return std::any_of(selectable_.begin(), selectable_.end(),
                     [field](const SelectableField& each) { return each.name == field; });
}

std::vector<Column> CustomRules::columns() const {
  std::vector<Column> out = {{.name = "Name",
                              .type = "string",
                              .format = "name",
                              .description = "The name is unique within a namespace.",
                              .priority = 0}};
  for (const CustomColumn& each : columns_) out.push_back(each.column);
  return out;
}

Json::Items CustomRules::cells(const Json& object, WallTime now) const {
  Json::Items out = {Json(object.text_at({"metadata", "name"}))};
  for (const CustomColumn& each : columns_) {
    const Json* value = each.path.first(object);
    out.push_back(value == nullptr ? Json() : cell_of(each.column.type, *value, now));
  }
  return out;
}

}  // namespace davit::sandbox
