#include "plugins/admissionpolicy/admission_policy_controller.hpp"

#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "lib/kube/json.hpp"
#include "plugins/admissionpolicy/kind_types.hpp"

namespace davit::admissionpolicy {
namespace {

constexpr std::string_view kQueue = "validatingadmissionpolicy-status";

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> out;
  for (const Value each : list.elements()) out.emplace_back(each.string());
  return out;
}

PolicyExpressions expressions_of(const ValidatingAdmissionPolicy& policy) {
  PolicyExpressions out;
  for (const Value each : policy.spec()["variables"].elements()) {
    out.variables.emplace_back(each["name"].string(), each["expression"].string());
  }
  for (const Value each : policy.spec()["validations"].elements()) {
    out.validations.push_back({std::string(each["expression"].string()),
                               std::string(each["messageExpression"].string())});
  }
  return out;
}

}  // namespace

AdmissionPolicyController::AdmissionPolicyController(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = kQueue}, [this](const Key& key) { return sync(key); })),
      policies_(cluster.open_informer<ValidatingAdmissionPolicy>(
          {.added = [this](const ValidatingAdmissionPolicy& object) { queue_.add(object); },
           .updated = [this](const ValidatingAdmissionPolicy&,
                             const ValidatingAdmissionPolicy& object) { queue_.add(object); }})) {}

Result<Again> AdmissionPolicyController::sync(const Key& key) const {
  const Lookup<ValidatingAdmissionPolicy> policy = policies_.get(key);
  if (!policy || policy->generation() <= policy->observed_generation()) {
    return Again::when_changed();
  }
  const Result<std::vector<ServedKind>> kinds = kinds_of(*policy);
  if (!kinds) return kinds.error();
  std::vector<TypedKind> typed;
  for (const ServedKind& each : *kinds) {
    Result<cel::TypePtr> type = type_of(each);
    if (!type) return type.error();
    if (*type != nullptr) typed.push_back({each.id, std::move(*type)});
  }
  const Result<cel::TypePtr> params = params_of(*policy);
  if (!params) return params.error();
  const Status written = write(*policy, check_expressions(expressions_of(*policy), typed, *params));
  if (!written.ok()) return written;
  return Again::when_changed();
}

Result<std::vector<ServedKind>> AdmissionPolicyController::kinds_of(
    const ValidatingAdmissionPolicy& policy) const {
  std::vector<ResourceRule> rules;
  for (const Value each : policy.spec()["matchConstraints"]["resourceRules"].elements()) {
    rules.push_back(
        {texts_of(each["apiGroups"]), texts_of(each["apiVersions"]), texts_of(each["resources"])});
  }
  if (rules.empty()) return std::vector<ServedKind>();
  const Result<ServedCatalog> known = cluster_.discovery().catalog();
  if (!known) return known.error();
  return served_kinds(std::move(rules), *known, [this] { return cluster_.discovery().fetch(); });
}

Result<cel::TypePtr> AdmissionPolicyController::type_of(const ServedKind& kind) const {
  if (cel::TypePtr type = built_in_type(kind.id); type != nullptr) return type;
  const Result<CustomResourceDefinition> definition =
      cluster_.client().get<CustomResourceDefinition>(
          {.ns = "", .name = kind.resource + '.' + kind.id.group});
  if (!definition) {
    const Status error = definition.error().unless(Code::kNotFound);
    if (!error.ok()) return error;
    return cel::TypePtr();
  }
  const Result<Json> json = parse_json(definition->value().json());
  return json ? custom_type(*json, kind.id) : cel::TypePtr();
}

Result<cel::TypePtr> AdmissionPolicyController::params_of(
    const ValidatingAdmissionPolicy& policy) const {
  const Value kind = policy.spec()["paramKind"];
  if (kind.is_absent()) return cel::TypePtr();
  const cel::TypePtr any = cel::simple_type(cel::TypeKind::kDyn);
  const Result<ServedResource> found =
      cluster_.discovery().find_kind(kind["apiVersion"].string(), kind["kind"].string());
  if (!found) {
    const Status error = found.error().unless(Code::kNotFound);
    if (!error.ok()) return error;
    return any;
  }
  const ServedKind served = {
      {std::string(found->group()), std::string(found->version()), std::string(found->kind())},
      std::string(found->resource())};
  Result<cel::TypePtr> type = type_of(served);
  if (!type) return type.error();
  return *type == nullptr ? any : *type;
}

Status AdmissionPolicyController::write(const ValidatingAdmissionPolicy& policy,
                                        const std::vector<ExpressionWarning>& warnings) const {
  JsonWriter out;
  out.begin_object();
  out.member("apiVersion", ValidatingAdmissionPolicy::kResource.api_version());
  out.member("kind", ValidatingAdmissionPolicy::kResource.kind);
  out.key("metadata").begin_object().member("name", policy.name());
  if (!mutant("policy-of-a-name")) out.member("uid", policy.uid());
  out.end_object();
  out.key("status").begin_object().member("observedGeneration", policy.generation());
  out.key("typeChecking").begin_object();
  if (!warnings.empty()) {
    out.key("expressionWarnings").begin_array();
    for (const ExpressionWarning& each : warnings) {
      out.begin_object().member("fieldRef", each.field_ref).member("warning", each.warning);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object().end_object().end_object();
  return cluster_.client()
      .patch<ValidatingAdmissionPolicy>(policy.key(), PatchType::kApply, std::move(out).text(),
                                        {.subresource = "status",
                                         .answer = Answer::kMetadata,
                                         .field_manager = kQueue,
                                         .force = true})
      .error()
      .unless(Code::kNotFound);
}

}  // namespace davit::admissionpolicy
