#include <algorithm>

#include "lib/base/trimmed.hpp"
#include "sandbox/auth/tokens.hpp"

namespace davit::sandbox {
namespace {

using Fields = std::vector<std::string>;

/// One line of comma-separated values; a quoted one may have commas, and "" for a quote. Nothing
/// when a quote does not end.
std::optional<Fields> split_line(std::string_view line) {
  Fields out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && line.substr(i + 1).starts_with('"')) {
      out.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return quoted ? std::nullopt : std::optional(std::move(out));
}

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
    const std::optional<Fields> fields = split_line(line);
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
