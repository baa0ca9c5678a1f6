/// Foreign code that a probe or a page needs, aside from the thread that serves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Makes calls, one at a time, on a thread of its own, which the first call starts. A caller gets a
/// ticket and polls for the result, so no thread waits for a call. If a call takes longer than
/// `limit`, it fails, together with those behind it; while it hangs, further ones fail at once.
/// Thread-safe. The destructor waits for the call that runs.
class AsideCall {
 public:
  using Call = std::function<Result<std::string>()>;
  enum class Ticket : std::uint64_t {};

  /// The most calls that wait behind the running one: a few people with their tools.
  static constexpr std::size_t kWaitingMax = 8;
  /// How often to look for a result: a person does not notice it, and it costs next to nothing.
  static constexpr Duration kPollInterval = std::chrono::milliseconds(5);

  AsideCall(Clock& clock, Duration limit) : clock_(clock), limit_(limit) {}
  AsideCall(const AsideCall&) = delete;
  AsideCall& operator=(const AsideCall&) = delete;
  ~AsideCall();

  /// Makes the call when those before it have ended. Its result is kThrottled when too many wait
  /// already, kUnavailable when it, or one before it, takes too long. Every ticket ends with
  /// take() or drop().
  [[nodiscard]] Ticket begin(Call call) EXCLUDES(mutex_);
  /// The same for calls that are all alike: one that has not begun yet serves all who ask
  /// meanwhile.
  [[nodiscard]] Ticket join(Call call) EXCLUDES(mutex_);
  /// The result, with which the ticket ends; nothing until there is one.
  [[nodiscard]] std::optional<Result<std::string>> take(Ticket ticket) EXCLUDES(mutex_);
  /// Gives up the result. A call that has not begun and has no other holder is not made.
  void drop(Ticket ticket) EXCLUDES(mutex_);

  /// When to look for results again.
  [[nodiscard]] Time next_poll() const { return clock_.now() + kPollInterval; }

  /// Whether no call runs or waits; waits for that until `deadline`.
  [[nodiscard]] bool wait_idle(Time deadline) EXCLUDES(mutex_);

 private:
  struct Asked {
    Ticket ticket{};
    Call call;
    std::size_t holders = 1;  // How many wait for it; 0 while it runs without any holder left.
  };
  struct Known {
    Result<std::string> result;
    std::size_t holders = 1;  // At least one.
  };

  [[nodiscard]] Ticket add(Call call) REQUIRES(mutex_);
  /// Queues the call, or says why not.
  [[nodiscard]] Status queue(Ticket ticket, Call call) REQUIRES(mutex_);
  [[nodiscard]] bool is_busy() const REQUIRES(mutex_) { return running_ || !waiting_.empty(); }
  [[nodiscard]] bool is_late() const REQUIRES(mutex_);
  /// Fails all calls when the one whose turn it is takes too long.
  void expire() REQUIRES(mutex_);
  [[nodiscard]] Status late() const REQUIRES(mutex_);
  void work() EXCLUDES(mutex_);

  Clock& clock_;
  const Duration limit_;
  Mutex mutex_;
  CondVar changed_;  // For the thread.
  CondVar ended_;    // For wait_idle().
  std::deque<Asked> waiting_ GUARDED_BY(mutex_);
  std::optional<Asked> running_ GUARDED_BY(mutex_);
  std::map<Ticket, Known> known_ GUARDED_BY(mutex_);
  std::uint64_t last_ticket_ GUARDED_BY(mutex_) = 0;
  Time began_ GUARDED_BY(mutex_){};  // While busy: since when it is the turn of the call in front.
  bool ending_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // Last: it uses the others.
};

/// Makes AsideCalls and keeps those whose call may hang: letting one go would wait for its end.
/// Thread-safe.
class AsideCalls {
 public:
  AsideCalls(Clock& clock, Duration limit) : clock_(clock), limit_(limit) {}

  /// A new one, on which nothing hangs yet.
  [[nodiscard]] std::shared_ptr<AsideCall> make() EXCLUDES(mutex_);

  /// Whether no call runs; waits for that until `deadline`. False: the process must end without
  /// destroying this.
  [[nodiscard]] bool wait_idle(Time deadline) EXCLUDES(mutex_);

 private:
  Clock& clock_;
  const Duration limit_;
  Mutex mutex_;
  std::vector<std::shared_ptr<AsideCall>> made_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
