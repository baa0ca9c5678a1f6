#include "plugins/shared/history/revision_data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <davit/fnv.hpp>
#include <davit/hex.hpp>
#include <system_error>
#include <vector>

namespace davit::history {
namespace {

constexpr std::size_t kOwnerBytesMax = 223;  // Leaves room for the hash in 253 bytes.

void append_unit(std::string& out, unsigned unit) { out += "\\u" + hex_number(unit, 4); }

/// As Go's encoder, which escapes what could end a script element in HTML.
void append_string(std::string& out, std::string_view text) {
  constexpr std::string_view kLineSeparators = "\xe2\x80";  // U+2028 and U+2029 begin so.
  out.push_back('"');
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    constexpr std::string_view kMeant = "\"\\\b\f\n\r\t";
    constexpr std::string_view kShort = "\"\\bfnrt";
    if (const std::size_t at = kMeant.find(c); at != std::string_view::npos) {
      out.push_back('\\');
      out.push_back(kShort[at]);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
      append_unit(out, static_cast<unsigned char>(c));
    } else if (text.substr(i, 2) == kLineSeparators && i + 2 < text.size() &&
               (text[i + 2] == '\xa8' || text[i + 2] == '\xa9')) {
      append_unit(out, text[i + 2] == '\xa8' ? 0x2028 : 0x2029);
      i += 2;
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

/// A float64 as Go's encoder writes it: the shortest digits that read back as `value`, without an
/// exponent between 1e-6 and 1e21.
void append_float(std::string& out, double value) {
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));  // -1.5e+20
  const std::size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);
  const double magnitude = std::fabs(value);
  if (magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21)) {
    out += text.substr(0, e + 2);
    out += std::to_string(std::abs(exponent));
    return;
  }
  std::string digits;
  for (const char c : text.substr(0, e)) {
    if (c >= '0' && c <= '9') digits.push_back(c);
  }
  if (value < 0) out.push_back('-');
  if (exponent < 0) digits.insert(0, static_cast<std::size_t>(-exponent), '0');
  const std::size_t whole = static_cast<std::size_t>(std::max(exponent, 0)) + 1;
  if (digits.size() < whole) digits.resize(whole, '0');
  out += digits.substr(0, whole);
  if (digits.size() > whole) out.append(".").append(digits, whole);
}

void append_number(std::string& out, std::string_view text, Numbers numbers) {
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (numbers == Numbers::kFloat64 && error == std::errc() && end == last) {
    append_float(out, value);
  } else {
    out += text;
  }
}

enum class Nulls : std::uint8_t { kDropped, kKept };

struct Encoding {
  Numbers numbers;
  Nulls nulls;
};

void append_value(std::string& out, Value value, const Encoding& encoding);

void append_members(std::string& out, std::vector<Member> members, const Encoding& encoding) {
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.key < b.key; });
  for (const Member& member : members) {
    if (encoding.nulls == Nulls::kDropped && member.value.kind() == Kind::kNull) continue;
    if (out.back() != '{') out.push_back(',');
    append_string(out, member.key);
    out.push_back(':');
    append_value(out, member.value, encoding);
  }
}

std::vector<Member> members_of(Value object) {
  std::vector<Member> members;
  for (const Member& member : object.members()) members.push_back(member);
  return members;
}

void append_value(std::string& out, Value value, const Encoding& encoding) {
  switch (value.kind()) {
    case Kind::kObject:
      out.push_back('{');
      append_members(out, members_of(value), encoding);
      out.push_back('}');
      return;
    case Kind::kArray:
      out.push_back('[');
      for (const Value element : value.elements()) {
        if (out.back() != '[') out.push_back(',');
        append_value(out, element, encoding);
      }
      out.push_back(']');
      return;
    case Kind::kString:
      return append_string(out, value.string());
    case Kind::kNumber:
      return append_number(out, value.number(), encoding.numbers);
    case Kind::kBoolean:
      out += value.is_true() ? "true" : "false";
      return;
    default:
      out += "null";
  }
}

}  // namespace

std::string revision_data(Value pod_template, Numbers numbers) {
  // "$patch" sorts before every name of a field.
  std::string out = R"({"spec":{"template":{"$patch":"replace")";
  append_members(out, members_of(pod_template), {numbers, Nulls::kDropped});
  out += "}}}";
  return out;
}

std::string canonical_json(Value value, Numbers numbers) {
  std::string out;
  append_value(out, value, {numbers, Nulls::kKept});
  return out;
}

bool has_data(const ControllerRevision& revision, std::string_view data, Numbers numbers) {
  return canonical_json(revision.data(), numbers) == data;
}

std::string revision_hash(std::string_view data, std::optional<std::int64_t> collision_count) {
  FnvHash<std::uint32_t, FnvOrder::kProductFirst> hash;
  hash.add(data);
  if (collision_count) hash.add(std::to_string(*collision_count));
  constexpr std::string_view kAlphabet = "456789bcdf";
  std::string text = std::to_string(hash.sum());
  for (char& digit : text) digit = kAlphabet[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string revision_name(std::string_view owner, std::string_view hash) {
  return std::string(owner.substr(0, kOwnerBytesMax)).append("-").append(hash);
}

}  // namespace davit::history
