#include "lib/base/csv_line.hpp"

#include <utility>

namespace davit {

std::optional<std::vector<std::string>> split_csv_line(std::string_view line) {
  std::vector<std::string> out(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && line.substr(i + 1).starts_with('"')) {
      out.back() += line[++i];  // Two quotes are one.
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return is_quoted ? std::nullopt : std::optional(std::move(out));
}

}  // namespace davit
