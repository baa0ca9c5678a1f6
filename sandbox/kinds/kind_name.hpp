/// The rule for the names of kinds that objects refer to.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/lower_case.hpp"
#include "lib/kube/names.hpp"

namespace davit::sandbox {

/// "A,B"
[[nodiscard]] inline std::string comma_list(const Violations& violations) {
  std::string out;
  for (const std::string& each : violations) out += (out.empty() ? "" : ",") + each;
  return out;
}

/// The reason why a text is not the name of a kind, or empty.
/// k8s: ValidateEmbeddedResource, validateParamKind.
[[nodiscard]] inline std::string kind_violation(std::string_view text) {
  const std::string why = comma_list(check_dns1035_label(lower_case(std::string(text))));
  return why.empty() ? "" : "may have mixed case, but should otherwise match: " + why;
}

}  // namespace davit::sandbox
