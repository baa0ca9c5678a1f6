#include <algorithm>

#include "lib/base/csv_line.hpp"
#include "lib/base/trimmed.hpp"
#include "sandbox/auth/tokens.hpp"

namespace davit::sandbox {
namespace {

/// Lines may end as on Windows.
std::string trimmed_field(std::string_view text) { return std::string(trimmed(text, " \t\r")); }

}  // namespace

Result<std::vector<StaticToken>> parse_token_file(std::string_view text) {
  constexpr std::size_t kFieldsMin = 3;
  std::vector<StaticToken> out;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = trimmed_field(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const auto wrong = [&](const char* what) {
      return Status(Code::kInvalid, "line " + std::to_string(number) + " " + what);
    };
    const std::optional<std::vector<std::string>> fields = split_csv_line(line);
    if (!fields) return wrong("has an unterminated quote");
    if (fields->size() < kFieldsMin) return wrong("needs token, user and uid");
    StaticToken token;
    token.token = trimmed_field((*fields)[0]);
    token.identity.user = trimmed_field((*fields)[1]);
    token.identity.uid = trimmed_field((*fields)[2]);
    if (token.token.empty()) return wrong("has no token");
    if (token.identity.user.empty()) return wrong("has no user");
    if (fields->size() > kFieldsMin) {
      std::string_view groups = (*fields)[kFieldsMin];
      while (!groups.empty()) {
        const std::size_t comma = std::min(groups.find(','), groups.size());
        std::string group = trimmed_field(groups.substr(0, comma));
        if (!group.empty()) token.identity.groups.push_back(std::move(group));
        groups.remove_prefix(std::min(comma + 1, groups.size()));
      }
    }
    out.push_back(std::move(token));
  }
  return out;
}

}  // namespace davit::sandbox
