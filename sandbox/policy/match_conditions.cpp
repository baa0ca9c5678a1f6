#include "sandbox/policy/match_conditions.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/cel/limits.hpp"

namespace davit::sandbox {

namespace {

/// Several errors as Go's aggregate prints them, each once.
std::string aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> shown;
  for (const std::string& each : errors) {
    if (std::ranges::find(shown, each) == shown.end()) shown.push_back(each);
  }
  if (shown.size() == 1) return shown.front();
  std::string out = "[";
  for (const std::string& each : shown) out += (out.size() == 1 ? "" : ", ") + each;
  return out + ']';
}

}  // namespace

ConditionsVerdict match_conditions(const std::vector<cel::AdmissionExpression>& conditions,
                                   const cel::AdmissionValues& values,
                                   const std::vector<cel::NamedExpression>& variables) {
  cel::AdmissionValues seen = values;
  seen.namespace_object = nullptr;
  // `request.resource` is what was asked for, unlike that of validations.
  Json request = *values.request;
  request.set("resource", Json(request.get("requestResource")));
  seen.request = &request;
  const cel::AdmissionVariables members(seen, variables);
  std::int64_t budget = cel::kMatchBudget;
  std::vector<std::string> errors;
  bool unmatched = false;
  // A later false counts more than an earlier error, and an exhausted budget more than both.
  for (const cel::AdmissionExpression& each : conditions) {
    cel::AdmissionOutcome outcome = cel::evaluate_admission(each, members, budget);
    if (outcome.exhausted) return {false, std::move(outcome.error)};
    if (!outcome.error.empty()) {
      errors.push_back(std::move(outcome.error));
    } else if (!outcome.value.is_true()) {
      unmatched = true;
    }
  }
  if (unmatched) return {};
  if (errors.empty()) return {true, ""};
  return {false, aggregate(errors)};
}

}  // namespace davit::sandbox
