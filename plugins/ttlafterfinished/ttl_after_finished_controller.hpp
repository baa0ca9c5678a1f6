/// The TTL-after-finished controller: deletes finished Jobs when their TTL has passed.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <optional>

#include "plugins/ttlafterfinished/expiry_plan.hpp"

namespace davit::ttlafterfinished {

/// Read, decide, act: the rules are in expiry_plan, which is pure. Keeps nothing between syncs; a
/// Job that has time left waits in the queue.
class TtlAfterFinishedController final : public Controller {
 public:
  explicit TtlAfterFinishedController(Context& cluster);

 private:
  void enqueue(const Job& job) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  /// The outcome for a Job that is not to be deleted now; nothing: it has expired.
  [[nodiscard]] std::optional<Result<Again>> hold_back(const Job& job) const;
  [[nodiscard]] Result<Again> remove(const Key& key) const;

  Context& cluster_;
  Queue queue_;
  Informer<Job> jobs_;
  Metric duration_;
};

}  // namespace davit::ttlafterfinished
