/// Json as YAML.
#pragma once

#include <string>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// Block style, members sorted by key as the real server sorts them, with a newline at the end.
/// Strings are quoted wherever they could be read as something else.
[[nodiscard]] std::string to_yaml_text(const Json& json);

}  // namespace davit::sandbox
