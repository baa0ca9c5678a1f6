/// Unifier: the type variables of a check and what they stand for.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lib/cel/types.hpp"

namespace davit::cel {

/// Decides whether a value of one type may be used where another is required, and binds type
/// variables accordingly. The rules are those of cel-go's checker/types.go.
class Unifier {
 public:
  /// A type variable that stands for nothing yet.
  [[nodiscard]] TypePtr new_variable();

  /// Whether `actual` fits `wanted`. If it does not, no variable has changed.
  [[nodiscard]] bool assignable(const TypePtr& wanted, const TypePtr& actual);
  /// The same for two lists, which must have the same length.
  [[nodiscard]] bool assignable(const std::vector<TypePtr>& wanted,
                                const std::vector<TypePtr>& actual);

  /// The type with every bound variable replaced.
  [[nodiscard]] TypePtr resolved(const TypePtr& type) const;
  /// The type with every variable replaced; those that are not bound become dyn.
  [[nodiscard]] TypePtr final_type(const TypePtr& type) const;

  /// The overload's types with a new variable for each of its parameters.
  [[nodiscard]] std::vector<TypePtr> instance_of(const std::vector<TypePtr>& types);

 private:
  enum class Unbound : unsigned char { kKeep, kDyn };
  struct Fit {
    bool valid = false;
    bool bound = false;  ///< The variable stood for something before.
  };

  bool unify(const TypePtr& a, const TypePtr& b);
  bool unify_all(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b);
  Fit bind(const TypePtr& type, const TypePtr& variable);
  void set(std::size_t variable, TypePtr type);
  void undo(std::size_t mark);
  [[nodiscard]] const TypePtr& binding(const Type& type) const;
  [[nodiscard]] bool occurs_nowhere(const Type& variable, const Type& within) const;
  [[nodiscard]] TypePtr substitute(const TypePtr& type, Unbound unbound) const;

  std::vector<TypePtr> bindings_;                     // Indexed by variable; null: unbound.
  std::vector<std::pair<std::size_t, TypePtr>> log_;  // Earlier bindings, for undo().
};

/// The more general of two types that fit each other.
[[nodiscard]] const TypePtr& most_general(const TypePtr& a, const TypePtr& b);

}  // namespace davit::cel
