#include "lib/cel/call_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "lib/cel/ast.hpp"
#include "lib/cel/limits.hpp"

namespace davit::cel {
namespace {

constexpr double kTraversal = 0.1;             // Per byte or element of a text that is read.
constexpr double kPatternSize = 0.25;          // Per letter of a regular expression.
constexpr std::uint64_t kCheckCost = 350'000;  // Two authorization checks reach the limit.

template <std::size_t count>
bool is_one_of(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// As size_of(), but 1 for what has no size.
std::uint64_t actual_size(const Value& value) {
  if (const auto* optional = value.get<Optional>(); optional != nullptr && optional->value)
    return actual_size(*optional->value);
  if (const auto* opaque = value.get<OpaqueRef>()) return (*opaque)->cost_size();
  return size_of(value).value_or(1);
}

std::uint64_t traversal(double size) {
  return static_cast<std::uint64_t>(std::ceil(size * kTraversal));
}
std::uint64_t traversal_of(const Value& value, double factor = 1) {
  return traversal(static_cast<double>(actual_size(value)) * factor);
}

std::uint64_t match_cost(const Value& text, double pattern_size) {
  return traversal(1 + static_cast<double>(actual_size(text))) *
         static_cast<std::uint64_t>(std::ceil(pattern_size * kPatternSize));
}

/// The cost of reading a value with all that is in it. `left` limits the depth, and `parts` what is
/// looked at: parts of values are shared, so few steps make a value of 2^40 parts.
std::uint64_t deep_cost(const Value& value, int left, std::size_t& parts) {
  if (parts == 0) return kCallCostMax;
  --parts;
  if (value.kind() == ValueKind::kString)
    return static_cast<std::uint64_t>(static_cast<double>(value.text().size()) * kTraversal);
  if (const auto* bytes = value.get<Bytes>())
    return static_cast<std::uint64_t>(static_cast<double>(bytes->bytes->size()) * kTraversal);
  std::uint64_t cost = 0;
  if (left == 0) return 1;
  if (const auto* list = value.get<ListRef>()) {
    for (std::size_t i = 0; i < (*list)->size() && cost < kCallCostMax; ++i) {
      cost += deep_cost((*list)->at(i), left - 1, parts);
    }
    return cost;
  }
  if (const auto* map = value.get<MapRef>()) {
    for (std::size_t i = 0; i < (*map)->size() && cost < kCallCostMax; ++i) {
      cost += deep_cost((*map)->key_at(i), left - 1, parts) +
              deep_cost((*map)->value_at(i), left - 1, parts);
    }
    return cost;
  }
  return 1;
}

/// containsIP and containsCIDR: bytes up to the prefix, and the parsing of text.
std::uint64_t containment_cost(std::string_view function, std::span<const Value> args) {
  const std::uint64_t size = actual_size(args[0]);
  std::uint64_t cost = traversal(static_cast<double>(2 * size));
  if (function == "containsCIDR") cost += traversal(static_cast<double>(size)) + 1;
  if (args[1].kind() == ValueKind::kString) cost += traversal_of(args[1]);
  return cost;
}

/// Parsing a selector, and a structure and a list for each of its requirements, the shortest of
/// which has two characters.
std::uint64_t selector_cost(const Value& selector) {
  const std::uint64_t requirements = (actual_size(selector) + 1) / 2;
  return kListCost + traversal_of(selector) + requirements * (kListCost + kStructCost);
}

/// The costs of Kubernetes' libraries; nothing for functions of the standard library.
std::optional<std::uint64_t> library_cost(std::string_view function, std::span<const Value> args,
                                          const Value& result) {
  constexpr std::array<std::string_view, 6> kLists = {"isSorted", "sum",     "max",
                                                      "min",      "indexOf", "lastIndexOf"};
  constexpr std::array<std::string_view, 12> kReads = {
      "url",  "lowerAscii", "upperAscii", "substring",  "trim",   "cidr",
      "isIP", "isCIDR",     "quantity",   "isQuantity", "semver", "isSemver"};
  if (function == "check") return kCheckCost;
  if (args.empty()) return std::nullopt;
  if (is_one_of(function, kLists)) {
    std::size_t parts = 10 * kCallCostMax;
    return deep_cost(args[0], 100, parts);
  }
  if (is_one_of(function, kReads) || function == "jsonpatch.escapeKey")
    return traversal_of(args[0]);
  if (function == "replace" || function == "split" || function == "ip.isCanonical")
    return traversal_of(args[0], 2);
  if (function == "join") return traversal_of(result, 2);
  if (function == "ip") return args[0].kind() == ValueKind::kString ? traversal_of(args[0]) : 1;
  if (args.size() < 2) return std::nullopt;
  if (function == "fieldSelector" || function == "labelSelector") return selector_cost(args[1]);
  if (function == "find" || function == "findAll")
    return match_cost(args[0], static_cast<double>(actual_size(args[1])));
  if (function == "containsIP" || function == "containsCIDR")
    return containment_cost(function, args);
  if (function == "validate") {
    const auto* format = args[0].get<OpaqueRef>();
    if (format != nullptr) return match_cost(args[1], static_cast<double>((*format)->cost_size()));
  }
  const bool product = function == "sets.contains" || function == "sets.intersects";
  if (product || function == "sets.equivalent") {
    const std::uint64_t pairs = actual_size(args[0]) * actual_size(args[1]);
    return 1 + (product ? pairs : 2 * pairs);
  }
  return std::nullopt;
}

bool is_text(const Value& value) {
  return value.kind() == ValueKind::kString || value.kind() == ValueKind::kBytes;
}

/// == and !=, and the orders of texts.
std::uint64_t comparison_cost(std::span<const Value> args) {
  if (args[0].kind() == ValueKind::kOpaque) return 1;
  const std::uint64_t smaller = std::min(actual_size(args[0]), actual_size(args[1]));
  return traversal(static_cast<double>(smaller));
}

}  // namespace

std::uint64_t call_cost(std::string_view function, std::span<const Value> args,
                        const Value& result) {
  if (const std::optional<std::uint64_t> cost = library_cost(function, args, result)) return *cost;
  constexpr std::array<std::string_view, 4> kOrders = {
      operators::kLess, operators::kLessEquals, operators::kGreater, operators::kGreaterEquals};
  if (args.empty()) return 1;
  const bool converts = (function == "bytes" || function == "string") && is_text(args[0]) &&
                        (function == "bytes") == (args[0].kind() == ValueKind::kString);
  if (converts || function == "startsWith" || function == "endsWith" ||
      function == "strings.quote" || function == "format")
    return traversal_of(args[0]);
  if (args.size() < 2) return 1;
  if (function == operators::kIn && args[1].kind() == ValueKind::kList) return actual_size(args[1]);
  if (function == operators::kEquals || function == operators::kNotEquals)
    return comparison_cost(args);
  if (is_one_of(function, kOrders) && is_text(args[0])) return comparison_cost(args);
  if (function == operators::kAdd && is_text(args[0]))
    return traversal(static_cast<double>(actual_size(args[0]) + actual_size(args[1])));
  if (function == "matches") return match_cost(args[0], static_cast<double>(actual_size(args[1])));
  if (function == "contains") return traversal_of(args[0]) * traversal_of(args[1]);
  return 1;
}

}  // namespace davit::cel
