/// Evaluates a parsed expression and counts what it costs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/cel/ast.hpp"
#include "lib/cel/value.hpp"

namespace davit::cel {

/// The variables of an expression.
class Variables {
 public:
  Variables() = default;
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
  virtual ~Variables() = default;

  /// Nothing if there is no such variable. May be called repeatedly for one name. A lazy variable,
  /// such as one of a policy, evaluates here and returns its error as a value.
  [[nodiscard]] virtual std::optional<Value> find(std::string_view name) const = 0;
};

/// A few variables by name.
class VariableList : public Variables {
 public:
  explicit VariableList(std::vector<std::pair<std::string_view, Value>> values)
      : values_(std::move(values)) {}
  [[nodiscard]] std::optional<Value> find(std::string_view name) const override;

 private:
  std::vector<std::pair<std::string_view, Value>> values_;
};

struct Evaluation {
  /// The message of an evaluation that exceeded its limit.
  static constexpr std::string_view kCostExceeded =
      "operation cancelled: actual cost limit exceeded";

  Value value;             ///< An error if the evaluation failed.
  std::uint64_t cost = 0;  ///< In upstream's units; beyond the limit if that was exceeded.
  bool cost_exceeded = false;
};

/// Evaluates `root`. Stops when the cost exceeds `cost_limit`, so it takes bounded time. Pure; any
/// number of threads may evaluate one tree. The result may borrow text from the tree and from the
/// variables.
[[nodiscard]] Evaluation evaluate(
    const Expr& root, const Variables& variables,
    std::uint64_t cost_limit = std::numeric_limits<std::uint64_t>::max());

}  // namespace davit::cel
