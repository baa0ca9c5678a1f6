/// ValueType: what the schema says of one value, and how its parts are named in a
/// FieldSet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit {

/// The type of a value in server-side apply. Borrows from the schema.
struct ValueType {
  enum class Form : std::uint8_t {
    kLeaf,     ///< A scalar, or an atomic list, map or struct.
    kStruct,   ///< Members by the fields of `message`.
    kMap,      ///< Members of `element`'s type.
    kList,     ///< Elements with the identity of field->apply_keys.
    kSet,      ///< Elements with the identity of their value.
    kDeduced,  ///< No schema: objects are maps, everything else is a leaf.
  };

  Form form = Form::kDeduced;
  const Message* message = nullptr;
  const Field* field = nullptr;

  /// The type of a whole object. Null: only metadata is known.
  [[nodiscard]] static ValueType of_object(const Message* schema);
  [[nodiscard]] static ValueType of_message(const Message* message);
  [[nodiscard]] static ValueType of_field(const Field& field);

  /// The type of the elements of a list or map of this type.
  [[nodiscard]] ValueType element() const;
  /// The type as which `value` is treated: kDeduced is resolved by what is there.
  [[nodiscard]] ValueType resolved(const Json* value) const;
};

/// The depth of a walk in an object; the first two levels have members that are never tracked.
enum class Level : std::uint8_t { kObject, kMetadata, kInner };

/// The member of a struct or map: its type, and whether a zero of it is written in any case.
struct MemberType {
  ValueType type;
  bool declared = true;  ///< False: a struct has no such field.
  bool named = false;    ///< A field of a struct, not a key of a map.
  bool always = false;
};
[[nodiscard]] MemberType member_type(const ValueType& parent, std::string_view name, Level level);

/// apiVersion, kind and the metadata that the system sets have no owner.
[[nodiscard]] bool never_tracked(std::string_view name, Level level);
[[nodiscard]] Level level_below(std::string_view name, Level level);

/// Same as Message::find(), also for messages that the schema folder did not build.
[[nodiscard]] const Field* find_field(const Message& message, std::string_view name);
/// The default of a key that a list's element lacks, as JSON text; "" if it has none.
[[nodiscard]] std::string_view key_default(const ValueType& list, std::string_view key);
/// `k:{"name":"c"}` or `v:"x"`; nothing when the element lacks all keys. The other keys name one
/// that lacks some (k8s: keyedAssociativeListItemToPathElement of structured-merge-diff).
[[nodiscard]] std::optional<std::string> element_key(const ValueType& list, const Json& element);
/// The names of a list's elements in their order; one without keys is named by its place.
[[nodiscard]] std::vector<std::string> element_keys(const ValueType& list, const Json& value);
/// Whether two elements have the same name.
[[nodiscard]] bool same_element(const ValueType& list, const Json& a, const Json& b);

}  // namespace davit
