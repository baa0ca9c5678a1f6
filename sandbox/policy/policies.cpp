#include "sandbox/policy/policies.hpp"

#include <memory>
#include <string>
#include <utility>

namespace davit::sandbox {

namespace {

/// A refusal: a Forbidden in the reason's clothes.
ApiError denied(const JudgedWrite& write, const std::string& message, std::string reason) {
  const std::string name = write.name.empty() ? "Unknown" : std::string(write.name);
  ApiError out = forbidden(Subject::resource(write.resource, name), message, {{"", "", message}});
  out.code = reason == "Forbidden" ? 403 : reason == "RequestEntityTooLarge" ? 413 : 422;
  out.reason = reason.empty() ? "Invalid" : std::move(reason);
  return out;
}

}  // namespace

/// One judgement.
class Policies::Run {
 public:
  Run(const JudgedWrite& write, const PolicyContext& context, const Store& store,
      const ResourceSet& resources)
      : write_(write), context_(context), store_(store), resources_(resources) {}

  void visit(const PolicyHooks<CompiledPolicy>::Hook& hook) {
    const CompiledPolicy& policy = *hook.policy;
    find_policy_uses(
        policy.frame().spec, hook.bindings, write_, context_.parts, resources_,
        [&](const PolicyUse& use) {
          act(policy, use.binding, policy_verdict(policy, *use.matched, *use.params));
        },
        [&](const PolicyBinding* binding, const std::string& why) {
          misconfigured(policy, binding, why);
        });
  }

  /// The refusal, if there is one: the first denial.
  [[nodiscard]] ApiFailure result() && { return std::move(denial_); }

 private:
  PolicyVerdict policy_verdict(const CompiledPolicy& policy, const Resource& matched,
                               const Json& params) {
    const WriteView view(write_, matched, context_, store_);
    if (view.failure()) {
      if (!denial_) denial_ = view.failure();
      return {};
    }
    cel::AdmissionValues values = view.values();
    values.params = params.is_null() ? nullptr : &params;
    return policy.judge(values);
  }

  void act(const CompiledPolicy& policy, const PolicyBinding& binding,
           const PolicyVerdict& verdict) {
    const Json& actions = binding.spec.get("validationActions");
    for (const PolicyVerdict::Denial& each : verdict.denials) {
      for (const Json& action : actions.items()) {
        if (action.text() == "Deny") deny(policy, &binding, each.message, each.reason);
        if (action.text() == "Warn") warn(policy, binding, each.message);
      }
    }
    for (const std::string& each : verdict.annotation_errors) deny(policy, &binding, each, "");
  }

  void warn(const CompiledPolicy& policy, const PolicyBinding& binding,
            const std::string& message) {
    std::string text = "Validation failed for ValidatingAdmissionPolicy '" + policy.frame().name +
                       "' with binding '" + binding.name + "': " + message;
    add_warning(context_.warnings, std::move(text));
  }

  /// `binding`: null for a mistake of the policy itself.
  void misconfigured(const CompiledPolicy& policy, const PolicyBinding* binding,
                     const std::string& why) {
    if (!policy.frame().fails) return;
    const std::string what = binding == nullptr ? "policy: " : "binding: ";
    deny(policy, binding, "failed to configure " + what + why, "");
  }

  void deny(const CompiledPolicy& policy, const PolicyBinding* binding, const std::string& message,
            const std::string& reason) {
    if (denial_) return;
    const std::string by = binding == nullptr ? "" : " with binding '" + binding->name + '\'';
    denial_ = denied(write_,
                     "ValidatingAdmissionPolicy '" + policy.frame().name + '\'' + by +
                         " denied request: " + message,
                     reason);
  }

  const JudgedWrite& write_;
  const PolicyContext& context_;
  const Store& store_;
  const ResourceSet& resources_;
  ApiFailure denial_;
};

ApiFailure Policies::judge(const JudgedWrite& write, const PolicyContext& context) {
  if (is_exempt_from_policies(write.resource)) return std::nullopt;
  const auto hooks = hooks_.now();
  if (hooks == nullptr) return std::nullopt;
  const std::shared_ptr<const ResourceSet> resources = resources_.now();
  Run run(write, context, store_, *resources);
  for (const auto& each : *hooks) run.visit(each);
  return std::move(run).result();
}

}  // namespace davit::sandbox
