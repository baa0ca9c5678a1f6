/// The functions of the standard library and of Kubernetes' libraries, by name.
#pragma once

#include <compare>
#include <davit/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/cel/value.hpp"
#include "lib/kube/validation/pattern.hpp"

namespace davit::cel {

/// The state of an evaluation that functions use: compiled regular expressions.
class FunctionContext {
 public:
  /// The expression compiled, from memory if it is one of the last. The result lives until the next
  /// call.
  [[nodiscard]] const Result<Pattern>& pattern(std::string_view expression);

 private:
  std::unordered_map<std::string, Result<Pattern>> patterns_;
};

/// A function takes its receiver as its first argument, and no argument that is an error.
using Function = Value (*)(FunctionContext& context, std::span<const Value> args);
struct NamedFunction {
  std::string_view name;
  Function function;
};
using FunctionTable = std::span<const NamedFunction>;

enum class CallStyle : std::uint8_t { kGlobal, kMember };
/// Null if no library has it. A qualified name such as "sets.contains" is global.
[[nodiscard]] Function find_function(std::string_view name, CallStyle style);

/// "no such overload: NAME(TYPES)"
[[nodiscard]] Value no_overload(std::string_view name, std::span<const Value> args);

/// indexOf() and lastIndexOf() of lists; the library of strings has the same names.
[[nodiscard]] Value list_index_of(std::span<const Value> args);
[[nodiscard]] Value list_last_index_of(std::span<const Value> args);

/// The order of two semantic versions; nothing for other arguments.
[[nodiscard]] std::optional<std::strong_ordering> semver_order(std::span<const Value> args);

// The libraries, each in a separate source: global functions, then members.
[[nodiscard]] FunctionTable standard_functions();
[[nodiscard]] FunctionTable standard_members();
[[nodiscard]] FunctionTable optional_functions();
[[nodiscard]] FunctionTable optional_members();
[[nodiscard]] FunctionTable set_functions();
[[nodiscard]] FunctionTable list_functions();
[[nodiscard]] FunctionTable list_members();
[[nodiscard]] FunctionTable string_functions();
[[nodiscard]] FunctionTable string_members();
[[nodiscard]] FunctionTable regex_members();
[[nodiscard]] FunctionTable url_functions();
[[nodiscard]] FunctionTable url_members();
[[nodiscard]] FunctionTable quantity_functions();
[[nodiscard]] FunctionTable quantity_members();
[[nodiscard]] FunctionTable address_functions();
[[nodiscard]] FunctionTable address_members();
[[nodiscard]] FunctionTable format_functions();
[[nodiscard]] FunctionTable format_members();
[[nodiscard]] FunctionTable semver_functions();
[[nodiscard]] FunctionTable semver_members();

}  // namespace davit::cel
