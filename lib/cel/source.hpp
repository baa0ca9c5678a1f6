/// The text of an expression, and errors at places in it as cel-go displays them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace davit::cel {

/// An error at a place in an expression.
struct Issue {
  /// `offset` of errors that concern the whole expression, shown as line -1.
  static constexpr std::int64_t kNowhere = -1;

  std::int64_t offset = kNowhere;  ///< In code points.
  std::string message;
};
using Issues = std::vector<Issue>;

/// The issues in the form that users of the API server see, sorted by place, at most 100:
///
///     ERROR: <input>:1:5: Syntax error: mismatched input '+'
///      | 1 + + 2
///      | ....^
[[nodiscard]] std::string display(std::string_view source, Issues issues);

}  // namespace davit::cel
