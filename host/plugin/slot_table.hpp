/// The ledger of what a controller obtained from the host.
#pragma once

#include <davit/abi.h>

#include <cstdint>
#include <davit/mutant.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "lib/base/mutex.hpp"

namespace davit::host {

/// The kind of a handle; part of the handle, so that one of another kind is refused.
enum class HandleKind : std::uint8_t {
  kInformer = 1,
  kQueue,
  kTimer,
  kMetric,
  kObject,
  kDynamicInformer
};

/// Entries of one kind, found by a handle of slot and generation: a handle of an entry that is
/// gone, or of another kind, finds nothing and touches nothing.
///
///   handle = kind (8 bits) | generation of the slot (24 bits) | slot + 1 (32 bits)
///
/// `T` is cheap to copy: a pointer or a counted reference. Thread-safe.
template <typename T, HandleKind kKind>
class SlotTable {
 public:
  [[nodiscard]] davit_handle insert(T value) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
    if (free_.empty()) {
      slots_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    slots_[slot].value.emplace(std::move(value));
    return encode(slot, slots_[slot].generation);
  }

  [[nodiscard]] std::optional<T> find(davit_handle handle) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const Slot* slot = locate(handle);
    return slot == nullptr ? std::nullopt : slot->value;
  }

  /// Puts another value in the entry's place. False when the handle is stale.
  bool replace(davit_handle handle, T value) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Slot* slot = const_cast<Slot*>(locate(handle));
    if (slot == nullptr) return false;
    slot->value.emplace(std::move(value));
    return true;
  }

  /// Takes the entry out; nothing when the handle is stale.
  std::optional<T> erase(davit_handle handle) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Slot* slot = const_cast<Slot*>(locate(handle));
    if (slot == nullptr) return std::nullopt;
    std::optional<T> value = std::move(slot->value);
    slot->value.reset();
    slot->generation = (slot->generation + 1) & kGenerationMask;
    free_.push_back(static_cast<std::uint32_t>(slot - slots_.data()));
    return value;
  }

  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return slots_.size() - free_.size();
  }

 private:
  struct Slot {
    std::uint32_t generation = 1;
    std::optional<T> value;
  };

  static constexpr std::uint32_t kGenerationMask = 0xffffff;

  static davit_handle encode(std::uint32_t slot, std::uint32_t generation) {
    return static_cast<davit_handle>(kKind) << 56 | static_cast<davit_handle>(generation) << 32 |
           (static_cast<davit_handle>(slot) + 1);
  }

  const Slot* locate(davit_handle handle) const REQUIRES(mutex_) {
    const auto low = static_cast<std::uint32_t>(handle);
    if (low == 0 || low > slots_.size()) return nullptr;
    const Slot& slot = slots_[low - 1];
    const bool is_own = handle == encode(low - 1, slot.generation) || mutant("stale-handle");
    if (!slot.value || !is_own) return nullptr;
    return &slot;
  }

  mutable Mutex mutex_;
  std::vector<Slot> slots_ GUARDED_BY(mutex_);
  std::vector<std::uint32_t> free_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
