#include "sandbox/policy/compiled_policy.hpp"

#include <utility>

#include "lib/cel/limits.hpp"
#include "sandbox/kinds/admission_checks.hpp"

namespace davit::sandbox {

CompiledPolicy::CompiledPolicy(const Json& policy) {
  using cel::Declares;
  using cel::Wanted;
  cel::AdmissionCompiler compiler = policy_compiler(policy);
  frame_ = policy_frame(policy, compiler);
  for (const Json& each : frame_.spec.get("validations").items()) {
    Validation validation;
    validation.expression =
        compiler.compile(each.get("expression").text(), Wanted::kBool, Declares::kYes);
    const std::string& text = each.get("messageExpression").text();
    if (!text.empty()) {
      validation.by_expression = compiler.compile(text, Wanted::kText, Declares::kNo);
    }
    validation.message = trimmed_text(each.get("message").text());
    validation.reason = each.get("reason").text();
    validations_.push_back(std::move(validation));
  }
  for (const Json& each : frame_.spec.get("auditAnnotations").items()) {
    annotations_.push_back(
        compiler.compile(each.get("valueExpression").text(), Wanted::kTextOrNull, Declares::kYes));
  }
}

PolicyVerdict CompiledPolicy::judge(const cel::AdmissionValues& values) const {
  PolicyVerdict verdict;
  ConditionsVerdict found = frame_.matches(values);
  if (!found.error.empty()) fail(std::move(found.error), verdict);
  if (found.matches && validate(values, verdict)) annotate(values, verdict);
  return verdict;
}

void CompiledPolicy::fail(std::string error, PolicyVerdict& verdict) const {
  if (frame_.fails) verdict.denials.push_back({std::move(error), ""});
}

CompiledPolicy::Run CompiledPolicy::messages(const cel::AdmissionValues& values,
                                             std::int64_t budget) const {
  Run out;
  cel::AdmissionValues seen = values;
  seen.authorizer.reset();
  seen.request_resource.reset();
  const cel::AdmissionVariables variables(seen, frame_.variables);
  for (const Validation& each : validations_) {
    cel::AdmissionOutcome outcome;
    if (each.by_expression) {
      outcome = cel::evaluate_admission(*each.by_expression, variables, budget);
    }
    if (outcome.exhausted) return {{}, std::move(outcome.error)};
    out.outcomes.push_back(std::move(outcome));
  }
  return out;
}

std::string CompiledPolicy::message_of(const Validation& validation,
                                       const cel::AdmissionOutcome* by_expression) {
  if (by_expression != nullptr) {
    std::string text = trimmed_text(by_expression->value.text());
    const bool usable =
        text.size() <= cel::kMessageBytesMax && text.find('\n') == std::string::npos;
    if (usable && !text.empty()) return text;
  }
  if (!validation.message.empty()) return validation.message;
  return "failed expression: " + trimmed_text(validation.expression.text);
}

bool CompiledPolicy::validate(const cel::AdmissionValues& values, PolicyVerdict& verdict) const {
  const cel::AdmissionVariables variables(values, frame_.variables);
  std::int64_t budget = cel::kRunBudget;
  std::vector<cel::AdmissionOutcome> outcomes;
  for (const Validation& each : validations_) {
    outcomes.push_back(cel::evaluate_admission(each.expression, variables, budget));
    if (outcomes.back().exhausted) {
      fail(std::move(outcomes.back().error), verdict);
      return false;
    }
  }
  const Run shown = messages(values, budget);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    cel::AdmissionOutcome& outcome = outcomes[i];
    if (!outcome.error.empty()) {
      fail(std::move(outcome.error), verdict);
    } else if (!shown.error.empty()) {
      fail("failed messageExpression: " + shown.error, verdict);
    } else if (!outcome.value.is_true()) {
      const Validation& validation = validations_[i];
      const cel::AdmissionOutcome* text = validation.by_expression ? &shown.outcomes[i] : nullptr;
      verdict.denials.push_back({message_of(validation, text), validation.reason});
    }
  }
  return true;
}

void CompiledPolicy::annotate(const cel::AdmissionValues& values, PolicyVerdict& verdict) const {
  cel::AdmissionValues seen = values;
  seen.authorizer.reset();
  seen.request_resource.reset();
  const cel::AdmissionVariables variables(seen, frame_.variables);
  std::int64_t budget = cel::kRunBudget;
  std::vector<std::string> errors;
  for (const cel::AdmissionExpression& each : annotations_) {
    cel::AdmissionOutcome outcome = cel::evaluate_admission(each, variables, budget);
    if (outcome.exhausted) {
      verdict.denials.clear();
      return fail(std::move(outcome.error), verdict);
    }
    if (!outcome.error.empty()) errors.push_back(std::move(outcome.error));
  }
  if (frame_.fails) verdict.annotation_errors = std::move(errors);
}

}  // namespace davit::sandbox
