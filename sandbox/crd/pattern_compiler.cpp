#include "sandbox/crd/pattern_compiler.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "sandbox/crd/byte_class.hpp"

namespace davit::sandbox {

namespace {

using Op = Pattern::Op;
using Step = Pattern::Step;

constexpr std::size_t kStepsMax = 50'000;  // RE2's own budget is of this order.
constexpr int kRepeatMax = 1'000;          // RE2's limit for {n,m}.
constexpr int kDepthMax = 200;             // Parentheses; the parser is recursive.

/// Builds steps while it parses. A fragment is a run of steps whose open end is the next step.
class Compiler {
 public:
  explicit Compiler(std::string_view text) : text_(text) {}

  Result<std::vector<Step>> run() {
    std::vector<Step> steps = alternatives();
    if (at_ < text_.size()) fail("unexpected )");
    if (!error_.empty()) return Status(Code::kInvalid, error_);
    steps.push_back({});
    return steps;
  }

 private:
  using Steps = std::vector<Step>;

  void fail(std::string_view why) {
    if (error_.empty()) error_ = "error parsing regexp: " + std::string(why);
    at_ = text_.size();
  }
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return text_[at_]; }
  bool take(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  static Step simple(Op op) { return {op, 1, 0, {}}; }
  static Steps one(const Bytes& bytes) { return {{Op::kBytes, 1, 0, bytes}}; }

  // Targets are relative to the step that has them, so that fragments can be moved and copied.
  void append(Steps& to, const Steps& more) {
    if (to.size() + more.size() > kStepsMax) return fail("expression too large");
    to.insert(to.end(), more.begin(), more.end());
  }

  Steps alternatives() {
    Steps out = sequence();
    while (!done() && peek() == '|') {
      ++at_;
      const Steps right = sequence();
      if (out.size() + right.size() > kStepsMax) {
        fail("expression too large");
        return {};
      }
      Steps both;
      both.push_back({Op::kSplit, 1, static_cast<std::uint32_t>(out.size() + 2), {}});
      append(both, out);
      // The left side jumps over the right one.
      both.push_back({Op::kSplit,
                      static_cast<std::uint32_t>(right.size() + 1),
                      static_cast<std::uint32_t>(right.size() + 1),
                      {}});
      append(both, right);
      out = std::move(both);
    }
    return out;
  }

  Steps sequence() {
    Steps out;
    while (!done() && peek() != '|' && peek() != ')') append(out, repeated());
    return out;
  }

  Steps repeated() {
    Steps out = atom();
    bool any = false;
    while (!done()) {
      const auto counts = repetition();
      if (!counts) break;
      if (any) {
        fail("invalid nested repetition operator");
        break;
      }
      any = true;
      out = repeat(out, counts->first, counts->second);
      (void)take("?");  // Lazy or not: whether it matches is the same.
    }
    return out;
  }

  /// At least and at most; -1: no limit. Nothing when no repetition follows.
  std::optional<std::pair<int, int>> repetition() {
    if (take("*")) return std::pair(0, -1);
    if (take("+")) return std::pair(1, -1);
    if (take("?")) return std::pair(0, 1);
    if (peek() != '{') return std::nullopt;
    const std::size_t start = at_++;
    const std::optional<int> least = number();
    std::optional<int> most = least;
    if (least && take(",")) most = take("}") ? std::optional(-1) : number();
    const bool closed = least && most && (text_[at_ - 1] == '}' || take("}"));
    if (!closed) {
      at_ = start;  // No repetition: a brace.
      return std::nullopt;
    }
    if (*least > kRepeatMax || *most > kRepeatMax || (*most >= 0 && *most < *least)) {
      fail("invalid repeat count");
    }
    return std::pair(*least, *most);
  }

  std::optional<int> number() {
    std::optional<int> out;
    while (!done() && peek() >= '0' && peek() <= '9') {
      out = std::min(out.value_or(0) * 10 + (text_[at_++] - '0'), kRepeatMax + 1);
    }
    return out;
  }

  Steps repeat(const Steps& part, int least, int most) {
    Steps out;
    for (int i = 0; i < least; ++i) append(out, part);
    const auto size = static_cast<std::uint32_t>(part.size());
    if (most < 0) {
      out.push_back({Op::kSplit, 1, size + 2, {}});
      append(out, part);
      out.push_back({Op::kSplit, -(size + 1), -(size + 1), {}});
    }
    for (int i = least; i < most && error_.empty(); ++i) {
      out.push_back({Op::kSplit, 1, size + 1, {}});
      append(out, part);
    }
    return out;
  }

  Steps atom() {
    const char c = text_[at_++];
    switch (c) {
      case '(':
        return group();
      case '[':
        return one(bracket());
      case '.':
        return one(~range('\n', '\n'));
      case '^':
        return {simple(Op::kTextStart)};
      case '$':
        return {simple(Op::kTextEnd)};
      case '\\':
        return escape();
      case '*':
      case '+':
      case '?':
        fail("missing argument to repetition operator");
        return {};
      default:
        return one(letter(static_cast<unsigned char>(c)));
    }
  }

  [[nodiscard]] Bytes letter(unsigned char c) const {
    Bytes out = range(c, c);
    if (!ignore_case_) return out;
    if (c >= 'a' && c <= 'z') out.set(c - 0x20u);
    if (c >= 'A' && c <= 'Z') out.set(c + 0x20u);
    return out;
  }

  Steps group() {
    const bool outer_case = ignore_case_;
    if (++depth_ > kDepthMax) fail("expression nests too deeply");
    if (take("?")) {
      if (take("P<") || take("<")) {
        const std::size_t end = text_.find('>', at_);
        if (end == std::string_view::npos) fail("invalid named capture");
        at_ = std::min(text_.size(), end + 1);
      } else {
        bool on = true;
        while (!done() && peek() != ':' && peek() != ')') {
          const char flag = text_[at_++];
          if (flag == '-') {
            on = false;
          } else if (flag == 'i') {
            ignore_case_ = on;
          } else if (flag != 's' && flag != 'U') {
            fail("invalid or unsupported Perl syntax");
          }
        }
        if (take(")")) {  // Flags for the rest of the enclosing group.
          --depth_;
          return {};
        }
        (void)take(":");
      }
    }
    Steps out = alternatives();
    if (!take(")")) fail("missing closing )");
    ignore_case_ = outer_case;
    --depth_;
    return out;
  }

  Steps escape() {
    if (done()) {
      fail("trailing backslash at end of expression");
      return {};
    }
    switch (peek()) {
      case 'b':
        ++at_;
        return {simple(Op::kWordEdge)};
      case 'B':
        ++at_;
        return {simple(Op::kNoWordEdge)};
      case 'A':
        ++at_;
        return {simple(Op::kTextStart)};
      case 'z':
        ++at_;
        return {simple(Op::kTextEnd)};
      default:
        return one(escaped_class());
    }
  }

  /// After a backslash, inside or outside of brackets.
  Bytes escaped_class() {
    const char c = text_[at_++];
    switch (c) {
      case 'd':
        return digits();
      case 'D':
        return ~digits();
      case 'w':
        return words();
      case 'W':
        return ~words();
      case 's':
        return spaces();
      case 'S':
        return ~spaces();
      case 'n':
        return range('\n', '\n');
      case 't':
        return range('\t', '\t');
      case 'r':
        return range('\r', '\r');
      case 'f':
        return range('\f', '\f');
      case 'v':
        return range('\v', '\v');
      case 'a':
        return range('\a', '\a');
      case 'x':
        return hexadecimal();
      case 'p':
      case 'P':
        return unicode_class(c == 'P');
      default:
        break;
    }
    if (words().test(static_cast<unsigned char>(c)) && c != '_') fail("invalid escape sequence");
    return letter(static_cast<unsigned char>(c));
  }

  Bytes hexadecimal() {
    const bool braces = take("{");
    unsigned value = 0;
    for (int i = 0; !done() && (braces ? peek() != '}' : i < 2); ++i) {
      const char c = text_[at_++];
      const std::size_t digit = std::string_view("0123456789abcdef")
                                    .find(static_cast<char>(c >= 'A' && c <= 'F' ? c + 0x20 : c));
      if (digit == std::string_view::npos || value > 0xff) fail("invalid escape sequence");
      value = value * 16 + static_cast<unsigned>(digit & 0xf);
    }
    if (braces && !take("}")) fail("invalid escape sequence");
    return value < 0x80 ? letter(static_cast<unsigned char>(value)) : beyond_ascii();
  }

  /// ASCII's part of a class, and for letters all that lies beyond ASCII.
  Bytes unicode_class(bool negated) {
    std::string_view name = text_.substr(at_, 1);
    if (take("{")) {
      const std::size_t end = text_.find('}', at_);
      if (end == std::string_view::npos) {
        fail("invalid character class range");
        return {};
      }
      name = text_.substr(at_, end - at_);
      at_ = end;
    }
    at_ = std::min(text_.size(), at_ + 1);
    Bytes out;
    if (name.starts_with("Lu")) {
      out = range('A', 'Z');
    } else if (name.starts_with("Ll")) {
      out = range('a', 'z');
    } else if (name.starts_with("L")) {
      out = range('a', 'z') | range('A', 'Z') | beyond_ascii();
    } else if (name.starts_with("N")) {
      out = digits();
    } else if (name.starts_with("P") || name.starts_with("S")) {
      out = *named_class("punct");
    } else if (name.starts_with("Z")) {
      out = range(' ', ' ');
    } else {
      fail("invalid character class range");
    }
    return negated ? ~out : out;
  }

  Bytes bracket();

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool ignore_case_ = false;
  std::string error_;
};

Bytes Compiler::bracket() {
  const bool negated = take("^");
  Bytes out;
  bool first = true;
  while (error_.empty()) {
    if (done()) {
      fail("missing closing ]");
      break;
    }
    if (peek() == ']' && !first) break;
    first = false;
    if (take("[:")) {
      const bool no = take("^");
      const std::size_t end = text_.find(":]", at_);
      const auto found =
          end == std::string_view::npos ? std::nullopt : named_class(text_.substr(at_, end - at_));
      if (!found) {
        fail("invalid character class range");
        break;
      }
      out |= no ? ~*found : *found;
      at_ = end + 2;
      continue;
    }
    const auto low = static_cast<unsigned char>(peek());
    ++at_;
    Bytes low_bytes = letter(low);
    if (low == '\\') {
      if (done()) continue;
      low_bytes = escaped_class();
    }
    const bool is_range = at_ + 1 < text_.size() && peek() == '-' && text_[at_ + 1] != ']';
    if (!is_range) {
      out |= low_bytes;
      continue;
    }
    ++at_;
    const auto high = static_cast<unsigned char>(peek());
    ++at_;
    Bytes high_bytes = letter(high);
    if (high == '\\' && !done()) high_bytes = escaped_class();
    const auto lowest = [](const Bytes& bytes) { return bytes._Find_first(); };
    const std::size_t from = low == '\\' ? lowest(low_bytes) : low;
    const std::size_t to = high == '\\' ? lowest(high_bytes) : high;
    if (from > to || to > 0xff) {
      fail("invalid character class range");
      break;
    }
    for (std::size_t c = from; c <= to; ++c) out |= letter(static_cast<unsigned char>(c));
  }
  if (error_.empty()) ++at_;  // After a mistake the text is over.
  return negated ? ~out : out;
}

}  // namespace

Result<std::vector<Step>> compile_steps(std::string_view expression) {
  return Compiler(expression).run();
}

}  // namespace davit::sandbox
