#include "lib/kube/label_selector.hpp"

#include <algorithm>
#include <optional>

#include "lib/kube/names.hpp"

namespace davit {

namespace {

using Operator = LabelOperator;
using Requirement = LabelSelector::Requirement;

enum class Token : std::uint8_t {
  kEnd,
  kOpen,
  kClose,
  kComma,
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kBang,
  kGreater,
  kLess,
  kWord,
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_special(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

/// One requirement after the other. `word()` is the text of the token at hand.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) { next(); }

  [[nodiscard]] Token token() const { return token_; }
  [[nodiscard]] const std::string& word() const { return word_; }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return token_ == Token::kWord && word_ == word;
  }

  void next() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty()) {
      token_ = Token::kEnd;
      word_.clear();
      return;
    }
    if (!is_special(rest_.front())) return take(Token::kWord, word_size());
    if (rest_.starts_with("==")) return take(Token::kDoubleEquals, 2);
    if (rest_.starts_with("!=")) return take(Token::kNotEquals, 2);
    switch (rest_.front()) {
      case '=':
        return take(Token::kEquals, 1);
      case '!':
        return take(Token::kBang, 1);
      case '(':
        return take(Token::kOpen, 1);
      case ')':
        return take(Token::kClose, 1);
      case ',':
        return take(Token::kComma, 1);
      case '>':
        return take(Token::kGreater, 1);
      default:
        return take(Token::kLess, 1);
    }
  }

 private:
  [[nodiscard]] std::size_t word_size() const {
    std::size_t size = 0;
    while (size < rest_.size() && !is_special(rest_[size]) && !is_space(rest_[size])) ++size;
    return size;
  }
  void take(Token token, std::size_t size) {
    token_ = token;
    word_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  Token token_ = Token::kEnd;
  std::string word_;
};

Status unexpected(const Lexer& at, std::string_view expected) {
  return {Code::kInvalid, "found '" + at.word() + "', expected: " + std::string(expected)};
}

/// The violations about a key or value at `path` as one error; ok if there is none.
Status invalid(std::string_view path, const std::string& value, const Violations& violations) {
  std::string reasons;
  for (const std::string& each : violations) (reasons += reasons.empty() ? "" : "; ") += each;
  if (reasons.empty()) return {};
  return {Code::kInvalid,
          std::string(path) + ": Invalid value: \"" + value + "\": " + std::move(reasons)};
}

/// "(a,b)": empty elements are the empty value.
Result<std::vector<std::string>> read_set(Lexer& at) {
  if (at.token() != Token::kOpen) return unexpected(at, "'('");
  at.next();
  std::vector<std::string> values;
  std::string value;
  while (at.token() != Token::kClose) {
    if (at.token() == Token::kWord) {
      if (!value.empty()) return unexpected(at, "',', or ')'");
      value = at.word();
    } else if (at.token() == Token::kComma) {
      values.push_back(std::move(value));
      value.clear();
    } else {
      return unexpected(at, "',', ')' or identifier");
    }
    at.next();
  }
  values.push_back(std::move(value));
  at.next();
  return values;
}

Result<Operator> read_operator(const Lexer& at) {
  switch (at.token()) {
    case Token::kEquals:
    case Token::kDoubleEquals:
      return Operator::kIn;
    case Token::kNotEquals:
      return Operator::kNotIn;
    case Token::kGreater:
      return Operator::kGreater;
    case Token::kLess:
      return Operator::kLess;
    default:
      break;
  }
  if (at.is_word("in")) return Operator::kIn;
  if (at.is_word("notin")) return Operator::kNotIn;
  if (at.is_word("gt")) return Operator::kGreater;
  if (at.is_word("lt")) return Operator::kLess;
  return Status(Code::kInvalid,
                "found '" + at.word() + "', expected: in, notin, =, ==, !=, gt, lt");
}

/// Reads the value behind an operator that takes one value.
Result<std::vector<std::string>> read_value(Lexer& at) {
  std::string value;
  if (at.token() == Token::kWord) {
    value = at.word();
    at.next();
  } else if (at.token() != Token::kComma && at.token() != Token::kEnd) {
    return unexpected(at, "identifier");
  }
  return std::vector<std::string>{std::move(value)};
}

Result<Requirement> read_requirement(Lexer& at) {
  Requirement out;
  const bool negated = at.token() == Token::kBang;
  if (negated) at.next();
  if (at.token() != Token::kWord) return unexpected(at, "identifier");
  out.key = at.word();
  at.next();
  if (Status status = invalid("key", out.key, check_qualified_name(out.key)); !status.ok()) {
    return status;
  }
  if (negated || at.token() == Token::kEnd || at.token() == Token::kComma) {
    out.op = negated ? Operator::kDoesNotExist : Operator::kExists;
    return out;
  }
  const bool is_set = at.is_word("in") || at.is_word("notin");
  Result<Operator> op = read_operator(at);
  if (!op) return op.error();
  out.op = *op;
  at.next();
  Result<std::vector<std::string>> values = is_set ? read_set(at) : read_value(at);
  if (!values) return values.error();
  out.values = std::move(*values);
  std::ranges::sort(out.values);
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const std::string& value = out.values[i];
    const std::string path = "values[" + std::to_string(i) + "]";
    const Status status = invalid(path + "[" + out.key + "]", value, check_label_value(value));
    if (!status.ok()) return status;
    const bool compares = out.op == Operator::kGreater || out.op == Operator::kLess;
    if (compares && !label_number(value)) {
      return invalid(path, value, {"for 'Gt', 'Lt' operators, the value must be an integer"});
    }
  }
  return out;
}

const std::string* find_label(const LabelSelector::Labels& labels, const std::string& key) {
  const auto found =
      std::ranges::lower_bound(labels, key, {}, &LabelSelector::Labels::value_type::first);
  return found != labels.end() && found->first == key ? &found->second : nullptr;
}

bool holds(const Requirement& each, const LabelSelector::Labels& labels) {
  const std::string* value = find_label(labels, each.key);
  return label_matches(each.op, each.values,
                       value == nullptr ? std::nullopt : std::optional<std::string_view>(*value));
}

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector out;
  Lexer at(text);
  if (at.token() == Token::kEnd) return out;
  while (true) {
    if (at.token() != Token::kWord && at.token() != Token::kBang) {
      return Status(Code::kInvalid, "unable to parse requirement: found '" + at.word() +
                                        "', expected: !, identifier, or 'end of string'");
    }
    Result<Requirement> requirement = read_requirement(at);
    if (!requirement) return requirement.error().with_context("unable to parse requirement");
    out.requirements_.push_back(std::move(*requirement));
    if (at.token() == Token::kEnd) return out;
    if (at.token() != Token::kComma) return unexpected(at, "',' or 'end of string'");
    at.next();
    if (at.token() != Token::kWord && at.token() != Token::kBang) {
      return unexpected(at, "identifier after ','");
    }
  }
}

bool LabelSelector::matches(const Labels& labels) const {
  return std::ranges::all_of(requirements_,
                             [&](const Requirement& each) { return holds(each, labels); });
}

}  // namespace davit
