/// A controller's delta queue as the runner's DeltaSource.
#pragma once

#include "host/cache/delta_queue.hpp"
#include "host/run/controller_runner.hpp"

namespace davit::host {

class DeltaQueueSource final : public DeltaSource {
 public:
  /// `queue` must outlive this.
  explicit DeltaQueueSource(DeltaQueue& queue) : queue_(queue) {}

  bool wait(std::stop_token stop) override { return queue_.wait(stop); }
  void deliver() override { queue_.step(); }
  [[nodiscard]] bool ready() const override { return queue_.initial_delivered(); }

 private:
  DeltaQueue& queue_;
};

}  // namespace davit::host
