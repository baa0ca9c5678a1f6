#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cel/admission.hpp"
#include "sandbox/kinds/admission_checks.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/extension_checks.hpp"
#include "sandbox/kinds/kind_name.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

constexpr std::size_t kAuditAnnotationsMax = 20;
constexpr std::size_t kValueExpressionBytesMax = 5 * 1024;

/// k8s: validateParamKind.
void check_param_kind(const Json& kind, const FieldPath& path, FieldErrors& errors) {
  const std::string& version = kind.get("apiVersion").text();
  const auto slashes = std::ranges::count(version, '/');
  const auto refuse = [&](std::string_view field, std::string_view value, std::string_view why) {
    if (!why.empty()) errors.push_back(field_invalid(path.text(field), value, why));
  };
  if (version.empty()) {
    errors.push_back(field_required(path.text("apiVersion")));
  } else if (slashes > 1) {
    refuse("apiVersion", version, "unexpected GroupVersion string: " + version);
  } else {
    const std::size_t slash = version == "/" ? 0 : version.find('/');
    const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
    const std::string rest = slash == std::string::npos ? version : version.substr(slash + 1);
    if (!group.empty()) refuse("apiVersion", group, comma_list(check_dns_subdomain(group)));
    if (rest.empty()) {
      refuse("apiVersion", version, "version must be specified");
    } else {
      refuse("apiVersion", rest, comma_list(check_dns1035_label(rest)));
    }
  }
  if (!require_text(kind, "kind", path, errors)) return;
  refuse("kind", kind.get("kind").text(), kind_violation(kind.get("kind").text()));
}

/// k8s: validateNamedRuleWithOperations.
void check_named_rules(const Json& rules, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : rules.items()) {
    const FieldPath at = path.index(index++);
    const FieldPath names = at.child("resourceNames");
    std::set<std::string_view> seen;
    std::size_t number = 0;
    for (const Json& name : each.get("resourceNames").items()) {
      const FieldPath place = names.index(number++);
      add_invalid(check_path_segment(name.text()), name.text(), place, errors);
      if (!seen.insert(name.text()).second) errors.push_back(field_duplicate(place.text(), name));
    }
    check_operation_rule(each, at, errors);
  }
}

/// k8s: validateMatchResources.
void check_match_resources(const Json& match, const FieldPath& path, FieldErrors& errors) {
  check_choice(match, "matchPolicy", {"Equivalent", "Exact"}, path, errors);
  for (const std::string_view field : {"namespaceSelector", "objectSelector"}) {
    check_label_selector(match.get(field), path.child(field), errors);
  }
  for (const std::string_view field : {"resourceRules", "excludeResourceRules"}) {
    check_named_rules(match.get(field), path.child(field), errors);
  }
}

/// A deletion has no object that could be mutated.
void check_mutable_operations(const Json& match, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kOperations = {"*", "CONNECT", "CREATE", "UPDATE"};
  for (const Json& rule : match.get("resourceRules").items()) {
    for (const Json& each : rule.get("operations").items()) {
      if (std::ranges::find(kOperations, each.text()) != kOperations.end()) continue;
      errors.push_back(
          field_not_supported(path.text("resourceRules.operations"), each, kOperations));
    }
  }
}

bool is_cel_identifier(std::string_view name) {
  constexpr std::string_view kReserved[] = {
      "true",      "false",    "null", "in",      "as",     "break",  "const",
      "continue",  "else",     "for",  "if",      "import", "let",    "loop",
      "namespace", "function", "void", "package", "var",    "return", "while"};
  const auto fits = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const bool digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return !name.empty() && !digit && std::ranges::all_of(name, fits) &&
         std::ranges::find(kReserved, name) == std::end(kReserved);
}

/// k8s: validateVariable. The compiler knows each one after it.
void check_variables(const Json& variables, cel::AdmissionCompiler& compiler, const FieldPath& path,
                     FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : variables.items()) {
    const FieldPath at = path.index(index++);
    const std::string& name = each.get("name").text();
    const std::string& text = each.get("expression").text();
    if (trimmed_text(name).empty()) {
      errors.push_back(field_required(at.text("name"), "name is not specified"));
    } else if (!is_cel_identifier(name)) {
      errors.push_back(
          field_invalid(at.text("name"), each.get("name"), "must be a valid CEL identifier"));
    }
    if (trimmed_text(text).empty()) {
      errors.push_back(field_required(at.text("expression"), "expression is not specified"));
    } else {
      check_compiled(compiler.add_variable(name, text), text, at.text("expression"), errors);
    }
  }
}

/// k8s: validateValidation.
void check_validation(const Json& validation, const cel::AdmissionCompiler& compiler,
                      const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kEmpty = "must be non-empty if specified";
  const std::string& text = validation.get("expression").text();
  if (trimmed_text(text).empty()) {
    errors.push_back(field_required(path.text("expression"), "expression is not specified"));
  } else {
    check_compiled(compiler.compile(text, cel::Wanted::kBool, cel::Declares::kYes), text,
                   path.text("expression"), errors);
  }
  const Json& by_expression = validation.get("messageExpression");
  if (!by_expression.text().empty() && trimmed_text(by_expression.text()).empty()) {
    errors.push_back(field_invalid(path.text("messageExpression"), by_expression, kEmpty));
  } else if (!by_expression.text().empty()) {
    check_compiled(compiler.compile(by_expression.text(), cel::Wanted::kText, cel::Declares::kNo),
                   by_expression.text(), path.text("messageExpression"), errors);
  }
  const Json& message = validation.get("message");
  const std::string shown = trimmed_text(message.text());
  if (!message.text().empty() && shown.empty()) {
    errors.push_back(field_invalid(path.text("message"), message, kEmpty));
  } else if (shown.find_first_of("\n\r") != std::string::npos) {
    errors.push_back(field_invalid(path.text("message"), message, "must not contain line breaks"));
  }
  check_choice(validation, "reason", {"Forbidden", "Invalid", "RequestEntityTooLarge"}, path,
               errors);
}

/// k8s: validateAuditAnnotation.
void check_audit_annotation(const Json& annotation, const std::string& policy,
                            const cel::AdmissionCompiler& compiler, const FieldPath& path,
                            FieldErrors& errors) {
  const std::string& key = annotation.get("key").text();
  if (policy.empty()) {
    errors.push_back(field_invalid(path.text("key"), key, "requires metadata.name be non-empty"));
  } else {
    const std::string full = policy + '/' + key;
    add_invalid(check_qualified_name(full), full, path.child("key"), errors);
  }
  const std::string& text = annotation.get("valueExpression").text();
  std::string trimmed = trimmed_text(text);
  const std::string field = path.text("valueExpression");
  if (trimmed.empty()) {
    errors.push_back(field_required(field, "valueExpression is not specified"));
  } else if (trimmed.size() > kValueExpressionBytesMax) {
    errors.push_back(field_required(
        field, "must not exceed " + std::to_string(kValueExpressionBytesMax) + " bytes in length"));
  } else {
    check_compiled(
        compiler.compile(std::move(trimmed), cel::Wanted::kTextOrNull, cel::Declares::kYes), text,
        field, errors);
  }
}

void check_audit_annotations(const Json& annotations, const std::string& policy,
                             const cel::AdmissionCompiler& compiler, const FieldPath& path,
                             FieldErrors& errors) {
  if (annotations.size() > kAuditAnnotationsMax) {
    Json shown = Json::array();  // With the members of the server's internal type.
    for (const Json& each : annotations.items()) {
      shown.push_back(Json::object({{"Key", each.get("key").text()},
                                    {"ValueExpression", each.get("valueExpression").text()}}));
    }
    errors.push_back(field_invalid(
        path.text(), shown,
        "must not have more than " + std::to_string(kAuditAnnotationsMax) + " auditAnnotations"));
  }
  std::set<std::string_view> keys;
  std::size_t index = 0;
  for (const Json& each : annotations.items()) {
    const FieldPath at = path.index(index++);
    check_audit_annotation(each, policy, compiler, at, errors);
    const Json& key = each.get("key");
    if (!keys.insert(key.text()).second) errors.push_back(field_duplicate(at.text("key"), key));
  }
}

/// k8s: validateApplyConfiguration and validateJSONPatch.
void check_mutation(const std::string& text, cel::Wanted wanted,
                    const cel::AdmissionCompiler& compiler, const FieldPath& path,
                    FieldErrors& errors) {
  const std::string trimmed = trimmed_text(text);
  if (trimmed.empty()) {
    errors.push_back(field_required(path.text("expression")));
    return;
  }
  check_compiled(compiler.compile(trimmed, wanted, cel::Declares::kYes), trimmed,
                 path.text("expression"), errors);
}

/// The validations and audit annotations of a ValidatingAdmissionPolicy.
void check_judgements(const Json& object, const cel::AdmissionCompiler& compiler,
                      FieldErrors& errors) {
  const Json& spec = object.get("spec");
  const Json& validations = spec.get("validations");
  const Json& annotations = spec.get("auditAnnotations");
  if (validations.items().empty() && annotations.items().empty()) {
    constexpr std::string_view kNeither =
        "validations or auditAnnotations must contain at least one item";
    errors.push_back(field_required(kSpec.text("validations"), kNeither));
    errors.push_back(field_required(kSpec.text("auditAnnotations"), kNeither));
    return;
  }
  const FieldPath path = kSpec.child("validations");
  std::size_t index = 0;
  for (const Json& each : validations.items()) {
    check_validation(each, compiler, path.index(index++), errors);
  }
  check_audit_annotations(annotations, object.text_at({"metadata", "name"}), compiler,
                          kSpec.child("auditAnnotations"), errors);
}

/// k8s: validateMutation.
void check_mutations(const Json& spec, const cel::AdmissionCompiler& compiler,
                     FieldErrors& errors) {
  static const std::vector<std::string> kTypes = {"ApplyConfiguration", "JSONPatch"};
  const FieldPath path = kSpec.child("mutations");
  if (spec.get("mutations").items().empty()) {
    errors.push_back(field_required(path.text(), "mutations must contain at least one item"));
  }
  std::size_t index = 0;
  for (const Json& each : spec.get("mutations").items()) {
    const FieldPath at = path.index(index++);
    if (!require_text(each, "patchType", at, errors)) continue;
    const std::string& type = each.get("patchType").text();
    if (std::ranges::find(kTypes, type) == kTypes.end()) {
      errors.push_back(field_not_supported(at.text("patchType"), each.get("patchType"), kTypes));
      continue;
    }
    const bool applies = type == kTypes.front();
    const std::string_view wanted = applies ? "applyConfiguration" : "jsonPatch";
    const std::string_view other = applies ? "jsonPatch" : "applyConfiguration";
    if (!is_set(each, wanted)) {
      errors.push_back(
          field_required(at.text(wanted), "must be specified when patchType is " + type));
    } else {
      check_mutation(each.get(wanted).get("expression").text(),
                     applies ? cel::Wanted::kObject : cel::Wanted::kPatches, compiler,
                     at.child(wanted), errors);
    }
    if (is_set(each, other)) {
      errors.push_back(field_invalid(at.text(other), '{' + std::string(other) + '}',
                                     "must not be specified when patchType is " + type));
    }
  }
  if (!require_text(spec, "reinvocationPolicy", kSpec, errors)) return;
  check_choice(spec, "reinvocationPolicy", {"IfNeeded", "Never"}, kSpec, errors);
}

/// k8s: validateValidatingAdmissionPolicySpec and validateMutatingAdmissionPolicySpec.
void check_policy_spec(const Json& object, const Json* old, bool mutates, FieldErrors& errors) {
  const Json& spec = object.get("spec");
  check_choice(spec, "failurePolicy", {"Fail", "Ignore"}, kSpec, errors);
  const auto params = is_set(spec, "paramKind") ? cel::Declares::kYes : cel::Declares::kNo;
  if (params == cel::Declares::kYes) {
    check_param_kind(spec.get("paramKind"), kSpec.child("paramKind"), errors);
  }
  const FieldPath constraints = kSpec.child("matchConstraints");
  if (!is_set(spec, "matchConstraints")) {
    errors.push_back(field_required(constraints.text()));
  } else {
    const Json& match = spec.get("matchConstraints");
    check_match_resources(match, constraints, errors);
    if (match.get("resourceRules").items().empty()) {
      errors.push_back(field_required(constraints.text("resourceRules")));
    }
    if (mutates) check_mutable_operations(match, constraints, errors);
  }
  const Json& conditions = spec.get("matchConditions");
  if (old == nullptr || conditions.items() != old->get("spec").get("matchConditions").items()) {
    check_match_conditions(conditions, params, kSpec.child("matchConditions"), errors);
  }
  cel::AdmissionCompiler compiler(params);
  check_variables(spec.get("variables"), compiler, kSpec.child("variables"), errors);
  if (mutates) return check_mutations(spec, compiler, errors);
  check_judgements(object, compiler, errors);
}

/// k8s: validateParamRef.
void check_param_reference(const Json& reference, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kBoth = "name and selector are mutually exclusive";
  if (reference.is_null()) return;
  const std::string& name = reference.get("name").text();
  const bool selects = is_set(reference, "selector");
  if (!name.empty()) {
    add_invalid(check_path_segment(name), name, path.child("name"), errors);
    if (selects) errors.push_back(field_forbidden(path.text("name"), kBoth));
  }
  if (selects) {
    check_label_selector(reference.get("selector"), path.child("selector"), errors);
    if (!name.empty()) errors.push_back(field_forbidden(path.text("selector"), kBoth));
  } else if (name.empty()) {
    errors.push_back(field_required(path.text(), "one of name or selector must be specified"));
  }
  if (!require_text(reference, "parameterNotFoundAction", path, errors)) return;
  check_choice(reference, "parameterNotFoundAction", {"Deny", "Allow"}, path, errors);
}

/// k8s: validateValidationActions.
void check_actions(const Json& actions, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kActions = {"Audit", "Deny", "Warn"};
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (const Json& each : actions.items()) {
    const std::string place = path.index(index++).text();
    if (std::ranges::find(kActions, each.text()) == kActions.end()) {
      errors.push_back(field_not_supported(place, each, kActions));
    }
    if (!seen.insert(each.text()).second) errors.push_back(field_duplicate(place, each));
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    errors.push_back(
        field_invalid(path.text(), actions,
                      "must not contain both Deny and Warn (repeating the same validation failure "
                      "information in the API response and headers serves no purpose)"));
  }
  if (seen.empty()) {
    errors.push_back(field_required(path.text(), "at least one validation action is required"));
  }
}

/// k8s: validateValidatingAdmissionPolicyBindingSpec and its counterpart.
void check_policy_binding(const Json& object, bool mutates, FieldErrors& errors) {
  const Json& spec = object.get("spec");
  if (require_text(spec, "policyName", kSpec, errors)) {
    const std::string& name = spec.get("policyName").text();
    add_invalid(check_dns_subdomain(name), name, kSpec.child("policyName"), errors);
  }
  check_param_reference(spec.get("paramRef"), kSpec.child("paramRef"), errors);
  const FieldPath match = kSpec.child("matchResources");
  if (is_set(spec, "matchResources")) {
    check_match_resources(spec.get("matchResources"), match, errors);
    if (mutates) check_mutable_operations(spec.get("matchResources"), match, errors);
  }
  if (!mutates)
    check_actions(spec.get("validationActions"), kSpec.child("validationActions"), errors);
}

}  // namespace

void check_admission_policy(const Json& object, const Json* old, FieldErrors& errors) {
  const std::string& kind = object.get("kind").text();
  const bool mutates = kind.starts_with("Mutating");
  if (kind.ends_with("Binding")) return check_policy_binding(object, mutates, errors);
  check_policy_spec(object, old, mutates, errors);
}

void check_admission_policy_status(const Json& object, FieldErrors& errors) {
  const FieldPath path("status.typeChecking.expressionWarnings");
  std::size_t index = 0;
  const Json& checking = object.get("status").get("typeChecking");
  for (const Json& each : checking.get("expressionWarnings").items()) {
    const FieldPath at = path.index(index++);
    (void)require_text(each, "warning", at, errors);
    if (trimmed_text(each.get("fieldRef").text()).empty()) {
      errors.push_back(field_required(at.text("fieldRef")));
    }
  }
}

}  // namespace davit::sandbox
