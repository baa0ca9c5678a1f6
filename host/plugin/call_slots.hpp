/// The memory of calls: what a davit_call lies in.
#pragma once

#include <davit/abi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/mutex.hpp"

namespace davit::host {

class CallFrame;

/// A thread, for as long as it is in a call. Compared, never followed.
using ThreadId = const void*;
inline constinit thread_local char thread_mark = 0;
[[nodiscard]] inline ThreadId this_thread() { return &thread_mark; }

/// Why a plugin may not use a call.
enum class Refusal {
  kEnded,   ///< It has returned.
  kThread,  ///< Another thread is in it.
  kPhase,   ///< The function's mark does not name what the plugin is called for.
};
inline constexpr std::size_t kRefusals = 3;
/// "ended", "thread" or "phase".
[[nodiscard]] std::string_view to_string(Refusal why);

/// A plugin's controller, in all builds, and its refused calls. Never freed, because a call may be
/// used when its controller is gone. Thread-safe.
class CallAuthor {
 public:
  CallAuthor(std::string_view plugin, std::string_view controller)
      : plugin_(plugin), controller_(controller) {}

  [[nodiscard]] const std::string& plugin() const { return plugin_; }
  [[nodiscard]] const std::string& controller() const { return controller_; }
  void refused(Refusal why) {
    // Relaxed: a number that is read some time later.
    refusals_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  }
  /// All refusals so far.
  [[nodiscard]] std::uint64_t refusals(Refusal why) const {
    return refusals_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }

 private:
  const std::string plugin_;
  const std::string controller_;
  std::array<std::atomic<std::uint64_t>, kRefusals> refusals_{};
};

/// One call, or none. Never freed, so a plugin may ask for the owner of any call that it ever got.
struct CallSlot {
  davit_call call{};  ///< `host` always points to this slot; the rest belongs to the owner.
  /// The thread that is in the call; null: none. Relaxed: a thread finds its own id here only if it
  /// has put it here itself, and every other answer refuses.
  std::atomic<ThreadId> owner{nullptr};
  /// The controller that has the call, or had it last. Relaxed: it is never freed, and says no more
  /// than a name.
  std::atomic<CallAuthor*> author{nullptr};
  /// For the answer of a cloud provider. `self` always points to this slot.
  davit_sink sink{};
  void* answer = nullptr;         ///< The owner's: where `sink` writes to; null: nowhere.
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

  /// The one of this name, made when it is asked for first. Throws std::bad_alloc.
  [[nodiscard]] CallAuthor& author(std::string_view plugin, std::string_view controller)
      EXCLUDES(mutex_);
  [[nodiscard]] std::vector<CallAuthor*> authors() EXCLUDES(mutex_);

 private:
  struct Author;
  CallSlot& take_oldest() REQUIRES(mutex_);

  Mutex mutex_;
  CallSlot* oldest_ GUARDED_BY(mutex_) = nullptr;  // The idle ones, in the order of their ends.
  CallSlot* newest_ GUARDED_BY(mutex_) = nullptr;
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  Author* authors_ GUARDED_BY(mutex_) = nullptr;  // The latest first.
};

/// Calls that were refused since the last report.
struct RefusedCalls {
  std::string plugin;  ///< Empty, as the controller: the plugin passed no call at all.
  std::string controller;
  Refusal why = Refusal::kEnded;
  std::uint64_t count = 0;
};
/// Reads the refusals of all controllers of this process. Each reader sees every refusal once, from
/// its construction on. Thread-safe.
class RefusalReader {
 public:
  RefusalReader() { static_cast<void>(take()); }

  /// Refusals since the last time.
  [[nodiscard]] std::vector<RefusedCalls> take() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::map<const CallAuthor*, std::array<std::uint64_t, kRefusals>> seen_ GUARDED_BY(mutex_);
};

/// Never destroyed: the threads of a plugin may come with a call that ended long ago.
[[nodiscard]] CallSlots& call_slots();

}  // namespace davit::host
