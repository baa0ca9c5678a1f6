#include "plugins/deployment/template_hash.hpp"

#include <algorithm>
#include <array>
#include <davit/fnv.hpp>
#include <davit/kube/safe_text.hpp>
#include <string>
#include <vector>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/template_shape.hpp"

namespace davit::deployment {
namespace {

constexpr std::size_t kNameBytesMax = 253;

/// FNV-1a with 32 bits.
class Hasher {
 public:
  void add(std::string_view bytes) { hash_.add(bytes); }
  /// Text with its length, so that no two sequences of texts read alike.
  void add_text(std::string_view text) {
    add(std::to_string(text.size()));
    add(":");
    add(text);
  }
  [[nodiscard]] std::uint32_t sum() const { return hash_.sum(); }

 private:
  FnvHash<std::uint32_t> hash_;
};

void hash_value(Hasher& hasher, const Value& value, FieldKind kind);

/// Whether equal_templates() takes the value for absent.
bool counts_as_absent(const Value& value, FieldKind kind) {
  switch (value.kind()) {
    case Kind::kAbsent:
    case Kind::kNull:
      return true;
    case Kind::kArray:
      return value.count() == 0;
    case Kind::kObject:
      break;
    default:
      return false;
  }
  if (kind == FieldKind::kPlain || kind == FieldKind::kQuantity ||
      kind == FieldKind::kOptionalQuantity) {
    return false;
  }
  if (keys_are_data(kind)) return value.count() == 0;
  for (const Member& member : value.members()) {
    if (!counts_as_absent(member.value, field_kind(kind, member.key))) return false;
  }
  return true;
}

std::vector<Member> sorted_members(const Value& object) {
  std::vector<Member> members;
  for (const Member& member : object.members()) members.push_back(member);
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.key < b.key; });
  return members;
}

/// The members that count, in the order of their keys; `skipped` is left out.
void hash_members(Hasher& hasher, const Value& object, FieldKind kind,
                  std::string_view skipped = {}) {
  const bool is_data = keys_are_data(kind);
  hasher.add("{");
  for (const Member& member : sorted_members(object)) {
    const FieldKind below = field_kind(kind, member.key);
    if (member.key == skipped) continue;
    if (!is_data && counts_as_absent(member.value, below)) continue;
    hasher.add_text(member.key);
    hash_value(hasher, member.value, below);
  }
  hasher.add("}");
}

void hash_value(Hasher& hasher, const Value& value, FieldKind kind) {
  switch (value.kind()) {
    case Kind::kObject:
      hash_members(hasher, value, kind);
      return;
    case Kind::kArray:
      hasher.add("[");
      for (const Value& element : value.elements()) {
        hash_value(hasher, element, FieldKind::kPlain);
      }
      hasher.add("]");
      return;
    case Kind::kString:
      hasher.add_text(value.string());
      return;
    case Kind::kNumber:
      hasher.add("#");
      hasher.add(value.number());
      return;
    case Kind::kBoolean:
      hasher.add(value.is_true() ? "t" : "f");
      return;
    default:
      hasher.add("n");
  }
}

void hash_collisions(Hasher& hasher, std::int64_t count) {
  std::array<char, 8> bytes{};  // Little-endian, as upstream feeds it.
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[i] = static_cast<char>((static_cast<std::uint32_t>(count) >> (8 * i)) & 0xffU);
  }
  hasher.add({bytes.data(), bytes.size()});
}

}  // namespace

std::string encode_hash(std::uint32_t hash) { return safe_encoded(std::to_string(hash)); }

std::string template_hash(const Value& pod_template, std::optional<std::int64_t> collision_count) {
  Hasher hasher;
  const Value metadata = pod_template[&Names::metadata];
  hash_members(hasher, metadata[&Names::labels], FieldKind::kMap, kTemplateHash);
  hash_members(hasher, metadata, FieldKind::kEmbedded, "labels");
  hash_members(hasher, pod_template[&Names::spec], FieldKind::kPodSpec);
  if (collision_count) hash_collisions(hasher, *collision_count);
  return encode_hash(hasher.sum());
}

std::string replica_set_name(std::string_view deployment, std::string_view hash) {
  const std::size_t room = kNameBytesMax - 1 - std::min(hash.size(), kNameBytesMax - 1);
  if (room > 0) deployment = deployment.substr(0, room);
  return std::string(deployment).append("-").append(hash);
}

}  // namespace davit::deployment
