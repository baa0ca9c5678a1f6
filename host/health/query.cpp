#include "host/health/query.hpp"

#include <algorithm>
#include <charconv>

namespace davit::host {
namespace {

std::string decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() &&
               std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    pairs.emplace_back(decode(part.substr(0, equals)),
                       equals == std::string_view::npos ? "" : decode(part.substr(equals + 1)));
  }
  return pairs;
}

}  // namespace davit::host
