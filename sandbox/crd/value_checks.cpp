// The keywords of k8s.io/kube-openapi/pkg/validation, with its texts.
#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "sandbox/crd/formats.hpp"
#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {

namespace {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string member_path(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + '.' + name;
}
std::string element_path(const std::string& path, std::size_t index) {
  return path + '[' + std::to_string(index) + ']';
}

class ValueCheck {
 public:
  explicit ValueCheck(FieldErrors& errors) : errors_(errors) {}

  void check(const Json& value, const SchemaNode& node, const std::string& path) {
    if (value.is_null() && node.nullable) return;
    if (!fits_type(value, node)) {
      wrong_type(value, node, path);
      return;
    }
    if (!node.allowed.empty()) allowed(value, node, path);
    combinations(value, node, path);
    if (value.is_string()) text(value, node, path);
    if (value.is_number()) number(value, node, path);
    if (value.is_array()) elements(value, node, path);
    if (value.is_object()) members(value, node, path);
  }

 private:
  static bool fits_type(const Json& value, const SchemaNode& node) {
    const std::string_view actual = json_type(value);
    if (node.int_or_string) return actual == "integer" || actual == "string";
    if (node.type.empty() || node.type == actual) return true;
    return node.type == "number" && actual == "integer";
  }

  void wrong_type(const Json& value, const SchemaNode& node, const std::string& path) {
    const std::string actual(json_type(value));
    FieldError error = field_invalid(path, Json(actual),
                                     path + " in body must be of type " +
                                         (node.int_or_string ? "integer,string" : node.type) +
                                         ": " + to_text(Json(actual)));
    error.reason = "FieldValueTypeInvalid";
    errors_.push_back(std::move(error));
  }

  void invalid(const std::string& path, const Json& value, const std::string& what) {
    errors_.push_back(field_invalid(path, value, path + " in body " + what));
  }

  void allowed(const Json& value, const SchemaNode& node, const std::string& path) {
    if (std::find(node.allowed.begin(), node.allowed.end(), value) != node.allowed.end()) return;
    std::vector<std::string> supported;
    for (const Json& each : node.allowed) {
      supported.push_back(each.is_string() ? each.text() : to_text(each));
    }
    errors_.push_back(field_not_supported(path, value, supported));
  }

  void text(const Json& value, const SchemaNode& node, const std::string& path) {
    const std::string& actual = value.text();
    const std::size_t length = characters(actual);
    if (node.length_max && length > *node.length_max) {
      errors_.push_back(field_too_long(path, *node.length_max));
    }
    if (node.length_min && length < *node.length_min) {
      invalid(path, value,
              "should be at least " + std::to_string(*node.length_min) + " chars long");
    }
    if (node.pattern && !node.pattern->matches(actual)) {
      invalid(path, value, "should match '" + node.pattern_text + "'");
    }
    if (!node.format.empty() && !has_format(node.format, actual)) {
      invalid(path, value, "must be of type " + node.format + ": " + to_text(value));
    }
  }

  void number(const Json& value, const SchemaNode& node, const std::string& path) {
    const long double actual = number_value(value);
    if (const auto& most = node.maximum) {
      if (most->exclusive && actual >= most->value) {
        invalid(path, value, "should be less than " + most->text);
      } else if (actual > most->value) {
        invalid(path, value, "should be less than or equal to " + most->text);
      }
    }
    if (const auto& least = node.minimum) {
      if (least->exclusive && actual <= least->value) {
        invalid(path, value, "should be greater than " + least->text);
      } else if (actual < least->value) {
        invalid(path, value, "should be greater than or equal to " + least->text);
      }
    }
    if (const auto& step = node.multiple_of; step && step->value > 0) {
      const long double times = actual / step->value;
      if (std::fabs(times - std::round(times)) > 1e-9L) {
        invalid(path, value, "should be a multiple of " + step->text);
      }
    }
  }

  void elements(const Json& value, const SchemaNode& node, const std::string& path) {
    if (node.items_max && value.size() > *node.items_max) {
      errors_.push_back(field_too_many(path, value.size(), *node.items_max));
    }
    if (node.items_min && value.size() < *node.items_min) {
      invalid(path, value, "should have at least " + std::to_string(*node.items_min) + " items");
    }
    if (node.unique_items && has_duplicates(value)) {
      invalid(path, value, "shouldn't contain duplicates");
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (node.items) check(value.items()[i], *node.items, element_path(path, i));
    }
    if (node.list_type == "set" || node.list_type == "map") list_duplicates(value, node, path);
  }

  static bool has_duplicates(const Json& list) {
    std::unordered_set<std::string> seen;
    return std::any_of(list.items().begin(), list.items().end(), [&](const Json& each) {
      return !seen.insert(to_canonical_text(each)).second;
    });
  }

  void list_duplicates(const Json& list, const SchemaNode& node, const std::string& path) {
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& element = list.items()[i];
      const Json identity = node.list_type == "set" ? element : key_of(element, node);
      if (seen.insert(to_canonical_text(identity)).second) continue;
      errors_.push_back(field_duplicate(element_path(path, i), identity));
    }
  }

  static Json key_of(const Json& element, const SchemaNode& node) {
    Json key = Json::object();
    for (const std::string& name : node.list_keys) {
      const SchemaNode* known = node.items == nullptr ? nullptr : node.items->property(name);
      if (const Json* value = element.find(name)) {
        key.set(name, *value);
      } else if (known != nullptr && known->fallback) {
        key.set(name, *known->fallback);
      }
    }
    return key;
  }

  void members(const Json& value, const SchemaNode& node, const std::string& path) {
    if (node.members_max && value.size() > *node.members_max) {
      errors_.push_back(field_too_many(path, value.size(), *node.members_max));
    }
    if (node.members_min && value.size() < *node.members_min) {
      invalid(path, value,
              "should have at least " + std::to_string(*node.members_min) + " properties");
    }
    if (node.embedded_resource) embedded(value, path);
    for (const std::string& name : node.required) {
      if (!value.contains(name)) errors_.push_back(field_required(member_path(path, name)));
    }
    for (const auto& [name, each] : value.members()) {
      // The system's own metadata is checked as what it is.
      if (path.empty() && (name == "metadata" || name == "apiVersion" || name == "kind")) continue;
      if (const SchemaNode* known = node.member(name)) check(each, *known, member_path(path, name));
    }
  }

  void embedded(const Json& value, const std::string& path) {
    for (const char* name : {"apiVersion", "kind"}) {
      if (value.text_at({name}).empty()) {
        errors_.push_back(field_required(member_path(path, name), "must not be empty"));
      }
    }
  }

  [[nodiscard]] static FieldErrors errors_of(const Json& value, const SchemaNode& node,
                                             const std::string& path) {
    FieldErrors errors;
    ValueCheck(errors).check(value, node, path);
    return errors;
  }

  /// These complaints have no field of their own.
  void combination(const std::string& what) {
    errors_.push_back(field_invalid("<nil>", Json(""), what));
  }

  void combinations(const Json& value, const SchemaNode& node, const std::string& path) {
    const std::string quoted = to_text(Json(path));
    std::size_t valid = 0;
    FieldErrors best;
    const auto try_all = [&](const std::vector<std::unique_ptr<SchemaNode>>& nodes) {
      valid = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        FieldErrors found = errors_of(value, *nodes[i], path);
        if (found.empty()) ++valid;
        if (i == 0 || found.size() < best.size()) best = std::move(found);
      }
    };
    try_all(node.any_of);
    if (!node.any_of.empty() && valid == 0) {
      combination(quoted + " must validate at least one schema (anyOf)");
      errors_.insert(errors_.end(), best.begin(), best.end());
    }
    try_all(node.one_of);
    if (!node.one_of.empty() && valid != 1) {
      combination(quoted + " must validate one and only one schema (oneOf). " +
                  (valid == 0 ? "Found none valid"
                              : "Found " + std::to_string(valid) + " valid alternatives"));
      if (valid == 0) errors_.insert(errors_.end(), best.begin(), best.end());
    }
    try_all(node.all_of);
    if (valid != node.all_of.size()) {
      for (const auto& each : node.all_of) check(value, *each, path);
      combination(quoted + " must validate all the schemas (allOf)" +
                  (valid == 0 ? ". None validated" : ""));
    }
    if (node.negated && errors_of(value, *node.negated, path).empty()) {
      combination(quoted + " must not validate the schema (not)");
    }
  }

  FieldErrors& errors_;
};

}  // namespace

void check_value(const Json& object, const SchemaNode& schema, FieldErrors& errors) {
  ValueCheck(errors).check(object, schema, "");
}

}  // namespace davit::sandbox
