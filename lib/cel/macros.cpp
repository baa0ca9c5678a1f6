#include "lib/cel/macros.hpp"

#include <array>
#include <optional>
#include <utility>

namespace davit::cel {
namespace {

/// The older name of the accumulator, which sources may not use as a variable either.
constexpr std::string_view kOldAccumulator = "__result__";
constexpr std::string_view kUnused = "#unused";
/// The list that sortBy() sorts.
constexpr std::string_view kSortInput = "@__sortBy_input__";

template <typename... Nodes>
std::vector<ExprPtr> nodes(Nodes... each) {
  std::vector<ExprPtr> out;
  (out.push_back(std::move(each)), ...);
  return out;
}

/// Builds the expansion of one call.
class Expansion {
 public:
  Expansion(Expr& call, TreeBuilder& builder, Issues& issues)
      : call_(call), builder_(builder), issues_(issues), offset_(call.offset) {}

  ExprPtr has();
  ExprPtr quantifier(std::string_view kind, std::size_t variables);
  ExprPtr map();
  ExprPtr filter();
  ExprPtr transform_list();
  /// With the key of the range, or with an entry that the transformation returns.
  ExprPtr transform_map(bool entry);
  ExprPtr opt_map(bool flat);
  ExprPtr sort_by();
  ExprPtr bind();

 private:
  /// Takes the variables off the front of the arguments; false with an issue if one is no name.
  bool take_variables(std::size_t count, std::string_view refusal);
  bool take_variable(std::size_t index, std::string& out, std::string_view refusal);
  ExprPtr fail(std::uint32_t offset, std::string message);
  ExprPtr accumulator() { return builder_.ident(offset_, kAccumulator); }
  ExprPtr truth(bool value) { return builder_.literal(offset_, value); }
  ExprPtr number(std::int64_t value) { return builder_.literal(offset_, value); }
  ExprPtr call(std::string_view function, std::vector<ExprPtr> args) {
    return builder_.call(offset_, function, std::move(args));
  }
  ExprPtr list(ExprPtr element);
  /// `result` with a variable that has the value.
  ExprPtr bound(std::string_view variable, ExprPtr value, ExprPtr result);
  /// `filter` ? `step` : accumulator; without filter `step`.
  ExprPtr filtered(ExprPtr filter, ExprPtr step);
  ExprPtr loop(ExprPtr init, ExprPtr condition, ExprPtr step, ExprPtr result);
  ExprPtr arg(std::size_t index) { return std::move(call_.args[index]); }

  Expr& call_;
  TreeBuilder& builder_;
  Issues& issues_;
  std::uint32_t offset_;
  std::string variable_;
  std::string variable2_;
};

ExprPtr Expansion::fail(std::uint32_t offset, std::string message) {
  issues_.push_back({offset, std::move(message)});
  return truth(false);
}

bool Expansion::take_variable(std::size_t index, std::string& out, std::string_view refusal) {
  const Expr& name = *call_.args[index];
  if (name.kind != ExprKind::kIdent) {
    (void)fail(name.offset, std::string(refusal));
    return false;
  }
  out = name.name;
  return true;
}

bool Expansion::take_variables(std::size_t count, std::string_view refusal) {
  if (!take_variable(0, variable_, refusal)) return false;
  if (count == 2 && !take_variable(1, variable2_, refusal)) return false;
  if (count == 2 && variable_ == variable2_) {
    (void)fail(call_.args[1]->offset, "duplicate variable name: " + variable_);
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (call_.args[i]->name != kAccumulator && call_.args[i]->name != kOldAccumulator) continue;
    (void)fail(call_.args[i]->offset, "iteration variable overwrites accumulator variable");
    return false;
  }
  return true;
}

ExprPtr Expansion::list(ExprPtr element) {
  ExprPtr out = builder_.node(ExprKind::kList, offset_);
  if (element) out->args.push_back(std::move(element));
  return out;
}

ExprPtr Expansion::filtered(ExprPtr filter, ExprPtr step) {
  if (!filter) return step;
  return call(operators::kConditional, nodes(std::move(filter), std::move(step), accumulator()));
}

ExprPtr Expansion::loop(ExprPtr init, ExprPtr condition, ExprPtr step, ExprPtr result) {
  ExprPtr out = builder_.node(ExprKind::kComprehension, offset_);
  out->loop = std::make_unique<Comprehension>(
      Comprehension{std::move(call_.target), variable_, variable2_, std::string(kAccumulator),
                    std::move(init), std::move(condition), std::move(step), std::move(result)});
  return out;
}

ExprPtr Expansion::bound(std::string_view variable, ExprPtr value, ExprPtr result) {
  ExprPtr out = builder_.node(ExprKind::kComprehension, offset_);
  out->loop = std::make_unique<Comprehension>(Comprehension{
      list(nullptr), std::string(kUnused), "", std::string(variable), std::move(value),
      truth(false), builder_.ident(offset_, variable), std::move(result)});
  return out;
}

ExprPtr Expansion::has() {
  Expr& field = *call_.args[0];
  if (field.kind != ExprKind::kSelect) return fail(field.offset, "invalid argument to has() macro");
  ExprPtr out = builder_.node(ExprKind::kSelect, offset_);
  out->test_only = true;
  out->name = field.name;
  out->target = std::move(field.target);
  return out;
}

ExprPtr Expansion::quantifier(std::string_view kind, std::size_t variables) {
  if (!take_variables(variables, "argument must be a simple name")) return truth(false);
  ExprPtr test = arg(variables);
  if (kind == "all") {
    return loop(truth(true), call(operators::kNotStrictlyFalse, nodes(accumulator())),
                call(operators::kLogicalAnd, nodes(accumulator(), std::move(test))), accumulator());
  }
  if (kind == "exists") {
    ExprPtr unfound = call(operators::kLogicalNot, nodes(accumulator()));
    return loop(truth(false), call(operators::kNotStrictlyFalse, nodes(std::move(unfound))),
                call(operators::kLogicalOr, nodes(accumulator(), std::move(test))), accumulator());
  }
  ExprPtr step = filtered(std::move(test), call(operators::kAdd, nodes(accumulator(), number(1))));
  return loop(number(0), truth(true), std::move(step),
              call(operators::kEquals, nodes(accumulator(), number(1))));
}

ExprPtr Expansion::map() {
  if (!take_variables(1, "argument is not an identifier")) return truth(false);
  const bool has_filter = call_.args.size() == 3;
  ExprPtr filter = has_filter ? arg(1) : nullptr;
  ExprPtr step = call(operators::kAdd, nodes(accumulator(), list(arg(has_filter ? 2 : 1))));
  return loop(list(nullptr), truth(true), filtered(std::move(filter), std::move(step)),
              accumulator());
}

ExprPtr Expansion::filter() {
  if (!take_variables(1, "argument is not an identifier")) return truth(false);
  ExprPtr step = call(operators::kAdd, nodes(accumulator(), list(arg(0))));
  return loop(list(nullptr), truth(true), filtered(arg(1), std::move(step)), accumulator());
}

ExprPtr Expansion::transform_list() {
  if (!take_variables(2, "argument must be a simple name")) return truth(false);
  const bool has_filter = call_.args.size() == 4;
  ExprPtr filter = has_filter ? arg(2) : nullptr;
  ExprPtr step = call(operators::kAdd, nodes(accumulator(), list(arg(has_filter ? 3 : 2))));
  return loop(list(nullptr), truth(true), filtered(std::move(filter), std::move(step)),
              accumulator());
}

ExprPtr Expansion::transform_map(bool entry) {
  if (!take_variables(2, "argument must be a simple name")) return truth(false);
  const bool has_filter = call_.args.size() == 4;
  ExprPtr filter = has_filter ? arg(2) : nullptr;
  std::vector<ExprPtr> args = nodes(accumulator());
  if (!entry) args.push_back(builder_.ident(offset_, variable_));
  args.push_back(arg(has_filter ? 3 : 2));
  ExprPtr step = filtered(std::move(filter), call(operators::kMapInsert, std::move(args)));
  return loop(builder_.node(ExprKind::kMap, offset_), truth(true), std::move(step), accumulator());
}

ExprPtr Expansion::opt_map(bool flat) {
  const std::string refusal = call_.name + "() variable name must be a simple identifier";
  if (!take_variable(0, variable_, refusal)) return truth(false);
  ExprPtr target = std::move(call_.target);
  ExprPtr value = builder_.call(offset_, "value", {}, builder_.copy(*target));
  ExprPtr result = bound(variable_, std::move(value), arg(1));
  if (!flat) result = call("optional.of", nodes(std::move(result)));
  ExprPtr has_value = builder_.call(offset_, "hasValue", {}, std::move(target));
  return call(operators::kConditional,
              nodes(std::move(has_value), std::move(result), call("optional.none", {})));
}

ExprPtr Expansion::bind() {
  if (!take_variable(0, variable_, "cel.bind() variable names must be simple identifiers")) {
    return truth(false);
  }
  ExprPtr value = arg(1);
  return bound(variable_, std::move(value), arg(2));
}

/// Binds the list to a name, and sorts it by the keys that map() makes of it.
ExprPtr Expansion::sort_by() {
  const ExprKind kind = call_.target->kind;
  if (kind == ExprKind::kLiteral || kind == ExprKind::kMap || kind == ExprKind::kStruct) {
    return fail(call_.target->offset,
                "sortBy can only be applied to a list, identifier, comprehension, call or select "
                "expression");
  }
  ExprPtr target = std::move(call_.target);
  call_.target = builder_.ident(offset_, kSortInput);
  std::vector<ExprPtr> keys = nodes(map());
  ExprPtr sorted = builder_.call(offset_, "@sortByAssociatedKeys", std::move(keys),
                                 builder_.ident(offset_, kSortInput));
  return bound(kSortInput, std::move(target), std::move(sorted));
}

ExprPtr expand_member(Expr& call, Expansion& expansion) {
  const std::string_view name = call.name;
  const std::size_t count = call.args.size();
  const bool quantifies =
      name == "all" || name == "exists" || name == "existsOne" || name == "exists_one";
  if (quantifies && count == 2) return expansion.quantifier(name, 1);
  if (quantifies && count == 3 && name != "exists_one") return expansion.quantifier(name, 2);
  if (name == "map" && (count == 2 || count == 3)) return expansion.map();
  if (name == "filter" && count == 2) return expansion.filter();
  if (name == "sortBy" && count == 2) return expansion.sort_by();
  if (name == "optMap" && count == 2) return expansion.opt_map(false);
  if (name == "optFlatMap" && count == 2) return expansion.opt_map(true);
  if (count != 3 && count != 4) return nullptr;
  if (name == "transformList") return expansion.transform_list();
  if (name == "transformMap") return expansion.transform_map(false);
  if (name == "transformMapEntry") return expansion.transform_map(true);
  return nullptr;
}

}  // namespace

ExprPtr TreeBuilder::node(ExprKind kind, std::uint32_t offset) {
  auto out = std::make_unique<Expr>();
  out->kind = kind;
  out->id = ++last_id_;
  out->offset = offset;
  return out;
}

ExprPtr TreeBuilder::literal(std::uint32_t offset, Literal value) {
  ExprPtr out = node(ExprKind::kLiteral, offset);
  out->literal = std::move(value);
  return out;
}

ExprPtr TreeBuilder::ident(std::uint32_t offset, std::string_view name) {
  ExprPtr out = node(ExprKind::kIdent, offset);
  out->name = name;
  return out;
}

ExprPtr TreeBuilder::call(std::uint32_t offset, std::string_view function,
                          std::vector<ExprPtr> args, ExprPtr target) {
  ExprPtr out = node(ExprKind::kCall, offset);
  out->name = function;
  out->args = std::move(args);
  out->target = std::move(target);
  return out;
}

ExprPtr TreeBuilder::copy(const Expr& expr) {
  ExprPtr out = node(expr.kind, expr.offset);
  if (is_full()) return out;
  out->test_only = expr.test_only;
  out->literal = expr.literal;
  out->name = expr.name;
  out->optional_args = expr.optional_args;
  const auto copied = [this](const ExprPtr& part) { return part ? copy(*part) : nullptr; };
  out->target = copied(expr.target);
  for (const ExprPtr& arg : expr.args) out->args.push_back(copied(arg));
  for (const Entry& entry : expr.entries) {
    out->entries.push_back({next_id(), copied(entry.key), entry.field, copied(entry.value),
                            entry.optional, entry.offset});
  }
  if (expr.loop) {
    const Comprehension& loop = *expr.loop;
    out->loop = std::make_unique<Comprehension>(Comprehension{
        copied(loop.range), loop.variable, loop.variable2, loop.accumulator, copied(loop.init),
        copied(loop.condition), copied(loop.step), copied(loop.result)});
  }
  return out;
}

ExprPtr expand(ExprPtr call, TreeBuilder& builder, Issues& issues) {
  Expansion expansion(*call, builder, issues);
  ExprPtr out;
  if (call->target)
    out = expand_member(*call, expansion);
  else if (call->name == "has" && call->args.size() == 1)
    out = expansion.has();
  return out ? std::move(out) : std::move(call);
}

ExprPtr expand_binding(ExprPtr call, TreeBuilder& builder, Issues& issues) {
  const bool is_binding = call->name == "bind" && call->args.size() == 3 && call->target &&
                          call->target->kind == ExprKind::kIdent && call->target->name == "cel";
  return is_binding ? Expansion(*call, builder, issues).bind() : std::move(call);
}

}  // namespace davit::cel
