#include "sandbox/kinds/admission_checks.hpp"

#include <algorithm>
#include <set>

#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {

namespace {

constexpr std::size_t kMatchConditionsMax = 64;

/// A list that must not be empty, and in which "*" stands alone.
void check_rule_list(const Json& rule, std::string_view field, std::string_view others,
                     const FieldPath& path, FieldErrors& errors) {
  const Json& list = rule.get(field);
  if (list.items().empty()) errors.push_back(field_required(path.text(field)));
  if (list.size() > 1 && lists_text(list, "*")) {
    errors.push_back(
        field_invalid(path.text(field), list,
                      "if '*' is present, must not specify other " + std::string(others)));
  }
}

/// Resources and subresources, such as `pods`, `pods/*`, `*/scale` and `*/*`.
void check_rule_resources(const Json& list, const FieldPath& path, FieldErrors& errors) {
  if (list.items().empty()) errors.push_back(field_required(path.text()));
  std::set<std::string_view> all_subresources;
  std::set<std::string_view> all_resources;
  bool plain = false;  // Upstream looks at the last one of those without a subresource.
  std::size_t index = 0;
  for (const Json& each : list.items()) {
    const std::string place = path.index(index++).text();
    const std::string_view text = each.text();
    if (text.empty()) {
      errors.push_back(field_required(place));
      continue;
    }
    const std::size_t slash = text.find('/');
    if (slash == text.npos) {
      plain = text != "*";
      continue;
    }
    const std::string_view resource = text.substr(0, slash);
    const std::string_view subresource = text.substr(slash + 1);
    const auto refuse = [&](const std::string& present) {
      errors.push_back(field_invalid(
          place, each, "if '" + present + "' is present, must not specify " + std::string(text)));
    };
    if (all_subresources.contains(resource)) refuse(std::string(resource) + "/*");
    if (all_resources.contains(subresource)) refuse("*/" + std::string(subresource));
    if (subresource == "*") all_subresources.insert(resource);
    if (resource == "*") all_resources.insert(subresource);
  }
  if (list.size() > 1 && lists_text(list, "*/*")) {
    errors.push_back(
        field_invalid(path.text(), list, "if '*/*' is present, must not specify other resources"));
  }
  if (plain && lists_text(list, "*")) {
    errors.push_back(
        field_invalid(path.text(), list,
                      "if '*' is present, must not specify other resources without subresources"));
  }
}

}  // namespace

bool lists_text(const Json& list, std::string_view text) {
  return std::ranges::any_of(list.items(), [&](const Json& each) { return each.text() == text; });
}

std::string trimmed_text(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kSpace)));
  return std::string(text.substr(0, text.find_last_not_of(kSpace) + 1));
}

void check_choice(const Json& object, std::string_view field,
                  const std::vector<std::string>& allowed, const FieldPath& path,
                  FieldErrors& errors) {
  const Json& value = object.get(field);
  if (value.is_null() || std::ranges::find(allowed, value.text()) != allowed.end()) return;
  errors.push_back(field_not_supported(path.text(field), value, allowed));
}

void check_operation_rule(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kOperations = {"*", "CONNECT", "CREATE", "DELETE",
                                                       "UPDATE"};
  check_rule_list(rule, "operations", "operations", path, errors);
  const FieldPath operations = path.child("operations");
  std::size_t index = 0;
  for (const Json& each : rule.get("operations").items()) {
    const std::string place = operations.index(index++).text();
    if (std::ranges::find(kOperations, each.text()) != kOperations.end()) continue;
    errors.push_back(field_not_supported(place, each, kOperations));
  }
  check_rule_list(rule, "apiGroups", "API groups", path, errors);
  check_rule_list(rule, "apiVersions", "API versions", path, errors);
  const FieldPath versions = path.child("apiVersions");
  index = 0;
  for (const Json& each : rule.get("apiVersions").items()) {
    const std::string place = versions.index(index++).text();
    if (each.text().empty()) errors.push_back(field_required(place));
  }
  check_rule_resources(rule.get("resources"), path.child("resources"), errors);
  check_choice(rule, "scope", {"*", "Cluster", "Namespaced"}, path, errors);
}

void check_match_conditions(const Json& conditions, cel::Declares params, const FieldPath& path,
                            FieldErrors& errors) {
  const cel::AdmissionCompiler compiler(params);
  if (conditions.size() > kMatchConditionsMax) {
    errors.push_back(field_too_many(path.text(), conditions.size(), kMatchConditionsMax));
  }
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const Json& each : conditions.items()) {
    const FieldPath at = path.index(index++);
    std::string text = trimmed_text(each.get("expression").text());
    if (text.empty()) {
      errors.push_back(field_required(at.text("expression")));
    } else {
      const cel::AdmissionExpression compiled =
          compiler.compile(text, cel::Wanted::kBool, cel::Declares::kYes);
      check_compiled(compiled, text, at.text("expression"), errors);
    }
    const std::string& name = each.get("name").text();
    if (!require_text(each, "name", at, errors)) continue;
    add_invalid(check_qualified_name(name), name, at.child("name"), errors);
    if (!names.insert(name).second) {
      errors.push_back(field_duplicate(at.text("name"), each.get("name")));
    }
  }
}

void check_compiled(const cel::AdmissionExpression& expression, std::string_view shown,
                    const std::string& field, FieldErrors& errors) {
  if (expression.error.empty()) return;
  errors.push_back(expression.internal
                       ? FieldError{"InternalError", field, "Internal error: " + expression.error}
                       : field_invalid(field, shown, expression.error));
}

}  // namespace davit::sandbox
