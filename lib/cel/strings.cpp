// The library of strings, version 2 of cel-go's, and that of regular expressions.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"
#include "lib/cel/string_format.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;
using Letters = std::vector<std::string_view>;

Value out_of_range(std::int64_t index) {
  return error_value("index out of range: " + std::to_string(index));
}

std::int64_t int_at(Args args, std::size_t index, std::int64_t fallback) {
  return index < args.size() ? *args[index].get<std::int64_t>() : fallback;
}

std::int64_t length(const Letters& letters) { return static_cast<std::int64_t>(letters.size()); }

std::string joined(const Letters& letters, std::int64_t begin, std::int64_t end) {
  std::string out;
  for (std::int64_t i = begin; i < end; ++i) out.append(letters[static_cast<std::size_t>(i)]);
  return out;
}

Value char_at_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "si")) return no_overload("charAt", args);
  const Letters letters = letters_of(args[0].text());
  const std::int64_t index = int_at(args, 1, 0);
  if (index < 0 || index > length(letters)) return out_of_range(index);
  return text_value(joined(letters, index, std::min(index + 1, length(letters))));
}

bool is_at(const Letters& text, const Letters& part, std::int64_t at) {
  return std::equal(part.begin(), part.end(), text.begin() + at);
}

Value index_of_function(FunctionContext& /*context*/, Args args) {
  if (!args.empty() && args[0].kind() == ValueKind::kList) return list_index_of(args);
  if (!takes(args, "ss?i")) return no_overload("indexOf", args);
  const std::int64_t offset = int_at(args, 2, 0);
  if (offset < 0) return out_of_range(offset);
  const Letters text = letters_of(args[0].text());
  const Letters part = letters_of(args[1].text());
  if (part.empty()) return std::min(offset, length(text));
  for (std::int64_t i = offset; i <= length(text) - length(part); ++i) {
    if (is_at(text, part, i)) return i;
  }
  return std::int64_t{-1};
}

Value last_index_of_function(FunctionContext& /*context*/, Args args) {
  if (!args.empty() && args[0].kind() == ValueKind::kList) return list_last_index_of(args);
  if (!takes(args, "ss?i")) return no_overload("lastIndexOf", args);
  const Letters text = letters_of(args[0].text());
  const Letters part = letters_of(args[1].text());
  const std::int64_t offset = int_at(args, 2, length(text));
  if (offset < 0) return out_of_range(offset);
  if (part.empty()) return std::min(offset, length(text));
  if (args.size() == 3 && offset >= length(text)) return std::int64_t{-1};
  for (std::int64_t i = std::min(offset, length(text) - length(part)); i >= 0; --i) {
    if (is_at(text, part, i)) return i;
  }
  return std::int64_t{-1};
}

Value join_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "l?s")) return no_overload("join", args);
  const ListValue& list = **args[0].get<ListRef>();
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (element.kind() != ValueKind::kString) return error_value("join: invalid input");
    if (i > 0 && args.size() == 2) out.append(args[1].text());
    out.append(element.text());
  }
  return text_value(std::move(out));
}

/// Each letter from `first` to `first` + 25 moved by `shift`.
Value recased(Args args, std::string_view name, char first, int shift) {
  if (!takes(args, "s")) return no_overload(name, args);
  std::string out(args[0].text());
  for (char& c : out) {
    if (c >= first && c <= first + 25) c = static_cast<char>(c + shift);
  }
  return text_value(std::move(out));
}

Value lower_function(FunctionContext& /*context*/, Args args) {
  return recased(args, "lowerAscii", 'A', 'a' - 'A');
}
Value upper_function(FunctionContext& /*context*/, Args args) {
  return recased(args, "upperAscii", 'a', 'A' - 'a');
}

/// Texts that operations make; a cost of 10 million cannot make more than this from one call.
constexpr std::size_t kTextMax = 64 << 20;

Value replace_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "sss?i")) return no_overload("replace", args);
  const std::string_view text = args[0].text();
  const std::string_view from = args[1].text();
  const std::string_view to = args[2].text();
  std::int64_t left = int_at(args, 3, -1);
  std::string out;
  std::size_t at = 0;
  for (; left != 0 && out.size() <= kTextMax; --left) {
    const std::size_t found = from.empty() ? at : text.find(from, at);
    if (found == std::string_view::npos) break;
    out.append(text.substr(at, found - at)).append(to);
    at = found + from.size();
    if (!from.empty()) continue;
    if (at == text.size()) break;  // Before each letter, and at the end.
    const std::size_t size = letters_of(text.substr(at, 4))[0].size();
    out.append(text.substr(at, size));
    at += size;
  }
  if (out.size() > kTextMax) return error_value("replace: result is too large");
  return text_value(out.append(text.substr(std::min(at, text.size()))));
}

Value split_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "ss?i")) return no_overload("split", args);
  std::string_view text = args[0].text();
  const std::string_view separator = args[1].text();
  const std::int64_t limit = int_at(args, 2, -1);
  std::vector<Value> out;
  if (limit == 0) return list_value(std::move(out));
  const auto is_full = [&] {
    return limit > 0 && static_cast<std::int64_t>(out.size()) + 1 >= limit;
  };
  if (separator.empty()) {
    while (!text.empty() && !is_full()) {
      const std::string_view letter = letters_of(text.substr(0, 4))[0];
      out.push_back(text_value(std::string(letter)));
      text.remove_prefix(letter.size());
    }
    if (!text.empty()) out.push_back(text_value(std::string(text)));
    return list_value(std::move(out));
  }
  while (!is_full()) {
    const std::size_t found = text.find(separator);
    if (found == std::string_view::npos) break;
    out.push_back(text_value(std::string(text.substr(0, found))));
    text.remove_prefix(found + separator.size());
  }
  out.push_back(text_value(std::string(text)));
  return list_value(std::move(out));
}

Value substring_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "si?i")) return no_overload("substring", args);
  const Letters letters = letters_of(args[0].text());
  const std::int64_t begin = int_at(args, 1, 0);
  const std::int64_t end = int_at(args, 2, std::numeric_limits<std::int64_t>::max());
  if (begin > end) {
    return error_value("invalid substring range. start: " + std::to_string(begin) +
                       ", end: " + std::to_string(end));
  }
  if (begin < 0 || begin > length(letters)) return out_of_range(begin);
  if (args.size() == 3 && end > length(letters)) return out_of_range(end);
  return text_value(joined(letters, begin, std::min(end, length(letters))));
}

/// White space of Unicode.
bool is_space(std::string_view letter) {
  constexpr std::array<std::string_view, 25> kSpaces = {
      " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085", "\u00a0", "\u1680",
      "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
      "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  return std::find(kSpaces.begin(), kSpaces.end(), letter) != kSpaces.end();
}

Value trim_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("trim", args);
  const Letters letters = letters_of(args[0].text());
  std::int64_t begin = 0;
  std::int64_t end = length(letters);
  while (begin < end && is_space(letters[static_cast<std::size_t>(begin)])) ++begin;
  while (end > begin && is_space(letters[static_cast<std::size_t>(end - 1)])) --end;
  return text_value(joined(letters, begin, end));
}

Value format_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "sl")) return no_overload("format", args);
  return format_text(args[0].text(), **args[1].get<ListRef>());
}

Value quote_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("strings.quote", args);
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kNames = "abfnrtv\\\"";
  std::string out = "\"";
  for (const char c : args[0].text()) {
    const std::size_t at = kEscaped.find(c);
    if (at == std::string_view::npos) {
      out.push_back(c);
    } else {
      out.append({'\\', kNames[at]});
    }
  }
  return text_value(out + "\"");
}

Value find_function_of(FunctionContext& context, Args args, bool all) {
  if (!takes(args, all ? "ss?i" : "ss")) return no_overload(all ? "findAll" : "find", args);
  const Result<Pattern>& pattern = context.pattern(args[1].text());
  if (!pattern) return error_value("Illegal regex: " + pattern.error().message());
  const std::int64_t limit = all ? int_at(args, 2, -1) : 1;
  std::vector<Value> out;
  const std::string_view text = args[0].text();
  std::size_t at = 0;
  while (at <= text.size() && static_cast<std::int64_t>(out.size()) != limit) {
    const std::optional<std::pair<std::size_t, std::size_t>> match = pattern->find(text, at);
    if (!match) break;
    const auto [begin, end] = *match;
    out.push_back(text_value(std::string(text.substr(begin, end - begin))));
    at = end;
    if (begin == end) at += end < text.size() ? letters_of(text.substr(end, 4))[0].size() : 1;
  }
  if (all) return list_value(std::move(out));
  return out.empty() ? text_value("") : out[0];
}

Value regex_find_function(FunctionContext& context, Args args) {
  return find_function_of(context, args, false);
}
Value regex_find_all_function(FunctionContext& context, Args args) {
  return find_function_of(context, args, true);
}

}  // namespace

FunctionTable string_functions() {
  static constexpr std::array<NamedFunction, 1> kTable = {{{"strings.quote", quote_function}}};
  return kTable;
}

FunctionTable string_members() {
  static constexpr std::array<NamedFunction, 11> kTable = {{{"charAt", char_at_function},
                                                            {"indexOf", index_of_function},
                                                            {"lastIndexOf", last_index_of_function},
                                                            {"join", join_function},
                                                            {"lowerAscii", lower_function},
                                                            {"upperAscii", upper_function},
                                                            {"replace", replace_function},
                                                            {"split", split_function},
                                                            {"substring", substring_function},
                                                            {"trim", trim_function},
                                                            {"format", format_function}}};
  return kTable;
}

FunctionTable regex_members() {
  static constexpr std::array<NamedFunction, 2> kTable = {
      {{"find", regex_find_function}, {"findAll", regex_find_all_function}}};
  return kTable;
}

}  // namespace davit::cel
