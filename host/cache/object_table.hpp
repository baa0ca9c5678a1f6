/// Objects by namespace and name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/cache/slot_index.hpp"
#include "host/object/object.hpp"

namespace davit::host {

/// The 64-bit hash by which the cache knows an object's place.
[[nodiscard]] std::uint64_t hash_name(std::string_view ns, std::string_view name);

/// A set of objects in numbered slots, at most one of each namespace and name. Slots are used
/// again. The names are read from the objects themselves. Not thread-safe.
class ObjectTable {
 public:
  static constexpr std::uint32_t kNone = SlotIndex::kNone;

  [[nodiscard]] std::uint32_t find(std::string_view ns, std::string_view name) const;
  /// Adds an object whose name is not there yet; returns its slot.
  std::uint32_t insert(ObjectRef object);
  /// Exchanges the object in `slot` for another of the same name; returns the former.
  ObjectRef exchange(std::uint32_t slot, ObjectRef object);
  /// Empties `slot` and returns what was in it.
  ObjectRef erase(std::uint32_t slot);

  /// Slots in use and empty ones; object() of an empty one holds nothing.
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(objects_.size()); }
  [[nodiscard]] const ObjectRef& object(std::uint32_t slot) const { return objects_[slot]; }
  [[nodiscard]] std::size_t size() const { return index_.size(); }
  /// Bytes of the table, without the objects.
  [[nodiscard]] std::size_t bytes() const;
  /// Bytes of the objects, those that other tables share included.
  [[nodiscard]] std::size_t object_bytes() const { return object_bytes_; }

 private:
  std::vector<ObjectRef> objects_;
  std::vector<std::uint32_t> free_;
  SlotIndex index_;
  std::size_t object_bytes_ = 0;
};

/// Grows a vector by a quarter instead of doubling it: the cache is mostly full-grown, and slack is
/// memory.
template <typename T>
void reserve_for_one_more(std::vector<T>& values) {
  if (values.size() == values.capacity()) values.reserve(values.size() + values.size() / 4 + 4);
}

}  // namespace davit::host
