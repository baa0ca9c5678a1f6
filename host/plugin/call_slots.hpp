/// The memory of calls: what a davit_call lies in.
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <cstddef>

#include "lib/base/mutex.hpp"

namespace davit::host {

class CallFrame;

/// A thread, for as long as it is in a call. Compared, never followed.
using ThreadId = const void*;
inline constinit thread_local char thread_mark = 0;
[[nodiscard]] inline ThreadId this_thread() { return &thread_mark; }

/// One call, or none. Never freed, so a plugin may ask for the owner of any call that it ever got.
struct CallSlot {
  davit_call call{};  ///< `host` points to this slot for ever; the rest belongs to the owner.
  /// The thread that is in the call; null: none. Relaxed: a thread finds its own id here only if it
  /// has put it here itself, and every other answer refuses.
  std::atomic<ThreadId> owner{nullptr};
  CallFrame* frame = nullptr;     ///< The owner's.
  CallSlot* next_idle = nullptr;  ///< CallSlots'.
};

/// All slots of the process. An ended one serves again after kRest others have ended, so a call
/// that a plugin kept too long meets itself, and not a newer one. Thread-safe.
class CallSlots {
 public:
  static constexpr std::size_t kRest = 64;

  /// Throws std::bad_alloc when there is neither memory nor an idle slot.
  [[nodiscard]] CallSlot& take() EXCLUDES(mutex_);
  void give_back(CallSlot& slot) EXCLUDES(mutex_);

 private:
  CallSlot& take_oldest() REQUIRES(mutex_);

  Mutex mutex_;
  CallSlot* oldest_ GUARDED_BY(mutex_) = nullptr;  // The idle ones, in the order of their ends.
  CallSlot* newest_ GUARDED_BY(mutex_) = nullptr;
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
};

/// Never destroyed: the threads of a plugin may come with a call that ended long ago.
[[nodiscard]] CallSlots& call_slots();

}  // namespace davit::host
