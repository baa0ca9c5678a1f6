#include "lib/kube/yaml_text.hpp"

#include <algorithm>
#include <vector>

#include "lib/base/lower_case.hpp"

namespace davit::sandbox {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Words that YAML reads as booleans or null, in any case.
bool is_reserved(std::string_view text) {
  constexpr std::string_view kWords[] = {"y",   "n",    "yes",   "no",   "on",
                                         "off", "true", "false", "null", "~"};
  return std::ranges::find(kWords, lower_case(std::string(text))) != std::end(kWords);
}

/// A letter first, then nothing that means anything in YAML: no quotes needed.
bool is_plain(std::string_view text) {
  if (text.empty() || !is_letter(text.front()) || is_reserved(text)) return false;
  return std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("-_./").find(c) != std::string_view::npos;
  });
}

/// JSON's strings are YAML's double-quoted ones.
void append_string(std::string& out, const std::string& text) {
  is_plain(text) ? out += text : out += to_text(Json(text));
}

void append_node(std::string& out, const Json& json, std::size_t indent);

void append_members(std::string& out, const Json& json, std::size_t indent) {
  std::vector<const Json::Member*> members;
  for (const Json::Member& each : json.members()) members.push_back(&each);
  std::ranges::sort(members, {}, [](const Json::Member* each) { return each->key; });
  bool first = true;
  for (const Json::Member* each : members) {
    if (!first) out.append(indent, ' ');
    first = false;
    append_string(out, each->key);
    out += ':';
    if (each->value.is_object() && each->value.size() > 0) {
      out += '\n';
      out.append(indent + 2, ' ');
      append_node(out, each->value, indent + 2);
    } else if (each->value.is_array() && each->value.size() > 0) {
      out += '\n';
      out.append(indent, ' ');
      append_node(out, each->value, indent);
    } else {
      out += ' ';
      append_node(out, each->value, indent);
    }
  }
}

/// The caller has written the indent of the first line.
void append_node(std::string& out, const Json& json, std::size_t indent) {
  if (json.is_object() && json.size() > 0) return append_members(out, json, indent);
  if (json.is_array() && json.size() > 0) {
    bool first = true;
    for (const Json& each : json.items()) {
      if (!first) out.append(indent, ' ');
      first = false;
      out += "- ";
      append_node(out, each, indent + 2);
    }
    return;
  }
  if (json.is_string()) {
    append_string(out, json.text());
  } else {
    append_text(out, json);
  }
  out += '\n';
}

}  // namespace

std::string to_yaml_text(const Json& json) {
  std::string out;
  append_node(out, json, 0);
  return out;
}

}  // namespace davit::sandbox
