/// The metrics of a work queue (upstream's workqueue_* series).
#pragma once

#include <cstddef>

#include "lib/base/clock.hpp"

namespace davit::host {

/// The running work; the metrics endpoint reads it when it is scraped, so nothing has to tick.
struct RunningWork {
  Duration total{0};    ///< workqueue_unfinished_work_seconds: the sum over all keys that run.
  Duration longest{0};  ///< workqueue_longest_running_processor_seconds.
};

/// Receives what happens to the keys of one queue. Thread-safe; called outside the queue's lock;
/// must not block and must not call the queue. The default does nothing: a queue without a metric
/// name.
class QueueMetrics {
 public:
  QueueMetrics() = default;
  QueueMetrics(const QueueMetrics&) = delete;
  QueueMetrics& operator=(const QueueMetrics&) = delete;
  virtual ~QueueMetrics() = default;

  /// A key began to wait for a worker (also one that runs and was added again): depth + 1, adds
  /// + 1.
  virtual void added() {}
  /// A key went to a worker: depth - 1, and the time since added().
  virtual void taken([[maybe_unused]] Duration waited) {}
  /// `keys` keys left the queue without going to a worker: the depth falls by as many.
  virtual void dropped([[maybe_unused]] std::size_t keys) {}
  /// A worker is done with a key.
  virtual void done([[maybe_unused]] Duration worked) {}
  /// A key was added with a delay or a back-off.
  virtual void retried() {}
};

}  // namespace davit::host
