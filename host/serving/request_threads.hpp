/// Threads for requests to the API server, so that the server's thread waits for none.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "lib/base/mutex.hpp"

namespace davit::host {

/// Runs jobs on at most kThreadsMax threads, which start when all others are busy. Thread-safe. The
/// destructor requests the stop of running jobs, waits for them and drops the others.
class RequestThreads {
 public:
  using Job = std::function<void(std::stop_token)>;

  /// One scraper needs one; more are for a server that hangs.
  static constexpr std::size_t kThreadsMax = 8;
  /// The rest is for jobs that go first, however long the API server takes for these.
  static constexpr std::size_t kOthersMax = 6;
  /// In each line as many as there are clients (HttpServerOptions::connections_max).
  static constexpr std::size_t kWaitingMax = 64;

  /// The line in which a job waits.
  enum class Line {
    kOthers,
    kFirst,  ///< For known clients, and davit itself.
  };

  RequestThreads() = default;
  RequestThreads(const RequestThreads&) = delete;
  RequestThreads& operator=(const RequestThreads&) = delete;
  ~RequestThreads();

  /// False: too many wait, or there is no thread to be had; the job will not run.
  [[nodiscard]] bool post(Job job, Line line) EXCLUDES(mutex_);

  /// Blocks until no job runs or waits.
  void wait_idle() EXCLUDES(mutex_);

 private:
  void work(const std::stop_token& stop) EXCLUDES(mutex_);
  /// Whether a thread may take a job now.
  [[nodiscard]] bool has_job() const REQUIRES(mutex_);

  std::stop_source stop_;
  Mutex mutex_;
  CondVar changed_;   // For the threads.
  CondVar all_idle_;  // For wait_idle().
  std::deque<Job> first_ GUARDED_BY(mutex_);
  std::deque<Job> others_ GUARDED_BY(mutex_);
  std::size_t others_running_ GUARDED_BY(mutex_) = 0;
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
