#include "host/config/json.hpp"

#include <optional>
#include <unordered_set>
#include <utility>

#include "host/base/json_text.hpp"
#include "host/base/utf8.hpp"

namespace davit::host {
namespace {

constexpr int kDepthMax = 32;
constexpr std::size_t kNodesMax = 100'000;

/// Recursive descent; every function returns false after the first mistake.
class JsonParser {
 public:
  JsonParser(std::string_view text, const std::string& file, YamlDocument& out)
      : text_(text), file_(file), out_(out) {}

  void parse() {
    skip_space();
    if (!value(out_.root, 0)) return;
    skip_space();
    if (at_ < text_.size()) fail("nothing may follow the value");
  }

 private:
  bool value(YamlNode& node, int depth);
  bool object(YamlNode& node, int depth);
  bool array(YamlNode& node, int depth);
  bool string(std::string& out);
  bool escape(std::string& out);
  bool number(YamlNode& node);
  bool digits();
  std::optional<std::uint32_t> hex4();

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_begin_) + 1; }
  bool fail(std::string what) {
    out_.mistakes.push_back({file_, line_, column(), std::move(what)});
    return false;
  }

  std::string_view text_;
  const std::string& file_;
  YamlDocument& out_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  std::size_t nodes_ = 0;
  int line_ = 1;
};

bool JsonParser::value(YamlNode& node, int depth) {
  if (depth > kDepthMax) return fail("nested too deeply");
  if (++nodes_ > kNodesMax) return fail("too many values");
  node.line = line_;
  node.column = column();
  switch (peek()) {
    case '{':
      return object(node, depth);
    case '[':
      return array(node, depth);
    case '"':
      node.kind = YamlNode::Kind::kString;
      node.quoted = true;
      return string(node.text);
    default:
      break;
  }
  if (take("null")) return true;
  for (const std::string_view word : {"true", "false"}) {
    if (!take(word)) continue;
    node.kind = YamlNode::Kind::kBoolean;
    node.text = word;
    return true;
  }
  return number(node);
}

bool JsonParser::object(YamlNode& node, int depth) {
  node.kind = YamlNode::Kind::kMapping;
  std::unordered_set<std::string> keys;  // A search of the members would take the square of them.
  take('{');
  skip_space();
  if (take('}')) return true;
  for (;;) {
    YamlMember member;
    member.line = line_;
    member.column = column();
    if (peek() != '"') return fail("a key in double quotes is expected");
    if (!string(member.key)) return false;
    if (!keys.insert(member.key).second) return fail("duplicate key " + json_string(member.key));
    skip_space();
    if (!take(':')) return fail("':' is expected");
    skip_space();
    if (!value(member.value, depth + 1)) return false;
    node.members.push_back(std::move(member));
    skip_space();
    if (take('}')) return true;
    if (!take(',')) return fail("',' or '}' is expected");
    skip_space();
  }
}

bool JsonParser::array(YamlNode& node, int depth) {
  node.kind = YamlNode::Kind::kSequence;
  take('[');
  skip_space();
  if (take(']')) return true;
  for (;;) {
    if (!value(node.items.emplace_back(), depth + 1)) return false;
    skip_space();
    if (take(']')) return true;
    if (!take(',')) return fail("',' or ']' is expected");
    skip_space();
  }
}

bool JsonParser::string(std::string& out) {
  take('"');
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (take('"')) return true;
    if (take('\\')) {
      if (!escape(out)) return false;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) return fail("a control character in a string");
    const std::size_t length = utf8_length(text_.substr(at_));
    if (length == 0) return fail("not valid UTF-8");
    out += text_.substr(at_, length);
    at_ += length;
  }
  return fail("a string without its end");
}

std::optional<std::uint32_t> JsonParser::hex4() {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = peek();
    std::uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      digit = static_cast<std::uint32_t>((c | 0x20) - 'a') + 10;
    } else {
      return std::nullopt;
    }
    value = value << 4 | digit;
  }
  return value;
}

bool JsonParser::escape(std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char c = peek();
  if (const std::size_t i = kLetters.find(c); c != '\0' && i != std::string_view::npos) {
    ++at_;
    out += kMeanings[i];
    return true;
  }
  if (!take('u')) return fail("an unknown escape in a string");
  std::optional<std::uint32_t> code = hex4();
  if (!code) return fail("\\u needs four hex digits");
  if (*code >= 0xd800 && *code <= 0xdbff && take("\\u")) {
    const std::optional<std::uint32_t> low = hex4();
    if (!low || *low < 0xdc00 || *low > 0xdfff) return fail("half a surrogate pair");
    code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
  }
  if (*code >= 0xd800 && *code <= 0xdfff) return fail("half a surrogate pair");
  append_utf8(*code, out);
  return true;
}

bool JsonParser::digits() {
  const std::size_t begin = at_;
  while (peek() >= '0' && peek() <= '9') ++at_;
  return at_ > begin;
}

bool JsonParser::number(YamlNode& node) {
  const std::size_t begin = at_;
  node.kind = YamlNode::Kind::kInteger;
  take('-');
  const bool zero = peek() == '0';
  const std::size_t first = at_;
  if (!digits() || (zero && at_ - first > 1)) {
    at_ = begin;
    return fail("a value is expected");
  }
  if (take('.')) {
    node.kind = YamlNode::Kind::kFloat;
    if (!digits()) return fail("a digit is expected");
  }
  if (take('e') || take('E')) {
    node.kind = YamlNode::Kind::kFloat;
    if (!take('-')) take('+');
    if (!digits()) return fail("a digit is expected");
  }
  node.text = text_.substr(begin, at_ - begin);
  return true;
}

}  // namespace

YamlDocument parse_json(std::string_view text, const std::string& file) {
  YamlDocument document;
  JsonParser(text, file, document).parse();
  return document;
}

}  // namespace davit::host
