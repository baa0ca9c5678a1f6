/// Checks that webhook configurations and admission policies share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/cel/admission.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "lib/kube/validation/field_path.hpp"

namespace davit::sandbox {

/// Whether the list has this text among its elements.
[[nodiscard]] bool lists_text(const Json& list, std::string_view text);
/// The text without white space at its ends, as Go's strings.TrimSpace() leaves it.
[[nodiscard]] std::string trimmed_text(std::string_view text);

/// A member that is one of `allowed`, or missing.
void check_choice(const Json& object, std::string_view field,
                  const std::vector<std::string>& allowed, const FieldPath& path,
                  FieldErrors& errors);
/// The operations, groups, versions, resources and scope of a rule.
/// k8s: validateRuleWithOperations of pkg/apis/admissionregistration/validation.
void check_operation_rule(const Json& rule, const FieldPath& path, FieldErrors& errors);
/// k8s: validateMatchConditions. `params`: whether the expressions may use `params`.
void check_match_conditions(const Json& conditions, cel::Declares params, const FieldPath& path,
                            FieldErrors& errors);
/// The URL or Service of a WebhookClientConfig. k8s: pkg/util/webhook/validation.go.
void check_client_config(const Json& config, const FieldPath& path, FieldErrors& errors);
/// Whether a version of reviews is listed that v1.16 and later understand.
[[nodiscard]] bool has_known_version(const Json& versions);
/// A list of versions of reviews that is not empty.
void check_version_list(const Json& versions, bool may_be_unknown, const FieldPath& path,
                        FieldErrors& errors);
/// Adds the flaw of a compiled expression, which `shown` has as its user wrote it.
void check_compiled(const cel::AdmissionExpression& expression, std::string_view shown,
                    const std::string& field, FieldErrors& errors);

}  // namespace davit::sandbox
