#include "sandbox/policy/compiled_mutation.hpp"

#include <optional>
#include <utility>

#include "lib/cel/limits.hpp"
#include "lib/cel/mutations.hpp"
#include "lib/kube/patch/apply.hpp"
#include "lib/kube/patch/patch.hpp"

namespace davit::sandbox {

namespace {

MutationOutcome apply_configuration(const cel::Value& result, const Message* schema, Json& object) {
  cel::Mutation made = cel::applied_object(result);
  if (!made.error.empty()) return {std::move(made.error)};
  for (const std::string_view key : {"apiVersion", "kind"}) made.json.set(key, object.get(key));
  std::string error = merge_configuration(object, made.json, schema);
  if (error.empty() && made.foreign) {
    error = "failed to convert patch object to typed object: a value has no JSON form";
  }
  if (error.empty()) return {};
  return {"error applying patch: " + std::move(error)};
}

MutationOutcome apply_operations(const cel::Value& result, Json& object) {
  cel::Mutation made = cel::json_patch(result);
  if (!made.error.empty()) return {std::move(made.error)};
  const PatchOutcome fault = apply_json_patch(object, made.json);
  if (!fault) return {};
  if (fault->test_failed) return {"", true};
  return {"JSON Patch: " + (fault->detail.empty() ? fault->message : fault->detail)};
}

}  // namespace

CompiledMutation::CompiledMutation(const Json& policy) {
  cel::AdmissionCompiler compiler = policy_compiler(policy);
  frame_ = policy_frame(policy, compiler);
  for (const Json& each : frame_.spec.get("mutations").items()) {
    const bool patches = each.get("patchType").text() == "JSONPatch";
    const Json& source = each.get(patches ? "jsonPatch" : "applyConfiguration");
    steps_.push_back({patches ? MutationPatch::kJsonPatch : MutationPatch::kApplyConfiguration,
                      compiler.compile(source.get("expression").text(),
                                       patches ? cel::Wanted::kPatches : cel::Wanted::kObject,
                                       cel::Declares::kYes)});
  }
}

MutationOutcome CompiledMutation::apply(std::size_t index, const cel::AdmissionValues& values,
                                        const Message* schema, Json& object) const {
  const Step& step = steps_[index];
  if (step.expression.tree == nullptr) return {step.expression.error};
  // Each mutation has a budget and variables of its own.
  const cel::AdmissionVariables variables(values, frame_.variables);
  std::int64_t budget = cel::kRunBudget;
  cel::AdmissionOutcome outcome = cel::evaluate_admission(step.expression, variables, budget);
  if (!outcome.error.empty()) return {std::move(outcome.error)};
  return step.patch == MutationPatch::kJsonPatch
             ? apply_operations(outcome.value, object)
             : apply_configuration(outcome.value, schema, object);
}

}  // namespace davit::sandbox
