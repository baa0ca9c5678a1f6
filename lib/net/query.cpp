#include "lib/net/query.hpp"

#include <algorithm>
#include <optional>

#include "lib/base/percent_escape.hpp"

namespace davit {

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty() || part.find(';') != std::string_view::npos) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    std::optional<std::string> key = percent_unescaped(part.substr(0, equals), Plus::kBlank);
    std::optional<std::string> value =
        percent_unescaped(part.substr(std::min(equals + 1, part.size())), Plus::kBlank);
    if (key && value) pairs.emplace_back(std::move(*key), std::move(*value));
  }
  return pairs;
}

}  // namespace davit
