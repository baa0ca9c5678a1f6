#include "lib/cel/unifier.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "lib/base/assert.hpp"

namespace davit::cel {

namespace {

bool is_variable(const Type& type) { return type.kind == TypeKind::kParam; }
bool is_dyn(const Type& type) { return type.kind == TypeKind::kDyn; }
bool is_dyn_or_error(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kError;
}

/// Whether null may stand for a value of the type.
bool is_nullable(const Type& type) {
  switch (type.kind) {
    case TypeKind::kNull:
    case TypeKind::kOpaque:
    case TypeKind::kObject:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
      return true;
    default:
      return false;
  }
}

bool is_container(const Type& type) {
  return type.kind == TypeKind::kList || type.kind == TypeKind::kMap ||
         type.kind == TypeKind::kOpaque;
}

/// Whether `a` is the same as `b` or less specific.
bool covers(const Type& a, const Type& b) {
  if (is_dyn(a) || is_variable(a)) return true;
  if (is_dyn(b) || is_variable(b) || a.kind != b.kind) return false;
  if (a.kind == TypeKind::kType) return true;
  if (!is_container(a)) return same_type(a, b);
  return a.name == b.name && a.parameters.size() == b.parameters.size() &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    [](const TypePtr& x, const TypePtr& y) { return covers(*x, *y); });
}

/// The type with other parameters.
TypePtr with_parameters(const Type& type, std::vector<TypePtr> parameters) {
  Type out = type;
  out.parameters = std::move(parameters);
  return make_type(std::move(out));
}

/// The type with its named parameters replaced by variables of the check.
TypePtr instantiate(const TypePtr& type, const std::map<std::string, TypePtr>& variables) {
  if (is_variable(*type)) return variables.at(type->name);
  if (type->parameters.empty()) return type;
  std::vector<TypePtr> parameters;
  for (const TypePtr& each : type->parameters) parameters.push_back(instantiate(each, variables));
  return with_parameters(*type, std::move(parameters));
}

void find_parameters(const Type& type, std::map<std::string, TypePtr>& out) {
  if (is_variable(type)) out.emplace(type.name, nullptr);
  for (const TypePtr& each : type.parameters) find_parameters(*each, out);
}

}  // namespace

const TypePtr& most_general(const TypePtr& a, const TypePtr& b) { return covers(*a, *b) ? a : b; }

TypePtr Unifier::new_variable() {
  Type out;
  out.kind = TypeKind::kParam;
  out.variable = bindings_.size();
  out.name = "_var" + std::to_string(out.variable);
  bindings_.emplace_back();
  return make_type(std::move(out));
}

std::vector<TypePtr> Unifier::instance_of(const std::vector<TypePtr>& types) {
  std::map<std::string, TypePtr> variables;
  for (const TypePtr& each : types) find_parameters(*each, variables);
  for (auto& [name, variable] : variables) variable = new_variable();
  std::vector<TypePtr> out;
  for (const TypePtr& each : types) out.push_back(instantiate(each, variables));
  return out;
}

const TypePtr& Unifier::binding(const Type& type) const {
  DAVIT_ASSERT(type.variable < bindings_.size());
  return bindings_[type.variable];
}

void Unifier::set(std::size_t variable, TypePtr type) {
  log_.emplace_back(variable, bindings_[variable]);
  bindings_[variable] = std::move(type);
}

void Unifier::undo(std::size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) bindings_[log_.back().first] = log_.back().second;
}

bool Unifier::assignable(const TypePtr& wanted, const TypePtr& actual) {
  const bool fits = unify(wanted, actual);
  if (!fits) undo(0);
  log_.clear();
  return fits;
}

bool Unifier::assignable(const std::vector<TypePtr>& wanted, const std::vector<TypePtr>& actual) {
  const bool fits = unify_all(wanted, actual);
  if (!fits) undo(0);
  log_.clear();
  return fits;
}

bool Unifier::unify_all(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [this](const TypePtr& x, const TypePtr& y) { return unify(x, y); });
}

bool Unifier::unify(const TypePtr& a, const TypePtr& b) {
  if (is_variable(*b)) {
    const Fit fit = bind(a, b);
    if (fit.valid) return true;
    if (fit.bound) return false;
  }
  if (is_variable(*a)) return bind(b, a).valid;
  if (is_dyn_or_error(*a) || is_dyn_or_error(*b)) return true;
  if (a->kind == TypeKind::kNull) return is_nullable(*b);
  if (b->kind == TypeKind::kNull) return is_nullable(*a);
  if (a->kind != b->kind) return false;
  if (a->kind == TypeKind::kType) return true;
  return a->name == b->name && (!is_container(*a) || unify_all(a->parameters, b->parameters));
}

Unifier::Fit Unifier::bind(const TypePtr& type, const TypePtr& variable) {
  if (same_type(*type, *variable)) return {true, true};
  if (const TypePtr bound = binding(*variable)) {
    if (same_type(*type, *bound)) return {true, true};
    if (!unify(type, bound)) return {false, true};
    const TypePtr& general = most_general(type, bound);
    if (occurs_nowhere(*variable, *general)) set(variable->variable, general);
    return {true, true};
  }
  if (!occurs_nowhere(*variable, *type)) return {false, false};
  set(variable->variable, type);
  return {true, false};
}

bool Unifier::occurs_nowhere(const Type& variable, const Type& within) const {
  if (same_type(variable, within)) return false;
  if (is_variable(within)) {
    const TypePtr& bound = binding(within);
    return bound == nullptr || occurs_nowhere(variable, *bound);
  }
  return std::all_of(within.parameters.begin(), within.parameters.end(),
                     [&](const TypePtr& each) { return occurs_nowhere(variable, *each); });
}

TypePtr Unifier::substitute(const TypePtr& type, Unbound unbound) const {
  if (is_variable(*type)) {
    if (const TypePtr& bound = binding(*type)) return substitute(bound, unbound);
    return unbound == Unbound::kDyn ? simple_type(TypeKind::kDyn) : type;
  }
  if (type->parameters.empty() || type->kind == TypeKind::kObject) return type;
  std::vector<TypePtr> parameters;
  for (const TypePtr& each : type->parameters) parameters.push_back(substitute(each, unbound));
  if (parameters == type->parameters) return type;
  return with_parameters(*type, std::move(parameters));
}

TypePtr Unifier::resolved(const TypePtr& type) const { return substitute(type, Unbound::kKeep); }
TypePtr Unifier::final_type(const TypePtr& type) const { return substitute(type, Unbound::kDyn); }

}  // namespace davit::cel
