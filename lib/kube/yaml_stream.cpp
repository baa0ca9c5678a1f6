#include "lib/kube/yaml_stream.hpp"

#include <algorithm>

namespace davit {

std::vector<std::string> yaml_documents(std::string_view text) {
  std::vector<std::string> out(1);
  std::string passed;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    passed.push_back('\n');
    const bool marker =
        line.starts_with("---") && (line.size() == 3 || line.find_first_of(" \t\r\n", 3) == 3);
    if (marker) {
      out.push_back(passed);
      // The text after the marker on its line belongs to the new document.
      if (line.find_first_not_of(" \t\r\n", 3) != std::string_view::npos) {
        out.back().pop_back();
        out.back().append("   ").append(line.substr(3));
      }
    } else {
      out.back().append(line);
    }
  }
  return out;
}

}  // namespace davit
