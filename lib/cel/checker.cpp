// The rules of cel-go's checker/checker.go. The container of all expressions is ''.
#include "lib/cel/checker.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/cel/field_names.hpp"
#include "lib/cel/literals.hpp"
#include "lib/cel/mutation_types.hpp"
#include "lib/cel/unifier.hpp"

namespace davit::cel {

namespace {

bool takes_every_field(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kError;
}

/// "a.b.c" for a chain of selections that starts with an identifier.
std::optional<std::string> qualified_name(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent) return expr.name;
  if (expr.kind != ExprKind::kSelect || expr.test_only) return std::nullopt;
  std::optional<std::string> out = qualified_name(*expr.target);
  if (out) *out += '.' + expr.name;
  return out;
}

/// "(int, string)", or "list(int).(string)" for a member.
std::string signature(const std::vector<TypePtr>& types, bool member) {
  std::string out = member ? to_text(*types.front()) + '.' : "";
  out += '(';
  for (std::size_t i = member ? 1 : 0; i < types.size(); ++i) {
    if (!out.ends_with('(')) out += ", ";
    out += to_text(*types[i]);
  }
  return out + ')';
}

class Checker {
 public:
  Checker(const std::vector<Variable>& variables, PatchTypes patch_types)
      : globals_(variables), patch_types_(patch_types) {}

  Checked run(const Expr& root) {
    check(root);
    bool has_error = false;
    for (auto& [id, type] : out_.types) {
      type = types_.final_type(type);
      has_error = has_error || type->has_error;
    }
    out_.result = out_.types.at(root.id);
    // A type beyond kTypeNodesMax became an error without an issue.
    if (out_.issues.empty() && has_error) {
      report(root, "the types of the expression are too large");
    }
    if (out_.issues.empty()) check_literals(root, out_);
    return std::move(out_);
  }

 private:
  const TypePtr& type_of(const Expr& expr) const { return out_.types.at(expr.id); }
  void set(const Expr& expr, TypePtr type) { out_.types[expr.id] = std::move(type); }
  static TypePtr error() { return simple_type(TypeKind::kError); }
  static TypePtr dyn() { return simple_type(TypeKind::kDyn); }

  void report(const Expr& at, std::string message) { report(at.offset, std::move(message)); }
  void report(std::uint32_t offset, std::string message) {
    out_.issues.push_back({std::int64_t{offset}, std::move(message)});
  }
  void undeclared(const Expr& at, const std::string& name) {
    report(at, "undeclared reference to '" + name + "' (in container '')");
  }
  void mismatch(const Expr& at, const Type& wanted, const Type& actual) {
    report(at, "expected type '" + to_text(wanted) + "' but found '" + to_text(actual) + "'");
  }

  void check(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return set(expr, literal_type(expr.literal));
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
        return comprehension(expr);
    }
  }

  static TypePtr literal_type(const Literal& literal) {
    constexpr TypeKind kKinds[] = {TypeKind::kNull, TypeKind::kBool,   TypeKind::kInt,
                                   TypeKind::kUint, TypeKind::kDouble, TypeKind::kString,
                                   TypeKind::kBytes};
    static_assert(std::variant_size_v<Literal> == std::size(kKinds));
    return simple_type(kKinds[literal.index()]);
  }

  [[nodiscard]] const Variable* local(std::string_view name) const {
    const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                    [&](const Variable& each) { return each.name == name; });
    return found == locals_.rend() ? nullptr : &*found;
  }

  /// The type of a variable or of a type's name; null if neither is declared.
  TypePtr global(std::string_view name) {
    for (const Variable& each : globals_) {
      if (each.name != name) continue;
      out_.variables.insert(each.name);
      return each.type;
    }
    TypePtr found = find_type(name);
    if (found == nullptr) {
      found = patch_type(name);
      if (found != nullptr && out_.patch_type.empty()) out_.patch_type = name;
    }
    return found == nullptr ? nullptr : types_.instance_of({type_type(found)}).front();
  }

  [[nodiscard]] TypePtr patch_type(std::string_view name) const {
    return patch_types_ == PatchTypes::kYes ? mutation_type(name) : nullptr;
  }

  void identifier(const Expr& expr) {
    const bool absolute = expr.name.starts_with('.');
    const Variable* variable = absolute ? nullptr : local(expr.name);
    if (variable != nullptr) return set(expr, variable->type);
    TypePtr type = global(std::string_view(expr.name).substr(absolute ? 1 : 0));
    if (type != nullptr) return set(expr, std::move(type));
    undeclared(expr, expr.name);
    set(expr, error());
  }

  void select(const Expr& expr) {
    // A chain of names may be the name of a type, such as net.IP.
    if (const auto name = qualified_name(expr)) {
      const std::string first = name->substr(0, name->find('.', 1));
      TypePtr type = local(first) == nullptr
                         ? global(std::string_view(*name).substr(name->starts_with('.') ? 1 : 0))
                         : nullptr;
      if (type != nullptr) return set(expr, std::move(type));
    }
    const TypePtr field = field_of(expr, *expr.target, expr.name);
    set(expr, expr.test_only ? simple_type(TypeKind::kBool) : types_.resolved(field));
  }

  /// `.?`: like a selection, with an optional value.
  void optional_select(const Expr& expr) {
    const auto* name = expr.args.size() == 2 && expr.target == nullptr
                           ? std::get_if<std::string>(&expr.args[1]->literal)
                           : nullptr;
    if (name == nullptr) {
      report(expr, "unsupported optional field selection");
      return set(expr, error());
    }
    const TypePtr field = field_of(expr, *expr.args[0], *name);
    check(*expr.args[1]);
    const TypePtr resolved = types_.resolved(field);
    set(expr, is_optional(*resolved) ? resolved : optional_type(resolved));
  }

  /// The type of a field of the operand; optional if the operand is.
  TypePtr field_of(const Expr& expr, const Expr& operand, const std::string& name) {
    check(operand);
    const TypePtr type = types_.resolved(type_of(operand));
    if (!is_optional(*type)) return plain_field(expr, type, name);
    return optional_type(plain_field(expr, type->parameters.front(), name));
  }

  TypePtr plain_field(const Expr& expr, const TypePtr& type, const std::string& name) {
    switch (type->kind) {
      case TypeKind::kMap:
        return type->parameters[1];
      case TypeKind::kObject: {
        if (patch_types_ == PatchTypes::kYes) {
          if (TypePtr field = mutation_field(*type, name)) return field;
        }
        const auto found = type->fields == nullptr ? FieldTypes::const_iterator()
                                                   : type->fields->find(field_of_identifier(name));
        if (type->fields != nullptr && found != type->fields->end()) return found->second;
        // A type of the libraries has no declared fields at all.
        report(expr, type->fields == nullptr
                         ? "unexpected failed resolution of '" + type->name + "'"
                         : "undefined field '" + name + "'");
        return error();
      }
      case TypeKind::kParam:
        (void)types_.assignable(dyn(), type);
        return dyn();
      default:
        if (!takes_every_field(*type)) {
          report(expr, "type '" + to_text(*type) + "' does not support field selection");
        }
        return dyn();
    }
  }

  void call(const Expr& expr) {
    if (expr.name == operators::kOptionalSelect) return optional_select(expr);
    for (const ExprPtr& each : expr.args) check(*each);
    const Expr* target = expr.target.get();
    const std::vector<Overload>* overloads = nullptr;
    std::string function = expr.name;
    if (target != nullptr) {
      // `ip.isCanonical(x)` is a function with a package, not a member of `ip`.
      const std::optional<std::string> package = qualified_name(*target);
      if (package) overloads = declared(*package + '.' + expr.name);
      if (overloads != nullptr) {
        function = *package + '.' + expr.name;
        target = nullptr;
      } else {
        check(*target);
      }
    }
    if (overloads == nullptr) overloads = find_function(expr.name);
    if (overloads == nullptr) {
      undeclared(expr, expr.name);
      return set(expr, error());
    }
    set(expr, resolve(expr, function, *overloads, target));
  }

  /// The functions of patches are those of expressions that make patches.
  [[nodiscard]] const std::vector<Overload>* declared(std::string_view name) const {
    const bool is_other = patch_types_ == PatchTypes::kNo && name.starts_with("jsonpatch.");
    return is_other ? nullptr : find_function(name);
  }

  TypePtr resolve(const Expr& expr, const std::string& function,
                  const std::vector<Overload>& overloads, const Expr* target) {
    if (function == operators::kLogicalAnd || function == operators::kLogicalOr)
      return logical(expr, overloads.front());
    std::vector<TypePtr> types;
    if (target != nullptr) types.push_back(type_of(*target));
    for (const ExprPtr& each : expr.args) types.push_back(type_of(*each));
    TypePtr result;
    for (const Overload& each : overloads) {
      if ((each.style == Overload::Style::kMember) != (target != nullptr)) continue;
      TypePtr fits = try_overload(each, types);
      if (fits == nullptr) continue;
      out_.overloads[expr.id].push_back(&each);
      if (result == nullptr) {
        result = std::move(fits);
      } else if (result->kind != TypeKind::kDyn && !same_type(*fits, *result)) {
        result = dyn();
      }
    }
    if (result != nullptr) return result;
    for (TypePtr& each : types) each = types_.final_type(each);
    report(expr, "found no matching overload for '" + function + "' applied to '" +
                     signature(types, target != nullptr) + "'");
    return error();
  }

  /// The result of the overload for arguments of these types; null: they do not fit.
  TypePtr try_overload(const Overload& overload, const std::vector<TypePtr>& types) {
    if (overload.arguments.size() != types.size()) return nullptr;
    if (!overload.generic) {
      return types_.assignable(types, overload.arguments) ? overload.result : nullptr;
    }
    std::vector<TypePtr> wanted = overload.arguments;
    wanted.push_back(overload.result);
    wanted = types_.instance_of(wanted);
    const TypePtr result = std::move(wanted.back());
    wanted.pop_back();
    return types_.assignable(types, wanted) ? types_.resolved(result) : nullptr;
  }

  TypePtr logical(const Expr& expr, const Overload& overload) {
    out_.overloads[expr.id].push_back(&overload);
    const TypePtr boolean = simple_type(TypeKind::kBool);
    bool valid = true;
    for (const ExprPtr& each : expr.args) {
      const TypePtr type = type_of(*each);
      if (types_.assignable(type, boolean)) continue;
      mismatch(*each, *boolean, *types_.final_type(type));
      valid = false;
    }
    return valid ? boolean : error();
  }

  /// The type of an element that is optional where `?` stands before it.
  TypePtr element_type(const Expr& value, bool optional) {
    const TypePtr type = type_of(value);
    if (!optional) return type;
    if (is_optional(*type)) return type->parameters.front();
    if (type->kind != TypeKind::kDyn) mismatch(value, *optional_type(type), *type);
    return type;
  }

  TypePtr joined(const TypePtr& previous, const TypePtr& current) {
    if (previous == nullptr) return current;
    return types_.assignable(previous, current) ? most_general(previous, current) : dyn();
  }

  void list(const Expr& expr) {
    TypePtr element;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      check(*expr.args[i]);
      const bool optional = !expr.optional_args.empty() && expr.optional_args[i];
      element = joined(element, element_type(*expr.args[i], optional));
    }
    set(expr, list_type(element == nullptr ? types_.new_variable() : element));
  }

  void map(const Expr& expr) {
    TypePtr key;
    TypePtr value;
    for (const Entry& each : expr.entries) {
      check(*each.key);
      key = joined(key, type_of(*each.key));
      check(*each.value);
      value = joined(value, element_type(*each.value, each.optional));
    }
    if (key == nullptr) {
      key = types_.new_variable();
      value = types_.new_variable();
    }
    set(expr, map_type(std::move(key), std::move(value)));
  }

  /// The types of mutations are the only ones with fields that expressions can set.
  void structure(const Expr& expr) {
    const TypePtr made =
        patch_type(std::string_view(expr.name).substr(expr.name.starts_with('.') ? 1 : 0));
    if (made != nullptr) {
      set(expr, made);
      for (const Entry& each : expr.entries) initializer(each, *made);
      return;
    }
    set(expr, error());
    const TypePtr type = find_type(expr.name);
    if (type == nullptr) return undeclared(expr, expr.name);
    for (const Entry& each : expr.entries) check(*each.value);
    report(expr, "'" + to_text(*type) + "' is not a message type");
  }

  void initializer(const Entry& entry, const Type& type) {
    check(*entry.value);
    const TypePtr field = mutation_field(type, entry.field);
    const TypePtr value = element_type(*entry.value, entry.optional);
    if (field != nullptr && types_.assignable(field, value)) return;
    // cel-go does not say that there is no such field.
    report(entry.offset, "expected type of field '" + entry.field + "' is '" +
                             (field == nullptr ? "" : to_text(*field)) +
                             "' but provided type is '" + to_text(*types_.final_type(value)) + "'");
  }

  void comprehension(const Expr& expr) {
    const Comprehension& parts = *expr.loop;
    check(*parts.range);
    check(*parts.init);
    const TypePtr range = types_.resolved(type_of(*parts.range));
    const TypePtr accumulator = type_of(*parts.init);
    const std::size_t scope = locals_.size();
    locals_.push_back({parts.accumulator, accumulator});
    loop_variables(parts, range);
    check(*parts.condition);
    expect(*parts.condition, simple_type(TypeKind::kBool));
    check(*parts.step);
    expect(*parts.step, accumulator);
    locals_.resize(scope + 1);
    check(*parts.result);
    locals_.resize(scope);
    set(expr, types_.resolved(type_of(*parts.result)));
  }

  void loop_variables(const Comprehension& parts, const TypePtr& range) {
    const bool two = !parts.variable2.empty();
    TypePtr first = dyn();
    TypePtr second = dyn();
    switch (range->kind) {
      case TypeKind::kList:
        first = two ? simple_type(TypeKind::kInt) : range->parameters[0];
        second = range->parameters[0];
        break;
      case TypeKind::kMap:
        first = range->parameters[0];
        second = range->parameters[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kParam:
        (void)types_.assignable(dyn(), range);
        break;
      default:
        report(*parts.range, "expression of type '" + to_text(*range) +
                                 "' cannot be range of a comprehension (must be list, map, or "
                                 "dynamic)");
        first = error();
        second = error();
    }
    locals_.push_back({parts.variable, std::move(first)});
    if (two) locals_.push_back({parts.variable2, std::move(second)});
  }

  void expect(const Expr& expr, const TypePtr& wanted) {
    if (types_.assignable(wanted, type_of(expr))) return;
    mismatch(expr, *types_.final_type(wanted), *types_.final_type(type_of(expr)));
  }

  const std::vector<Variable>& globals_;
  const PatchTypes patch_types_;
  std::vector<Variable> locals_;  // The innermost last.
  Unifier types_;
  Checked out_;
};

}  // namespace

Checked check(const Expr& expression, const std::vector<Variable>& variables,
              PatchTypes patch_types) {
  return Checker(variables, patch_types).run(expression);
}

}  // namespace davit::cel
