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
    host::MutexLock lock(mutex_);
    longest_[std::string(queue)] = work.longest;
  }
  void controller_running(std::string_view, Running running) override {
    host::MutexLock lock(mutex_);
    running_ = running == Running::kYes;
  }
  void overdue_syncs(std::string_view, std::size_t count) override {
    host::MutexLock lock(mutex_);
    overdue_ = count;
  }

  [[nodiscard]] host::Duration longest(const std::string& queue) const {
    host::MutexLock lock(mutex_);
    const auto found = longest_.find(queue);
    return found == longest_.end() ? host::Duration(-1) : found->second;
  }
  [[nodiscard]] bool running() const {
    host::MutexLock lock(mutex_);
    return running_;
  }
  [[nodiscard]] std::size_t overdue() const {
    host::MutexLock lock(mutex_);
    return overdue_;
  }

 private:
  host::QueueMetrics none_;
  mutable host::Mutex mutex_;
  std::map<std::string, host::Duration> longest_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;
  std::size_t overdue_ GUARDED_BY(mutex_) = 0;
};

}  // namespace davit::test
