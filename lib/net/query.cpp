#include "lib/net/query.hpp"

#include <davit/percent_code.hpp>
#include <optional>

#include "lib/base/take_until.hpp"

namespace davit {

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    std::string_view rest = take_until(query, "&");
    if (rest.empty() || rest.find(';') != std::string_view::npos) continue;
    std::optional<std::string> key = percent_unescaped(take_until(rest, "="), Plus::kBlank);
    std::optional<std::string> value = percent_unescaped(rest, Plus::kBlank);
    if (key && value) pairs.emplace_back(std::move(*key), std::move(*value));
  }
  return pairs;
}

}  // namespace davit
