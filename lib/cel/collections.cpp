// The libraries of sets and of lists.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"
#include "lib/cel/numbers.hpp"
#include "lib/cel/operators.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;

bool has_element(const ListValue& list, const Value& element) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (equal(list.at(i), element).is_true()) return true;
  }
  return false;
}

bool has_all(const ListValue& list, const ListValue& elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!has_element(list, elements.at(i))) return false;
  }
  return true;
}

Value sets_contains_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "ll")) return no_overload("sets.contains", args);
  return has_all(**args[0].get<ListRef>(), **args[1].get<ListRef>());
}

Value sets_equivalent_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "ll")) return no_overload("sets.equivalent", args);
  const ListValue& a = **args[0].get<ListRef>();
  const ListValue& b = **args[1].get<ListRef>();
  return has_all(a, b) && has_all(b, a);
}

Value sets_intersects_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "ll")) return no_overload("sets.intersects", args);
  const ListValue& list = **args[0].get<ListRef>();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (has_element(**args[1].get<ListRef>(), list.at(i))) return true;
  }
  return false;
}

Value is_sorted_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "l")) return no_overload("isSorted", args);
  const ListValue& list = **args[0].get<ListRef>();
  for (std::size_t i = 1; i < list.size(); ++i) {
    const auto order = order_of(list.at(i - 1), list.at(i));
    if (!order) return no_such_overload();
    if (*order > 0) return false;
  }
  return true;
}

Value sum_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "l")) return no_overload("sum", args);
  const ListValue& list = **args[0].get<ListRef>();
  if (list.size() == 0) return std::int64_t{0};
  Value sum = list.at(0);
  if (!is_number(sum) && sum.kind() != ValueKind::kDuration) return no_such_overload();
  for (std::size_t i = 1; i < list.size(); ++i) sum = arithmetic('+', sum, list.at(i));
  return sum;
}

/// The least or the greatest element.
Value extreme(Args args, std::string_view name) {
  if (!takes(args, "l")) return no_overload(name, args);
  const ListValue& list = **args[0].get<ListRef>();
  if (list.size() == 0) return error_value(std::string(name) + " called on empty list");
  Value out = list.at(0);
  for (std::size_t i = 1; i < list.size(); ++i) {
    Value next = list.at(i);
    const auto order = order_of(out, next);
    if (!order) return no_such_overload();
    if (name == "min" ? *order > 0 : *order < 0) out = std::move(next);
  }
  return out;
}

Value min_function(FunctionContext& /*context*/, Args args) { return extreme(args, "min"); }
Value max_function(FunctionContext& /*context*/, Args args) { return extreme(args, "max"); }

Value slice_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "lii")) return no_overload("slice", args);
  const ListValue& list = **args[0].get<ListRef>();
  const std::int64_t start = *args[1].get<std::int64_t>();
  const std::int64_t end = *args[2].get<std::int64_t>();
  const auto refused = [&](const std::string& why) {
    return error_value("cannot slice(" + std::to_string(start) + ", " + std::to_string(end) +
                       "), " + why);
  };
  if (start < 0 || end < 0) return refused("negative indexes not supported");
  if (start > end) return refused("start index must be less than or equal to end index");
  if (static_cast<std::uint64_t>(end) > list.size()) {
    return refused("list is length " + std::to_string(list.size()));
  }
  std::vector<Value> out;
  for (std::int64_t i = start; i < end; ++i) out.push_back(list.at(static_cast<std::size_t>(i)));
  return list_value(std::move(out));
}

void append_flat(const ListValue& list, std::int64_t depth, std::vector<Value>& out) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    Value element = list.at(i);
    const auto* nested = element.get<ListRef>();
    if (nested != nullptr && depth > 0) {
      append_flat(**nested, depth - 1, out);
    } else {
      out.push_back(std::move(element));
    }
  }
}

Value flatten_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "l?i")) return no_overload("flatten", args);
  const std::int64_t depth = args.size() == 1 ? 1 : *args[1].get<std::int64_t>();
  if (depth < 0) return error_value("level must be non-negative");
  std::vector<Value> out;
  append_flat(**args[0].get<ListRef>(), depth, out);
  return list_value(std::move(out));
}

/// The elements of `list` in the order of their keys.
Value sorted(const ListRef& list, const ListRef& keys) {
  if (list->size() != keys->size()) {
    return error_value(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but "
        "got " +
        std::to_string(list->size()) + " and " + std::to_string(keys->size()) +
        " elements respectively");
  }
  if (list->size() == 0) return list;
  std::vector<std::pair<Value, std::size_t>> places;
  for (std::size_t i = 0; i < keys->size(); ++i) places.emplace_back(keys->at(i), i);
  const Value& first = places.front().first;
  if (!order_of(first, first)) return error_value("list elements must be comparable");
  for (const auto& [key, place] : places) {
    if (key.kind() != first.kind()) return error_value("list elements must have the same type");
  }
  // NaN has no order: it comes first, so that the others are sorted.
  const auto is_nan = [](const Value& value) {
    const auto* real = value.get<double>();
    return real != nullptr && std::isnan(*real);
  };
  std::stable_sort(places.begin(), places.end(), [&](const auto& a, const auto& b) {
    if (is_nan(a.first) || is_nan(b.first)) return is_nan(a.first) && !is_nan(b.first);
    const auto order = order_of(a.first, b.first);
    return order && *order < 0;
  });
  std::vector<Value> out;
  for (const auto& [key, place] : places) out.push_back(list->at(place));
  return list_value(std::move(out));
}

Value sort_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "l")) return no_overload("sort", args);
  return sorted(*args[0].get<ListRef>(), *args[0].get<ListRef>());
}

Value sort_by_keys_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "ll")) return no_overload("@sortByAssociatedKeys", args);
  return sorted(*args[0].get<ListRef>(), *args[1].get<ListRef>());
}

Value reverse_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "l")) return no_overload("reverse", args);
  const ListValue& list = **args[0].get<ListRef>();
  std::vector<Value> out;
  for (std::size_t i = list.size(); i > 0; --i) out.push_back(list.at(i - 1));
  return list_value(std::move(out));
}

Value distinct_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "l")) return no_overload("distinct", args);
  const ListValue& list = **args[0].get<ListRef>();
  std::vector<Value> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Value element = list.at(i);
    const bool known = std::any_of(
        out.begin(), out.end(), [&](const Value& each) { return equal(element, each).is_true(); });
    if (!known) out.push_back(std::move(element));
  }
  return list_value(std::move(out));
}

/// The numbers from 0 to size - 1. It stores none of them.
class RangeList : public ListValue {
 public:
  explicit RangeList(std::size_t size) : size_(size) {}
  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] Value at(std::size_t index) const override {
    return static_cast<std::int64_t>(index);
  }

 private:
  const std::size_t size_;
};

Value range_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "i")) return no_overload("lists.range", args);
  const std::int64_t size = std::max<std::int64_t>(*args[0].get<std::int64_t>(), 0);
  // No evaluation may cost as much as a longer one, and functions such as sort() copy it.
  constexpr std::int64_t kSizeMax = 10'000'000;
  if (size > kSizeMax) return error_value("lists.range() is limited to 10000000 elements");
  return ListRef(std::make_shared<RangeList>(static_cast<std::size_t>(size)));
}

}  // namespace

Value list_index_of(std::span<const Value> args) {
  if (!takes(args, "l.")) return no_overload("indexOf", args);
  const ListValue& list = **args[0].get<ListRef>();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (equal(list.at(i), args[1]).is_true()) return static_cast<std::int64_t>(i);
  }
  return std::int64_t{-1};
}

Value list_last_index_of(std::span<const Value> args) {
  if (!takes(args, "l.")) return no_overload("lastIndexOf", args);
  const ListValue& list = **args[0].get<ListRef>();
  for (std::size_t i = list.size(); i > 0; --i) {
    if (equal(list.at(i - 1), args[1]).is_true()) return static_cast<std::int64_t>(i - 1);
  }
  return std::int64_t{-1};
}

FunctionTable set_functions() {
  static constexpr std::array<NamedFunction, 3> kTable = {
      {{"sets.contains", sets_contains_function},
       {"sets.equivalent", sets_equivalent_function},
       {"sets.intersects", sets_intersects_function}}};
  return kTable;
}

FunctionTable list_functions() {
  static constexpr std::array<NamedFunction, 1> kTable = {{{"lists.range", range_function}}};
  return kTable;
}

FunctionTable list_members() {
  static constexpr std::array<NamedFunction, 10> kTable = {
      {{"isSorted", is_sorted_function},
       {"sum", sum_function},
       {"min", min_function},
       {"max", max_function},
       {"slice", slice_function},
       {"flatten", flatten_function},
       {"sort", sort_function},
       {"@sortByAssociatedKeys", sort_by_keys_function},
       {"reverse", reverse_function},
       {"distinct", distinct_function}}};
  return kTable;
}

}  // namespace davit::cel
