/// A thread's loop that waits for its own requests and drives those that the thread itself drives.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit {

/// A request over a socket that the thread of a loop drives. Only that thread calls it.
class DrivenRequest {
 public:
  DrivenRequest() = default;
  DrivenRequest(const DrivenRequest&) = delete;
  DrivenRequest& operator=(const DrivenRequest&) = delete;
  virtual ~DrivenRequest() = default;

  /// Goes as far as possible without blocking. `ready` are the descriptors of the last poll_for()
  /// with poll()'s results; empty before the first.
  virtual void drive(std::span<const pollfd> ready, Time now) = 0;
  /// Appends the descriptors that drive() has to be called for.
  virtual void poll_for(std::vector<pollfd>& out) const = 0;
  /// drive() has to be called then at the latest.
  [[nodiscard]] virtual Time due() const { return Time::max(); }

  /// A wait for nothing but input from one descriptor.
  struct SteadyWait {
    int descriptor = -1;
    std::uint64_t connection = 0;  ///< Another number for each: descriptors are used again.
    Time due = Time::max();        ///< As due().
  };
  /// The present wait, if it is such and lasts until the next drive(): a loop of many requests then
  /// need not ask each of them before each wait. Nothing: see poll_for() and due().
  [[nodiscard]] virtual std::optional<SteadyWait> steady_wait() const { return std::nullopt; }
};

/// Belongs to one thread, which makes requests and calls wait(). Requests that other threads
/// complete are posted by those; requests that join() are driven inside wait().
///
/// Functions marked "any thread" are thread-safe, the others are for the loop's thread.
class RequestLoop {
 public:
  /// The requests that it usually drives at once. With many, the kernel keeps the descriptors of
  /// those that wait steadily (epoll), so that a wake-up costs the same however many there are.
  enum class Requests { kFew, kMany };

  explicit RequestLoop(Requests requests = Requests::kFew) : requests_(requests) {}
  RequestLoop(const RequestLoop&) = delete;
  RequestLoop& operator=(const RequestLoop&) = delete;

  /// Request `index` has ended. Any thread.
  void post(std::size_t index) EXCLUDES(mutex_);
  /// The caller gives up. Any thread.
  void stop() EXCLUDES(mutex_);
  /// Whether stop() was called since the last reset(). Any thread.
  [[nodiscard]] bool stopped() EXCLUDES(mutex_);
  /// Prevents further requests from being sent. Ends one wait(). Any thread.
  void hold() EXCLUDES(mutex_);
  /// Whether hold() was called since the last reset(). Any thread.
  [[nodiscard]] bool held() EXCLUDES(mutex_);
  /// Every driven request is to be driven again. Any thread.
  void ring() EXCLUDES(mutex_);

  /// `request` is driven from now on until leave(). It must not leave inside drive().
  void join(DrivenRequest& request) { driven_.push_back({.request = &request}); }
  /// Drives `request` no more, so that it may be destroyed. Ignored when it has not joined.
  void leave(DrivenRequest& request);

  /// Waits for `enough` posts, stop(), hold() or `until`; returns what was posted since the last
  /// time. May return earlier. While requests are driven, the wait is in real time with any clock,
  /// because the sockets are real.
  [[nodiscard]] std::vector<std::size_t> wait(Clock& clock, Time until, std::size_t enough)
      EXCLUDES(mutex_);

  /// Makes the loop as it was at the start, for the next caller. Nothing may be joined.
  void reset() EXCLUDES(mutex_);

  /// For LoopPool only: the next free loop, while this one is free.
  std::unique_ptr<RequestLoop> next_in_pool;

 private:
  struct Driven {
    DrivenRequest* request;
    std::size_t first = 0;  // Its part of polled_.
    std::size_t count = 0;
    bool is_asked = false;                              // For its wait, since it was driven.
    std::optional<DrivenRequest::SteadyWait> steady{};  // The kernel watches this for it …
    std::uint64_t watch = 0;                            // … and reports this number.
  };

  [[nodiscard]] bool must_go_on(std::size_t enough) const REQUIRES(mutex_) {
    return posted_.size() < enough && !stopped_ && held_ == hold_seen_;
  }
  void notify() REQUIRES(mutex_);
  void poll_once(Clock& clock, Time until);
  /// Collects what the requests wait for; returns the time of the first that is due.
  [[nodiscard]] Time gather_waits();
  /// Asks a request for its wait, and lets the kernel watch a steady one.
  void ask(Driven& driven);
  void watch_no_more(Driven& driven);
  void take_input();
  [[nodiscard]] bool has_input(const Driven& driven) const;
  /// All requests are asked again.
  void renew_watched();
  void drive_ready(Time now);
  void clear_bell();

  const Requests requests_;

  // The loop's thread alone:
  std::vector<Driven> driven_;
  std::vector<pollfd> polled_;
  UniqueFd watched_;  // epoll; made for many requests.
  std::uint64_t last_watch_ = 0;
  std::vector<std::uint64_t> reported_;  // Numbers of watches with input, in ascending order.
  UniqueFd bell_;                        // eventfd; made when it is first needed.

  Mutex mutex_;
  CondVar changed_;
  std::vector<std::size_t> posted_ GUARDED_BY(mutex_);
  std::size_t enough_ GUARDED_BY(mutex_) = 1;  // The number that the caller waits for.
  bool stopped_ GUARDED_BY(mutex_) = false;
  bool held_ GUARDED_BY(mutex_) = false;
  bool hold_seen_ GUARDED_BY(mutex_) = false;  // A wait() has ended because of it.
  bool rung_ GUARDED_BY(mutex_) = false;
  int bell_to_ring_ GUARDED_BY(mutex_) = -1;  // The thread is in poll(): how to wake it.
};

}  // namespace davit
