
#include "lib/base/csv_line.hpp"
#include "lib/base/take_until.hpp"
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
    const std::string line = trimmed_field(take_until(text, "\n"));
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
    token.identity.name = trimmed_field((*fields)[1]);
    token.identity.uid = trimmed_field((*fields)[2]);
    if (token.token.empty()) return wrong("has no token");
    if (token.identity.name.empty()) return wrong("has no user");
    if (fields->size() > kFieldsMin) {
      std::string_view groups = (*fields)[kFieldsMin];
      while (!groups.empty()) {
        std::string group = trimmed_field(take_until(groups, ","));
        if (!group.empty()) token.identity.groups.push_back(std::move(group));
      }
    }
    out.push_back(std::move(token));
  }
  return out;
}

}  // namespace davit::sandbox
