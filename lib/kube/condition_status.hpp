/// Conditions of objects in a Json tree. The SDK's find_condition() does the same for plugins.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/json.hpp"

namespace davit {

/// The status of the object's first condition of this type: "True", "False" or "Unknown"; "" if
/// it has no such condition.
[[nodiscard]] inline std::string_view condition_status(const Json& object, std::string_view type) {
  for (const Json& each : object.get("status").get("conditions").items()) {
    if (each.get("type").text() == type) return each.get("status").text();
  }
  return {};
}

}  // namespace davit
