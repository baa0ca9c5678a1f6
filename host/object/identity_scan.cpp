#include "host/object/identity_scan.hpp"

#include <utility>

#include "host/object/json_scan.hpp"
#include "host/object/parse.hpp"

namespace davit::host {
namespace {

/// Longer than each key that matters; a longer one is cut and matches none.
constexpr std::size_t kKeyBytesMax = 32;
/// Names have at most 253 characters; an object has few owners.
constexpr std::size_t kTextBytesMax = std::size_t{16} << 10;

/// Parses one value of untrusted text; nothing if it is malformed.
template <typename Use>
void use_value(const std::string& json, Use&& use) {
  if (json.empty()) return;
  ObjectSpace names;  // Only for this text, which is small and read once.
  const Result<ObjectRef> parsed = parse_object(names, R"({"v":)" + json + "}");
  if (parsed) use(parsed->root()["v"]);
}

std::string string_of(const std::string& json) {
  std::string text;
  use_value(json, [&text](Value value) { text = value.string(); });
  return text;
}

}  // namespace

void IdentityScan::feed(std::string_view piece) {
  const char* at = piece.data();
  const char* end = at + piece.size();
  while (at < end) {
    if (in_string_ && !escaped_ && !is_key_ && !taking_) {
      // Text that is not needed is skipped quickly.
      at = skip_plain(at, end);
      if (at == end) return;
    }
    if (taking_ && !too_long_) {
      std::string& text = texts_[*taking_];
      text += *at;
      too_long_ = text.size() > kTextBytesMax;
    }
    if (in_string_) {
      in_text(*at);
    } else {
      between(*at);
    }
    ++at;
  }
}

void IdentityScan::in_text(char c) {
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    return end_string();
  }
  if (!is_key_) return;
  std::string& key = keys_[depth_ - 1];
  if (key.size() < kKeyBytesMax) key += c;
}

void IdentityScan::end_string() {
  in_string_ = false;
  if (!std::exchange(is_key_, false)) end_value();
}

void IdentityScan::between(char c) {
  switch (c) {
    case '"':
      in_string_ = true;
      is_key_ = in_object() && expects_key_;
      if (is_key_) {
        keys_[depth_ - 1].clear();
      } else {
        begin_value(c);
      }
      return;
    case '{':
    case '[':
      begin_value(c);
      return enter(c);
    case '}':
    case ']':
      return leave();
    case ',':
      expects_key_ = true;
      return;
    case ':':
      expects_key_ = false;
      return;
    default:
      return;
  }
}

void IdentityScan::begin_value(char c) {
  if (taking_) return;
  const std::optional<Field> found = field();
  if (!found || c != (*found == kOwnerReferences ? '[' : '"')) return;
  taking_ = found;
  taking_depth_ = depth_;
  too_long_ = false;
  texts_[*found] = c;  // The last of duplicate keys wins.
}

void IdentityScan::end_value() {
  if (!taking_ || depth_ != taking_depth_) return;
  if (too_long_) texts_[*taking_].clear();
  taking_.reset();
}

void IdentityScan::enter(char c) {
  if (depth_ < kLevels) is_object_[depth_] = c == '{';
  ++depth_;
  expects_key_ = c == '{';
}

void IdentityScan::leave() {
  if (depth_ == 0) return;
  --depth_;
  end_value();
}

std::optional<IdentityScan::Field> IdentityScan::field() const {
  if (!in_object()) return std::nullopt;
  std::size_t level = 0;
  if (root_ == Root::kWatchEvent) {
    if (depth_ == 1) return keys_[0] == "type" ? std::optional(kType) : std::nullopt;
    if (!is_object_[0] || keys_[0] != "object") return std::nullopt;
    level = 1;
  }
  const std::string& key = keys_[depth_ - 1];
  if (depth_ == level + 1) {
    if (key == "apiVersion") return kApiVersion;
    if (key == "kind") return kKind;
    return std::nullopt;
  }
  if (depth_ != level + 2 || !is_object_[level] || keys_[level] != "metadata") return std::nullopt;
  constexpr std::pair<std::string_view, Field> kMembers[] = {
      {"namespace", kNamespace},
      {"name", kName},
      {"uid", kUid},
      {"resourceVersion", kResourceVersion},
      {"ownerReferences", kOwnerReferences},
  };
  for (const auto& [name, member] : kMembers) {
    if (key == name) return member;
  }
  return std::nullopt;
}

ObjectIdentity IdentityScan::identity() const {
  ObjectIdentity read{.api_version = string_of(texts_[kApiVersion]),
                      .kind = string_of(texts_[kKind]),
                      .ns = string_of(texts_[kNamespace]),
                      .name = string_of(texts_[kName]),
                      .uid = string_of(texts_[kUid]),
                      .resource_version = string_of(texts_[kResourceVersion])};
  use_value(texts_[kOwnerReferences], [&read](Value owners) {
    owners.each([&read](Value owner) {
      if (!read.controller_uid.empty() || !owner["controller"].boolean()) return;
      if (*owner["controller"].boolean()) read.controller_uid = owner["uid"].string();
    });
  });
  return read;
}

ObjectIdentity read_identity(std::string_view json) {
  IdentityScan scan(IdentityScan::Root::kObject);
  scan.feed(json);
  return scan.identity();
}

}  // namespace davit::host
