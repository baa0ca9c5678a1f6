#include "host/plugin/call_slots.hpp"

#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "host/plugin/guard.hpp"

namespace davit::host {
namespace {

static_assert(std::is_trivially_destructible_v<CallSlots>);
constinit CallSlots all_slots;

/// Null without memory.
CallSlot* make_slot() {
  CallSlot* const made = shielded([] { return std::make_unique<CallSlot>().release(); },
                                  static_cast<CallSlot*>(nullptr), [](std::string_view) {});
  if (made != nullptr) made->call.host = made;
  return made;
}

}  // namespace

CallSlots& call_slots() { return all_slots; }

CallSlot& CallSlots::take() {
  {
    MutexLock lock(mutex_);
    if (idle_ > kRest) return take_oldest();
  }
  if (CallSlot* const made = make_slot()) return *made;
  MutexLock lock(mutex_);
  if (idle_ == 0) throw std::bad_alloc();
  return take_oldest();
}

CallSlot& CallSlots::take_oldest() {
  CallSlot& taken = *oldest_;
  oldest_ = std::exchange(taken.next_idle, nullptr);
  if (oldest_ == nullptr) newest_ = nullptr;
  --idle_;
  return taken;
}

void CallSlots::give_back(CallSlot& slot) {
  MutexLock lock(mutex_);
  (newest_ == nullptr ? oldest_ : newest_->next_idle) = &slot;
  newest_ = &slot;
  ++idle_;
}

}  // namespace davit::host
