/// Estimates of the cost of a call, and of the size of its result.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lib/cel/ast.hpp"
#include "lib/cel/range.hpp"
#include "lib/cel/schema_type.hpp"
#include "lib/cel/types.hpp"

namespace davit::cel {

/// A target or an argument of a call.
struct Operand {
  const Expr* expr = nullptr;
  TypePtr type;
  const SchemaType* schema = nullptr;  ///< Null: no part of a value with a schema.
  std::optional<Range> size;           ///< Nothing: unknown.
  Range cost;
};

struct CallEstimate {
  Range cost;  ///< Without that of the arguments.
  std::optional<Range> size;
};

/// A call that may take the overload `overload`.
struct CostedCall {
  std::string_view function;
  std::string_view overload;
  const Operand* target = nullptr;  ///< Null: a function that is no member.
  std::vector<Operand> arguments;
};

/// The estimate of a call of Kubernetes' libraries, or of a function of cel-go that takes time with
/// the size of its arguments; every other call costs 1. Logical operators, the conditional and
/// indexes are the caller's.
[[nodiscard]] CallEstimate estimate_call(const CostedCall& call);

inline constexpr double kTraversalFactor = 0.1;  ///< Units per character of a text that is read.

}  // namespace davit::cel
