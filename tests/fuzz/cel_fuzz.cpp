// Expressions of users: the parser, its messages, and the evaluator with a limit of cost.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/cel/admission.hpp"
#include "lib/cel/authorizer.hpp"
#include "lib/cel/evaluate.hpp"
#include "lib/cel/limits.hpp"
#include "lib/cel/parser.hpp"
#include "lib/kube/json.hpp"

namespace {

/// The text as an expression of an admission policy, well typed or not.
void admit(std::string_view text, const davit::Json& object) {
  const davit::cel::AdmissionCompiler compiler(davit::cel::Declares::kYes);
  const davit::cel::AdmissionExpression expression =
      compiler.compile(std::string(text), davit::cel::Wanted::kAny, davit::cel::Declares::kYes);
  if ((expression.tree == nullptr) == expression.error.empty()) __builtin_trap();
  const auto check = [](const davit::cel::AccessQuestion& question) {
    return davit::cel::AccessVerdict{question.verb == "get", question.name, ""};
  };
  davit::cel::AdmissionValues values;
  values.object = &object;
  values.authorizer = davit::cel::authorizer_value({.name = "a"}, check);
  values.request_resource = davit::cel::resource_check_value({}, check);
  const std::vector<davit::cel::NamedExpression> members;
  const davit::cel::AdmissionVariables variables(values, members);
  std::int64_t budget = davit::cel::kRunBudget;
  // Others are evaluated with a lower limit.
  if (text.find("authorizer") == text.npos) return;
  const davit::cel::AdmissionOutcome outcome =
      davit::cel::evaluate_admission(expression, variables, budget);
  if (outcome.exhausted && outcome.error.empty()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kCostMax = 20'000;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const davit::cel::Parsed parsed = davit::cel::parse(text);
  if (!parsed.root) {
    if (davit::cel::display(text, parsed.issues).empty()) __builtin_trap();
    return 0;
  }
  const davit::Json self =
      davit::json_literal(R"({"a":1,"b":"text","c":[1,2.5,null],"d":{"e":true}})");
  const davit::cel::VariableList variables({{"self", davit::cel::json_value(self)}});
  const davit::cel::Evaluation evaluation = davit::cel::evaluate(*parsed.root, variables, kCostMax);
  if (evaluation.cost_exceeded && !evaluation.value.is_error()) __builtin_trap();
  (void)davit::cel::to_json(evaluation.value);
  admit(text, self);
  return 0;
}
