/// A thread's loop that waits for its own requests and drives those that the thread itself drives.
#pragma once

#include <poll.h>

#include <cstddef>
#include <memory>
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
};

/// Belongs to one thread, which makes requests and calls wait(). Requests that other threads
/// complete are posted by those; requests that join() are driven inside wait().
///
/// Functions marked "any thread" are thread-safe, the others are for the loop's thread.
class RequestLoop {
 public:
  RequestLoop() = default;
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
  void join(DrivenRequest& request) { driven_.push_back({&request, 0, 0}); }
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
    std::size_t first;  // Its part of polled_.
    std::size_t count;
  };

  [[nodiscard]] bool must_go_on(std::size_t enough) const REQUIRES(mutex_) {
    return posted_.size() < enough && !stopped_ && held_ == hold_seen_;
  }
  void notify() REQUIRES(mutex_);
  void poll_once(Clock& clock, Time until);
  void drive_ready(Time now);
  void clear_bell();

  // The loop's thread alone:
  std::vector<Driven> driven_;
  std::vector<pollfd> polled_;
  UniqueFd bell_;  // eventfd; made when it is first needed.

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
