#include "lib/cel/evaluate.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lib/cel/authorizer.hpp"
#include "lib/cel/call_cost.hpp"
#include "lib/cel/functions.hpp"
#include "lib/cel/maps.hpp"
#include "lib/cel/mutations.hpp"
#include "lib/cel/numbers.hpp"
#include "lib/cel/operators.hpp"

namespace davit::cel {
namespace {

/// An access whose result an attribute has: cel-go counts such a chain as one.
bool is_attribute(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kIdent:
      return true;
    case ExprKind::kSelect:
      return !expr.test_only;
    case ExprKind::kCall:
      return expr.name == operators::kIndex || expr.name == operators::kOptionalIndex ||
             expr.name == operators::kOptionalSelect || expr.name == operators::kConditional;
    default:
      return false;
  }
}

bool is_conditional(const Expr& expr) {
  return expr.kind == ExprKind::kCall && expr.name == operators::kConditional;
}

/// The operand that a chain of accesses begins with.
const Expr& chain_root(const Expr& expr) {
  const Expr* at = &expr;
  while (is_attribute(*at) && at->kind != ExprKind::kIdent && !is_conditional(*at))
    at = at->kind == ExprKind::kSelect ? at->target.get() : at->args[0].get();
  return *at;
}

/// "a.b.c" if it consists of names only, else "".
std::string dotted_name(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent) return expr.name;
  if (expr.kind != ExprKind::kSelect || expr.test_only) return "";
  std::string front = dotted_name(*expr.target);
  return front.empty() ? "" : front + "." + expr.name;
}

bool is_constant(const Expr& expr) {
  if (expr.kind == ExprKind::kLiteral) return true;
  if (expr.kind == ExprKind::kList) {
    if (!expr.optional_args.empty()) return false;
    for (const ExprPtr& arg : expr.args) {
      if (!is_constant(*arg)) return false;
    }
    return true;
  }
  if (expr.kind != ExprKind::kMap) return false;
  for (const Entry& entry : expr.entries) {
    if (entry.optional || !is_constant(*entry.key) || !is_constant(*entry.value)) return false;
  }
  return true;
}

/// The name of the type that a structure has; "" for a map.
std::string_view type_of(const Expr& structure) {
  return std::string_view(structure.name).substr(structure.name.starts_with('.') ? 1 : 0);
}

std::optional<Value> type_by_name(std::string_view name) {
  constexpr std::array<std::string_view, 13> kTypes = {"bool",
                                                       "bytes",
                                                       "double",
                                                       "int",
                                                       "list",
                                                       "map",
                                                       "null_type",
                                                       "string",
                                                       "type",
                                                       "uint",
                                                       "google.protobuf.Timestamp",
                                                       "google.protobuf.Duration",
                                                       "optional_type"};
  for (const std::string_view type : kTypes) {
    if (type == name) return TypeValue{std::string(name)};
  }
  return std::nullopt;
}

/// One evaluation: the variables of its loops, its cost, and what it has folded.
class Evaluator {
 public:
  Evaluator(const Variables& variables, std::uint64_t limit)
      : variables_(variables), limit_(limit) {}

  Evaluation run(const Expr& root);

 private:
  /// A variable of a loop.
  struct Local {
    std::string_view name;
    Value value;
  };
  /// The value of a literal that consists of constants.
  struct Constant {
    bool is_constant = false;
    Value value;
    std::optional<std::unordered_set<std::string>> keys;  ///< If all elements can be keys.
  };

  Value eval(const Expr& expr);
  /// A branch of ?:, whose first access costs nothing.
  Value eval_branch(const Expr& expr);
  /// The operand of an access. An operand that is not an attribute costs one more.
  Value eval_operand(const Expr& expr);
  Value literal(const Literal& literal);
  Value ident(const Expr& expr);
  Value select(const Expr& expr);
  /// The value of a variable that has a dot in its name; nothing if `expr` is a selection.
  std::optional<Value> dotted_variable(const Expr& expr);
  Value has(const Expr& expr);
  Value call(const Expr& expr);
  Value index(const Expr& expr);
  Value optional_access(const Expr& expr);
  /// && and ||: `dominant` decides alone.
  Value logic(const Expr& expr, bool dominant);
  Value conditional(const Expr& expr);
  Value unary(const Expr& expr);
  Value binary(const Expr& expr);
  std::optional<Value> in_constant(const Expr& expr);
  Value function(const Expr& expr);
  Value named_call(std::string_view name, CallStyle style, std::vector<Value> args);
  Value map_insert(const Expr& expr);
  /// or() and orValue(), which evaluate their argument only if they need it.
  std::optional<Value> optional_or(const Expr& expr);
  bool arguments(const Expr& expr, std::vector<Value>& out);
  Value list(const Expr& expr);
  Value list_elements(const Expr& expr);
  Value map(const Expr& expr);
  Value map_entries(const Expr& expr);
  Value loop(const Expr& expr);
  Value iterate(const Comprehension& loop, const Value& range, std::size_t base);
  const Constant& constant(const Expr& expr);
  [[nodiscard]] const Value* local(std::string_view name) const;
  void charge(std::uint64_t cost);
  [[nodiscard]] Value exceeded() const {
    return error_value(std::string(Evaluation::kCostExceeded));
  }
  Value finish_call(std::string_view name, std::span<const Value> args, Value result);

  const Variables& variables_;
  const std::uint64_t limit_;
  std::uint64_t cost_ = 0;
  bool exceeded_ = false;
  std::vector<Local> locals_;
  std::unordered_map<const Expr*, Constant> constants_;
  FunctionContext context_;
};

Evaluation Evaluator::run(const Expr& root) {
  Evaluation out;
  out.value = eval(root);
  out.cost = cost_;
  out.cost_exceeded = exceeded_;
  if (exceeded_) out.value = exceeded();
  return out;
}

void Evaluator::charge(std::uint64_t cost) {
  if (__builtin_add_overflow(cost_, cost, &cost_))
    cost_ = std::numeric_limits<std::uint64_t>::max();
  if (cost_ > limit_) exceeded_ = true;
}

Value Evaluator::eval(const Expr& expr) {
  if (exceeded_) return exceeded();
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return literal(expr.literal);
    case ExprKind::kIdent:
      return ident(expr);
    case ExprKind::kSelect:
      return expr.test_only ? has(expr) : select(expr);
    case ExprKind::kCall:
      return call(expr);
    case ExprKind::kList:
      return list(expr);
    case ExprKind::kMap:
    case ExprKind::kStruct:
      return map(expr);
    case ExprKind::kComprehension:
      return loop(expr);
  }
  return no_such_overload();
}

Value Evaluator::literal(const Literal& literal) {
  if (const auto* text = std::get_if<std::string>(&literal)) return borrowed_text(*text);
  if (const auto* bytes = std::get_if<BytesLiteral>(&literal)) return bytes_value(bytes->bytes);
  if (const auto* value = std::get_if<bool>(&literal)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&literal)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&literal)) return *value;
  if (const auto* value = std::get_if<double>(&literal)) return *value;
  return {};
}

const Value* Evaluator::local(std::string_view name) const {
  for (auto at = locals_.rbegin(); at != locals_.rend(); ++at) {
    if (at->name == name) return &at->value;
  }
  return nullptr;
}

Value Evaluator::ident(const Expr& expr) {
  std::string_view name = expr.name;
  if (const Value* value = local(name)) {
    charge(1);
    return *value;
  }
  if (name.starts_with('.')) name.remove_prefix(1);
  if (std::optional<Value> value = variables_.find(name)) {
    charge(1);
    return *value;
  }
  if (std::optional<Value> type = type_by_name(name)) return *type;
  charge(1);
  return error_value("no such attribute(s): " + std::string(name));
}

std::optional<Value> Evaluator::dotted_variable(const Expr& expr) {
  constexpr std::size_t kDot = kRequestResource.find('.');
  if (expr.name != kRequestResource.substr(kDot + 1)) return std::nullopt;
  if (dotted_name(expr) != kRequestResource) return std::nullopt;
  if (local(kRequestResource.substr(0, kDot)) != nullptr) return std::nullopt;
  std::optional<Value> value = variables_.find(kRequestResource);
  if (value) charge(1);
  return value;
}

Value Evaluator::eval_operand(const Expr& expr) {
  Value out = eval(expr);
  if (!is_attribute(expr)) charge(1);
  return out;
}

Value Evaluator::eval_branch(const Expr& expr) {
  const bool free = is_attribute(expr) && !is_conditional(chain_root(expr));
  Value out = eval(expr);
  if (free && cost_ > 0 && !exceeded_) --cost_;
  return out;
}

Value Evaluator::select(const Expr& expr) {
  if (expr.name == "Timestamp" || expr.name == "Duration") {
    if (std::optional<Value> type = type_by_name(dotted_name(expr))) return *type;
  }
  if (std::optional<Value> value = dotted_variable(expr)) return *value;
  Value operand = eval_operand(*expr.target);
  charge(1);
  if (operand.is_error()) return operand;
  if (operand.kind() != ValueKind::kOptional) return access(operand, borrowed_text(expr.name));
  std::optional<Value> found = find_member(operand, borrowed_text(expr.name));
  if (found && found->is_error()) return *found;
  return found ? optional_of(std::move(*found)) : optional_none();
}

Value Evaluator::has(const Expr& expr) {
  Value operand = eval_operand(*expr.target);  // Its first access is free, the test is not.
  if (operand.is_error()) return operand;
  const std::optional<Value> found = find_member(operand, borrowed_text(expr.name));
  if (found && found->is_error()) return *found;
  return found.has_value();
}

Value Evaluator::index(const Expr& expr) {
  Value operand = eval_operand(*expr.args[0]);
  Value key = eval(*expr.args[1]);
  if (!is_attribute(*expr.args[1])) charge(1);
  if (operand.is_error()) return operand;
  if (key.is_error()) return key;
  if (operand.kind() != ValueKind::kOptional) return access(operand, key);
  std::optional<Value> found = find_member(operand, key);
  if (found && found->is_error()) return *found;
  return found ? optional_of(std::move(*found)) : optional_none();
}

Value Evaluator::optional_access(const Expr& expr) {
  const Value operand = eval_operand(*expr.args[0]);
  const Value key = eval(*expr.args[1]);
  if (!is_attribute(*expr.args[1])) charge(1);
  std::optional<Value> found = find_member(operand, key);
  if (!found) return optional_none();
  return found->is_error() ? *found : optional_of(std::move(*found));
}

Value Evaluator::logic(const Expr& expr, bool dominant) {
  std::optional<Value> failure;
  for (const ExprPtr& arg : expr.args) {
    Value term = eval(*arg);
    const bool* truth = term.get<bool>();
    if (truth != nullptr && *truth == dominant) return dominant;
    if (truth == nullptr && !failure) failure = term.is_error() ? term : no_such_overload();
  }
  return failure ? *failure : Value(!dominant);
}

Value Evaluator::conditional(const Expr& expr) {
  const Value condition = eval(*expr.args[0]);
  if (condition.is_error()) return condition;
  const bool* truth = condition.get<bool>();
  if (truth == nullptr) return no_such_overload();
  return eval_branch(*expr.args[*truth ? 1 : 2]);
}

Value Evaluator::finish_call(std::string_view name, std::span<const Value> args, Value result) {
  charge(call_cost(name, args, result));
  return exceeded_ ? exceeded() : std::move(result);
}

Value Evaluator::unary(const Expr& expr) {
  const std::array<Value, 1> args = {eval(*expr.args[0])};
  if (expr.name == operators::kNotStrictlyFalse) {
    const bool* truth = args[0].get<bool>();
    return finish_call(expr.name, args, truth == nullptr || *truth);
  }
  if (expr.name == operators::kNegate) return finish_call(expr.name, args, negate(args[0]));
  const bool* truth = args[0].get<bool>();
  Value out = truth != nullptr ? Value(!*truth) : args[0].is_error() ? args[0] : no_such_overload();
  return finish_call(expr.name, args, std::move(out));
}

std::optional<Value> Evaluator::in_constant(const Expr& expr) {
  if (expr.name != operators::kIn || expr.args[1]->kind != ExprKind::kList) return std::nullopt;
  const Constant& list = constant(*expr.args[1]);
  if (!list.is_constant || !list.keys) return std::nullopt;
  if (list.keys->empty()) return false;
  const Value element = eval(*expr.args[0]);
  if (element.is_error()) return element;
  const std::optional<std::string> key = key_text(element);
  return key && list.keys->contains(*key);
}

Value Evaluator::binary(const Expr& expr) {
  if (std::optional<Value> found = in_constant(expr)) return *found;
  std::array<Value, 2> args;
  args[0] = eval(*expr.args[0]);
  // A list that a loop builds grows in place.
  const bool grows = expr.name == operators::kAdd && expr.args[0]->kind == ExprKind::kIdent &&
                     expr.args[0]->name == kAccumulator && expr.args[1]->kind == ExprKind::kList;
  args[1] = eval(*expr.args[1]);
  if (grows && args[0].kind() == ValueKind::kList && args[1].kind() == ValueKind::kList) {
    charge(1);
    const ListValue& added = **args[1].get<ListRef>();
    auto built = std::dynamic_pointer_cast<const BuiltList>(*args[0].get<ListRef>());
    if (!built) built = std::make_shared<BuiltList>();
    // The list is this evaluation's alone: only a loop's accumulator holds it.
    auto& growing = const_cast<BuiltList&>(*built);
    for (std::size_t i = 0; i < added.size(); ++i) growing.push_back(added.at(i));
    return ListRef(std::move(built));
  }
  const std::optional<Value> result = binary_operator(expr.name, args[0], args[1]);
  return finish_call(expr.name, args, result ? *result : no_such_overload());
}

Value Evaluator::map_insert(const Expr& expr) {
  std::vector<Value> args;
  if (!arguments(expr, args)) return args.back();
  charge(1);
  const auto* map = args[0].get<MapRef>();
  auto built = map == nullptr ? nullptr : std::dynamic_pointer_cast<const BuiltMap>(*map);
  if (!built) return no_such_overload();
  // A loop begins with an empty map, which no other value shares.
  if (built->size() == 0) built = std::make_shared<BuiltMap>();
  auto& growing = const_cast<BuiltMap&>(*built);
  const auto* added = args[1].get<MapRef>();
  if (args.size() == 3) {
    if (Value failure = growing.insert(args[1], args[2]); failure.is_error()) return failure;
  } else if (added == nullptr) {
    return no_such_overload();
  } else {
    for (std::size_t i = 0; i < (*added)->size(); ++i) {
      Value failure = growing.insert((*added)->key_at(i), (*added)->value_at(i));
      if (failure.is_error()) return failure;
    }
  }
  return MapRef(std::move(built));
}

Value Evaluator::call(const Expr& expr) {
  if (expr.target) return function(expr);
  const std::string_view name = expr.name;
  const std::size_t count = expr.args.size();
  if (name == operators::kLogicalAnd) return logic(expr, false);
  if (name == operators::kLogicalOr) return logic(expr, true);
  if (name == operators::kConditional) return conditional(expr);
  if (name == operators::kIndex) return index(expr);
  if (name == operators::kOptionalIndex || name == operators::kOptionalSelect)
    return optional_access(expr);
  if (name == operators::kMapInsert) return map_insert(expr);
  const bool is_operator = name.starts_with('_') || name.ends_with('_') || name.starts_with('@');
  if (count == 2 && is_operator) return binary(expr);
  if (count == 1 && is_operator) return unary(expr);
  return function(expr);
}

bool Evaluator::arguments(const Expr& expr, std::vector<Value>& out) {
  out.reserve(expr.args.size() + 1);
  for (const ExprPtr& arg : expr.args) {
    out.push_back(eval(*arg));
    if (out.back().is_error()) return false;
  }
  return true;
}

std::optional<Value> Evaluator::optional_or(const Expr& expr) {
  if (expr.args.size() != 1 || (expr.name != "or" && expr.name != "orValue")) return std::nullopt;
  Value operand = eval(*expr.target);
  if (operand.is_error()) return operand;
  const auto* optional = operand.get<Optional>();
  if (optional == nullptr) return no_such_overload();
  if (!optional->value) return eval(*expr.args[0]);
  return expr.name == "or" ? operand : *optional->value;
}

Value Evaluator::named_call(std::string_view name, CallStyle style, std::vector<Value> args) {
  const Function found = find_function(name, style);
  if (found != nullptr) {
    Value result = found(context_, args);
    return finish_call(name, args, std::move(result));
  }
  const auto* opaque = style == CallStyle::kMember ? args[0].get<OpaqueRef>() : nullptr;
  const std::optional<Value> result =
      opaque == nullptr ? std::nullopt
                        : (*opaque)->call(name, std::span<const Value>(args).subspan(1));
  return finish_call(name, args, result ? *result : no_overload(name, args));
}

Value Evaluator::function(const Expr& expr) {
  std::string_view name = expr.name;
  if (name.starts_with('.')) name.remove_prefix(1);
  std::vector<Value> args;
  CallStyle style = CallStyle::kGlobal;
  std::string qualified;
  if (expr.target) {
    const std::string space = dotted_name(*expr.target);
    if (!space.empty()) qualified = space + "." + expr.name;
    if (qualified.starts_with('.')) qualified.erase(0, 1);
    if (!qualified.empty() && find_function(qualified, style) != nullptr) {
      name = qualified;
    } else {
      style = CallStyle::kMember;
      if (std::optional<Value> special = optional_or(expr)) return *special;
      args.push_back(eval(*expr.target));
      if (args[0].is_error()) return args[0];
    }
  }
  if (!arguments(expr, args)) return args.back();
  return named_call(name, style, std::move(args));
}

const Evaluator::Constant& Evaluator::constant(const Expr& expr) {
  const auto known = constants_.find(&expr);
  if (known != constants_.end()) return known->second;
  Constant out;
  out.is_constant = is_constant(expr);
  if (out.is_constant) {
    const std::uint64_t cost = cost_;  // Folding costs nothing.
    out.value = expr.kind == ExprKind::kList ? list_elements(expr) : map_entries(expr);
    cost_ = cost;
  }
  const auto* list = out.value.get<ListRef>();
  if (list != nullptr) {
    out.keys.emplace();
    for (std::size_t i = 0; out.keys && i < (*list)->size(); ++i) {
      std::optional<std::string> key = key_text((*list)->at(i));
      if (key)
        out.keys->insert(std::move(*key));
      else
        out.keys.reset();
    }
  }
  return constants_.emplace(&expr, std::move(out)).first->second;
}

Value Evaluator::list(const Expr& expr) {
  if (const Constant& folded = constant(expr); folded.is_constant) return folded.value;
  Value out = list_elements(expr);
  charge(kListCost);
  return exceeded_ ? exceeded() : out;
}

Value Evaluator::list_elements(const Expr& expr) {
  std::vector<Value> elements;
  elements.reserve(expr.args.size());
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    Value element = eval(*expr.args[i]);
    if (element.is_error()) return element;
    if (!expr.optional_args.empty() && expr.optional_args[i]) {
      const auto* optional = element.get<Optional>();
      if (optional == nullptr) return no_such_overload();
      if (optional->value) elements.push_back(*optional->value);
    } else {
      elements.push_back(std::move(element));
    }
  }
  return list_value(std::move(elements));
}

Value Evaluator::map(const Expr& expr) {
  if (expr.kind == ExprKind::kMap) {
    if (const Constant& folded = constant(expr); folded.is_constant) return folded.value;
  }
  Value out = map_entries(expr);
  charge(expr.kind == ExprKind::kMap ? kMapCost : kStructCost);
  return exceeded_ ? exceeded() : checked_mutation(type_of(expr), std::move(out));
}

Value Evaluator::map_entries(const Expr& expr) {
  auto out = std::make_shared<BuiltMap>(std::string(type_of(expr)));
  for (const Entry& entry : expr.entries) {
    Value key = entry.key ? eval(*entry.key) : borrowed_text(entry.field);
    if (key.is_error()) return key;
    Value value = eval(*entry.value);
    if (value.is_error()) return value;
    if (entry.optional) {
      const auto* optional = value.get<Optional>();
      if (optional == nullptr) {
        return error_value("cannot initialize optional entry '" + plain_text(key) +
                           "' from non-optional value " + plain_text(value));
      }
      if (!optional->value) continue;
      value = Value(*optional->value);
    }
    if (Value failure = out->set(std::move(key), std::move(value)); failure.is_error()) {
      return failure;
    }
  }
  return MapRef(std::move(out));
}

Value Evaluator::iterate(const Comprehension& loop, const Value& range, std::size_t base) {
  const auto* list = range.get<ListRef>();
  const auto* map = range.get<MapRef>();
  const bool pairs = !loop.variable2.empty();
  const std::size_t size = list != nullptr ? (*list)->size() : (*map)->size();
  for (std::size_t i = 0; i < size && !exceeded_; ++i) {
    if (list != nullptr) {
      locals_[base + 1].value = pairs ? Value(static_cast<std::int64_t>(i)) : (*list)->at(i);
      if (pairs) locals_[base + 2].value = (*list)->at(i);
    } else {
      locals_[base + 1].value = (*map)->key_at(i);
      if (pairs) locals_[base + 2].value = (*map)->value_at(i);
    }
    const Value condition = eval(*loop.condition);
    if (const bool* truth = condition.get<bool>(); truth != nullptr && !*truth) break;
    Value next = eval(*loop.step);
    locals_[base].value = std::move(next);
  }
  locals_.resize(base + 1);  // Only the accumulator is visible in the result.
  return eval(*loop.result);
}

Value Evaluator::loop(const Expr& expr) {
  const Comprehension& loop = *expr.loop;
  const Value range = eval(*loop.range);
  if (range.is_error()) return range;
  if (range.kind() != ValueKind::kList && range.kind() != ValueKind::kMap)
    return error_value("got '" + type_name(range) + "', expected iterable type");
  Value init = eval(*loop.init);
  const std::size_t base = locals_.size();
  locals_.push_back({loop.accumulator, std::move(init)});
  locals_.push_back({loop.variable, {}});
  if (!loop.variable2.empty()) locals_.push_back({loop.variable2, {}});
  Value out = iterate(loop, range, base);
  locals_.resize(base);
  return exceeded_ ? exceeded() : out;
}

}  // namespace

std::optional<Value> VariableList::find(std::string_view name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

Evaluation evaluate(const Expr& root, const Variables& variables, std::uint64_t cost_limit) {
  return Evaluator(variables, cost_limit).run(root);
}

}  // namespace davit::cel
