#include "lib/kube/yaml_stream.hpp"

#include <algorithm>

namespace davit {

std::vector<YamlPart> yaml_documents(std::string_view text) {
  std::vector<YamlPart> out(1);
  std::size_t begin = 0;
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view each = text.substr(at, end - at);
    const bool marker =
        each.starts_with("---") && (each.size() == 3 || each.find_first_of(" \t\r\n", 3) == 3);
    if (marker) {
      out.back().text = text.substr(begin, at - begin);
      out.push_back({{}, line});
      begin = at;
    }
    at = end;
  }
  out.back().text = text.substr(begin);
  return out;
}

}  // namespace davit
