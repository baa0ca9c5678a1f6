#include "lib/cel/estimate.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/cel/call_estimates.hpp"
#include "lib/cel/field_names.hpp"

namespace davit::cel {

namespace {

constexpr Range kAccess = exactly(1);  // An identifier or a selection.
constexpr Range kListCost = exactly(10);
constexpr Range kMapCost = exactly(30);
constexpr Range kStructCost = exactly(40);

/// The sizes of the keys and values of a list or map that the expression makes. Keys of a list are
/// its indexes.
struct EntrySizes {
  TypeKind container = TypeKind::kList;
  Range key;
  Range value;
};

/// The schema of a value that has a path from `self`, null if the path leads nowhere; nothing: the
/// value has no path, since the expression makes it.
using Place = std::optional<const SchemaType*>;

/// A variable of a comprehension.
struct Local {
  std::string_view name;
  Place place;
  std::optional<Range> size;
  std::optional<EntrySizes> entries;
};

std::size_t characters(std::string_view text) {
  std::size_t out = 0;
  for (const char c : text) out += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return out;
}

std::optional<Range> literal_size(const Expr& expr) {
  if (expr.kind == ExprKind::kList) return exactly(expr.args.size());
  if (expr.kind == ExprKind::kMap) return exactly(expr.entries.size());
  if (expr.kind != ExprKind::kLiteral) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&expr.literal)) {
    return exactly(characters(*text));
  }
  if (const auto* bytes = std::get_if<BytesLiteral>(&expr.literal))
    return exactly(bytes->bytes.size());
  return exactly(1);
}

/// Whether all values of the type have the size 1.
bool is_scalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
      return true;
    default:
      return is_optional(type) && is_scalar(*type.parameters.front());
  }
}

std::optional<EntrySizes> either(const std::optional<EntrySizes>& a,
                                 const std::optional<EntrySizes>& b) {
  if (!a || !b) return std::nullopt;
  return EntrySizes{a->container, cel::either(a->key, b->key), cel::either(a->value, b->value)};
}

class Estimator {
 public:
  Estimator(const Checked& checked, const SchemaType& root, std::string_view variable)
      : checked_(checked), root_(root), variable_(variable) {}

  Range cost(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return exactly(0);
      case ExprKind::kIdent:
        return identifier(expr);
      case ExprKind::kSelect:
        return select(expr);
      case ExprKind::kCall:
        return call(expr);
      case ExprKind::kList:
        return list(expr);
      case ExprKind::kMap:
        return map(expr);
      case ExprKind::kStruct:
        return structure(expr);
      case ExprKind::kComprehension:
        return is_binding(expr) ? binding(expr) : comprehension(expr);
    }
    return exactly(0);
  }

 private:
  [[nodiscard]] const TypePtr& type_of(const Expr& expr) const {
    return checked_.types.at(expr.id);
  }

  [[nodiscard]] const Local* local(std::string_view name) const {
    for (auto each = locals_.rbegin(); each != locals_.rend(); ++each) {
      if (each->name == name) return &*each;
    }
    return nullptr;
  }

  [[nodiscard]] Place place_of(const Expr& expr) const {
    if (expr.kind == ExprKind::kIdent) {
      if (const Local* found = local(expr.name)) return found->place;
    }
    const auto found = places_.find(expr.id);
    return found == places_.end() ? std::nullopt : Place(found->second);
  }
  /// The schema of the value, if it is a part of a variable that has one.
  [[nodiscard]] const SchemaType* schema_of(const Expr& expr) const {
    return place_of(expr).value_or(nullptr);
  }

  /// A part of what `expr` stands for. Kubernetes takes the first step of every path for the name
  /// of a variable, so a part of a value without a path has the schema of `self`. Where it asks for
  /// the one variable by its name, such a path leads nowhere.
  [[nodiscard]] const SchemaType* of_no_variable() const {
    return variable_.empty() ? &root_ : nullptr;
  }
  [[nodiscard]] const SchemaType* part_of(const Expr& expr, SchemaTypePtr SchemaType::*part) const {
    const Place whole = place_of(expr);
    if (!whole) return of_no_variable();
    return *whole == nullptr ? nullptr : ((*whole)->*part).get();
  }

  std::optional<Range> size_of(const Expr& expr) {
    if (const auto found = sizes_.find(expr.id); found != sizes_.end()) return found->second;
    if (const std::optional<Range> size = literal_size(expr)) return size;
    if (const SchemaType* schema = schema_of(expr)) {
      const Range size = {0, schema->elements_max};
      sizes_[expr.id] = size;
      return size;
    }
    if (is_scalar(*type_of(expr))) return exactly(1);
    if (expr.kind == ExprKind::kIdent) {
      if (const Local* found = local(expr.name)) return found->size;
    }
    return std::nullopt;
  }
  Range known_size(const Expr& expr) { return size_of(expr).value_or(Range()); }

  std::optional<EntrySizes> entries_of(const Expr& expr) {
    if (const auto found = entries_.find(expr.id); found != entries_.end()) return found->second;
    if (expr.kind == ExprKind::kIdent) {
      if (const Local* found = local(expr.name)) return found->entries;
    }
    return std::nullopt;
  }

  void set_size(const Expr& expr, const std::optional<Range>& size) {
    if (size) sizes_[expr.id] = *size;
  }
  void set_entries(const Expr& expr, const std::optional<EntrySizes>& entries) {
    if (entries) entries_[expr.id] = *entries;
  }
  void copy_sizes(const Expr& to, const Expr& from) {
    set_size(to, size_of(from));
    set_entries(to, entries_of(from));
  }

  Range identifier(const Expr& expr) {
    const Local* found = local(expr.name);
    // Kubernetes looks up every global name in the schema of `self`, even that of a type.
    const bool is_root = variable_.empty() || expr.name == variable_;
    const Place place = found != nullptr ? found->place : Place(is_root ? &root_ : nullptr);
    if (place) places_[expr.id] = *place;
    return kAccess;
  }

  /// As part_of(), for a field.
  [[nodiscard]] const SchemaType* field_of(const Expr& expr, std::string_view name) const {
    const Place whole = place_of(expr);
    if (!whole) return of_no_variable();
    if (*whole == nullptr) return nullptr;
    const auto field = (*whole)->fields.find(field_of_identifier(name));
    if (field != (*whole)->fields.end()) return field->second.get();
    return (*whole)->has_members ? (*whole)->element.get() : nullptr;
  }

  Range select(const Expr& expr) {
    const Range operand = cost(*expr.target);
    if (expr.test_only) return operand;  // Kubernetes makes has() free.
    const TypeKind kind = type_of(*expr.target)->kind;
    const bool counts =
        kind == TypeKind::kMap || kind == TypeKind::kObject || kind == TypeKind::kParam;
    places_[expr.id] = field_of(*expr.target, expr.name);
    return counts ? operand + kAccess : operand;
  }

  Operand operand_of(const Expr& expr, Range cost) {
    Operand out;
    out.expr = &expr;
    out.type = type_of(expr);
    out.schema = schema_of(expr);
    out.size = size_of(expr);
    out.cost = cost;
    return out;
  }

  Range call(const Expr& expr) {
    if (expr.name == "dyn" && expr.args.size() == 1) {
      const Range inner = cost(*expr.args[0]);
      copy_sizes(expr, *expr.args[0]);
      return inner + exactly(1);
    }
    CostedCall costed;
    costed.function = expr.name;
    Range arguments = exactly(0);
    for (const ExprPtr& each : expr.args) {
      const Range inner = cost(*each);
      costed.arguments.push_back(operand_of(*each, inner));
      arguments = arguments + inner;
    }
    const auto overloads = checked_.overloads.find(expr.id);
    if (overloads == checked_.overloads.end()) return exactly(0);
    Range sum = exactly(0);
    Operand target;
    if (overloads->second.front()->style == Overload::Style::kMember) {
      sum = cost(*expr.target);
      target = operand_of(*expr.target, sum);
      costed.target = &target;
    }
    return sum + overload_costs(expr, costed, overloads->second, arguments);
  }

  /// The cost that covers every overload that the call may take.
  Range overload_costs(const Expr& expr, CostedCall& costed,
                       const std::vector<const Overload*>& overloads, Range arguments) {
    Range out = {kUnbounded, 0};
    std::optional<Range> size;
    for (const Overload* each : overloads) {
      costed.overload = each->id;
      const CallEstimate estimate = special(expr, costed, arguments);
      out = cel::either(out, estimate.cost);
      if (estimate.size) size = size ? cel::either(*size, *estimate.size) : *estimate.size;
      if (each->id == "index_list" || each->id == "index_map") {
        const std::optional<EntrySizes> entries = entries_of(*expr.args[0]);
        size = entries ? std::optional(entries->value) : std::nullopt;
        places_[expr.id] = part_of(*expr.args[0], &SchemaType::element);
      }
      if (!size) size = size_of(expr);
    }
    set_size(expr, size);
    return out;
  }

  /// The operators whose arguments need not all run, and those that keep the sizes of elements.
  CallEstimate special(const Expr& expr, const CostedCall& costed, Range arguments) {
    if (costed.overload == "logical_or" || costed.overload == "logical_and") {
      return {{costed.arguments.at(0).cost.min, arguments.max}, {}};
    }
    if (costed.overload == "conditional") {
      const Expr& yes = *expr.args.at(1);
      const Expr& no = *expr.args.at(2);
      set_entries(expr, either(entries_of(yes), entries_of(no)));
      return {costed.arguments[0].cost +
                  cel::either(costed.arguments[1].cost, costed.arguments[2].cost),
              cel::either(known_size(yes), known_size(no))};
    }
    if (costed.function == "_+_" && costed.arguments.size() == 2) {
      set_entries(expr, either(entries_of(*expr.args[0]), entries_of(*expr.args[1])));
    }
    CallEstimate out = estimate_call(costed);
    out.cost = out.cost + arguments;
    return out;
  }

  Range list(const Expr& expr) {
    Range sum = kListCost;
    Range element = {expr.args.empty() ? 0 : kUnbounded, 0};
    for (const ExprPtr& each : expr.args) {
      sum = sum + cost(*each);
      element = cel::either(element, known_size(*each));
    }
    set_entries(expr, EntrySizes{TypeKind::kList, exactly(1), element});
    return sum;
  }

  Range map(const Expr& expr) {
    Range sum = kMapCost;
    Range key = {expr.entries.empty() ? 0 : kUnbounded, 0};
    Range value = key;
    for (const Entry& each : expr.entries) {
      sum = sum + cost(*each.key) + cost(*each.value);
      key = cel::either(key, known_size(*each.key));
      value = cel::either(value, known_size(*each.value));
    }
    set_entries(expr, EntrySizes{TypeKind::kMap, key, value});
    return sum;
  }

  Range structure(const Expr& expr) {
    Range sum = kStructCost;
    for (const Entry& each : expr.entries) sum = sum + cost(*each.value);
    return sum;
  }

  /// The macros with a variable that is not a loop: optMap(), optFlatMap() and sortBy().
  static bool is_binding(const Expr& expr) {
    const Comprehension& parts = *expr.loop;
    const auto* condition = std::get_if<bool>(&parts.condition->literal);
    return parts.range->kind == ExprKind::kList && parts.range->args.empty() &&
           parts.condition->kind == ExprKind::kLiteral && condition != nullptr && !*condition &&
           parts.accumulator != kAccumulator && parts.accumulator != "__result__";
  }

  void push(std::string_view name, const Expr& value) {
    locals_.push_back({name, place_of(value), size_of(value), entries_of(value)});
  }

  Range binding(const Expr& expr) {
    const Comprehension& parts = *expr.loop;
    Range sum = cost(*parts.range) + cost(*parts.init);
    push(parts.accumulator, *parts.init);
    sum = sum + cost(*parts.result);
    locals_.pop_back();
    copy_sizes(expr, *parts.result);
    return sum;
  }

  Local key_of(std::string_view name, const Expr& range, TypeKind container) {
    const std::optional<EntrySizes> entries = entries_of(range);
    Local out;
    out.name = name;
    // An index has a path that leads nowhere.
    const bool leads = container != TypeKind::kList || !place_of(range);
    out.place = leads ? part_of(range, &SchemaType::key) : nullptr;
    if (entries) out.size = entries->key;
    return out;
  }
  Local value_of(std::string_view name, const Expr& range) {
    const std::optional<EntrySizes> entries = entries_of(range);
    Local out;
    out.name = name;
    out.place = part_of(range, &SchemaType::element);
    if (entries) out.size = entries->value;
    return out;
  }

  std::size_t push_variables(const Comprehension& parts) {
    const Expr& range = *parts.range;
    const std::optional<EntrySizes> entries = entries_of(range);
    const TypeKind container = entries ? entries->container : type_of(range)->kind;
    if (!parts.variable2.empty()) {
      locals_.push_back(key_of(parts.variable, range, container));
      locals_.push_back(value_of(parts.variable2, range));
      return 2;
    }
    locals_.push_back(container == TypeKind::kList ? value_of(parts.variable, range)
                                                   : key_of(parts.variable, range, container));
    return 1;
  }

  Range comprehension(const Expr& expr) {
    const Comprehension& parts = *expr.loop;
    Range sum = cost(*parts.range) + cost(*parts.init);
    push(parts.accumulator, *parts.init);
    const std::size_t variables = push_variables(parts);
    const Range condition = cost(*parts.condition);
    const Range step = cost(*parts.step);
    const std::optional<EntrySizes> made = entries_of(*parts.step);
    locals_.resize(locals_.size() - variables);
    sum = sum + cost(*parts.result);
    locals_.pop_back();
    const Range count = known_size(*parts.range);
    if (parts.init->kind == ExprKind::kLiteral) set_size(expr, size_of(*parts.init));
    if (parts.init->kind == ExprKind::kList || parts.init->kind == ExprKind::kMap) {
      set_size(expr, count);
      set_entries(expr, made);
    }
    return sum + count * (step + condition);
  }

  const Checked& checked_;
  const SchemaType& root_;
  const std::string_view variable_;  // Empty: every name stands for the root.
  std::vector<Local> locals_;        // The innermost last.
  // Keys are the ids of expressions.
  std::unordered_map<std::int64_t, const SchemaType*> places_;
  std::unordered_map<std::int64_t, Range> sizes_;
  std::unordered_map<std::int64_t, EntrySizes> entries_;
};

}  // namespace

Range estimate_cost(const Expr& expression, const Checked& checked, const SchemaType& root,
                    std::string_view variable) {
  return Estimator(checked, root, variable).cost(expression);
}

}  // namespace davit::cel
