/// Run-time costs of calls, as the API server counts them (cel-go's runtimecost.go, and
/// staging/src/k8s.io/apiserver/pkg/cel/library/cost.go).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lib/cel/value.hpp"

namespace davit::cel {

inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;
inline constexpr std::uint64_t kStructCost = 40;

/// The cost of `function` with its receiver first in `args`.
[[nodiscard]] std::uint64_t call_cost(std::string_view function, std::span<const Value> args,
                                      const Value& result);

}  // namespace davit::cel
