/// Objects of the cluster as compact immutable snapshots, and the views that read them in place.
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/object/object_space.hpp"

namespace davit::host {

class Object;

enum class Kind : std::int32_t {
  kAbsent = DAVIT_KIND_ABSENT,
  kNull = DAVIT_KIND_NULL,
  kBoolean = DAVIT_KIND_BOOLEAN,
  kNumber = DAVIT_KIND_NUMBER,
  kString = DAVIT_KIND_STRING,
  kArray = DAVIT_KIND_ARRAY,
  kObject = DAVIT_KIND_OBJECT,
};

/// A value inside an object, or absent; a thin front of davit_value and as cheap to copy. Borrows
/// the object: keep an ObjectRef while using it. Every function accepts an absent value. Paths
/// outside the mask read as absent here; code that must tell the difference uses the functions of
/// abi.hpp.
class Value {
 public:
  Value() = default;
  explicit Value(davit_value value) : raw(value) {}

  [[nodiscard]] Kind kind() const;
  /// The member with this key; absent if there is none or this is not an object.
  [[nodiscard]] Value operator[](std::string_view key) const;
  /// The same by interned name, which is faster.
  [[nodiscard]] Value member(davit_name name) const;
  /// An element of an array; absent beyond its end. Walks from the first element: prefer each() in
  /// loops.
  [[nodiscard]] Value at(std::size_t index) const;
  /// Elements of an array or members of an object; 0 for everything else.
  [[nodiscard]] std::size_t count() const;
  /// The text; empty if this is not a string. Lives as long as the object.
  [[nodiscard]] std::string_view string() const;
  /// The text of a number as the server wrote it; empty if this is not a number.
  [[nodiscard]] std::string_view number() const;
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  [[nodiscard]] std::optional<bool> boolean() const;
  /// Whether there is a value; an explicit null is one.
  explicit operator bool() const { return raw.object != nullptr; }

  /// Deep equality as abi.h defines it; false when a value is not wholly visible.
  friend bool operator==(const Value& a, const Value& b) { return a.equals(b); }
  /// The stable hash of abi.h; 0 for an absent or not wholly visible value.
  [[nodiscard]] std::uint64_t hash() const;
  /// Compact JSON text; empty for an absent or not wholly visible value.
  [[nodiscard]] std::string json() const;

  /// Calls `use(Value)` for each element of an array, in order.
  template <typename Use>
  void each(Use&& use) const {
    davit_value batch[16];
    for (std::size_t first = 0, got = 0; (got = elements(first, batch, 16)) > 0; first += got) {
      for (std::size_t i = 0; i < got; ++i) use(Value(batch[i]));
    }
  }
  /// Calls `use(std::string_view key, Value)` for each member of a wholly visible object, in order.
  template <typename Use>
  void each_member(Use&& use) const {
    davit_member batch[16];
    for (std::size_t first = 0, got = 0; (got = members(first, batch, 16)) > 0; first += got) {
      for (std::size_t i = 0; i < got; ++i) {
        use(std::string_view(batch[i].key.data, batch[i].key.size), Value(batch[i].value));
      }
    }
  }

  davit_value raw{nullptr, 0, kFullMask};

 private:
  [[nodiscard]] bool equals(const Value& other) const;
  std::size_t elements(std::size_t first, davit_value* out, std::size_t capacity) const;
  std::size_t members(std::size_t first, davit_member* out, std::size_t capacity) const;
};

/// A share in an object, or nothing. Copying retains. Different ObjectRefs may be used on different
/// threads at once.
class ObjectRef {
 public:
  ObjectRef() = default;
  ObjectRef(const ObjectRef& other);
  ObjectRef(ObjectRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ObjectRef& operator=(const ObjectRef& other);
  ObjectRef& operator=(ObjectRef&& other) noexcept;
  ~ObjectRef();

  /// A new share in the object of a live value; nothing when the value is absent.
  [[nodiscard]] static ObjectRef from(davit_value value);
  /// A copy in memory that becomes unreadable with its last share, or if that is used up, a share
  /// in the same object.
  [[nodiscard]] ObjectRef lent_copy(LentMemory& memory) const;
  /// Takes over one share that the caller holds.
  [[nodiscard]] static ObjectRef adopt(const Object* object);

  /// The whole object as seen through `mask`; absent when this holds nothing.
  [[nodiscard]] Value root(Mask mask = kFullMask) const {
    return Value(davit_value{object_, 0, object_ == nullptr ? kFullMask : mask});
  }
  /// Size of the allocation in bytes, for accounting.
  [[nodiscard]] std::size_t bytes() const;

  [[nodiscard]] const Object* get() const { return object_; }
  const Object& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Whether both share one object; for deep equality compare the roots.
  friend bool operator==(const ObjectRef& a, const ObjectRef& b) = default;

 private:
  const Object* object_ = nullptr;
};

}  // namespace davit::host
