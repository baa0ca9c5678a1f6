#include "lib/cel/call_estimates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace davit::cel {

namespace {

constexpr double kPatternFactor = 0.25;     // Units per character of a regular expression.
constexpr std::uint64_t kNewListCost = 10;  // A new list.
constexpr std::uint64_t kNewStructCost = 40;
constexpr std::uint64_t kAuthorizationCost = 350'000;  // Two checks per expression at most.
constexpr std::uint64_t kFormatBytesMax = 64;
constexpr double kFormatPatternBytesMax = 128;

Range size_of(const Operand& operand) { return operand.size.value_or(Range()); }
Range traversal(Range size) { return scaled(size, kTraversalFactor); }

/// The cost of a regular expression on a text. An empty text is not free.
Range matching(Range text, Range pattern) {
  return traversal(text + exactly(1)) * scaled(pattern, kPatternFactor);
}

std::optional<std::int64_t> integer_literal(const Operand& operand) {
  if (operand.expr == nullptr || operand.expr->kind != ExprKind::kLiteral) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&operand.expr->literal);
  return value == nullptr ? std::nullopt : std::optional(*value);
}
std::uint64_t count_literal(const Operand& operand, std::uint64_t otherwise) {
  const std::optional<std::int64_t> value = integer_literal(operand);
  return value ? static_cast<std::uint64_t>(std::max<std::int64_t>(*value, 0)) : otherwise;
}

/// An element of a list, as far as its type and schema are known.
std::optional<Operand> element_of(const Operand& list) {
  if (list.type->parameters.empty()) return std::nullopt;
  Operand out;
  out.type = list.type->parameters[0];
  out.schema = list.schema == nullptr ? nullptr : list.schema->element.get();
  if (out.schema != nullptr) out.size = Range{0, out.schema->elements_max};
  return out;
}

using Estimate = std::optional<CallEstimate>;

Estimate constant(const CostedCall&) { return CallEstimate{exactly(1), {}}; }
Estimate authorization(const CostedCall&) { return CallEstimate{exactly(kAuthorizationCost), {}}; }

/// A selector is parsed into a list of requirements, the shortest of which has two characters.
Estimate selector(const CostedCall& call) {
  if (call.arguments.size() != 1) return std::nullopt;
  const Range length = size_of(call.arguments[0]);
  return CallEstimate{exactly(kNewListCost) + traversal(length) +
                          scaled(scaled(length, 0.5), double{kNewListCost + kNewStructCost}),
                      {}};
}

/// One pass over a list, or over a text for indexOf().
Estimate list_pass(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  const Range size = size_of(*call.target);
  const std::optional<Operand> element = element_of(*call.target);
  if (!element) return CallEstimate{traversal(size), {}};
  Range cost = exactly(1);
  if (element->type->kind == TypeKind::kString || element->type->kind == TypeKind::kBytes) {
    cost = cost + traversal(size_of(*element));
  }
  return CallEstimate{size * cost, {}};
}

Estimate argument_copy(const CostedCall& call) {
  if (call.arguments.size() != 1) return std::nullopt;
  const Range size = size_of(call.arguments[0]);
  return CallEstimate{traversal(size), size};
}
Estimate target_copy(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  const Range size = size_of(*call.target);
  return CallEstimate{traversal(size), size};
}
Estimate argument_pass(const CostedCall& call) {
  if (call.arguments.empty()) return std::nullopt;
  return CallEstimate{traversal(size_of(call.arguments[0])), {}};
}
Estimate two_argument_passes(const CostedCall& call) {
  if (call.arguments.empty()) return std::nullopt;
  return CallEstimate{scaled(size_of(call.arguments[0]), 2 * kTraversalFactor), {}};
}

std::uint64_t quotient(std::uint64_t a, std::uint64_t b) {
  return scaled(1, static_cast<double>(a) / static_cast<double>(b));
}

Estimate replace(const CostedCall& call) {
  if (call.target == nullptr || call.arguments.size() < 2) return std::nullopt;
  const Range size = size_of(*call.target);
  const Range from = size_of(call.arguments[0]);
  const Range to = size_of(call.arguments[1]);
  Range count = exactly(0);
  Range kept = exactly(0);
  // An empty text is found before and after every character, and nothing is taken away.
  if (from.min == 0) {
    count.max = bounded_sum(size.max, 1);
    kept.max = size.max;
  } else if (to.max <= from.min) {
    kept.max = size.max;
  } else {
    count.max = quotient(size.max, from.min);
  }
  if (from.max == 0) {
    count.min = bounded_sum(size.min, 1);
    kept.min = size.min;
  } else if (from.max <= to.min) {
    kept.min = size.min;
  } else {
    count.min = quotient(size.min, from.max);
  }
  return CallEstimate{scaled(size, 2 * kTraversalFactor), count * to + kept};
}

Estimate split(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  const Range size = size_of(*call.target);
  std::uint64_t parts = size.max;
  if (call.arguments.size() > 1) {
    if (const auto limit = integer_literal(call.arguments[1])) {
      parts = static_cast<std::uint64_t>(*limit);
    }
  }
  return CallEstimate{scaled(size, 2 * kTraversalFactor), Range{0, parts}};
}

Estimate join(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  const Range list = size_of(*call.target);
  Range out = exactly(0);
  if (const auto element = element_of(*call.target)) out = list * size_of(*element);
  if (!call.arguments.empty()) {
    const Range separators = {list.min == 0 ? 0 : list.min - 1, list.max == 0 ? 0 : list.max - 1};
    out = out + size_of(call.arguments[0]) * separators;
  }
  return CallEstimate{traversal(out), out};
}

Estimate find(const CostedCall& call) {
  if (call.target == nullptr || call.arguments.empty()) return std::nullopt;
  const Range size = size_of(*call.target);
  return CallEstimate{matching(size, size_of(call.arguments[0])), Range{0, size.max}};
}

Estimate ip(const CostedCall& call) {
  return call.overload == "cidr_ip" ? constant(call) : argument_pass(call);
}

/// The comparison of two addresses of 4 to 16 bytes.
Range address_comparison() { return traversal(Range{8, 32}); }

Estimate contains_ip(const CostedCall& call) {
  if (call.arguments.empty()) return std::nullopt;
  Range cost = address_comparison();
  if (call.overload == "cidr_contains_ip_string") {
    cost = cost + traversal(size_of(call.arguments[0]));
  }
  return CallEstimate{cost, {}};
}

Estimate contains_cidr(const CostedCall& call) {
  if (call.arguments.empty()) return std::nullopt;
  Range cost = address_comparison() + traversal(Range{4, 16}) + exactly(1);
  if (call.overload == "cidr_contains_cidr_string") {
    cost = cost + traversal(size_of(call.arguments[0]));
  }
  return CallEstimate{cost, {}};
}

Estimate validate(const CostedCall& call) {
  if (call.arguments.empty()) return std::nullopt;
  return CallEstimate{
      scaled(traversal(size_of(call.arguments[0])), kFormatPatternBytesMax * kPatternFactor), {}};
}

/// Equality of Kubernetes' own types.
Estimate equality(const CostedCall& call) {
  if (call.arguments.size() != 2) return std::nullopt;
  const Type& type = *call.arguments[0].type;
  if (!same_type(type, *call.arguments[1].type)) return std::nullopt;
  if (type.kind == TypeKind::kOpaque && type.name.starts_with("net.")) return constant(call);
  if (type.kind != TypeKind::kObject || !type.name.starts_with("kubernetes.")) return std::nullopt;
  if (type.name == "kubernetes.NamedFormat") {
    return CallEstimate{traversal(Range{1, kFormatBytesMax}), {}};
  }
  if (type.name != "kubernetes.URL") return constant(call);
  const Range size = call.arguments[1].size.value_or(exactly(1));
  return CallEstimate{traversal(Range{1, size.max}), {}};
}

/// The cost of a call that makes a list.
CallEstimate allocation(Range size, double factor) {
  return {scaled(size, factor) + exactly(1) + exactly(kNewListCost), size};
}

Estimate slice(const CostedCall& call) {
  if (call.target == nullptr || call.arguments.size() != 2) return std::nullopt;
  const std::uint64_t start = count_literal(call.arguments[0], 0);
  const std::uint64_t end = count_literal(call.arguments[1], size_of(*call.target).max);
  return allocation(exactly(end - start), 1);
}
Estimate list_range(const CostedCall& call) {
  if (call.target != nullptr || call.arguments.size() != 1) return std::nullopt;
  return allocation(exactly(count_literal(call.arguments[0], kUnbounded)), 1);
}
Estimate reversed(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  return allocation(size_of(*call.target), 1);
}
Estimate flatten(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  const std::uint64_t depth =
      call.arguments.empty() ? 1 : count_literal(call.arguments[0], kUnbounded);
  return allocation(size_of(*call.target), static_cast<double>(depth));
}
Estimate distinct(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  return allocation(size_of(*call.target) * size_of(*call.target), 2);
}

/// Sorting compares every pair of keys: the list's elements, or those of another list.
Estimate sort(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  const Range size = size_of(call.arguments.empty() ? *call.target : call.arguments[0]);
  const bool texts =
      call.overload.starts_with("list_string_") || call.overload.starts_with("list_bytes_");
  return allocation(size * size, texts ? 2 + kTraversalFactor : 2);
}

Estimate sets(const CostedCall& call, double factor) {
  if (call.arguments.size() != 2) return std::nullopt;
  return CallEstimate{
      scaled(size_of(call.arguments[0]) * size_of(call.arguments[1]), factor) + exactly(1), {}};
}
Estimate set_pass(const CostedCall& call) { return sets(call, 1); }
Estimate two_set_passes(const CostedCall& call) { return sets(call, 2); }

// The functions of cel-go that are not constant, by their overloads.

Estimate string_format(const CostedCall& call) {
  if (call.target == nullptr) return std::nullopt;
  return CallEstimate{traversal(size_of(*call.target)), {}};
}
Estimate to_bytes(const CostedCall& call) {
  const Range size = size_of(call.arguments.at(0));
  return CallEstimate{traversal(size), Range{size.min, size.max * 4}};
}
Estimate to_string(const CostedCall& call) {
  const Range size = size_of(call.arguments.at(0));
  return CallEstimate{traversal(size), Range{size.min / 4, size.max}};
}
Estimate quote(const CostedCall& call) {
  const Range size = size_of(call.arguments.at(0));
  return CallEstimate{traversal(size), Range{size.min + 2, size.max * 2 + 2}};
}
Estimate in_list(const CostedCall& call) {
  return CallEstimate{scaled(size_of(call.arguments.at(1)), 1), {}};
}
Estimate matches(const CostedCall& call) {
  if (call.target == nullptr || call.arguments.size() != 1) return std::nullopt;
  return CallEstimate{matching(size_of(*call.target), size_of(call.arguments[0])), {}};
}
Estimate contains(const CostedCall& call) {
  if (call.target == nullptr || call.arguments.size() != 1) return std::nullopt;
  return CallEstimate{traversal(size_of(*call.target)) * traversal(size_of(call.arguments[0])), {}};
}
Estimate concatenation(const CostedCall& call) {
  const Range size = size_of(call.arguments.at(0)) + size_of(call.arguments.at(1));
  return CallEstimate{call.overload == "add_list" ? exactly(1) : traversal(size), size};
}
/// The shorter of two texts decides.
Estimate comparison(const CostedCall& call) {
  const std::uint64_t most =
      std::min(size_of(call.arguments.at(0)).max, size_of(call.arguments.at(1)).max);
  return CallEstimate{traversal(Range{most > 0 ? 1U : 0U, most}), {}};
}

struct CostRow {
  std::string_view name;
  Estimate (*estimate)(const CostedCall& call);
};

/// cel-go's extensions, by overload: they come before everything else.
constexpr CostRow kExtensions[] = {
    {"list_slice", slice},
    {"list_flatten", flatten},
    {"list_flatten_int", flatten},
    {"lists_range", list_range},
    {"list_reverse", reversed},
    {"list_distinct", distinct},
    {"list_sets_contains_list", set_pass},
    {"list_sets_intersects_list", set_pass},
    {"list_sets_equivalent_list", two_set_passes},
};

/// Kubernetes' libraries, by function.
constexpr CostRow kLibraries[] = {
    {"check", authorization},
    {"serviceAccount", constant},
    {"path", constant},
    {"group", constant},
    {"resource", constant},
    {"subresource", constant},
    {"namespace", constant},
    {"name", constant},
    {"allowed", constant},
    {"reason", constant},
    {"error", constant},
    {"errored", constant},
    {"fieldSelector", selector},
    {"labelSelector", selector},
    {"isSorted", list_pass},
    {"sum", list_pass},
    {"max", list_pass},
    {"min", list_pass},
    {"indexOf", list_pass},
    {"lastIndexOf", list_pass},
    {"url", argument_copy},
    {"jsonpatch.escapeKey", argument_copy},
    {"lowerAscii", target_copy},
    {"upperAscii", target_copy},
    {"substring", target_copy},
    {"trim", target_copy},
    {"replace", replace},
    {"split", split},
    {"join", join},
    {"find", find},
    {"findAll", find},
    {"cidr", argument_pass},
    {"isIP", argument_pass},
    {"isCIDR", argument_pass},
    {"ip", ip},
    {"ip.isCanonical", two_argument_passes},
    {"masked", constant},
    {"prefixLength", constant},
    {"family", constant},
    {"isUnspecified", constant},
    {"isLoopback", constant},
    {"isLinkLocalMulticast", constant},
    {"isLinkLocalUnicast", constant},
    {"isGlobalUnicast", constant},
    {"containsIP", contains_ip},
    {"containsCIDR", contains_cidr},
    {"quantity", argument_pass},
    {"isQuantity", argument_pass},
    {"semver", argument_pass},
    {"isSemver", argument_pass},
    {"validate", validate},
    {"_==_", equality},
};

/// cel-go's own functions, by overload.
constexpr CostRow kStandard[] = {
    {"string_format", string_format},
    {"string_to_bytes", to_bytes},
    {"bytes_to_string", to_string},
    {"strings_quote", quote},
    {"starts_with_string", argument_pass},
    {"ends_with_string", argument_pass},
    {"in_list", in_list},
    {"matches_string", matches},
    {"contains_string", contains},
    {"add_string", concatenation},
    {"add_bytes", concatenation},
    {"add_list", concatenation},
    {"less_string", comparison},
    {"less_equals_string", comparison},
    {"greater_string", comparison},
    {"greater_equals_string", comparison},
    {"less_bytes", comparison},
    {"less_equals_bytes", comparison},
    {"greater_bytes", comparison},
    {"greater_equals_bytes", comparison},
    {"equals", comparison},
    {"not_equals", comparison},
};

template <std::size_t kSize>
Estimate look_up(const CostRow (&rows)[kSize], std::string_view name, const CostedCall& call) {
  const auto found =
      std::find_if(rows, rows + kSize, [&](const CostRow& row) { return row.name == name; });
  return found == rows + kSize ? std::nullopt : found->estimate(call);
}

}  // namespace

CallEstimate estimate_call(const CostedCall& call) {
  if (const Estimate out = look_up(kExtensions, call.overload, call)) return *out;
  if (call.function == "sort" || call.function == "@sortByAssociatedKeys") {
    if (const Estimate out = sort(call)) return *out;
  }
  if (const Estimate out = look_up(kLibraries, call.function, call)) return *out;
  if (const Estimate out = look_up(kStandard, call.overload, call)) return *out;
  return {exactly(1), {}};
}

}  // namespace davit::cel
