// RFC 6902 as github.com/evanphx/json-patch reads it: `replace` of a missing member adds it, and
// negative indexes count from the end.
#include <charconv>
#include <utility>
#include <vector>

#include "lib/kube/patch/patch.hpp"

namespace davit {

namespace {

constexpr std::size_t kOperationsMax = 10'000;  // The server's own limit.
// The server's limit for all that `copy` makes, as JSON text: otherwise a short patch could double
// an object a thousand times.
constexpr std::size_t kCopiedBytesMax = 3 * 1024 * 1024;

constexpr const char* kMissing = "\": missing value";
constexpr const char* kTestFailed = " failed: test failed";

enum class Edge { kExisting, kOnePast };

/// RFC 6901, with the escapes undone.
std::optional<std::vector<std::string>> parts_of(std::string_view pointer) {
  std::vector<std::string> parts;
  std::size_t slash = pointer.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  while (slash != std::string_view::npos) {
    pointer.remove_prefix(slash + 1);
    slash = pointer.find('/');
    const std::string_view raw = pointer.substr(0, slash);
    std::string part;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const bool escape = raw[i] == '~' && i + 1 < raw.size();
      if (escape && (raw[i + 1] == '0' || raw[i + 1] == '1')) {
        part += raw[++i] == '0' ? '~' : '/';
      } else {
        part += raw[i];
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// The target that `text` names in a list of `size`, counted from the end when negative.
std::optional<std::size_t> index_of(std::string_view text, std::size_t size, Edge edge) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const auto count = static_cast<std::int64_t>(size) + (edge == Edge::kOnePast ? 1 : 0);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<std::size_t>(index);
}

std::size_t depth_of(const Json& json) {
  std::size_t deepest = 0;
  for (const Json& each : json.items()) deepest = std::max(deepest, depth_of(each));
  for (const Json::Member& each : json.members()) {
    deepest = std::max(deepest, depth_of(each.value));
  }
  return json.is_array() || json.is_object() ? deepest + 1 : 0;
}

/// Why an operation failed, in the words of that package for the common cases. A client is not
/// shown them, but a webhook's patch is.
using Failure = std::optional<std::string>;

class JsonPatch {
 public:
  explicit JsonPatch(Json& document) : document_(document) {}

  Failure apply(const Json& operation) {
    const std::string& op = operation.text_at({"op"});
    if (op == "add") return add(operation.text_at({"path"}), operation.get("value"));
    if (op == "remove") return remove(operation.text_at({"path"}));
    if (op == "replace") return replace(operation.text_at({"path"}), operation.get("value"));
    if (op == "move") return move(operation.text_at({"from"}), operation.text_at({"path"}));
    if (op == "copy") return copy(operation.text_at({"from"}), operation.text_at({"path"}));
    if (op == "test") return test(operation.text_at({"path"}), operation.get("value"));
    return "Unexpected kind: " + op;
  }

 private:
  /// The container that holds what a pointer names, and the name inside it.
  struct Target {
    Json* parent = nullptr;
    std::string key;
    std::size_t depth = 0;
  };

  [[nodiscard]] Target find(std::string_view pointer) const {
    std::optional<std::vector<std::string>> parts = parts_of(pointer);
    if (!parts) return {};
    Json* json = &document_;
    for (std::size_t i = 0; i + 1 < parts->size(); ++i) {
      json = child(*json, (*parts)[i]);
      if (json == nullptr) return {};
    }
    if (!json->is_object() && !json->is_array()) return {};
    return {json, std::move(parts->back()), parts->size()};
  }

  static Json* child(Json& parent, std::string_view key) {
    if (!parent.is_array()) return parent.find(key);
    const auto index = index_of(key, parent.size(), Edge::kExisting);
    return index ? &parent.make_array()[*index] : nullptr;
  }

  static std::string in_path(std::string_view op, std::string_view path, const std::string& why) {
    return "error in " + std::string(op) + " for path: '" + std::string(path) + "': " + why;
  }
  static std::string no_index(const std::string& key) {
    return "Unable to access invalid index: " + key + ": invalid index referenced";
  }

  Failure add(std::string_view path, Json value) {
    const Target target = find(path);
    if (target.parent == nullptr) {
      return "add operation does not apply: doc is missing path: \"" + std::string(path) + kMissing;
    }
    if (target.depth + depth_of(value) > kJsonDepthMax) return "add: too deep";
    if (!target.parent->is_array()) {
      target.parent->set(target.key, std::move(value));
      return std::nullopt;
    }
    Json::Items& items = target.parent->make_array();
    const auto index =
        target.key == "-" ? items.size() : index_of(target.key, items.size(), Edge::kOnePast);
    if (!index) return in_path("add", path, no_index(target.key));
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return std::nullopt;
  }

  Failure remove(std::string_view path) {
    const Target target = find(path);
    if (target.parent == nullptr) {
      return "remove operation does not apply: doc is missing path: \"" + std::string(path) +
             kMissing;
    }
    if (!target.parent->is_array()) {
      if (target.parent->erase(target.key)) return std::nullopt;
      return in_path("remove", path,
                     "Unable to remove nonexistent key: " + target.key + ": missing value");
    }
    Json::Items& items = target.parent->make_array();
    const auto index = index_of(target.key, items.size(), Edge::kExisting);
    if (!index) return in_path("remove", path, no_index(target.key));
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(*index));
    return std::nullopt;
  }

  Failure replace(std::string_view path, const Json& value) {
    if (path.empty()) {
      if (!value.is_object() && !value.is_array()) return "replace: no object or array";
      document_ = value;
      return std::nullopt;
    }
    const Target target = find(path);
    if (target.parent == nullptr) {
      return "replace operation does not apply: doc is missing path: " + std::string(path) +
             ": missing value";
    }
    if (target.depth + depth_of(value) > kJsonDepthMax) return "replace: too deep";
    if (!target.parent->is_array()) {
      target.parent->set(target.key, value);
      return std::nullopt;
    }
    Json* present = child(*target.parent, target.key);
    if (present == nullptr) {
      return "replace operation does not apply: doc is missing key: " + std::string(path) +
             ": missing value";
    }
    *present = value;
    return std::nullopt;
  }

  Failure move(std::string_view from, std::string_view path) {
    const Target target = find(from);
    Json* source = target.parent == nullptr ? nullptr : child(*target.parent, target.key);
    if (source == nullptr) return "move: missing path " + std::string(from);
    Json value = std::move(*source);
    if (Failure failed = remove(from)) return failed;
    return add(path, std::move(value));
  }

  Failure copy(std::string_view from, std::string_view path) {
    const Target target = find(from);
    if (target.parent == nullptr) return "copy: missing path " + std::string(from);
    const Json* source = child(*target.parent, target.key);
    if (source == nullptr && target.parent->is_array()) return "copy: no index " + target.key;
    Json value = source == nullptr ? Json() : *source;  // A missing member is copied as null.
    copied_bytes_ += to_text(value).size();
    if (copied_bytes_ > kCopiedBytesMax) return "copy: too much";
    return add(path, std::move(value));
  }

  Failure test(std::string_view path, const Json& value) const {
    const Json* actual = &document_;
    if (!path.empty()) {
      const Target target = find(path);
      if (target.parent == nullptr) {
        return "test operation does not apply: is missing path: " + std::string(path) +
               ": missing value";
      }
      actual = child(*target.parent, target.key);
      if (actual == nullptr && target.parent->is_array()) return "test: no index " + target.key;
    }
    const bool equal = actual == nullptr ? value.is_null() : *actual == value;
    return equal ? Failure() : "testing value " + std::string(path) + kTestFailed;
  }

  Json& document_;
  std::size_t copied_bytes_ = 0;
};

}  // namespace

PatchOutcome apply_json_patch(Json& object, const Json& patch) {
  if (!patch.is_array()) {
    return PatchError{reason::kBadRequest, "error decoding patch: a JSON patch must be an array"};
  }
  if (patch.size() > kOperationsMax) {
    return PatchError{reason::kRequestEntityTooLarge,
                      "Request entity too large: The allowed maximum operations in a JSON patch "
                      "is " +
                          std::to_string(kOperationsMax) + ", got " + std::to_string(patch.size())};
  }
  for (const Json& each : patch.items()) {
    if (each.is_object() || each.is_null()) continue;
    return PatchError{reason::kBadRequest, "error decoding patch: an operation must be an object"};
  }
  JsonPatch patcher(object);
  for (const Json& each : patch.items()) {
    if (Failure failed = patcher.apply(each)) {
      const bool test_failed = each.text_at({"op"}) == "test" && failed->ends_with(kTestFailed);
      return PatchError{reason::kInvalid,
                        "the server rejected our request due to an error in our request",
                        std::move(*failed), test_failed};
    }
  }
  return std::nullopt;
}

}  // namespace davit
