#include "lib/cel/parser.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/cel/grammar.hpp"
#include "lib/cel/lexer.hpp"
#include "lib/cel/macros.hpp"

namespace davit::cel {
namespace {

using Kind = TokenKind;

constexpr std::string_view kTooHigh = "max recursion depth exceeded";
constexpr std::size_t kSyntaxErrorsMax = 30;  // Upstream stops its recovery after as many.

/// Rules of the grammar that call themselves. Each has its own depth, as upstream. The chains of
/// left recursion, such as 1 + 1 + 1, have no depth: Expr::height counts them.
enum class Rule : std::uint8_t { kExpr, kRelation, kCalc };

/// The height of a node that does not count itself.
void cover(Expr& node, const Expr& part) { node.height = std::max(node.height, part.height); }

std::uint16_t height_of(const std::vector<ExprPtr>& parts) {
  std::uint16_t out = 0;
  for (const ExprPtr& each : parts) out = std::max(out, each->height);
  return out;
}

/// The number of a literal's digits, after "0x" in base 16.
template <typename Number>
std::optional<Number> integer_of(std::string_view text, bool negative) {
  const bool hex = text.starts_with("0x");
  std::string digits(negative ? "-" : "");
  digits.append(hex ? text.substr(2) : text);
  Number out = 0;
  const char* end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, out, hex ? 16 : 10);
  return error == std::errc() && last == end ? std::optional(out) : std::nullopt;
}

/// A parser that descends the grammar CEL.g4, with ANTLR's messages. After an error it continues
/// behind the broken part, and reports nothing until a token fits again.
class Parser {
 public:
  Parser(std::vector<Token> tokens, Bindings bindings, Issues& issues)
      : tokens_(std::move(tokens)), bindings_(bindings), issues_(issues) {}

  ExprPtr run();

 private:
  /// Counts the depth of a rule while it lives.
  class Depth {
   public:
    Depth(Parser& parser, Rule rule) : count_(parser.depths_.at(static_cast<std::size_t>(rule))) {
      if (++count_ > kRecursionMax) parser.give_up();
    }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ~Depth() { --count_; }

   private:
    int& count_;
  };

  ExprPtr expr();
  ExprPtr conditional_or();
  ExprPtr conditional_and();
  ExprPtr relation();
  ExprPtr calc(int precedence);
  ExprPtr unary();
  ExprPtr member();
  ExprPtr select(ExprPtr operand);
  ExprPtr index(ExprPtr operand);
  ExprPtr primary();
  ExprPtr name_or_call();
  ExprPtr message();
  ExprPtr list();
  ExprPtr map();
  ExprPtr literal();
  ExprPtr number(bool negative, std::uint32_t offset);
  ExprPtr quoted();
  std::vector<ExprPtr> arguments();
  /// Whether a name, dotted or not, and an opening brace follow.
  [[nodiscard]] bool is_message() const;
  /// A balanced tree, as upstream: terms commute.
  ExprPtr balanced(std::string_view function, std::vector<ExprPtr>& terms,
                   const std::vector<std::uint32_t>& offsets, std::size_t low, std::size_t high);
  ExprPtr call(std::uint32_t offset, std::string_view function, ExprPtr a, ExprPtr b);
  /// A node that counts itself. One beyond kRecursionMax is replaced, because a chain of any length
  /// could be neither walked nor freed by recursion.
  ExprPtr counted(ExprPtr node);

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  [[nodiscard]] bool is(Kind kind) const { return peek().kind == kind; }
  Token next();
  /// Takes the token if it is of this kind.
  bool take(Kind kind);
  /// Takes the token, which must be of this kind; reports if it is not.
  /// `alternatives` are those that an error names; empty: `kind` alone.
  void expect(Kind kind, const Kinds& alternatives = {});
  /// Skips one wrong token before one of `kinds`, or reports that none is there.
  bool sync(const Kinds& kinds);
  void syntax_error(const Token& token, const std::string& message);
  ExprPtr fail(std::uint32_t offset, std::string message);
  void skip_to_follower();
  /// Ends the parse: the expression is too deep.
  void give_up();

  const std::vector<Token> tokens_;
  const Bindings bindings_;
  Issues& issues_;
  TreeBuilder builder_;
  std::array<int, 3> depths_{};
  std::size_t at_ = 0;
  std::size_t syntax_errors_ = 0;
  bool recovering_ = false;
  bool too_deep_ = false;
  bool too_high_ = false;
};

Token Parser::next() {
  const Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  recovering_ = false;
  return token;
}

bool Parser::take(Kind kind) {
  if (!is(kind)) return false;
  next();
  return true;
}

void Parser::syntax_error(const Token& token, const std::string& message) {
  if (recovering_ || too_deep_) return;
  recovering_ = true;
  issues_.push_back({token.offset, "Syntax error: " + message});
  if (++syntax_errors_ > kSyntaxErrorsMax) {
    issues_.back().message = "Syntax error: error recovery attempt limit exceeded: 30";
    too_deep_ = true;
    at_ = tokens_.size() - 1;
  }
}

ExprPtr Parser::fail(std::uint32_t offset, std::string message) {
  if (!too_deep_) issues_.push_back({offset, std::move(message)});
  return builder_.literal(offset, std::monostate());
}

void Parser::give_up() {
  if (!too_deep_) {
    issues_.push_back(
        {Issue::kNowhere, "expression recursion limit exceeded: " + std::to_string(kRecursionMax)});
  }
  too_deep_ = true;
  at_ = tokens_.size() - 1;
}

void Parser::skip_to_follower() {
  while (!is(Kind::kEnd) && (contains(starts(), peek().kind) || is(Kind::kEscapedIdentifier)) &&
         !is(Kind::kLeftBracket) && !is(Kind::kDot) && !is(Kind::kMinus)) {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
}

void Parser::expect(Kind kind, const Kinds& alternatives) {
  if (take(kind)) return;
  const std::string text = "'" + std::string(peek().text) + "' expecting " +
                           names_of(alternatives.empty() ? Kinds{kind} : alternatives);
  if (peek(1).kind == kind && !is(Kind::kEnd)) {
    syntax_error(peek(), "extraneous input " + text);
    next();
    next();
    return;
  }
  if (kind == Kind::kColon && contains(starts(), peek().kind)) {
    // The value of the entry follows: only the colon is missing.
    return syntax_error(peek(), "missing ':' at '" + std::string(peek().text) + "'");
  }
  syntax_error(peek(), "mismatched input " + text);
  skip_to_follower();
  (void)(is(kind) && take(kind));
}

bool Parser::sync(const Kinds& kinds) {
  if (contains(kinds, peek().kind)) return true;
  const std::string text = "'" + std::string(peek().text) + "' expecting " + names_of(kinds);
  if (contains(kinds, peek(1).kind) && !is(Kind::kEnd)) {
    syntax_error(peek(), "extraneous input " + text);
    ++at_;
    return true;
  }
  syntax_error(peek(), "mismatched input " + text);
  return false;
}

ExprPtr Parser::run() {
  ExprPtr out = expr();
  if (!too_deep_) expect(Kind::kEnd);
  // Upstream looks at the chains of an expression after it has read all of it.
  if (too_high_ && !too_deep_) issues_.push_back({Issue::kNowhere, std::string(kTooHigh)});
  if (builder_.is_full()) {
    issues_.push_back({Issue::kNowhere, "macros expand to more than " +
                                            std::to_string(TreeBuilder::kNodesMax) + " nodes"});
  }
  return out;
}

ExprPtr Parser::call(std::uint32_t offset, std::string_view function, ExprPtr a, ExprPtr b) {
  const std::uint16_t height = std::max(a->height, b ? b->height : std::uint16_t{0});
  std::vector<ExprPtr> args;
  args.push_back(std::move(a));
  if (b) args.push_back(std::move(b));
  ExprPtr out = builder_.call(offset, function, std::move(args));
  out->height = height;
  return out;
}

ExprPtr Parser::counted(ExprPtr node) {
  if (node->height < kRecursionMax) {
    ++node->height;
    return node;
  }
  too_high_ = true;
  return builder_.literal(node->offset, std::monostate());
}

ExprPtr Parser::expr() {
  const Depth depth(*this, Rule::kExpr);
  if (too_deep_) return builder_.literal(0, std::monostate());
  ExprPtr condition = conditional_or();
  if (!is(Kind::kQuestion)) return condition;
  const std::uint32_t offset = next().offset;
  ExprPtr then = conditional_or();
  expect(Kind::kColon);
  ExprPtr otherwise = expr();
  ExprPtr out = call(offset, operators::kConditional, std::move(condition), std::move(then));
  cover(*out, *otherwise);
  out->args.push_back(std::move(otherwise));
  return counted(std::move(out));
}

ExprPtr Parser::balanced(std::string_view function, std::vector<ExprPtr>& terms,
                         const std::vector<std::uint32_t>& offsets, std::size_t low,
                         std::size_t high) {
  const std::size_t middle = (low + high + 1) / 2;
  ExprPtr left = middle == low ? std::move(terms[middle])
                               : balanced(function, terms, offsets, low, middle - 1);
  ExprPtr right = middle == high ? std::move(terms[middle + 1])
                                 : balanced(function, terms, offsets, middle + 1, high);
  return call(offsets[middle], function, std::move(left), std::move(right));
}

ExprPtr Parser::conditional_or() {
  std::vector<ExprPtr> terms;
  std::vector<std::uint32_t> offsets;
  terms.push_back(conditional_and());
  while (is(Kind::kOr)) {
    offsets.push_back(next().offset);
    terms.push_back(conditional_and());
  }
  if (offsets.empty()) return std::move(terms[0]);
  return balanced(operators::kLogicalOr, terms, offsets, 0, offsets.size() - 1);
}

ExprPtr Parser::conditional_and() {
  std::vector<ExprPtr> terms;
  std::vector<std::uint32_t> offsets;
  terms.push_back(relation());
  while (is(Kind::kAnd)) {
    offsets.push_back(next().offset);
    terms.push_back(relation());
  }
  if (offsets.empty()) return std::move(terms[0]);
  return balanced(operators::kLogicalAnd, terms, offsets, 0, offsets.size() - 1);
}

ExprPtr Parser::relation() {
  const Depth depth(*this, Rule::kRelation);
  ExprPtr out = calc(1);
  while (const auto function = relation_of(peek().kind)) {
    const std::uint32_t offset = next().offset;
    const Depth of_the_right(*this, Rule::kRelation);
    ExprPtr right = calc(1);
    out = counted(call(offset, *function, std::move(out), std::move(right)));
  }
  return out;
}

ExprPtr Parser::calc(int precedence) {
  const Depth depth(*this, Rule::kCalc);
  ExprPtr out = unary();
  for (;;) {
    const std::optional<Arithmetic> arithmetic = arithmetic_of(peek().kind);
    if (!arithmetic || arithmetic->precedence < precedence) return out;
    const std::uint32_t offset = next().offset;
    ExprPtr right = calc(arithmetic->precedence + 1);
    out = counted(call(offset, arithmetic->function, std::move(out), std::move(right)));
  }
}

ExprPtr Parser::unary() {
  if (!sync(starts())) {
    skip_to_follower();
    return builder_.literal(peek().offset, std::monostate());
  }
  const Kind kind = peek().kind;
  if (kind != Kind::kNot && kind != Kind::kMinus) return member();
  // A minus before a number is part of the literal.
  const auto is_literal = [this] {
    return peek(1).kind == Kind::kInt || peek(1).kind == Kind::kFloat;
  };
  if (kind == Kind::kMinus && is_literal()) return member();
  const std::uint32_t offset = peek().offset;
  std::size_t count = 0;
  for (; is(kind); ++count) next();
  if (!contains(starts(), peek().kind)) (void)sync(starts());
  ExprPtr operand = member();
  if (count % 2 == 0) return operand;
  return call(offset, kind == Kind::kNot ? operators::kLogicalNot : operators::kNegate,
              std::move(operand), nullptr);
}

ExprPtr Parser::member() {
  ExprPtr out = primary();
  while (is(Kind::kDot) || is(Kind::kLeftBracket)) {
    out = is(Kind::kDot) ? select(std::move(out)) : index(std::move(out));
  }
  return out;
}

ExprPtr Parser::select(ExprPtr operand) {
  const Token dot = next();
  const bool optional = take(Kind::kQuestion);
  const Token name = peek();
  if (name.kind == Kind::kEscapedIdentifier) {
    next();
    return fail(name.offset, "unsupported syntax: '`'");
  }
  if (name.kind != Kind::kIdentifier) {
    const bool reserved =
        name.kind == Kind::kTrue || name.kind == Kind::kFalse || name.kind == Kind::kNull;
    const std::string text = name.kind == Kind::kEnd ? "" : std::string(name.text);
    if (reserved && !optional)
      syntax_error(name, "mismatched input '" + text + "' expecting IDENTIFIER");
    else if (optional)
      syntax_error(name, "mismatched input '" + std::string(name.text) +
                             "' expecting {IDENTIFIER, ESC_IDENTIFIER}");
    else
      syntax_error(name, "no viable alternative at input '." + text + "'");
    skip_to_follower();
    return operand;
  }
  next();
  if (optional) {
    return counted(call(dot.offset, operators::kOptionalSelect, std::move(operand),
                        builder_.literal(name.offset, std::string(name.text))));
  }
  if (is(Kind::kLeftParen)) {
    const std::uint32_t offset = next().offset;
    std::vector<ExprPtr> args = arguments();
    const std::uint16_t height = std::max(operand->height, height_of(args));
    ExprPtr out = builder_.call(offset, name.text, std::move(args), std::move(operand));
    if (bindings_ == Bindings::kYes) out = expand_binding(std::move(out), builder_, issues_);
    out = expand(std::move(out), builder_, issues_);
    out->height = height;
    return counted(std::move(out));
  }
  ExprPtr out = builder_.node(ExprKind::kSelect, dot.offset);
  out->name = name.text;
  cover(*out, *operand);
  out->target = std::move(operand);
  return counted(std::move(out));
}

ExprPtr Parser::index(ExprPtr operand) {
  const std::uint32_t offset = next().offset;
  const bool optional = take(Kind::kQuestion);
  ExprPtr key = expr();
  expect(Kind::kRightBracket);
  return counted(call(offset, optional ? operators::kOptionalIndex : operators::kIndex,
                      std::move(operand), std::move(key)));
}

std::vector<ExprPtr> Parser::arguments() {
  std::vector<ExprPtr> out;
  if (take(Kind::kRightParen)) return out;
  if (!sync(with(starts(), {Kind::kRightParen}))) skip_to_follower();
  if (take(Kind::kRightParen)) return out;
  do out.push_back(expr());
  while (take(Kind::kComma));
  if (!is(Kind::kRightParen) && !is(Kind::kEnd) && peek(1).kind != Kind::kRightParen) {
    syntax_error(peek(),
                 "mismatched input '" + std::string(peek().text) + "' expecting {')', ','}");
    skip_to_follower();
  }
  expect(Kind::kRightParen);
  return out;
}

bool Parser::is_message() const {
  std::size_t ahead = is(Kind::kDot) ? 1 : 0;
  while (peek(ahead).kind == Kind::kIdentifier && peek(ahead + 1).kind == Kind::kDot) ahead += 2;
  return peek(ahead).kind == Kind::kIdentifier && peek(ahead + 1).kind == Kind::kLeftBrace;
}

ExprPtr Parser::primary() {
  switch (peek().kind) {
    case Kind::kDot:
    case Kind::kIdentifier:
      return is_message() ? message() : name_or_call();
    case Kind::kLeftBracket:
      return list();
    case Kind::kLeftBrace:
      return map();
    case Kind::kLeftParen:
      break;
    default:
      return literal();
  }
  next();
  ExprPtr out = expr();
  expect(Kind::kRightParen);
  return out;
}

ExprPtr Parser::name_or_call() {
  const std::uint32_t begin = peek().offset;
  std::string name(take(Kind::kDot) ? "." : "");
  const Token token = peek();
  if (token.kind != Kind::kIdentifier) {
    syntax_error(token, "no viable alternative at input '." +
                            (token.kind == Kind::kEnd ? "" : std::string(token.text)) + "'");
    skip_to_follower();
    return builder_.literal(begin, std::monostate());
  }
  next();
  name.append(token.text);
  const bool reserved = is_reserved(token.text);
  if (!is(Kind::kLeftParen)) {
    if (reserved) return fail(begin, "reserved identifier: " + std::string(token.text));
    return builder_.ident(token.offset, name);
  }
  const std::uint32_t offset = next().offset;
  std::vector<ExprPtr> args = arguments();
  if (reserved) return fail(begin, "reserved identifier: " + std::string(token.text));
  const std::uint16_t height = height_of(args);
  ExprPtr out = expand(builder_.call(offset, name, std::move(args)), builder_, issues_);
  out->height = height;
  return out;
}

ExprPtr Parser::message() {
  std::string name(take(Kind::kDot) ? "." : "");
  for (name.append(next().text); take(Kind::kDot);) name.append(".").append(next().text);
  ExprPtr out = builder_.node(ExprKind::kStruct, next().offset);
  out->name = name;
  if (!sync({Kind::kRightBrace, Kind::kComma, Kind::kQuestion, Kind::kIdentifier,
             Kind::kEscapedIdentifier}))
    return out;
  if (is(Kind::kComma) && peek(1).kind == Kind::kRightBrace) next();
  while (!take(Kind::kRightBrace)) {
    const bool optional = take(Kind::kQuestion);
    if (!sync({Kind::kIdentifier, Kind::kEscapedIdentifier})) break;
    const Token field = next();
    if (field.kind == Kind::kEscapedIdentifier) (void)fail(field.offset, "unsupported syntax: '`'");
    const std::int64_t id = builder_.next_id();
    const std::uint32_t colon = peek(0).offset;
    expect(Kind::kColon);
    out->entries.push_back({id, nullptr, std::string(field.text), expr(), optional, colon});
    cover(*out, *out->entries.back().value);
    if (take(Kind::kComma)) continue;
    expect(Kind::kRightBrace, {Kind::kRightBrace, Kind::kComma});
    break;
  }
  return out;
}

ExprPtr Parser::list() {
  ExprPtr out = builder_.node(ExprKind::kList, next().offset);
  if (!sync(with(starts(), {Kind::kQuestion, Kind::kRightBracket, Kind::kComma}))) return out;
  if (is(Kind::kComma) && peek(1).kind == Kind::kRightBracket) next();
  bool any_optional = false;
  while (!take(Kind::kRightBracket)) {
    const bool optional = take(Kind::kQuestion);
    any_optional = any_optional || optional;
    out->args.push_back(expr());
    cover(*out, *out->args.back());
    out->optional_args.push_back(optional);
    if (take(Kind::kComma)) continue;
    expect(Kind::kRightBracket, {Kind::kRightBracket, Kind::kComma});
    break;
  }
  if (!any_optional) out->optional_args.clear();
  return out;
}

ExprPtr Parser::map() {
  ExprPtr out = builder_.node(ExprKind::kMap, next().offset);
  if (!sync(with(starts(), {Kind::kQuestion, Kind::kRightBrace, Kind::kComma}))) return out;
  if (is(Kind::kComma) && peek(1).kind == Kind::kRightBrace) next();
  while (!take(Kind::kRightBrace)) {
    const bool optional = take(Kind::kQuestion);
    ExprPtr key = expr();
    const std::int64_t id = builder_.next_id();
    const std::uint32_t colon = peek(0).offset;
    expect(Kind::kColon);
    cover(*out, *key);
    out->entries.push_back({id, std::move(key), "", expr(), optional, colon});
    cover(*out, *out->entries.back().value);
    if (take(Kind::kComma)) continue;
    expect(Kind::kRightBrace, {Kind::kRightBrace, Kind::kComma});
    break;
  }
  return out;
}

ExprPtr Parser::number(bool negative, std::uint32_t offset) {
  const Token token = next();
  if (token.kind == Kind::kInt) {
    const auto value = integer_of<std::int64_t>(token.text, negative);
    return value ? builder_.literal(offset, *value) : fail(offset, "invalid int literal");
  }
  if (token.kind == Kind::kUint) {
    const auto value =
        integer_of<std::uint64_t>(token.text.substr(0, token.text.size() - 1), false);
    return value ? builder_.literal(offset, *value) : fail(offset, "invalid uint literal");
  }
  const double value = std::strtod(std::string(token.text).c_str(), nullptr);
  if (std::isinf(value)) return fail(offset, "invalid double literal");
  return builder_.literal(offset, negative ? -value : value);
}

ExprPtr Parser::quoted() {
  const Token token = next();
  const bool bytes = token.kind == Kind::kBytes;
  Result<std::string> text = unquote(bytes ? token.text.substr(1) : token.text,
                                     bytes ? QuotedKind::kBytes : QuotedKind::kText);
  if (!text) return fail(token.offset, text.error().message());
  if (bytes) return builder_.literal(token.offset, BytesLiteral{std::move(*text)});
  return builder_.literal(token.offset, std::move(*text));
}

ExprPtr Parser::literal() {
  const std::uint32_t offset = peek().offset;
  if (take(Kind::kTrue)) return builder_.literal(offset, true);
  if (take(Kind::kFalse)) return builder_.literal(offset, false);
  if (take(Kind::kNull)) return builder_.literal(offset, std::monostate());
  if (is(Kind::kString) || is(Kind::kBytes)) return quoted();
  const bool negative =
      is(Kind::kMinus) && (peek(1).kind == Kind::kInt || peek(1).kind == Kind::kFloat);
  if (negative) next();
  if (is(Kind::kInt) || is(Kind::kUint) || is(Kind::kFloat)) return number(negative, offset);
  syntax_error(peek(), "mismatched input '" + std::string(peek().text) + "' expecting " +
                           names_of(starts()));
  skip_to_follower();
  return builder_.literal(offset, std::monostate());
}

}  // namespace

Parsed parse(std::string_view text, Bindings bindings) {
  Parsed out;
  const std::size_t size =
      static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      }));
  if (size > kExpressionSizeMax) {
    out.issues.push_back({Issue::kNowhere, "expression code point size exceeds limit: size: " +
                                               std::to_string(size) + ", limit " +
                                               std::to_string(kExpressionSizeMax)});
    return out;
  }
  std::vector<Token> tokens = tokens_of(text, out.issues);
  out.root = Parser(std::move(tokens), bindings, out.issues).run();
  if (out.issues.empty() && is_deeper(*out.root))
    out.issues.push_back({Issue::kNowhere, std::string(kTooHigh)});
  if (!out.issues.empty()) out.root.reset();
  return out;
}

}  // namespace davit::cel
