// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "lib/base/lower_case.hpp"
#include "lib/kube/names.hpp"
#include "lib/kube/validation/list_types.hpp"
#include "sandbox/crd/api_approval.hpp"
#include "sandbox/crd/conversion_checks.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/crd/json_path.hpp"
#include "sandbox/crd/rule_checks.hpp"
#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {

namespace {

class DefinitionCheck {
 public:
  enum class Rules : std::uint8_t { kCheck, kSkip };  // Those in x-kubernetes-validations.

  DefinitionCheck(const Json& definition, Rules rules)
      : rules_(rules),
        definition_(definition),
        spec_(definition.get("spec")),
        versions_(spec_.get("versions").items()) {}

  FieldErrors run() {
    group();
    scope();
    names();
    versions();
    if (spec_.get("preserveUnknownFields").boolean()) {
      errors_.push_back(field_invalid("spec.preserveUnknownFields", Json(true), "must be false"));
    }
    stored_versions();
    return std::move(errors_);
  }

 private:
  /// A required text and the violations about it.
  void text(const std::string& field, const std::string& value, const Violations& violations,
            std::string_view prefix = "") {
    if (value.empty()) {
      errors_.push_back(field_required(field));
      return;
    }
    for (const std::string& each : violations) {
      errors_.push_back(field_invalid(field, Json(value), std::string(prefix) + each));
    }
  }

  /// The same where an empty text is just another wrong one.
  void label(const std::string& field, const std::string& value) {
    for (const std::string& each : check_dns1035_label(value)) {
      errors_.push_back(field_invalid(field, Json(value), each));
    }
  }

  void group() {
    const std::string& value = spec_.text_at({"group"});
    text("spec.group", value, check_dns_subdomain(value));
    if (!value.empty() && value.find('.') == std::string::npos) {
      errors_.push_back(
          field_invalid("spec.group", Json(value), "should be a domain with at least one dot"));
    }
    const std::string wanted = spec_.text_at({"names", "plural"}) + '.' + value;
    const std::string& name = definition_.text_at({"metadata", "name"});
    if (name != wanted) {
      errors_.push_back(
          field_invalid("metadata.name", Json(name), "must be spec.names.plural+\".\"+spec.group"));
    }
  }

  void scope() {
    const std::string& value = spec_.text_at({"scope"});
    if (value.empty()) {
      errors_.push_back(field_required("spec.scope"));
    } else if (value != "Cluster" && value != "Namespaced") {
      errors_.push_back(field_not_supported("spec.scope", Json(value), {"Cluster", "Namespaced"}));
    }
  }

  void names() {
    const Json& names = spec_.get("names");
    constexpr std::string_view kMixed = "may have mixed case, but should otherwise match: ";
    const auto plain = [&](const char* member) {
      const std::string& value = names.text_at({member});
      text(std::string("spec.names.") + member, value, check_dns1035_label(value));
    };
    const auto mixed = [&](const char* member) {
      const std::string& value = names.text_at({member});
      text(std::string("spec.names.") + member, value, check_dns1035_label(lower_case(value)),
           kMixed);
    };
    plain("plural");
    if (!names.text_at({"singular"}).empty()) plain("singular");
    mixed("kind");
    mixed("listKind");
    if (!names.text_at({"kind"}).empty() &&
        names.text_at({"kind"}) == names.text_at({"listKind"})) {
      errors_.push_back(field_invalid("spec.names.listKind", names.get("listKind"),
                                      "kind and listKind may not be the same"));
    }
    for (const char* member : {"shortNames", "categories"}) {
      const Json::Items& items = names.get(member).items();
      for (std::size_t i = 0; i < items.size(); ++i) {
        label(std::string("spec.names.") + member + '[' + std::to_string(i) + ']', items[i].text());
      }
    }
  }

  /// The path of errors in a part of the versions: a common one if all versions have the same part.
  [[nodiscard]] std::string part_path(std::size_t version, std::string_view part,
                                      std::string_view shared) const {
    const bool same = std::all_of(versions_.begin(), versions_.end(), [&](const Json& each) {
      return each.get(part) == versions_.front().get(part);
    });
    if (same) return "spec." + std::string(shared);
    return "spec.versions[" + std::to_string(version) + "]." + std::string(part);
  }

  void versions() {
    std::set<std::string> seen;
    std::size_t stored = 0;
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const Json& version = versions_[i];
      const std::string path = "spec.versions[" + std::to_string(i) + ']';
      const std::string& name = version.text_at({"name"});
      label(path + ".name", name);
      deprecation(version, path + ".deprecationWarning");
      if (!seen.insert(name).second) {
        errors_.push_back(field_invalid("spec.versions", spec_.get("versions"),
                                        "must contain unique version "
                                        "names"));
      }
      if (version.get("storage").boolean()) ++stored;
      schema(version, i, path);
      subresources(version, i);
      columns(version, i);
    }
    if (stored != 1) {
      errors_.push_back(field_invalid("spec.versions", spec_.get("versions"),
                                      "must have exactly one version marked as storage version"));
    }
    // It is that of the first version.
    if (versions_.empty() || versions_.front().text_at({"name"}).empty()) return;
    label("spec.version", versions_.front().text_at({"name"}));
  }

  void deprecation(const Json& version, const std::string& field) {
    constexpr std::size_t kBytesMax = 256;
    const Json& warning = version.get("deprecationWarning");
    if (warning.is_null()) return;
    std::string_view why;
    if (!version.get("deprecated").boolean()) {
      why = "can only be set for deprecated versions";
    } else if (warning.text().empty()) {
      why = "must not be an empty string";
    } else if (warning.text().size() > kBytesMax) {
      why = "must be <= 256 characters long";
    }
    if (!why.empty()) errors_.push_back(field_invalid(field, warning, why));
  }

  void schema(const Json& version, std::size_t index, const std::string& path) {
    const Json& schema = version.get("schema").get("openAPIV3Schema");
    if (!schema.is_object()) {
      errors_.push_back(field_required(path + ".schema.openAPIV3Schema", "schemas are required"));
      return;
    }
    const std::string place = part_path(index, "schema", "validation");
    if (index != 0 && place == "spec.validation") return;
    check_structural(schema, place + ".openAPIV3Schema", errors_);
    if (!errors_.empty()) return;
    const auto compiled = compile_schema(schema);
    if (!compiled) {
      errors_.push_back(
          field_invalid(place + ".openAPIV3Schema", Json(""), compiled.error().message()));
    } else {
      defaults(**compiled, place + ".openAPIV3Schema");
      selectable_fields(version, schema, index);
      if (rules_ == Rules::kSkip || !errors_.empty()) return;
      check_rules(schema, **compiled, place + ".openAPIV3Schema", errors_);
    }
  }

  /// The paths by which objects can be selected: to a text, number or flag of the schema.
  void selectable_fields(const Json& version, const Json& schema, std::size_t index) {
    constexpr std::size_t kFieldsMax = 8;
    const std::string place = part_path(index, "selectableFields", "selectableFields");
    if (index != 0 && place == "spec.selectableFields") return;
    const Json::Items& fields = version.get("selectableFields").items();
    std::set<std::string> seen;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Json& value = fields[i].get("jsonPath");
      const std::string field = place + '[' + std::to_string(i) + "].jsonPath";
      if (value.empty()) {
        errors_.push_back(field_required(field));
        continue;
      }
      const Json* target = field_schema(schema, value.text());
      if (target == nullptr) {
        errors_.push_back(
            field_invalid(field, value, "is an invalid path: does not refer to a valid field"));
        continue;
      }
      const std::string& type = target->get("type").text();
      if (type != "string" && type != "boolean" && type != "integer") {
        errors_.push_back(field_invalid(field, value,
                                        "must point to a field of type string, boolean or integer. "
                                        "Enum string fields and strings with formats are "
                                        "allowed."));
      }
      if (!seen.insert(value.text()).second) errors_.push_back(field_duplicate(field, value));
    }
    if (seen.size() > kFieldsMax) {
      errors_.push_back(field_too_many(place, seen.size(), kFieldsMax));
    }
  }

  /// The schema that a path of member names leads to; null if there is none.
  static const Json* field_schema(const Json& schema, const std::string& path) {
    const Result<JsonPath> parsed = JsonPath::parse(path);
    if (!parsed) return nullptr;
    const std::vector<std::string> names = parsed->names();
    const Json* at = &schema;
    for (const std::string& each : names)
      at = at == nullptr ? nullptr : at->at({"properties", each});
    return names.empty() ? nullptr : at;
  }

  /// A default must be a value that its own schema takes, without members that it lacks.
  void defaults(const SchemaNode& node, const std::string& path) {
    if (node.fallback) {
      Json pruned = *node.fallback;
      FieldFindings unknown;
      if (pruned.is_object()) prune(pruned, node, unknown);
      if (pruned != *node.fallback) {
        errors_.push_back(
            field_invalid(path + ".default", *node.fallback, "must not have unknown fields"));
      }
      FieldErrors found;
      check_value(*node.fallback, node, found);
      check_list_types(*node.fallback, node, found);
      for (FieldError& each : found) {
        each.field = path + ".default" + (each.field.empty() ? "" : '.' + each.field);
        errors_.push_back(std::move(each));
      }
    }
    for (const SchemaNode::Property& each : node.properties) {
      defaults(*each.node, path + ".properties[" + each.name + ']');
    }
    if (node.items) defaults(*node.items, path + ".items");
    if (node.additional) defaults(*node.additional, path + ".additionalProperties");
  }

  void subresources(const Json& version, std::size_t index) {
    const std::string path = part_path(index, "subresources", "subresources");
    if (index != 0 && path == "spec.subresources") return;
    const Json& scale = version.get("subresources").get("scale");
    if (!scale.is_object()) return;
    for (const char* member : {"specReplicasPath", "statusReplicasPath"}) {
      if (scale.text_at({member}).empty()) {
        errors_.push_back(field_required(path + ".scale." + member));
      }
    }
    scale_path(scale, path, "specReplicasPath", {".spec."});
    scale_path(scale, path, "statusReplicasPath", {".status."});
    scale_path(scale, path, "labelSelectorPath", {".status.", ".spec."});
  }

  void scale_path(const Json& scale, const std::string& path, const char* member,
                  std::initializer_list<std::string_view> parents) {
    const std::string& value = scale.text_at({member});
    const std::string field = path + ".scale." + member;
    if (value.empty()) return;
    if (!simple_path(field, value)) return;
    std::string allowed;
    for (const std::string_view parent : parents) {
      if (value.starts_with(parent)) return;
      allowed += (allowed.empty() ? "" : " or ");
      allowed += parent.substr(0, parent.size() - 1);
    }
    errors_.push_back(field_invalid(field, Json(value), "should be a json path under " + allowed));
  }

  /// k8s: validateSimpleJSONPath. What follows the first dot shows when the path is used.
  bool simple_path(const std::string& field, const std::string& value) {
    if (value.starts_with('.')) return true;
    errors_.push_back(
        field_invalid(field, Json(value), "must be a simple json path starting with ."));
    return false;
  }

  void columns(const Json& version, std::size_t index) {
    const std::string place =
        part_path(index, "additionalPrinterColumns", "additionalPrinterColumns");
    if (index != 0 && place == "spec.additionalPrinterColumns") return;
    const Json::Items& columns = version.get("additionalPrinterColumns").items();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string path = place + '[' + std::to_string(i) + ']';
      const std::string& type = columns[i].text_at({"type"});
      const std::string& json_path = columns[i].text_at({"jsonPath"});
      if (columns[i].text_at({"name"}).empty()) {
        errors_.push_back(field_required(path + ".name"));
      }
      const std::vector<std::string> types = {"boolean", "date", "integer", "number", "string"};
      if (type.empty()) {
        errors_.push_back(field_required(path + ".type",
                                         "must be one of boolean,date,integer,"
                                         "number,string"));
      } else if (std::find(types.begin(), types.end(), type) == types.end()) {
        errors_.push_back(field_invalid(path + ".type", Json(type),
                                        "must be one of boolean,date,integer,number,string"));
      }
      column_format(columns[i].get("format"), path + ".format");
      // The name is that of the member in Go.
      if (json_path.empty()) {
        errors_.push_back(field_required(path + ".JSONPath"));
      } else {
        static_cast<void>(simple_path(path + ".JSONPath", json_path));
      }
    }
  }

  void column_format(const Json& format, const std::string& field) {
    constexpr std::array<std::string_view, 8> kFormats = {
        "byte", "date", "date-time", "double", "float", "int32", "int64", "password"};
    if (format.empty() || std::ranges::find(kFormats, format.text()) != kFormats.end()) return;
    errors_.push_back(field_invalid(
        field, format, "must be one of byte,date,date-time,double,float,int32,int64,password"));
  }

  void stored_versions() {
    const Json& all = definition_.get("status").get("storedVersions");
    const Json::Items& stored = all.items();
    if (stored.empty()) {
      errors_.push_back(
          field_invalid("status.storedVersions", all, "must have at least one stored version"));
      return;
    }
    for (const Json& each : versions_) {
      const Json& name = each.get("name");
      if (!each.get("storage").boolean() || std::ranges::find(stored, name) != stored.end()) {
        continue;
      }
      errors_.push_back(field_invalid("status.storedVersions", all,
                                      "must have the storage version " + name.text()));
    }
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const bool known = std::any_of(versions_.begin(), versions_.end(), [&](const Json& each) {
        return each.get("name") == stored[i];
      });
      if (known) continue;
      errors_.push_back(field_invalid("status.storedVersions[" + std::to_string(i) + ']', stored[i],
                                      "must appear in spec.versions"));
    }
  }

  const Rules rules_;
  const Json& definition_;
  const Json& spec_;
  const Json::Items& versions_;
  FieldErrors errors_;
};

}  // namespace

FieldErrors validate_definition(const Json& definition) {
  FieldErrors errors = DefinitionCheck(definition, DefinitionCheck::Rules::kCheck).run();
  check_conversion(definition, nullptr, errors);
  check_approval(definition, nullptr, errors);
  return errors;
}

FieldErrors validate_definition_update(const Json& definition, const Json& old) {
  // A definition of an older data file may have rules that are refused today. It can still be
  // deleted: its finalizers go with an update.
  const auto rules = definition.get("spec") == old.get("spec") ? DefinitionCheck::Rules::kSkip
                                                               : DefinitionCheck::Rules::kCheck;
  FieldErrors errors = DefinitionCheck(definition, rules).run();
  check_conversion(definition, &old, errors);
  const auto immutable = [&](std::initializer_list<std::string_view> path, const char* field) {
    const Json* now = definition.get("spec").at(path);
    const Json* before = old.get("spec").at(path);
    if (now == nullptr || before == nullptr || *now == *before) return;
    errors.push_back(field_invalid(field, *now, "field is immutable"));
  };
  if (is_established(old)) {
    immutable({"scope"}, "spec.scope");
    immutable({"names", "kind"}, "spec.names.kind");
  }
  immutable({"group"}, "spec.group");
  immutable({"names", "plural"}, "spec.names.plural");
  check_approval(definition, &old, errors);
  return errors;
}

}  // namespace davit::sandbox
