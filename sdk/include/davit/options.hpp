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

/// Refuses a configuration with a member that is not in `known`, because a misspelled name would
/// otherwise leave the default in effect without notice. kInvalid names the member and the known
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

/// The factory of a controller without configuration: refuses any member, then calls make().
template <typename Type>
[[nodiscard]] InitResult make_without_options(Context& context) {
  if (Status s = check_options(context.config(), {}); !s.ok()) return s;
  return make<Type>(context);
}

}  // namespace davit
