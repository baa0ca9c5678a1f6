// Paths and checks on a JSON value.
#include <regex>

#include "tests/support/api_checks/api_checks.hpp"

namespace davit::checks {

namespace {

/// The next step of a path: a member's name, or what stands between brackets.
struct Hop {
  bool bracket = false;
  std::string text;
};

std::vector<Hop> hops_of(const std::string& path) {
  std::vector<Hop> hops;
  Hop member;
  const auto flush = [&] {
    if (!member.text.empty()) hops.push_back(member);
    member.text.clear();
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && i + 1 < path.size()) {
      member.text.push_back(path[++i]);
    } else if (path[i] == '.') {
      flush();
    } else if (path[i] == '[') {
      flush();
      const std::size_t end = path.find(']', i);
      hops.push_back({true, path.substr(i + 1, end - i - 1)});
      i = end;
    } else {
      member.text.push_back(path[i]);
    }
  }
  flush();
  return hops;
}

std::string rest_of(const std::vector<Hop>& hops, std::size_t first) {
  std::string out;
  for (std::size_t i = first; i < hops.size(); ++i) {
    if (hops[i].bracket) {
      out += '[' + hops[i].text + ']';
      continue;
    }
    out += '.';
    for (const char c : hops[i].text) {
      if (c == '.' || c == '[' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

/// The first element whose `key` has this text.
const Json* element_with(const Json& list, const std::string& condition) {
  const std::size_t equals = condition.find('=');
  const std::string key = condition.substr(0, equals);
  const std::string value = condition.substr(equals + 1);
  for (const Json& each : list.items()) {
    const std::optional<Json> found = value_at(each, key);
    if (found && found->text() == value) return &each;
  }
  return nullptr;
}

std::string shown(const std::optional<Json>& value) {
  if (!value) return "nothing";
  std::string text = to_text(*value);
  constexpr std::size_t kShownMax = 400;
  if (text.size() > kShownMax) text = text.substr(0, kShownMax) + "…";
  return text;
}

std::string plain_text(const Json& value) {
  return value.is_string() ? value.text() : to_text(value);
}

/// "path", " op ", "value" of "path op value".
struct Parts {
  std::string path;
  std::string op;
  std::string value;
};

Parts parts_of(const std::string& check) {
  for (const char* op : {"present", "absent"}) {
    if (check.ends_with(std::string(" ") + op)) {
      return {check.substr(0, check.size() - std::string(op).size() - 1), op, {}};
    }
  }
  for (const char* op : {" = ", " != ", " contains ", " matches "}) {
    const std::size_t at = check.find(op);
    if (at != std::string::npos) {
      const std::string name(op);
      return {check.substr(0, at), name.substr(1, name.size() - 2), check.substr(at + name.size())};
    }
  }
  return {check, "?", {}};
}

bool holds(const Parts& parts, const std::optional<Json>& value) {
  if (parts.op == "absent") return !value || value->is_null();
  if (parts.op == "present") return value && !value->empty();
  if (parts.op == "!=") return !value || *value != json_literal(parts.value);
  if (parts.op == "=") {
    const Json wanted = json_literal(parts.value);
    return value ? *value == wanted : wanted.is_null();
  }
  if (!value) return false;
  if (parts.op == "contains") {
    const std::string needle = json_literal(parts.value).text();
    return plain_text(*value).find(needle) != std::string::npos;
  }
  if (parts.op == "matches") {
    const std::string pattern = parts.value.substr(1, parts.value.size() - 2);
    return std::regex_search(plain_text(*value), std::regex(pattern));
  }
  return false;
}

}  // namespace

std::optional<Json> value_at(const Json& json, const std::string& path) {
  const std::vector<Hop> hops = hops_of(path);
  const Json* at = &json;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const Hop& hop = hops[i];
    if (hop.bracket && hop.text.empty()) {
      Json all = Json::array();
      for (const Json& each : at->items()) {
        all.push_back(value_at(each, rest_of(hops, i + 1)).value_or(Json()));
      }
      return all;
    }
    if (!hop.bracket) {
      at = at->find(hop.text);
    } else if (hop.text.find('=') != std::string::npos) {
      at = element_with(*at, hop.text);
    } else {
      const std::size_t index = std::stoul(hop.text);
      at = index < at->items().size() ? &at->items()[index] : nullptr;
    }
    if (at == nullptr) return std::nullopt;
  }
  return *at;
}

std::string why_not(const Json& json, const std::string& check) {
  const Parts parts = parts_of(check);
  const std::optional<Json> value = value_at(json, parts.path);
  if (holds(parts, value)) return {};
  return check + ": is " + shown(value);
}

}  // namespace davit::checks
