/// RunnerMetrics that remember the last values.
#pragma once

#include <map>
#include <string>

#include "host/run/runner_metrics.hpp"
#include "lib/base/mutex.hpp"

namespace davit::test {

/// Thread-safe.
class FakeRunnerMetrics final : public host::RunnerMetrics {
 public:
  host::QueueMetrics& queue_metrics(std::string_view) override { return none_; }
  void queue_running(std::string_view queue, const host::RunningWork& work) override {
    MutexLock lock(mutex_);
    longest_[std::string(queue)] = work.longest;
  }
  void controller_running(std::string_view, Running running) override {
    MutexLock lock(mutex_);
    running_ = running == Running::kYes;
  }
  void overdue_syncs(std::string_view, std::size_t count) override {
    MutexLock lock(mutex_);
    overdue_ = count;
  }

  [[nodiscard]] Duration longest(const std::string& queue) const {
    MutexLock lock(mutex_);
    const auto found = longest_.find(queue);
    return found == longest_.end() ? Duration(-1) : found->second;
  }
  [[nodiscard]] bool running() const {
    MutexLock lock(mutex_);
    return running_;
  }
  [[nodiscard]] std::size_t overdue() const {
    MutexLock lock(mutex_);
    return overdue_;
  }

 private:
  host::QueueMetrics none_;
  mutable Mutex mutex_;
  std::map<std::string, Duration> longest_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;
  std::size_t overdue_ GUARDED_BY(mutex_) = 0;
};

}  // namespace davit::test
