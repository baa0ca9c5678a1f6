/// The data that one build of a controller passes to another.
#pragma once

#include <cstddef>

#include "host/cache/delta_queue.hpp"
#include "host/plugin/controller_metrics.hpp"
#include "host/plugin/controller_work.hpp"
#include "host/run/controller_runner.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The side of one build. The new build is started and does not lead while the old one works: its
/// handlers fill its queues, and it cannot write. Then old.drain(), new.take_over(old), new.lead(),
/// old.runner().stop(…, kRuns).
class ControllerHandOver {
 public:
  /// The references outlive this.
  ControllerHandOver(ControllerWork& work, ControllerMetrics& metrics, DeltaQueue& deltas,
                     Clock& clock)
      : work_(work), metrics_(metrics), deltas_(deltas), clock_(clock) {}
  ControllerHandOver(const ControllerHandOver&) = delete;
  ControllerHandOver& operator=(const ControllerHandOver&) = delete;

  using HandedOver = ControllerWork::HandedOver;
  /// Takes the keys of every queue, with delays, failures and unseen writes, from a drained build.
  /// Queues are matched by name; keys of queues that this build lacks are dropped. Timers also take
  /// over unseen writes. From now on /metrics shows this build's definitions.
  HandedOver take_over(ControllerHandOver& from) {
    metrics_.serve();
    return work_.take_over(from.work_);
  }
  /// Adds every key that waits here to the queues of the same name of the build that serves, before
  /// this one syncs. Returns how many there are.
  std::size_t mirror_keys(ControllerHandOver& serving) { return work_.mirror_keys(serving.work_); }

  /// Brings the handlers of two builds to one point of the cluster's history, where they rest until
  /// release_handlers() of both. False when that takes longer than until `deadline`.
  [[nodiscard]] bool hold_handlers(ControllerHandOver& other, Time deadline) {
    DeltaQueue::hold_together(deltas_, other.deltas_);
    return deltas_.wait_held(clock_, deadline) && other.deltas_.wait_held(clock_, deadline);
  }
  /// Releases the handlers after hold_handlers().
  void release_handlers() { deltas_.release(); }

  /// For a write_state() that still runs although no caller waits: suspends the syncs, timers and
  /// handlers of this build until end_suspension(), which health() reports. After hold_handlers().
  void suspend() { work_.runner().suspend("write() of its state"); }
  /// write_state() has ended: releases the handlers and lets everything run again.
  void end_suspension() {
    release_handlers();
    work_.runner().end_suspension();
  }
  /// Whether it is between suspend() and end_suspension().
  [[nodiscard]] bool is_suspended() const { return work_.runner().is_suspended(); }

 private:
  ControllerWork& work_;
  ControllerMetrics& metrics_;
  DeltaQueue& deltas_;
  Clock& clock_;
};

}  // namespace davit::host
