#include "host/cache/object_table.hpp"

#include <functional>
#include <utility>

#include "host/object/metadata.hpp"

namespace davit::host {
namespace {

/// Mixes well enough that the low bits may choose the place in a table (the finaliser of
/// MurmurHash3).
std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  return value;
}

}  // namespace

std::uint64_t hash_name(std::string_view ns, std::string_view name) {
  const std::hash<std::string_view> hash;
  return mix(hash(ns) * 0x9e3779b97f4a7c15ULL + hash(name));
}

std::uint32_t ObjectTable::find(std::string_view ns, std::string_view name) const {
  return index_.find(static_cast<std::uint32_t>(hash_name(ns, name)), [&](std::uint32_t slot) {
    const Metadata meta = metadata(*objects_[slot]);
    return meta.name == name && meta.ns == ns;
  });
}

std::uint32_t ObjectTable::insert(ObjectRef object) {
  const Metadata meta = metadata(*object);
  const auto hash = static_cast<std::uint32_t>(hash_name(meta.ns, meta.name));
  std::uint32_t slot = slots();
  object_bytes_ += object.bytes();
  if (free_.empty()) {
    reserve_for_one_more(objects_);
    objects_.push_back(std::move(object));
  } else {
    slot = free_.back();
    free_.pop_back();
    objects_[slot] = std::move(object);
  }
  index_.insert(hash, slot);
  return slot;
}

ObjectRef ObjectTable::exchange(std::uint32_t slot, ObjectRef object) {
  object_bytes_ = object_bytes_ - objects_[slot].bytes() + object.bytes();
  return std::exchange(objects_[slot], std::move(object));
}

ObjectRef ObjectTable::erase(std::uint32_t slot) {
  ObjectRef object = std::move(objects_[slot]);
  object_bytes_ -= object.bytes();
  const Metadata meta = metadata(*object);
  index_.erase(static_cast<std::uint32_t>(hash_name(meta.ns, meta.name)), slot);
  free_.push_back(slot);
  return object;
}

std::size_t ObjectTable::bytes() const {
  return objects_.capacity() * sizeof(ObjectRef) + free_.capacity() * sizeof(std::uint32_t) +
         index_.bytes();
}

}  // namespace davit::host
