/// The environment of expressions in admission policies and match conditions: their variables, and
/// how they are compiled and evaluated. The rules of k8s.io/apiserver's pkg/admission/plugin/cel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/cel/ast.hpp"
#include "lib/cel/checker.hpp"
#include "lib/cel/evaluate.hpp"
#include "lib/cel/types.hpp"
#include "lib/cel/value.hpp"
#include "lib/kube/json.hpp"

namespace davit::cel {

/// The type of the variable `request`.
[[nodiscard]] TypePtr admission_request_type();
/// The type of the variable `namespaceObject`.
[[nodiscard]] TypePtr namespace_object_type();
/// The type that a member of `variables` has if its expression has the type `type`: what is not
/// simple, a list or a map is dyn.
[[nodiscard]] TypePtr composed_type(const TypePtr& type);

/// The types to which an expression may evaluate.
enum class Wanted : std::uint8_t {
  kBool,
  kText,
  kTextOrNull,
  kAny,
  kObject,   ///< `Object`. These two let the expression use the types of mutation_types.hpp.
  kPatches,  ///< `list(JSONPatch)`
};
/// Whether `params` or `authorizer` are declared.
enum class Declares : bool { kNo, kYes };

struct AdmissionExpression {
  std::string text;
  std::shared_ptr<const Expr> tree;  ///< Null if it is wrong.
  std::string error;                 ///< The mistake in the server's words.
  bool internal = false;             ///< The error is one that the server calls internal.
  TypePtr type;                      ///< Null if it is wrong.
  std::size_t depth = 0;             ///< The tree's.
};

/// Compiles the expressions of one policy.
class AdmissionCompiler {
 public:
  explicit AdmissionCompiler(Declares params);

  /// Declares `variables`, without a member.
  void declare_variables();
  /// Adds a member to `variables`, even if the expression is wrong.
  [[nodiscard]] AdmissionExpression add_variable(const std::string& name, std::string text);
  [[nodiscard]] AdmissionExpression compile(std::string text, Wanted wanted,
                                            Declares authorizer) const;

 private:
  std::vector<Variable> variables_;
  std::shared_ptr<FieldTypes> members_;  // Those of `variables`; null: it is not declared.
};

/// The values of an evaluation, borrowed. Null: the expression sees null.
struct AdmissionValues {
  const Json* object = nullptr;
  const Json* old_object = nullptr;
  const Json* request = nullptr;
  const Json* params = nullptr;
  const Json* namespace_object = nullptr;
  std::optional<Value> authorizer;
  std::optional<Value> request_resource;
};

using NamedExpression = std::pair<std::string, AdmissionExpression>;

/// The variables of a run of several expressions. Each member of `variables` is evaluated when it
/// is first used, and once. `values` and `members` must outlive it and every value of the run. One
/// thread at a time.
class AdmissionVariables final : public Variables {
 public:
  AdmissionVariables(const AdmissionValues& values, const std::vector<NamedExpression>& members);

  [[nodiscard]] std::optional<Value> find(std::string_view name) const override;
  /// The cost of members since the last call.
  [[nodiscard]] std::uint64_t take_cost() const;

 private:
  class Members;
  struct Known {
    Value value;
    std::size_t depth = 0;  // With the members in it.
  };
  [[nodiscard]] Value member(std::size_t index) const;
  [[nodiscard]] Known evaluated(const NamedExpression& member) const;

  const AdmissionValues& values_;
  const std::vector<NamedExpression>& members_;
  std::map<std::string, std::size_t, std::less<>> places_;  // The last one of a name counts.
  mutable std::unordered_map<std::size_t, Known> known_;
  mutable std::uint64_t cost_ = 0;
  mutable std::size_t depth_ = 0;  // All members that are being evaluated.
  mutable std::size_t below_ = 0;  // The deepest member that the expression has used.
};

struct AdmissionOutcome {
  Value value;
  std::string error;       ///< "expression '…' resulted in error: …"; empty: there is a value.
  bool exhausted = false;  ///< The budget was exceeded, which ends the run. `error` is also set.
};
/// Evaluates one expression of a run, and takes its cost from `budget`.
[[nodiscard]] AdmissionOutcome evaluate_admission(const AdmissionExpression& expression,
                                                  const AdmissionVariables& variables,
                                                  std::int64_t& budget);

}  // namespace davit::cel
