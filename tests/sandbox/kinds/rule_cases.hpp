/// The cases of rule tables: a changed object, and the one error that it must cause.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// "field: message" of each failure, one a line.
inline std::string to_lines(const FieldErrors& errors) {
  std::string out;
  for (const FieldError& each : errors) {
    if (!out.empty()) out += '\n';
    out += each.field + ": " + each.message;
  }
  return out;
}

/// `target` with the members of `patch` put in; null removes.
inline void merge(Json& target, const Json& patch) {
  for (const Json::Member& each : patch.members()) {
    if (each.value.is_null()) {
      target.erase(each.key);
    } else if (each.value.is_object()) {
      if (!target[each.key].is_object()) target[each.key] = Json::object();
      merge(target[each.key], each.value);
    } else {
      target[each.key] = each.value;
    }
  }
}

inline Json merged(std::string_view base, std::string_view patch) {
  Json out = json_literal(base);
  merge(out, json_literal(patch));
  return out;
}

/// A fine object with `patch` put in, and what is said about it. No lines: it stays fine.
struct RuleCase {
  std::string_view patch;
  std::string_view lines;
};

inline ResourcePtr find_builtin(std::string_view api_version, std::string_view kind) {
  for (const ResourcePtr& each : builtin_resources()) {
    if (each->api_version() == api_version && each->kind == kind) return each;
  }
  return nullptr;
}

}  // namespace davit::sandbox
