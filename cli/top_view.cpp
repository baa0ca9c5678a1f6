#include "cli/top_view.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace davit::host {
namespace {

constexpr char kEscape = '\033';
/// Longer sequences are not those of a key.
constexpr std::size_t kSequenceMax = 8;
/// The line that stays, and that of the keys.
constexpr std::size_t kFixedLines = 2;

struct Sequence {
  std::string_view bytes;
  TopKey key;
};
/// Those of xterm and its descendants, in both modes of the cursor keys, and letters of `less`.
constexpr std::array<Sequence, 21> kKeys = {{
    {"q", TopKey::kQuit},       {"Q", TopKey::kQuit},         {"s", TopKey::kSort},
    {"k", TopKey::kUp},         {"j", TopKey::kDown},         {"b", TopKey::kPageUp},
    {" ", TopKey::kPageDown},   {"g", TopKey::kFirst},        {"G", TopKey::kLast},
    {"\033[A", TopKey::kUp},    {"\033OA", TopKey::kUp},      {"\033[B", TopKey::kDown},
    {"\033OB", TopKey::kDown},  {"\033[5~", TopKey::kPageUp}, {"\033[6~", TopKey::kPageDown},
    {"\033[H", TopKey::kFirst}, {"\033OH", TopKey::kFirst},   {"\033[F", TopKey::kLast},
    {"\033OF", TopKey::kLast},  {"\033[1~", TopKey::kFirst},  {"\033[4~", TopKey::kLast},
}};

/// Whether `text` is a whole control sequence (ECMA-48), or a character by itself.
bool is_whole(std::string_view text) {
  if (text[0] != kEscape || text.size() >= kSequenceMax) return true;
  if (text.size() < 2) return false;
  if (text[1] != '[' && text[1] != 'O') return true;
  return text.size() > 2 && text.back() >= '@' && text.back() <= '~';
}

std::optional<TopKey> key_of(std::string_view bytes) {
  for (const Sequence& each : kKeys) {
    if (each.bytes == bytes) return each.key;
  }
  return std::nullopt;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace

std::vector<TopKey> TopKeyDecoder::read(std::string_view bytes) {
  std::vector<TopKey> keys;
  for (const char c : bytes) {
    if (c == kEscape) pending_.clear();
    pending_ += c;
    if (!is_whole(pending_)) continue;
    if (const std::optional<TopKey> key = key_of(pending_)) keys.push_back(*key);
    pending_.clear();
  }
  return keys;
}

void TopView::press(TopKey key) {
  const auto move = [this](std::size_t lines) {
    skipped_ = std::min(skipped_ + lines, skipped_max_);
  };
  switch (key) {
    case TopKey::kQuit:
      break;
    case TopKey::kSort:
      sort_by_ = number_column_after(sort_by_);
      break;
    case TopKey::kUp:
      skipped_ -= std::min<std::size_t>(skipped_, 1);
      break;
    case TopKey::kDown:
      move(1);
      break;
    case TopKey::kPageUp:
      skipped_ -= std::min(skipped_, page_);
      break;
    case TopKey::kPageDown:
      move(page_);
      break;
    case TopKey::kFirst:
      skipped_ = 0;
      break;
    case TopKey::kLast:
      skipped_ = skipped_max_;
      break;
  }
}

std::string TopView::frame(const Json& status, StatusTextOptions terminal) {
  const std::size_t rows = std::exchange(terminal.rows_max, 0);
  terminal.sort_by = sort_by_;
  std::string text = status_text(status, terminal);
  if (rows == 0) return text;
  const std::vector<std::string_view> lines = lines_of(text);
  page_ = rows > kFixedLines ? rows - kFixedLines : 1;
  const std::size_t below = lines.size() - 1;
  skipped_max_ = below > page_ ? below - page_ : 0;
  skipped_ = std::min(skipped_, skipped_max_);
  const std::size_t last = std::min(below, skipped_ + page_);
  std::string out(lines[0]);
  for (std::size_t i = skipped_ + 1; i <= last; ++i) out += lines[i];
  std::string keys = "q: quit  s: sort by " +
                     (sort_by_.empty() ? std::string("another column") : std::string(sort_by_)) +
                     "  arrows, page up and down: scroll  lines " + std::to_string(skipped_ + 1) +
                     " to " + std::to_string(last) + " of " + std::to_string(below);
  if (terminal.columns_max != 0) keys = keys.substr(0, terminal.columns_max);
  return out + keys + '\n';
}

}  // namespace davit::host
