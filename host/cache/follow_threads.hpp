/// A few threads that follow many resources.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "host/cache/reflector.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

class FollowThread;

/// Drives reflectors whose resources rarely change: each thread has the connections of many in its
/// loop, and reads, stores and delivers what comes through them, a piece of each after the other.
/// No connection is waited for, so one that stalls delays no other. Credentials and catalogs that
/// take time are fetched by a further thread. Threads start when they are needed. Thread-safe.
/// Reasons: docs/decisions/035-silent-watches-share-threads.md.
class FollowThreads {
 public:
  /// Threads that start before reflectors share one: two cores have lists to parse while the store
  /// of a third reflector is busy.
  static constexpr std::size_t kThreads = 3;

  /// The place of a reflector. Its end waits until the reflector is not used any more, so it must
  /// not be destroyed on one of the threads.
  class Following {
   public:
    Following(FollowThread& thread, std::size_t id, std::stop_source stop)
        : thread_(thread), id_(id), stop_(std::move(stop)) {}
    ~Following();
    Following(const Following&) = delete;
    Following& operator=(const Following&) = delete;

    /// Lets the reflector end, without waiting.
    void request_stop() { stop_.request_stop(); }

   private:
    FollowThread& thread_;
    const std::size_t id_;
    std::stop_source stop_;
  };

  /// The references outlive this. `api` is that of the reflectors.
  FollowThreads(ListWatch& api, Clock& clock, std::size_t threads_max = kThreads);
  /// Requires that every Following has been destroyed.
  ~FollowThreads();
  FollowThreads(const FollowThreads&) = delete;
  FollowThreads& operator=(const FollowThreads&) = delete;

  /// Drives `reflector`, which outlives the result, from now on. kUnavailable: the system has no
  /// thread for the first one.
  [[nodiscard]] Result<std::unique_ptr<Following>> follow(Reflector& reflector) EXCLUDES(mutex_);

 private:
  friend class FollowThread;
  struct Unprepared {
    FollowThread& thread;
    std::size_t id;
  };

  /// A reflector needs ListWatch::prepare().
  void prepare(Unprepared one) EXCLUDES(mutex_);
  void run_preparations(const std::stop_token& stop) EXCLUDES(mutex_);
  /// The thread with the fewest reflectors; null: none could be started.
  [[nodiscard]] FollowThread* choose() REQUIRES(mutex_);

  ListWatch& api_;
  Clock& clock_;
  const std::size_t threads_max_;
  Mutex mutex_;
  std::vector<std::unique_ptr<FollowThread>> threads_ GUARDED_BY(mutex_);
  std::vector<Unprepared> unprepared_ GUARDED_BY(mutex_);
  bool is_preparing_ GUARDED_BY(mutex_) = false;
  std::jthread preparer_ GUARDED_BY(mutex_);  // Last: it uses the threads.
};

}  // namespace davit::host
