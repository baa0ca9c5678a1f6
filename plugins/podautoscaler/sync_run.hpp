/// SyncRun: one sync of one autoscaler.
#pragma once

#include <davit/scale.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/podautoscaler/evaluation.hpp"
#include "plugins/podautoscaler/memory.hpp"
#include "plugins/podautoscaler/selector_table.hpp"

namespace davit::podautoscaler {

/// Reads the scale of the target, computes, writes the scale and the status. Lives during one sync.
/// Rule: docs/spec/hpa.md, section 5.
class SyncRun {
 public:
  struct Parts {
    Evaluation::Parts evaluation;
    const Informer<Pod>& pods;
    Memory& memory;
    SelectorTable& selectors;
  };
  /// All must outlive this.
  SyncRun(const Parts& parts, const Autoscaler& autoscaler);

  /// The error is for the log; kCancelled: the host ends the sync.
  [[nodiscard]] Status run();

 private:
  struct Wanted {
    std::int32_t replicas = 0;
    std::string reason;
    bool is_change = false;
  };

  /// run(), without its metrics and memory.
  [[nodiscard]] Status scaled();
  /// Steps 4 and 5: the desired number, or the end of the sync.
  [[nodiscard]] Result<Wanted> decide();
  [[nodiscard]] Result<Wanted> decide_by_metrics();
  [[nodiscard]] Evaluated evaluate();
  /// The pods of the target, if no other autoscaler has any of them.
  [[nodiscard]] Result<std::vector<Pod>> pods_of_target(const Selector& selector);
  [[nodiscard]] Limited limit(std::int32_t desired);
  [[nodiscard]] Status fail_scale(const Status& error);
  [[nodiscard]] Status write_scale(const Wanted& wanted);
  void note_scaled(std::int32_t to);
  /// Writes the status if it is another one. Records its failure as an Event.
  [[nodiscard]] Status write_status();
  [[nodiscard]] Status write_status_again(Status conflict);
  void refuse_selector(std::string_view event, std::string_view reason, std::string_view error,
                       std::string_view message);

  [[nodiscard]] Context& cluster() const { return parts_.evaluation.cluster; }
  [[nodiscard]] const Options& options() const { return parts_.evaluation.options; }
  [[nodiscard]] bool may_start_from_zero() const;

  const Parts parts_;
  const Autoscaler& autoscaler_;
  const std::string reference_;  // Kind/namespace/name of the target, for logs.
  const std::optional<Behavior> behavior_;
  const Time begin_;
  const std::int32_t min_;
  const std::int32_t max_;
  const Scales scales_;
  StatusDraft status_;
  ScalingHistory history_;
  Scale scale_;
  std::vector<std::string> statuses_;  // For status.currentMetrics, as JSON.
  Status partial_;                     // Errors of some metrics.
  ErrorKind error_kind_ = ErrorKind::kNone;
  std::int32_t written_ = 0;
  bool is_scaled_ = false;
};

}  // namespace davit::podautoscaler
