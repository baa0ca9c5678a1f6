/// The storage format of an object. Internal to host/object: other code reads through Value.
///
/// An object is one allocation: the header (class Object), then the tape, which is the document
/// from front to back. A value starts with a tag byte: Tag in the low 3 bits, a number n in the
/// high 5. The offset of that byte from the start of the tape is the value's address, so a
/// davit_value needs no table of nodes. Integers have the machine's byte order and no alignment.
///
///   Tag               n             after the tag byte
///   kNull             0
///   kFalse, kTrue     0
///   kNumber, kString  0 to 28       n bytes of text
///                     29, 30, 31    the size in 1, 2 or 4 bytes, then that many bytes of text
///   kReference        0, 1          in 2 or 4 bytes, the address of a number or string of this
///                                   tape, whose text this value shares
///                     2             in 1 byte, the index of a known_text()
///   kArray, kObject   0, 16         nothing: there are no entries
///                     1 to 14       the size of all entries in 2 bytes, then n entries
///                     15            the same, with 15 entries or more: count them
///                     17 to 31      as 1 to 15, but the size takes 4 bytes
///
/// An entry of an array is a value. An entry of an object is, in this order:
///   - its key's name in the ObjectSpace, 2 bytes; the top bit is set if a later entry has the same
///     key, and readers skip the entry then;
///   - the key as a kString, only if the name is 0: the ObjectSpace does not know the key;
///   - the value.
///
/// The sizes let a reader step over a value without reading it. Numbers keep their text: most are
/// short, and the ABI returns the text. docs/decisions/006-object-tape.md has the reasons.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "host/object/object_space.hpp"

namespace davit::host {

namespace tape {

enum class Tag : std::uint8_t {
  kNull,
  kFalse,
  kTrue,
  kNumber,
  kString,
  kReference,
  kArray,
  kObject
};

using Byte = unsigned char;

inline constexpr unsigned kTagBits = 3;
inline constexpr unsigned kInlineSizeMax = 28;  // n above it: 29, 30, 31 for 1, 2, 4 bytes of size.
inline constexpr unsigned kReferenceNear = 0;
inline constexpr unsigned kReferenceFar = 1;
inline constexpr unsigned kReferenceKnown = 2;
inline constexpr unsigned kWide = 16;
inline constexpr unsigned kManyEntries = 15;
inline constexpr std::uint16_t kReplaced = 0x8000;
static_assert(ObjectSpace::kNamesMax < kReplaced);

inline Tag tag_of(Byte b) { return static_cast<Tag>(b & ((1U << kTagBits) - 1)); }
inline unsigned extra_of(Byte b) { return b >> kTagBits; }
inline Byte make_tag(Tag tag, unsigned extra) {
  return static_cast<Byte>(static_cast<unsigned>(tag) | extra << kTagBits);
}

template <typename T>
inline T load(const Byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Text strings that Kubernetes objects hold over and over; an index into it is kept instead.
[[nodiscard]] std::string_view known_text(Byte index);
/// The index of a well-known text, or -1.
[[nodiscard]] int find_known_text(std::string_view text);

/// The text of a number or string that is not a reference.
inline std::string_view own_text(const Byte* at) {
  const unsigned extra = extra_of(*at);
  std::size_t size = extra;
  ++at;
  if (extra > kInlineSizeMax) {
    if (extra == 29) {
      size = *at;
      at += 1;
    } else if (extra == 30) {
      size = load<std::uint16_t>(at);
      at += 2;
    } else {
      size = load<std::uint32_t>(at);
      at += 4;
    }
  }
  return {reinterpret_cast<const char*>(at), size};
}

/// The text of a number, string or reference at `at` on the tape that begins at `base`.
inline std::string_view text(const Byte* base, const Byte* at) {
  if (tag_of(*at) != Tag::kReference) return own_text(at);
  switch (extra_of(*at)) {
    case kReferenceNear:
      return own_text(base + load<std::uint16_t>(at + 1));
    case kReferenceFar:
      return own_text(base + load<std::uint32_t>(at + 1));
    default:
      return known_text(at[1]);
  }
}

/// The bounds of an array's or object's entries.
struct Entries {
  const Byte* begin;
  const Byte* end;
};
inline Entries entries(const Byte* at) {
  const unsigned extra = extra_of(*at);
  if ((extra & ~kWide) == 0) return {at + 1, at + 1};
  if ((extra & kWide) == 0) return {at + 3, at + 3 + load<std::uint16_t>(at + 1)};
  return {at + 5, at + 5 + load<std::uint32_t>(at + 1)};
}

/// The place behind the value at `at`.
inline const Byte* skip(const Byte* at) {
  switch (tag_of(*at)) {
    case Tag::kNumber:
    case Tag::kString: {
      const std::string_view own = own_text(at);
      return reinterpret_cast<const Byte*>(own.data()) + own.size();
    }
    case Tag::kReference:
      return at + (extra_of(*at) == kReferenceNear ? 3 : extra_of(*at) == kReferenceFar ? 5 : 2);
    case Tag::kArray:
    case Tag::kObject:
      return entries(at).end;
    default:
      return at + 1;
  }
}

/// Steps through the members of an object, past the replaced ones.
class MemberCursor {
 public:
  explicit MemberCursor(const Byte* object) : MemberCursor(entries(object)) {}
  explicit MemberCursor(Entries range) : next_(range.begin), end_(range.end) {}

  bool next() {
    while (next_ < end_) {
      const auto tagged = load<std::uint16_t>(next_);
      name_ = static_cast<davit_name>(tagged & ~kReplaced);
      key_ = next_ + 2;
      value_ = name_ == 0 ? skip(key_) : key_;
      next_ = skip(value_);
      if ((tagged & kReplaced) == 0) return true;
    }
    return false;
  }
  /// 0 if the key is inline.
  [[nodiscard]] davit_name name() const { return name_; }
  [[nodiscard]] const Byte* value() const { return value_; }
  [[nodiscard]] std::string_view key(const ObjectSpace& space) const {
    return name_ == 0 ? own_text(key_) : space.text(name_);
  }

 private:
  const Byte* next_;
  const Byte* end_;
  const Byte* key_ = nullptr;
  const Byte* value_ = nullptr;
  davit_name name_ = 0;
};

/// The value of the member with this interned name or, for inline keys, this text; null if there is
/// none.
const Byte* find(const Byte* object, davit_name name, std::string_view key);

/// Number of entries of an array or object.
std::size_t count(const Byte* at);

}  // namespace tape

/// An immutable snapshot; lives while an ObjectRef shares it.
class Object {
 public:
  /// The metadata of metadata.hpp, as positions on the tape.
  struct Places {
    static constexpr std::uint16_t kNone = 0;      // The root stands there, so no string does.
    static constexpr std::uint16_t kFar = 0xffff;  // Beyond what 16 bits hold: look it up.
    std::uint16_t ns = kNone;
    std::uint16_t name = kNone;
    std::uint16_t uid = kNone;
    std::uint16_t resource_version = kNone;
    std::uint16_t controller_uid = kNone;
  };

  Object(const ObjectSpace& space, std::uint32_t tape_size, Places places)
      : tape_size_(tape_size), space_(&space), places_(places) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// Makes an object with one share, which the caller holds; ObjectRef::adopt() takes it over.
  static const Object* make(const ObjectSpace& space, std::string_view tape, Places places);
  /// The same object in memory that becomes unreadable with its last share; null when there is
  /// none left.
  [[nodiscard]] const Object* copy(LentMemory& memory) const;

  /// Relaxed: who copies a share has one already, which keeps the object alive.
  void retain() const { shares_.fetch_add(1, std::memory_order_relaxed); }
  void release() const;

  [[nodiscard]] const tape::Byte* tape() const {
    return reinterpret_cast<const tape::Byte*>(this) + kHeaderBytes;
  }
  [[nodiscard]] const ObjectSpace& space() const { return *space_; }
  [[nodiscard]] const Places& places() const { return places_; }
  /// Size of the allocation.
  [[nodiscard]] std::size_t bytes() const;

 private:
  static const std::size_t kHeaderBytes;
  ~Object() = default;
  static std::size_t bytes_for(std::size_t tape_size);
  static const Object* put(std::byte* memory, const ObjectSpace& space, std::string_view tape,
                           Places places);

  mutable std::atomic<std::uint32_t> shares_{1};
  std::uint32_t tape_size_;
  const ObjectSpace* space_;
  Places places_;  // The tape begins right behind it, in what would be padding.
};

inline constexpr std::size_t Object::kHeaderBytes = sizeof(std::atomic<std::uint32_t>) +
                                                    sizeof(std::uint32_t) +
                                                    sizeof(const ObjectSpace*) + sizeof(Places);

}  // namespace davit::host
