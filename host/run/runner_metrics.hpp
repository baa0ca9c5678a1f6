/// The metrics of running controllers.
#pragma once

#include <cstddef>
#include <string_view>

#include "host/queue/queue_metrics.hpp"

namespace davit::host {

/// Thread-safe.
class RunnerMetrics {
 public:
  RunnerMetrics() = default;
  RunnerMetrics(const RunnerMetrics&) = delete;
  RunnerMetrics& operator=(const RunnerMetrics&) = delete;
  virtual ~RunnerMetrics() = default;

  /// The series of the queue with that name; queues of one name share them. Lives as long as this
  /// object.
  virtual QueueMetrics& queue_metrics(std::string_view queue) = 0;
  /// workqueue_unfinished_work_seconds and workqueue_longest_running_processor_seconds.
  virtual void queue_running(std::string_view queue, const RunningWork& work) = 0;
  /// running_managed_controllers.
  enum class Running { kNo, kYes };
  virtual void controller_running(std::string_view controller, Running running) = 0;
  /// Syncs beyond their limit right now.
  virtual void overdue_syncs(std::string_view controller, std::size_t count) = 0;
};

}  // namespace davit::host
