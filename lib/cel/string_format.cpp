#include "lib/cel/string_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <davit/hex.hpp>
#include <davit/kube/go_quote.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lib/cel/moments.hpp"
#include "lib/cel/numbers.hpp"

namespace davit::cel {
namespace {

constexpr int kDefaultPrecision = 6;
constexpr int kPrecisionMax = 1'000;
constexpr int kNestingMax = 100;

using Directive = FormatDirective;

std::string real_text(double value, std::chars_format format, int precision) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::array<char, 400 + kPrecisionMax> out{};
  const auto [end, error] =
      std::to_chars(out.data(), out.data() + out.size(), value, format, precision);
  return {out.data(), end};
}

Result<std::string> element_text(const Value& value, int left);

std::string by_quotes(const Value& value, std::string text) {
  if (value.kind() == ValueKind::kString) return go_quoted(text);
  if (value.kind() == ValueKind::kBytes) return "b" + go_quoted(text);
  if (value.kind() == ValueKind::kDouble && !std::isfinite(*value.get<double>()))
    return go_quoted(text);
  return text;
}

Result<std::string> nested_list(const ListValue& list, int left) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    Result<std::string> text = element_text(element, left);
    if (!text) return text;
    if (i > 0) out.append(", ");
    out.append(by_quotes(element, std::move(*text)));
  }
  return out + "]";
}

Result<std::string> nested_map(const MapValue& map, int left) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Value key = map.key_at(i);
    const Value value = map.value_at(i);
    Result<std::string> text = element_text(value, left);
    if (!text) return text;
    entries.emplace_back(by_quotes(key, plain_text(key)), by_quotes(value, std::move(*text)));
  }
  std::sort(entries.begin(), entries.end());
  std::string out = "{";
  for (const auto& [key, value] : entries) {
    if (out.size() > 1) out.append(", ");
    out.append(key).append(":").append(value);
  }
  return out + "}";
}

Status no_clause(const Value& value) {
  return {Code::kInvalid,
          "error during formatting: no formatting function for " + type_name(value)};
}

/// A value within a list or a map.
Result<std::string> element_text(const Value& value, int left) {
  if (left == 0) return Status(Code::kInvalid, "error during formatting: values nest too deeply");
  switch (value.kind()) {
    case ValueKind::kList:
      return nested_list(**value.get<ListRef>(), left - 1);
    case ValueKind::kMap:
      return nested_map(**value.get<MapRef>(), left - 1);
    case ValueKind::kDouble:
      return real_text(*value.get<double>(), std::chars_format::fixed, kDefaultPrecision);
    case ValueKind::kTimestamp:
      return "timestamp(" + go_quoted(plain_text(value)) + ")";
    case ValueKind::kDuration:
      return "duration(" + go_quoted(plain_text(value)) + ")";
    case ValueKind::kOptional:
    case ValueKind::kOpaque:
    case ValueKind::kError:
      return no_clause(value);
    default:
      return plain_text(value);
  }
}

/// %s
Result<std::string> string_clause(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kList:
    case ValueKind::kMap:
      return element_text(value, kNestingMax);
    case ValueKind::kOptional:
    case ValueKind::kOpaque:
      return wrong_format_argument('s', type_name(value));
    default:
      return plain_text(value);
  }
}

std::string digits_of(std::uint64_t value, int base) {
  std::array<char, 64> out{};
  const auto [end, error] = std::to_chars(out.data(), out.data() + out.size(), value, base);
  return {out.data(), end};
}

std::string signed_digits(std::int64_t value, int base) {
  const auto size =
      value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  return (value < 0 ? "-" : "") + digits_of(size, base);
}

/// %b, %o, %x and %X.
Result<std::string> based_clause(const Value& value, char verb) {
  const bool hex = verb == 'x' || verb == 'X';
  const int base = verb == 'b' ? 2 : verb == 'o' ? 8 : 16;
  std::string out;
  if (const auto* number = value.get<std::int64_t>()) {
    out = signed_digits(*number, base);
  } else if (const auto* positive = value.get<std::uint64_t>()) {
    out = digits_of(*positive, base);
  } else if (verb == 'b' && value.kind() == ValueKind::kBool) {
    out = value.is_true() ? "1" : "0";
  } else if (hex && (value.kind() == ValueKind::kString || value.kind() == ValueKind::kBytes)) {
    out = hex_text(plain_text(value));
  } else {
    return wrong_format_argument(verb, type_name(value));
  }
  if (verb == 'X') {
    for (char& c : out) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out;
}

/// 1,234.5: digits of an English text.
std::string grouped(std::string digits) {
  constexpr std::size_t kGroup = 3;
  const std::size_t begin = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(digits.find('.'), digits.size()); at > begin + kGroup;) {
    at -= kGroup;
    digits.insert(at, ",");
  }
  return digits;
}

/// 1.5×10⁰³ for 1.5e+03.
std::string with_powers(const std::string& scientific) {
  constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const std::size_t e = scientific.find('e');
  std::string out = scientific.substr(0, e) + "×10";
  if (scientific[e + 1] == '-') out += "⁻";
  for (const char digit : scientific.substr(e + 2)) {
    out += kDigits[static_cast<std::size_t>(digit - '0')];
  }
  return out;
}

/// %f and %e, as a printer of English texts (golang.org/x/text/message) writes them.
Result<std::string> real_clause(const Value& value, const Directive& directive) {
  const bool fixed = directive.verb == 'f';
  const auto* number = value.get<double>();
  double real = number != nullptr ? *number : 0;
  const std::string_view text = value.text();
  if (text == "NaN") {
    real = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "Infinity" || text == "-Infinity") {
    real = (text[0] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
  } else if (number == nullptr) {
    return wrong_format_argument(directive.verb, type_name(value));
  }
  std::string out;
  if (std::isnan(real)) {
    out = "NaN";
  } else if (std::isinf(real)) {
    out = real < 0 ? "-∞" : "∞";
  } else if (fixed) {
    out = grouped(real_text(real, std::chars_format::fixed, directive.precision));
  } else {
    out = with_powers(real_text(real, std::chars_format::scientific, kDefaultPrecision));
  }
  if (fixed) return out;
  // cel-go gives the precision of %e as the least width.
  const auto letters = static_cast<int>(std::count_if(out.begin(), out.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
  return std::string(static_cast<std::size_t>(std::max(directive.precision - letters, 0)), ' ') +
         out;
}

Result<std::string> clause(const Value& value, const Directive& directive) {
  switch (directive.verb) {
    case 's':
      return string_clause(value);
    case 'd':
      if (value.kind() == ValueKind::kInt || value.kind() == ValueKind::kUint)
        return plain_text(value);
      return wrong_format_argument('d', type_name(value));
    case 'f':
    case 'e':
      return real_clause(value, directive);
    default:
      return based_clause(value, directive.verb);
  }
}

/// Takes a directive off the front of `text`, behind its '%'.
Result<Directive> take_directive(std::string_view& text) {
  Directive out;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view number = text.substr(0, digits);
    text.remove_prefix(digits);
    const std::string failed = "error while parsing precision: ";
    if (text.empty()) {
      return Status(Code::kInvalid, failed + "could not find end of precision specifier");
    }
    const auto [last, error] =
        std::from_chars(number.data(), number.data() + number.size(), out.precision);
    if (error != std::errc() || out.precision > kPrecisionMax) {
      return Status(Code::kInvalid,
                    failed + "error while converting precision to integer: strconv.Atoi: parsing " +
                        go_quoted(number) +
                        (number.empty() ? ": invalid syntax" : ": value out of range"));
    }
  }
  out.verb = text[0];
  text.remove_prefix(1);
  if (std::string_view("sdfebxXo").find(out.verb) == std::string_view::npos) {
    return Status(Code::kInvalid,
                  std::string("unrecognized formatting clause \"") + out.verb + "\"");
  }
  return out;
}

}  // namespace

Status wrong_format_argument(char verb, std::string_view type) {
  constexpr std::pair<char, std::string_view> kClauses[] = {
      {'s',
       "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
       "types, "
       "durations, and timestamps"},
      {'d', "decimal clause can only be used on integers"},
      {'f', "fixed-point clause can only be used on doubles"},
      {'e', "scientific clause can only be used on doubles"},
      {'b', "only integers and bools can be formatted as binary"},
      {'o', "octal clause can only be used on integers"},
      {'x', "only integers, byte buffers, and strings can be formatted as hex"}};
  const char known = verb == 'X' ? 'x' : verb;
  const auto* const found = std::find_if(std::begin(kClauses), std::end(kClauses),
                                         [&](const auto& each) { return each.first == known; });
  return {Code::kInvalid, std::string("error during formatting: ")
                              .append(found->second)
                              .append(", was given ")
                              .append(type)};
}

Result<std::string> format_by(std::string_view format, std::size_t args,
                              const FormatClause& clause) {
  std::string out;
  std::size_t used = 0;
  while (!format.empty()) {
    const std::size_t plain = std::min(format.find('%'), format.size());
    out.append(format.substr(0, plain));
    format.remove_prefix(plain);
    if (format.empty()) break;
    format.remove_prefix(1);
    if (format.starts_with('%')) {
      out.push_back('%');
      format.remove_prefix(1);
      continue;
    }
    if (format.empty()) return Status(Code::kInvalid, "unexpected end of string");
    if (used >= args) {
      return Status(Code::kInvalid, "index " + std::to_string(used) + " out of range");
    }
    const Result<Directive> directive = take_directive(format);
    if (!directive) {
      return Status(Code::kInvalid,
                    "could not parse formatting clause: " + directive.error().message());
    }
    if (Status done = clause(*directive, used++, out); !done.ok()) return done;
  }
  return out;
}

Value format_text(std::string_view format, const ListValue& args) {
  Result<std::string> out = format_by(
      format, args.size(), [&](const Directive& directive, std::size_t index, std::string& text) {
        const Result<std::string> formatted = clause(args.at(index), directive);
        if (formatted) text.append(*formatted);
        return formatted ? Status() : formatted.error();
      });
  return out ? text_value(std::move(*out)) : error_value(out.error().message());
}

}  // namespace davit::cel
