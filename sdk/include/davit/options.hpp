/// The members of a controller's configuration.
#pragma once

#include <algorithm>
#include <davit/context.hpp>
#include <davit/entry.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

namespace davit {

/// Refuses a configuration with a member that is not among `known`: if a name is misspelled, the
/// default would otherwise hold without a sign. kInvalid, with the member's name and the known
/// ones.
[[nodiscard]] inline Status check_options(Value config,
                                          std::initializer_list<std::string_view> known) {
  for (const Member& each : config.members()) {
    if (std::find(known.begin(), known.end(), each.key) != known.end()) continue;
    std::string names;
    for (const std::string_view name : known) names.append(names.empty() ? "" : ", ").append(name);
    return Status(Code::kInvalid, "unknown configuration \"" + std::string(each.key) +
                                      "\"; known: " + (names.empty() ? "none" : names));
  }
  return {};
}

/// The factory of a controller that has no configuration: make(), after any member is refused.
template <typename Type>
[[nodiscard]] InitResult make_without_options(Context& context) {
  if (Status s = check_options(context.config(), {}); !s.ok()) return s;
  return make<Type>(context);
}

}  // namespace davit
