#include <charconv>
#include <cstdint>

#include "lib/base/json_text.hpp"
#include "lib/kube/yaml.hpp"

namespace davit {
namespace {

Status append(const YamlNode& node, std::string& out);

Status append_integer(const YamlNode& node, std::string& out) {
  std::string_view digits = node.text;
  const bool negative = digits.starts_with('-');
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.starts_with("0x") || digits.starts_with("0o")) {
    std::uint64_t value = 0;
    const int base = digits[1] == 'x' ? 16 : 8;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data() + 2, end, value, base);
    if (error != std::errc() || stop != end) {
      return Status(Code::kInvalid, "the number " + node.text + " is beyond 64 bits");
    }
    out += std::to_string(value);
    return Status();
  }
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  if (negative && digits != "0") out += '-';
  out += digits;
  return Status();
}

/// YAML allows "+1.", ".5" and "01.5"; JSON needs a digit on both sides and no leading zero.
Status append_float(const YamlNode& node, std::string& out) {
  std::string_view text = node.text;
  if (text.find_first_of("0123456789") == std::string_view::npos) {
    return Status(Code::kInvalid, node.text + " has no JSON form");
  }
  if (text.starts_with('-')) out += '-';
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t exponent = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent);
  const std::size_t dot = mantissa.find('.');
  std::string_view whole = mantissa.substr(0, dot);
  const std::string_view fraction =
      dot == std::string_view::npos ? std::string_view() : mantissa.substr(dot + 1);
  while (whole.size() > 1 && whole[0] == '0') whole.remove_prefix(1);
  out += whole.empty() ? "0" : whole;
  if (!fraction.empty()) {
    out += '.';
    out += fraction;
  }
  if (exponent != std::string_view::npos) out += text.substr(exponent);
  return Status();
}

Status append_mapping(const YamlNode& node, std::string& out) {
  out += '{';
  for (const YamlMember& member : node.members) {
    if (out.back() != '{') out += ',';
    out += json_string(member.key);
    out += ':';
    if (Status s = append(member.value, out); !s.ok()) return s.with_context(member.key);
  }
  out += '}';
  return Status();
}

Status append(const YamlNode& node, std::string& out) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      out += "null";
      return Status();
    case YamlNode::Kind::kBoolean:
      out += node.text[0] == 't' || node.text[0] == 'T' ? "true" : "false";
      return Status();
    case YamlNode::Kind::kInteger:
      return append_integer(node, out);
    case YamlNode::Kind::kFloat:
      return append_float(node, out);
    case YamlNode::Kind::kString:
      out += json_string(node.text);
      return Status();
    case YamlNode::Kind::kSequence:
      out += '[';
      for (const YamlNode& item : node.items) {
        if (&item != &node.items.front()) out += ',';
        if (Status s = append(item, out); !s.ok()) return s;
      }
      out += ']';
      return Status();
    case YamlNode::Kind::kMapping:
      return append_mapping(node, out);
  }
  return Status();
}

}  // namespace

Result<std::string> to_json(const YamlNode& node) {
  std::string out;
  if (Status s = append(node, out); !s.ok()) return s;
  return out;
}

}  // namespace davit
