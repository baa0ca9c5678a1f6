#include "lib/cel/planning.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/cel/evaluate.hpp"
#include "lib/kube/validation/pattern.hpp"

namespace davit::cel {
namespace {

constexpr std::array<std::string_view, 10> kConversions = {
    "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};

bool is_conversion(const Expr& expr) {
  return expr.kind == ExprKind::kCall && expr.target == nullptr && expr.args.size() == 1 &&
         std::find(kConversions.begin(), kConversions.end(), expr.name) != kConversions.end();
}

class Planner {
 public:
  /// Plans the parts first, as cel-go does. Returns whether the value is constant.
  bool plan(const Expr& expr) {
    if (!error_.empty()) return false;
    bool constant = true;
    const auto part = [&](const ExprPtr& each) {
      if (each != nullptr) constant = plan(*each) && constant;
    };
    part(expr.target);
    for (const ExprPtr& each : expr.args) part(each);
    for (const Entry& each : expr.entries) {
      part(each.key);
      part(each.value);
      constant = constant && each.key != nullptr && !each.optional;
    }
    if (expr.loop != nullptr) {
      const Comprehension& loop = *expr.loop;
      for (const ExprPtr* each :
           {&loop.range, &loop.init, &loop.condition, &loop.step, &loop.result}) {
        part(*each);
      }
    }
    if (!error_.empty()) return false;
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return true;
      case ExprKind::kList:
        return constant && expr.optional_args.empty();
      case ExprKind::kMap:
        return constant;
      case ExprKind::kCall:
        return call(expr, constant);
      default:
        return false;
    }
  }

  [[nodiscard]] std::string error() && { return std::move(error_); }

 private:
  bool call(const Expr& expr, bool constant) {
    if (is_conversion(expr) && constant) {
      const VariableList none({});
      const Evaluation folded = evaluate(expr, none);
      error_ = std::string(folded.value.error());
      return error_.empty();
    }
    const bool searches = expr.name == "find" || expr.name == "findAll";
    if (searches && expr.target != nullptr && !expr.args.empty()) pattern(*expr.args[0]);
    return false;
  }

  void pattern(const Expr& arg) {
    const auto* text = std::get_if<std::string>(&arg.literal);
    if (arg.kind != ExprKind::kLiteral || text == nullptr) return;
    if (const Result<Pattern> compiled = Pattern::compile(*text); !compiled) {
      error_ = compiled.error().message();
    }
  }

  std::string error_;
};

}  // namespace

std::string planning_error(const Expr& root) {
  Planner planner;
  (void)planner.plan(root);
  return std::move(planner).error();
}

}  // namespace davit::cel
