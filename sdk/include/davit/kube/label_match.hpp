/// The one rule of label selectors and node affinity: an operator, its values and one label
/// (k8s.io/apimachinery/pkg/labels.Requirement.Matches). Each syntax has its own parser.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace davit {

/// kEquals is kIn with one value, as matchLabels writes it.
enum class LabelOperator : std::uint8_t {
  kEquals,
  kIn,
  kNotIn,
  kExists,
  kDoesNotExist,
  kGreater,
  kLess
};

/// A whole decimal number of 64 bits: what kGreater and kLess compare.
[[nodiscard]] inline std::optional<std::int64_t> label_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whether a label with the value `label`, or a missing one, satisfies `op` with `values`, a range
/// of strings. kGreater and kLess hold for numbers only, and with exactly one value.
template <typename Strings>
[[nodiscard]] bool label_matches(LabelOperator op, const Strings& values,
                                 std::optional<std::string_view> label) {
  const auto is_listed = [&values, label] {
    return std::find(values.begin(), values.end(), *label) != values.end();
  };
  switch (op) {
    case LabelOperator::kExists:
      return label.has_value();
    case LabelOperator::kDoesNotExist:
      return !label;
    case LabelOperator::kEquals:
    case LabelOperator::kIn:
      return label && is_listed();
    case LabelOperator::kNotIn:
      return !label || !is_listed();
    case LabelOperator::kGreater:
    case LabelOperator::kLess:
      break;
  }
  if (!label || values.size() != 1) return false;
  const std::optional<std::int64_t> number = label_number(*label);
  const std::optional<std::int64_t> bound = label_number(*values.begin());
  if (!number || !bound) return false;
  return op == LabelOperator::kGreater ? *number > *bound : *number < *bound;
}

}  // namespace davit
