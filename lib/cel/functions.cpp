#include "lib/cel/functions.hpp"

#include <initializer_list>
#include <utility>

namespace davit::cel {
namespace {

using Index = std::unordered_map<std::string_view, Function>;

Index index_of(std::initializer_list<FunctionTable> tables) {
  Index out;
  for (const FunctionTable& table : tables) {
    for (const NamedFunction& each : table) out.emplace(each.name, each.function);
  }
  return out;
}

}  // namespace

const Result<Pattern>& FunctionContext::pattern(std::string_view expression) {
  constexpr std::size_t kPatternsMax = 64;  // Each takes up to 32 MiB, usually a few KiB.
  const std::string key(expression);
  if (const auto known = patterns_.find(key); known != patterns_.end()) return known->second;
  if (patterns_.size() >= kPatternsMax) patterns_.clear();
  return patterns_.emplace(key, Pattern::compile(expression)).first->second;
}

Function find_function(std::string_view name, CallStyle style) {
  static const Index kGlobals =
      index_of({standard_functions(), optional_functions(), set_functions(), list_functions(),
                string_functions(), url_functions(), quantity_functions(), address_functions(),
                format_functions(), semver_functions()});
  // An earlier table hides a later one: each function examines its receiver, and passes on.
  static const Index kMembers = index_of(
      {standard_members(), optional_members(), string_members(), list_members(), regex_members(),
       url_members(), quantity_members(), address_members(), format_members(), semver_members()});
  const Index& index = style == CallStyle::kGlobal ? kGlobals : kMembers;
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

Value no_overload(std::string_view name, std::span<const Value> args) {
  std::string types;
  for (const Value& arg : args) {
    if (!types.empty()) types.append(", ");
    types.append(type_name(arg));
  }
  return error_value("no such overload: " + std::string(name) + "(" + types + ")");
}

}  // namespace davit::cel
