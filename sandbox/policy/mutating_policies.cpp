#include "sandbox/policy/mutating_policies.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/policy/mutated_object.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

/// One pass over the policies.
class MutatingPolicies::Run {
 public:
  Run(JudgedWrite& write, Json& object, const PolicyContext& context, const Store& store,
      Reinvocation& round)
      : write_(write), object_(object), context_(context), store_(store), round_(round) {}

  void find(const PolicyHooks<CompiledMutation>::Hook& hook, const ResourceSet& resources) {
    const CompiledMutation& policy = *hook.policy;
    find_policy_uses(
        policy.frame().spec, hook.bindings, write_, context_.parts, resources,
        [&](const PolicyUse& use) {
          uses_.push_back({policy, use.binding, use.matched, use.params});
        },
        [&](const PolicyBinding* binding, const std::string& why) {
          const std::string what = binding == nullptr ? "policy: " : "binding: ";
          fail(policy, binding, "failed to configure " + what + why, "Forbidden");
        });
  }

  /// The policies were found before the first one changes the object, as upstream does it.
  [[nodiscard]] ApiFailure play() {
    if (uses_.empty()) return result();
    round_.begin(object_);
    for (const Use& each : uses_) {
      if (ApiFailure failure = play(each)) return failure;
    }
    // Any patch counts as a change for policies that ran before, even one that changed nothing.
    if (patched_) round_.changed();
    round_.end(object_);
    return result();
  }

 private:
  struct Use {
    const CompiledMutation& policy;
    const PolicyBinding& binding;
    ResourcePtr matched;
    ParameterPtr params;
  };

  [[nodiscard]] static std::string key_of(const Use& use) {
    const Json& meta = use.params->get("metadata");
    return use.policy.frame().name + '/' + use.binding.name + '/' + meta.get("namespace").text() +
           '/' + meta.get("name").text();
  }

  [[nodiscard]] ApiFailure play(const Use& use) {
    const CompiledMutation& policy = use.policy;
    {
      const WriteView view(write_, *use.matched, context_, store_);
      if (view.failure()) return view.failure();
      const ConditionsVerdict found = policy.frame().matches(values_of(view, use));
      if (!found.error.empty()) fail(policy, &use.binding, found.error, "Invalid");
      if (!found.matches) return std::nullopt;
    }
    const std::string key = key_of(use);
    if (!round_.runs(key)) return std::nullopt;
    const Json before = object_;
    for (std::size_t i = 0; i < policy.size(); ++i) {
      if (ApiFailure failure = mutate(use, i)) return failure;
    }
    if (object_ != before) round_.changed();
    if (policy.runs_again()) round_.add(key);
    return std::nullopt;
  }

  /// One mutation. Its failure is one of the policy, or a refusal that no policy can ignore.
  [[nodiscard]] ApiFailure mutate(const Use& use, std::size_t index) {
    const CompiledMutation& policy = use.policy;
    const WriteView view(write_, *use.matched, context_, store_);
    if (view.failure()) return view.failure();
    const cel::AdmissionValues values = values_of(view, use);
    Json next = *values.object;
    const BodyType type = admitted_type(*use.matched, write_.subresource);
    MutationOutcome outcome = policy.apply(index, values, type.schema, next);
    // Here, not in the storage: else each further mutation could enlarge it again.
    if (outcome.error.empty() && is_too_large(next)) outcome.error = "the object is too large";
    if (!outcome.error.empty()) {
      fail(policy, &use.binding, outcome.error, "Invalid");
      return std::nullopt;
    }
    patched_ = true;
    if (outcome.undone) return std::nullopt;
    const bool strict = policy.patch_of(index) == MutationPatch::kJsonPatch;
    // Upstream reads a custom resource without its schema, so that no field is unknown to it.
    const bool refuses_unknown = strict && type.custom == nullptr;
    MutatedObject adopted =
        adopt_mutated(context_.parts, std::move(next), *use.matched, write_,
                      refuses_unknown ? FieldValidation::kStrict : FieldValidation::kIgnore);
    if (!adopted.error.empty() && strict) return internal_failure(adopted.error);
    if (!adopted.error.empty()) {
      fail(policy, &use.binding, adopted.error, "Invalid");
      return std::nullopt;
    }
    object_ = std::move(adopted.object);
    return std::nullopt;
  }

  [[nodiscard]] static cel::AdmissionValues values_of(const WriteView& view, const Use& use) {
    cel::AdmissionValues values = view.values();
    values.params = use.params->is_null() ? nullptr : use.params.get();
    return values;
  }

  void fail(const CompiledMutation& policy, const PolicyBinding* binding, const std::string& why,
            std::string reason) {
    if (!policy.frame().fails) return;
    const std::string& name = policy.frame().name;
    std::string message =
        "policy " + (binding == nullptr ? to_text(Json(name))
                                        : '\'' + name + "' with binding '" + binding->name + '\'');
    message += " denied request: " + why;
    if (causes_.empty()) reason_ = std::move(reason);
    causes_.push_back({"", "", std::move(message)});
  }

  /// The refusal, if a policy failed: the first failure, and all of them as causes.
  [[nodiscard]] ApiFailure result() {
    if (causes_.empty()) return std::nullopt;
    std::string name(write_.name);
    if (name.empty()) name = object_.text_at({"metadata", "generateName"});
    if (name.empty()) name = "Unknown";
    const std::string message = causes_.front().message;
    ApiError out =
        forbidden(Subject::resource(write_.resource, std::move(name)), "", std::move(causes_));
    out.message = message;
    out.reason = reason_;
    return out;
  }

  JudgedWrite& write_;
  Json& object_;
  const PolicyContext& context_;
  const Store& store_;
  Reinvocation& round_;
  std::vector<Use> uses_;
  bool patched_ = false;
  FieldErrors causes_;
  std::string reason_;
};

ApiFailure MutatingPolicies::mutate(JudgedWrite write, Json& object, const PolicyContext& context,
                                    Reinvocation& round) {
  if (is_exempt_from_policies(write.resource)) return std::nullopt;
  const auto hooks = hooks_.now();
  if (hooks == nullptr) return std::nullopt;
  const std::shared_ptr<const ResourceSet> resources = resources_.now();
  write.object = &object;
  Run run(write, object, context, store_, round);
  for (const auto& each : *hooks) run.find(each, *resources);
  return run.play();
}

}  // namespace davit::sandbox
