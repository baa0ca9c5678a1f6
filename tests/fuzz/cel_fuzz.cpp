// Expressions of users: the parser, its messages, and the evaluator with a limit of cost.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/cel/evaluate.hpp"
#include "lib/cel/parser.hpp"
#include "lib/kube/json.hpp"

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
  return 0;
}
