/// Runs plugin code for probes and pages on a thread other than the server's.
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

/// Makes calls, one at a time, on a separate thread that the first call starts. A caller gets a
/// ticket and polls for the result, so no thread waits for a call. A call that takes longer than
/// `limit` fails, as do those queued behind it; while it hangs, further calls fail at once.
/// Thread-safe. The destructor waits for the call that runs.
class ProbeThread {
 public:
  using Call = std::function<Result<std::string>()>;
  enum class Ticket : std::uint64_t {};

  /// The most calls that wait behind the running one; enough for a few people with their tools.
  static constexpr std::size_t kWaitingMax = 8;
  /// The interval between polls for a result: too short to notice, and cheap.
  static constexpr Duration kPollInterval = std::chrono::milliseconds(5);

  ProbeThread(Clock& clock, Duration limit) : clock_(clock), limit_(limit) {}
  ProbeThread(const ProbeThread&) = delete;
  ProbeThread& operator=(const ProbeThread&) = delete;
  ~ProbeThread();

  /// Makes the call when those before it have returned. Its result is kThrottled when too many wait
  /// already, kUnavailable when it, or one before it, takes too long. Every ticket ends with
  /// take() or drop().
  [[nodiscard]] Ticket begin(Call call) EXCLUDES(mutex_);
  /// The same for interchangeable calls: one that has not started yet serves all callers that join
  /// before it starts.
  [[nodiscard]] Ticket join(Call call) EXCLUDES(mutex_);
  /// The result, which ends the ticket; nothing until there is one.
  [[nodiscard]] std::optional<Result<std::string>> take(Ticket ticket) EXCLUDES(mutex_);
  /// Blocks for the result, which ends the ticket; kUnavailable at `deadline`, which drops it.
  [[nodiscard]] Result<std::string> await(Ticket ticket, Time deadline) EXCLUDES(mutex_);
  /// Gives up the result. A call that has not begun and has no other holder is not made.
  void drop(Ticket ticket) EXCLUDES(mutex_);

  /// When to look for results again.
  [[nodiscard]] Time next_poll() const { return clock_.now() + kPollInterval; }

  /// Whether no call runs or waits; waits for that until `deadline`.
  [[nodiscard]] bool wait_idle(Time deadline) EXCLUDES(mutex_);

 private:
  struct Queued {
    Ticket ticket{};
    Call call;
    std::size_t holders =
        1;  // The number of waiting tickets; 0 while it runs and all have been dropped.
  };
  struct Known {
    Result<std::string> result;
    std::size_t holders = 1;  // At least one.
  };

  [[nodiscard]] Ticket add(Call call) REQUIRES(mutex_);
  [[nodiscard]] std::optional<Result<std::string>> find(Ticket ticket) REQUIRES(mutex_);
  /// Queues the call, or says why not.
  [[nodiscard]] Status queue(Ticket ticket, Call call) REQUIRES(mutex_);
  [[nodiscard]] bool is_busy() const REQUIRES(mutex_) { return running_ || !waiting_.empty(); }
  [[nodiscard]] bool is_late() const REQUIRES(mutex_);
  /// Fails all calls if the first one takes too long.
  void expire() REQUIRES(mutex_);
  [[nodiscard]] Status late() const REQUIRES(mutex_);
  void work() EXCLUDES(mutex_);

  Clock& clock_;
  const Duration limit_;
  Mutex mutex_;
  CondVar changed_;  // For the thread.
  CondVar ended_;    // A call has ended, or is not made any more.
  std::deque<Queued> waiting_ GUARDED_BY(mutex_);
  std::optional<Queued> running_ GUARDED_BY(mutex_);
  std::map<Ticket, Known> known_ GUARDED_BY(mutex_);
  std::uint64_t last_ticket_ GUARDED_BY(mutex_) = 0;
  Time began_ GUARDED_BY(mutex_){};  // While busy: when the first call in the queue became due.
  bool ending_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // Last: it uses the others.
};

/// Creates ProbeThreads and keeps those whose call may hang: destroying one waits for its call.
/// Thread-safe.
class ProbeThreads {
 public:
  ProbeThreads(Clock& clock, Duration limit) : clock_(clock), limit_(limit) {}

  /// A new thread, on which no call hangs yet.
  [[nodiscard]] std::shared_ptr<ProbeThread> make() EXCLUDES(mutex_);

  /// Whether no call runs; waits for that until `deadline`. False: the process must end without
  /// destroying this.
  [[nodiscard]] bool wait_idle(Time deadline) EXCLUDES(mutex_);

 private:
  Clock& clock_;
  const Duration limit_;
  Mutex mutex_;
  std::vector<std::shared_ptr<ProbeThread>> made_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
