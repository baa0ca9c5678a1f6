/// Drives the requests of callers that have no loop. Internal to host/transport.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/request_loop.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// A thread with a loop, from the first request on. Other threads leave notes (start, resume, end)
/// and wake it. Thread-safe; outlives its calls.
class RequestThread {
 public:
  /// Starts a request that the loop's thread drives. Runs on that thread.
  using Begin = std::function<std::unique_ptr<Call>(RequestLoop& loop)>;

  explicit RequestThread(Clock& clock) : clock_(clock) {}
  /// Requires that all calls have been destroyed.
  ~RequestThread();
  RequestThread(const RequestThread&) = delete;
  RequestThread& operator=(const RequestThread&) = delete;

  /// Runs `begin` soon, unless the result is destroyed first. Destroying the result waits until the
  /// thread has ended the request. Without a thread, `reader` sees Break::kRefused at once, as with
  /// a refused connection; the next request tries to start the thread again.
  [[nodiscard]] std::unique_ptr<Call> start(Begin begin, ResponseReader& reader) EXCLUDES(mutex_);

 private:
  using Id = std::uint64_t;
  class Started;
  struct Notes {
    std::vector<std::pair<Id, Begin>> starts;
    std::vector<Id> resumes;
    std::vector<Id> ends;
  };

  void resume(Id id) EXCLUDES(mutex_);
  void end(Id id) EXCLUDES(mutex_);
  /// On the thread:
  void run();
  void handle(Notes notes) EXCLUDES(mutex_);

  Clock& clock_;
  RequestLoop loop_;
  std::unordered_map<Id, std::unique_ptr<Call>> calls_;  // The thread alone.

  Mutex mutex_;
  CondVar ended_;
  Notes notes_ GUARDED_BY(mutex_);
  std::unordered_set<Id> live_ GUARDED_BY(mutex_);  // Those that may still call their reader.
  Id last_id_ GUARDED_BY(mutex_) = 0;
  std::jthread thread_;  // Started under mutex_, ended by the destructor.
};

}  // namespace davit::host
