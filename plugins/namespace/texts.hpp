/// Texts of several parts, as upstream joins them.
#pragma once

#include <string>
#include <vector>

namespace davit::namespaces {

/// "a, b, c".
[[nodiscard]] inline std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& each : parts) {
    if (!out.empty()) out += ", ";
    out += each;
  }
  return out;
}

}  // namespace davit::namespaces
