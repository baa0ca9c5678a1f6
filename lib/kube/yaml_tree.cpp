// Accessors of the tree; independent of the library that parsed it.
#include <algorithm>

#include "lib/base/json_text.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/kube/yaml.hpp"

namespace davit {
namespace {

/// Edits (insert, remove, change, swap neighbours) that make one text the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      table[i][j] =
          std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

/// Lower case without "-" and "_", so that other spellings of a key are near.
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-' || c == '_') continue;
    out += lower_case(c);
  }
  return out;
}

}  // namespace

std::string Mistake::str() const {
  if (file.empty()) return text;
  if (line == 0) return file + ": " + text;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + text;
}

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string YamlNode::describe() const {
  constexpr std::size_t kShownMax = 40;
  const std::string shown = text.size() <= kShownMax ? text : text.substr(0, kShownMax) + "...";
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kBoolean:
      return "the boolean " + shown;
    case Kind::kInteger:
    case Kind::kFloat:
      return "the number " + shown;
    case Kind::kString:
      return "the string " + json_string(shown);
    case Kind::kSequence:
      return "a list";
    case Kind::kMapping:
      return "a mapping";
  }
  return "something else";
}

std::string nearest(std::string_view given, const std::vector<std::string>& allowed) {
  constexpr std::size_t kComparedMax = 64;  // The work grows with the square.
  if (given.size() > kComparedMax) return "";
  const std::string wanted = folded(given);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& each : allowed) {
    const std::size_t d = distance(wanted, folded(each));
    if (d < best_distance) {
      best_distance = d;
      best = each;
    }
  }
  return best;
}

}  // namespace davit
