#include "lib/cel/source.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/utf8.hpp"

namespace davit::cel {
namespace {

constexpr std::size_t kIssuesMax = 100;
constexpr std::size_t kSnippetMax = 16'384;

/// A line of a source, and the place of a code point in it.
struct Place {
  std::string_view line;
  std::int64_t number = -1;
  std::int64_t column = -1;
};

std::size_t code_point_size(std::string_view text, std::size_t at) {
  std::size_t size = 1;
  while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xC0U) == 0x80U)
    ++size;
  return size;
}

Place place_of(std::string_view source, std::int64_t offset) {
  Place out;
  if (offset < 0) return out;
  std::size_t begin = 0;
  std::int64_t left = offset;
  out.number = 1;
  out.column = 0;
  for (std::size_t at = 0; at < source.size() && left > 0; --left) {
    const bool newline = source[at] == '\n';
    at += code_point_size(source, at);
    out.column = newline ? 0 : out.column + 1;
    if (newline) {
      ++out.number;
      begin = at;
    }
  }
  out.line = source.substr(begin, source.find('\n', begin) - begin);
  return out;
}

void append_snippet(std::string& out, const Place& place) {
  if (place.number < 0 || place.line.size() > kSnippetMax) return;
  std::string line(place.line);
  std::replace(line.begin(), line.end(), '\t', ' ');
  out.append("\n | ").append(line).append("\n | ");
  std::size_t at = 0;
  for (std::int64_t i = 0; i < place.column && at < line.size(); ++i) {
    const std::size_t size = code_point_size(line, at);
    out.append(size > 1 ? "\uff0e" : ".");
    at += size;
  }
  out.append(at < line.size() && code_point_size(line, at) > 1 ? "\uff3e" : "^");
}

}  // namespace

std::string display(std::string_view source, Issues issues) {
  const std::size_t count = issues.size();
  if (count > kIssuesMax) issues.resize(kIssuesMax);
  std::stable_sort(issues.begin(), issues.end(),
                   [](const Issue& a, const Issue& b) { return a.offset < b.offset; });
  std::string out;
  for (const Issue& issue : issues) {
    const Place place = place_of(source, issue.offset);
    if (!out.empty()) out.push_back('\n');
    out.append("ERROR: <input>:").append(std::to_string(place.number)).append(":");
    out.append(std::to_string(place.column + 1)).append(": ").append(issue.message);
    append_snippet(out, place);
  }
  if (count > kIssuesMax) {
    out.append("\n")
        .append(std::to_string(count - kIssuesMax))
        .append(" more errors were truncated");
  }
  return out;
}

}  // namespace davit::cel
