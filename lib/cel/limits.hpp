/// Limits on the cost and the messages of users' expressions: k8s.io/apiserver's
/// pkg/apis/cel/config.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace davit::cel {

/// One evaluation.
inline constexpr std::uint64_t kCallCostMax = 1'000'000;
/// All rules on one object, or all validations of a policy with one parameter.
inline constexpr std::int64_t kRunBudget = 10'000'000;
/// All match conditions of a policy or webhook.
inline constexpr std::int64_t kMatchBudget = kRunBudget / 4;
/// A longer result of a messageExpression is not shown.
inline constexpr std::size_t kMessageBytesMax = 5 * 1024;

inline constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

}  // namespace davit::cel
