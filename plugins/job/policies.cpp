#include "plugins/job/policies.hpp"

#include <algorithm>
#include <utility>

namespace davit::job {
namespace {

bool has_code(const FailureRule& rule, std::int64_t code) {
  return std::find(rule.exit_codes.begin(), rule.exit_codes.end(), code) != rule.exit_codes.end();
}

/// The first container that the rule means.
const ContainerExit* matching_exit(const FailureRule& rule, const PodFacts& pod) {
  for (const ContainerExit& each : pod.exits) {
    if (rule.container && *rule.container != each.container) continue;
    if (each.code == 0 || rule.op == FailureRule::Operator::kUnknown) continue;
    if (has_code(rule, each.code) == (rule.op == FailureRule::Operator::kIn)) return &each;
  }
  return nullptr;
}

const FailureRule::Condition* matching_condition(const FailureRule& rule, const PodFacts& pod) {
  for (const FailureRule::Condition& each : pod.conditions) {
    for (const FailureRule::Condition& wanted : rule.conditions) {
      if (each.type == wanted.type && each.status == wanted.status) return &each;
    }
  }
  return nullptr;
}

}  // namespace

FailureMatch match_failure(const JobSpec& spec, std::string_view ns, const PodFacts& pod) {
  if (!spec.failure_policy) return {};
  const std::string pod_text = "pod " + std::string(ns) + "/" + std::string(pod.name);
  for (std::size_t i = 0; i < spec.failure_policy->size(); ++i) {
    const FailureRule& rule = (*spec.failure_policy)[i];
    if (rule.action == FailureRule::Action::kUnknown) continue;
    const std::string tail = " matching FailJob rule at index " + std::to_string(i);
    if (rule.on_exit_codes) {
      const ContainerExit* exit = matching_exit(rule, pod);
      if (exit == nullptr) continue;
      return {rule.action, "Container " + std::string(exit->container) + " for " + pod_text +
                               " failed with exit code " + std::to_string(exit->code) + tail};
    }
    const FailureRule::Condition* condition = matching_condition(rule, pod);
    if (condition == nullptr) continue;
    return {rule.action,
            "P" + pod_text.substr(1) + " has condition " + std::string(condition->type) + tail};
  }
  return {};
}

std::string_view action_text(FailureRule::Action action) {
  switch (action) {
    case FailureRule::Action::kFailJob:
      return "FailJob";
    case FailureRule::Action::kFailIndex:
      return "FailIndex";
    case FailureRule::Action::kCount:
      return "Count";
    case FailureRule::Action::kIgnore:
      return "Ignore";
    case FailureRule::Action::kUnknown:
      break;
  }
  return "";
}

std::optional<std::size_t> match_success(const JobSpec& spec, const IndexSet& succeeded) {
  if (!spec.indexed || succeeded.empty()) return std::nullopt;
  for (std::size_t i = 0; i < spec.success_policy.size(); ++i) {
    const SuccessRule& rule = spec.success_policy[i];
    if (!rule.indexes) {
      if (rule.count && succeeded.size() >= *rule.count) return i;
      continue;
    }
    const IndexSet wanted = IndexSet::parse(*rule.indexes, *spec.completions);
    if (wanted.empty()) continue;
    const std::int64_t contained = wanted.common_with(succeeded);
    if (contained == wanted.size() || (rule.count && contained >= *rule.count)) return i;
  }
  return std::nullopt;
}

}  // namespace davit::job
