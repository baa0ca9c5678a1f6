/// The API server's patch types on a Json tree.
#pragma once

#include <charconv>
#include <davit/client.hpp>
#include <davit/testing/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::testing {

/// RFC 7386.
inline void merge_patch(Json& target, const Json& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = Json::object();
  for (std::size_t i = 0; i < patch.keys().size(); ++i) {
    const std::string& key = patch.keys()[i];
    if (patch.items()[i].is_null())
      target.erase(key);
    else
      merge_patch(target[key], patch.items()[i]);
  }
}

namespace detail {

/// The member that identifies the elements of a list; "" for lists that a patch replaces.
[[nodiscard]] inline std::string_view merge_key(std::string_view list) {
  struct Entry {
    std::string_view list;
    std::string_view key;
  };
  constexpr Entry kEntries[] = {
      {"ownerReferences", "uid"}, {"conditions", "type"}, {"containers", "name"},
      {"initContainers", "name"}, {"volumes", "name"},    {"env", "name"},
      {"ports", "containerPort"}, {"addresses", "type"},  {"volumeMounts", "mountPath"},
  };
  for (const Entry& each : kEntries) {
    if (each.list == list) return each.key;
  }
  return {};
}

inline void strategic_list(Json& target, const Json& patch, std::string_view key);

inline void strategic_object(Json& target, const Json& patch) {
  if (!target.is_object()) target = Json::object();
  const std::string directive = patch.text_at({"$patch"});
  if (directive == "replace") target = Json::object();
  constexpr std::string_view kRemoval = "$deleteFromPrimitiveList/";
  for (std::size_t i = 0; i < patch.keys().size(); ++i) {
    const std::string& key = patch.keys()[i];
    const Json& value = patch.items()[i];
    if (key.starts_with(kRemoval)) {
      Json* list = target.find(key.substr(kRemoval.size()));
      if (list == nullptr) continue;
      for (const Json& gone : value.items()) {
        auto& items = list->items();
        items.erase(std::remove(items.begin(), items.end(), gone), items.end());
      }
    } else if (key.starts_with('$')) {
      continue;
    } else if (value.is_null()) {
      target.erase(key);
    } else if (value.is_object()) {
      strategic_object(target[key], value);
    } else if (value.is_array() && (!merge_key(key).empty() || key == "finalizers")) {
      strategic_list(target[key], value, merge_key(key));
    } else {
      target[key] = value;
    }
  }
}

/// Merges lists element by element; primitive lists (empty `key`) become their union.
inline void strategic_list(Json& target, const Json& patch, std::string_view key) {
  if (!target.is_array()) target = Json::array();
  auto& items = target.items();
  for (const Json& element : patch.items()) {
    const auto same = [&](const Json& each) {
      return key.empty() ? each == element : each.text_at({key}) == element.text_at({key});
    };
    const auto found = std::find_if(items.begin(), items.end(), same);
    if (element.text_at({"$patch"}) == "delete") {
      if (found != items.end()) items.erase(found);
    } else if (found == items.end()) {
      items.push_back(element);
    } else if (element.is_object()) {
      strategic_object(*found, element);
    }
  }
}

/// Takes the next token off a JSON pointer that begins with '/'.
[[nodiscard]] inline std::string take_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  std::string token(pointer.substr(0, pointer.find('/')));
  pointer.remove_prefix(token.size());
  for (std::size_t at = 0; (at = token.find('~', at)) != std::string::npos; ++at) {
    token.replace(at, 2, token.compare(at, 2, "~1") == 0 ? "/" : "~");
  }
  return token;
}

/// Carries out one add, replace, remove or test; false when it does not apply.
[[nodiscard]] inline bool json_operation(Json& target, std::string_view op, std::string_view path,
                                         const Json* value) {
  if (path.empty() || path.front() != '/') return false;
  const std::string token = take_token(path);
  if (target.is_object()) {
    Json* member = target.find(token);
    if (!path.empty()) return member != nullptr && json_operation(*member, op, path, value);
    if (op == "remove") return target.erase(token);
    if (op == "test") return member != nullptr && value != nullptr && *member == *value;
    if (value == nullptr || (op == "replace" && member == nullptr)) return false;
    target[token] = *value;
    return op == "add" || op == "replace";
  }
  if (!target.is_array()) return false;
  auto& items = target.items();
  std::size_t index = items.size();
  if (token != "-") {
    const auto parsed = std::from_chars(token.data(), token.data() + token.size(), index);
    if (parsed.ec != std::errc()) return false;
  }
  if (!path.empty()) return index < items.size() && json_operation(items[index], op, path, value);
  if (op == "add" && value != nullptr && index <= items.size()) {
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(index), *value);
    return true;
  }
  if (index >= items.size()) return false;
  if (op == "test") return value != nullptr && items[index] == *value;
  if (op == "remove") items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
  if (op == "replace" && value != nullptr) items[index] = *value;
  return op == "remove" || op == "replace";
}

}  // namespace detail

/// With the merge keys of the lists that controllers patch: ownerReferences, conditions,
/// containers.
inline void strategic_merge_patch(Json& target, const Json& patch) {
  detail::strategic_object(target, patch);
}

/// RFC 6902 without move and copy.
[[nodiscard]] inline Status json_patch(Json& target, const Json& patch) {
  for (const Json& operation : patch.items()) {
    const std::string op = operation.text_at({"op"});
    const std::string path = operation.text_at({"path"});
    if (detail::json_operation(target, op, path, operation.find("value"))) continue;
    return Status(
        Code::kInvalid,
        "the server rejected our request due to an error in our request: " + op + " " + path);
  }
  return {};
}

[[nodiscard]] inline Status apply_patch(Json& target, PatchType type, const Json& patch) {
  switch (type) {
    case PatchType::kJson:
      return json_patch(target, patch);
    case PatchType::kMerge:
      merge_patch(target, patch);
      return {};
    // Close enough for tests: an apply that owns what it sets.
    case PatchType::kApply:
    case PatchType::kStrategic:
      strategic_merge_patch(target, patch);
      return {};
  }
  return Status(Code::kInvalid, "unknown patch type");
}

}  // namespace davit::testing
