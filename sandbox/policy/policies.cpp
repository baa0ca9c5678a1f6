#include "sandbox/policy/policies.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/policy/match_resources.hpp"
#include "sandbox/policy/parameters.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

/// A policy could lock out the one who wants to change it, so none is asked about these.
bool is_exempt(const Resource& resource) {
  constexpr std::array<std::string_view, 4> kExempt = {
      "validatingadmissionpolicies", "validatingadmissionpolicybindings",
      "mutatingadmissionpolicies", "mutatingadmissionpolicybindings"};
  return resource.group == kGroup && std::ranges::find(kExempt, resource.name) != kExempt.end();
}

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

  void visit(const Hook& hook) {
    const CompiledPolicy& policy = *hook.policy;
    const Match match =
        match_resources(policy.spec().get("matchConstraints"), write_, store_, resources_);
    if (!match.error.empty()) return misconfigured(policy, nullptr, match.error);
    if (match.resource == nullptr) return;
    ResourcePtr kind;
    if (is_set(policy.spec(), "paramKind")) {
      const Json& wanted = policy.spec().get("paramKind");
      const std::string& version = wanted.get("apiVersion").text();
      kind = resources_.find_kind(version, wanted.get("kind").text());
      if (kind == nullptr) {
        const std::string group = version.find('/') == std::string::npos ? "/" : "";
        return misconfigured(policy, nullptr,
                             "failed to find resource referenced by paramKind: '" + group +
                                 version + ", Kind=" + wanted.get("kind").text() + '\'');
      }
    }
    for (const Binding& each : hook.bindings) visit(policy, each, *match.resource, kind);
  }

  /// The refusal, if there is one: the first denial.
  [[nodiscard]] ApiFailure result() && { return std::move(denial_); }

 private:
  void visit(const CompiledPolicy& policy, const Binding& binding, const Resource& matched,
             const ResourcePtr& kind) {
    const Json& match = binding.spec.get("matchResources");
    if (match.is_object()) {
      const Match found = match_resources(match, write_, store_, resources_);
      if (!found.error.empty()) return misconfigured(policy, &binding, found.error);
      if (found.resource == nullptr) return;
    }
    const Parameters parameters =
        collect_parameters(kind, binding.spec.get("paramRef"), namespace_of(write_), store_);
    if (!parameters.error.empty()) return misconfigured(policy, &binding, parameters.error);
    for (const Json& each : parameters.objects) {
      act(policy, binding, policy_verdict(policy, matched, each));
    }
  }

  PolicyVerdict policy_verdict(const CompiledPolicy& policy, const Resource& matched,
                               const Json& params) {
    const WriteView view(write_, matched, context_, store_);
    cel::AdmissionValues values = view.values();
    values.params = params.is_null() ? nullptr : &params;
    return policy.judge(values);
  }

  void act(const CompiledPolicy& policy, const Binding& binding, const PolicyVerdict& verdict) {
    const Json& actions = binding.spec.get("validationActions");
    for (const PolicyVerdict::Denial& each : verdict.denials) {
      for (const Json& action : actions.items()) {
        if (action.text() == "Deny") deny(policy, &binding, each.message, each.reason);
        if (action.text() == "Warn") warn(policy, binding, each.message);
      }
    }
    for (const std::string& each : verdict.annotation_errors) deny(policy, &binding, each, "");
  }

  void warn(const CompiledPolicy& policy, const Binding& binding, const std::string& message) {
    std::string text = "Validation failed for ValidatingAdmissionPolicy '" + policy.name() +
                       "' with binding '" + binding.name + "': " + message;
    add_warning(context_.warnings, std::move(text));
  }

  /// `binding`: null for a mistake of the policy itself.
  void misconfigured(const CompiledPolicy& policy, const Binding* binding, const std::string& why) {
    if (!policy.fails()) return;
    const std::string what = binding == nullptr ? "policy: " : "binding: ";
    deny(policy, binding, "failed to configure " + what + why, "");
  }

  void deny(const CompiledPolicy& policy, const Binding* binding, const std::string& message,
            const std::string& reason) {
    if (denial_) return;
    const std::string by = binding == nullptr ? "" : " with binding '" + binding->name + '\'';
    denial_ = denied(
        write_,
        "ValidatingAdmissionPolicy '" + policy.name() + '\'' + by + " denied request: " + message,
        reason);
  }

  const JudgedWrite& write_;
  const PolicyContext& context_;
  const Store& store_;
  const ResourceSet& resources_;
  ApiFailure denial_;
};

std::shared_ptr<const Policies::Hooks> Policies::hooks() {
  const Sources bindings =
      store_.list({std::string(kGroup), "validatingadmissionpolicybindings"}, "").objects;
  if (bindings.empty()) return nullptr;
  const Sources policies =
      store_.list({std::string(kGroup), "validatingadmissionpolicies"}, "").objects;
  const MutexLock lock(mutex_);
  if (hooks_ == nullptr || policies != policies_ || bindings != bindings_) {
    hooks_ = make_hooks(policies, bindings);
    policies_ = policies;
    bindings_ = bindings;
  }
  return hooks_;
}

std::shared_ptr<const Policies::Hooks> Policies::make_hooks(const Sources& policies,
                                                            const Sources& bindings) {
  std::map<std::string, std::vector<Binding>> by_policy;
  for (const VersionPtr& each : bindings) {
    const Json binding = each->json();
    by_policy[binding.text_at({"spec", "policyName"})].push_back({each->name, binding.get("spec")});
  }
  auto out = std::make_shared<Hooks>();
  decltype(compiled_) compiled;
  for (const VersionPtr& each : policies) {
    const auto found = by_policy.find(each->name);
    if (found == by_policy.end()) continue;
    const auto known =
        std::ranges::find(compiled_, each, [](const auto& pair) { return pair.first; });
    compiled.emplace_back(each, known != compiled_.end()
                                    ? known->second
                                    : std::make_shared<const CompiledPolicy>(each->json()));
    out->push_back({compiled.back().second, std::move(found->second)});
  }
  compiled_ = std::move(compiled);
  return out;
}

ApiFailure Policies::judge(const JudgedWrite& write, const PolicyContext& context) {
  if (is_exempt(write.resource)) return std::nullopt;
  const std::shared_ptr<const Hooks> hooks = this->hooks();
  if (hooks == nullptr) return std::nullopt;
  const std::shared_ptr<const ResourceSet> resources = resources_.now();
  Run run(write, context, store_, *resources);
  for (const Hook& each : *hooks) run.visit(each);
  return std::move(run).result();
}

}  // namespace davit::sandbox
