#include "lib/cel/literals.hpp"

#include <algorithm>
#include <davit/kube/signed_duration.hpp>
#include <davit/kube/time.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/cel/string_format.hpp"
#include "lib/kube/validation/pattern.hpp"

namespace davit::cel {

namespace {

/// Equal but for the names of parameters.
bool equivalent(const Type& a, const Type& b) {
  if (a.kind == TypeKind::kParam && b.kind == TypeKind::kParam) return true;
  if (a.kind != b.kind || a.name != b.name || a.parameters.size() != b.parameters.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    if (!equivalent(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

/// Collects each kind of issue by itself, in the order in which cel-go's validators run.
class LiteralChecks {
 public:
  explicit LiteralChecks(const Checked& checked) : checked_(checked) {}

  void visit(const Expr& expr) {
    const bool exempt = exempt_;
    if (expr.kind == ExprKind::kCall) {
      call(expr);
      exempt_ = exempt_ || expr.name == "format";
    }
    if (expr.kind == ExprKind::kList && !exempt_) list(expr);
    if (expr.kind == ExprKind::kMap && !exempt_) map(expr);
    children(expr);
    exempt_ = exempt;
  }

  void append_to(Issues& out) const {
    for (const Issues* each : {&durations_, &times_, &patterns_, &lists_, &maps_, &formats_}) {
      out.insert(out.end(), each->begin(), each->end());
    }
  }

 private:
  void children(const Expr& expr) {
    if (expr.target != nullptr) visit(*expr.target);
    for (const ExprPtr& each : expr.args) visit(*each);
    for (const Entry& each : expr.entries) {
      if (each.key != nullptr) visit(*each.key);
      visit(*each.value);
    }
    if (expr.loop == nullptr) return;
    const Comprehension& parts = *expr.loop;
    for (const ExprPtr* each :
         {&parts.range, &parts.init, &parts.condition, &parts.step, &parts.result}) {
      visit(**each);
    }
  }

  void call(const Expr& expr) {
    if (expr.name == "format" && expr.target != nullptr) return format(expr);
    if (expr.args.empty() || expr.args[0]->kind != ExprKind::kLiteral) return;
    // No integer converts to a duration.
    if (expr.name == "duration" && std::holds_alternative<std::int64_t>(expr.args[0]->literal)) {
      return report(*expr.args[0], "invalid duration argument", durations_);
    }
    const auto* text = std::get_if<std::string>(&expr.args[0]->literal);
    if (text == nullptr) return;
    if (expr.name == "duration" && !parse_signed_duration(*text)) {
      report(*expr.args[0], "invalid duration argument", durations_);
    } else if (expr.name == "timestamp" && !parse_wire_time(*text)) {
      report(*expr.args[0], "invalid timestamp argument", times_);
    } else if (expr.name == "matches" && !Pattern::compile(*text)) {
      report(*expr.args[0], "invalid matches argument", patterns_);
    }
  }

  /// A literal format with a literal list of arguments (cel-go, ext/formatting.go).
  void format(const Expr& expr) {
    const auto* text = std::get_if<std::string>(&expr.target->literal);
    if (expr.target->kind != ExprKind::kLiteral || text == nullptr || expr.args.size() != 1 ||
        expr.args[0]->kind != ExprKind::kList) {
      return;
    }
    const std::vector<ExprPtr>& args = expr.args[0]->args;
    const Expr* place = &expr;
    std::size_t used = 0;
    const Result<std::string> formatted = format_by(
        *text, args.size(),
        [&](const FormatDirective& directive, std::size_t index, std::string& /*out*/) {
          used = index + 1;
          const Expr* wrong = unformattable(*args[index], directive.verb);
          if (wrong == nullptr) return Status();
          place = wrong;
          return wrong_format_argument(directive.verb, runtime_name(type_of(*wrong, false)));
        });
    if (!formatted) return report(*place, formatted.error().message(), formats_);
    if (used == args.size()) return;
    report(expr,
           "too many arguments supplied to string.format (expected " + std::to_string(used) +
               ", got " + std::to_string(args.size()) + ")",
           formats_);
  }

  /// The types of the arguments that a directive formats.
  static std::vector<TypeKind> kinds_of(char verb) {
    using enum TypeKind;
    switch (verb) {
      case 's':
        return {kList,   kMap,       kInt,   kUint,     kDouble, kBool,
                kString, kTimestamp, kBytes, kDuration, kType,   kNull};
      case 'f':
      case 'e':
        return {kDouble, kString};
      case 'b':
        return {kInt, kUint, kBool};
      case 'x':
      case 'X':
        return {kInt, kUint, kString, kBytes};
      default:
        return {kInt, kUint};
    }
  }

  /// The part of the argument that the directive cannot format; null if it can.
  [[nodiscard]] const Expr* unformattable(const Expr& arg, char verb) const {
    const TypeKind kind = type_of(arg, false).kind;
    if (kind == TypeKind::kDyn) return nullptr;
    const std::vector<TypeKind> kinds = kinds_of(verb);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return &arg;
    if (verb != 's') return nullptr;
    for (std::size_t i = 0; arg.kind == ExprKind::kList && i < arg.args.size(); ++i) {
      if (const Expr* wrong = unformattable(*arg.args[i], verb)) return wrong;
    }
    for (const Entry& each : arg.entries) {
      if (each.key == nullptr) continue;
      if (const Expr* wrong = unformattable(*each.key, verb)) return wrong;
      if (const Expr* wrong = unformattable(*each.value, verb)) return wrong;
    }
    return nullptr;
  }

  /// The name that a type has at run time, without its parameters.
  static std::string runtime_name(const Type& type) {
    switch (type.kind) {
      case TypeKind::kTimestamp:
        return "google.protobuf.Timestamp";
      case TypeKind::kDuration:
        return "google.protobuf.Duration";
      case TypeKind::kNull:
        return "null_type";
      default: {
        const std::string text = to_text(type);
        return text.substr(0, text.find('('));
      }
    }
  }

  static void report(const Expr& at, std::string message, Issues& out) {
    out.push_back({std::int64_t{at.offset}, std::move(message)});
  }

  /// Whether the types differ, which is then reported.
  static bool differ(const Expr& at, const Type& wanted, const Type& actual, Issues& out) {
    if (equivalent(wanted, actual)) return false;
    report(at, "expected type '" + to_text(wanted) + "' but found '" + to_text(actual) + "'", out);
    return true;
  }

  [[nodiscard]] const Type& type_of(const Expr& expr, bool optional) const {
    const TypePtr& type = checked_.types.at(expr.id);
    return optional && is_optional(*type) ? *type->parameters.front() : *type;
  }

  void list(const Expr& expr) {
    const auto optional = [&](std::size_t index) {
      return !expr.optional_args.empty() && expr.optional_args[index];
    };
    for (std::size_t i = 1; i < expr.args.size(); ++i) {
      const Type& first = type_of(*expr.args[0], optional(0));
      if (differ(*expr.args[i], first, type_of(*expr.args[i], optional(i)), lists_)) return;
    }
  }

  void map(const Expr& expr) {
    for (std::size_t i = 1; i < expr.entries.size(); ++i) {
      const Entry& first = expr.entries[0];
      const Entry& entry = expr.entries[i];
      (void)differ(*entry.key, type_of(*first.key, false), type_of(*entry.key, false), maps_);
      (void)differ(*entry.value, type_of(*first.value, first.optional),
                   type_of(*entry.value, entry.optional), maps_);
    }
  }

  const Checked& checked_;
  bool exempt_ = false;  // Inside of a format() call.
  Issues durations_;
  Issues times_;
  Issues patterns_;
  Issues lists_;
  Issues maps_;
  Issues formats_;
};

}  // namespace

void check_literals(const Expr& root, Checked& checked) {
  LiteralChecks checks(checked);
  checks.visit(root);
  checks.append_to(checked.issues);
}

}  // namespace davit::cel
