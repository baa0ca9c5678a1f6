/// Evaluation: the metrics of one autoscaler, combined.
#pragma once

#include <davit/context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugins/podautoscaler/autoscaler.hpp"
#include "plugins/podautoscaler/autoscaler_metrics.hpp"
#include "plugins/podautoscaler/metric_requests.hpp"
#include "plugins/podautoscaler/options.hpp"
#include "plugins/podautoscaler/pod_facts.hpp"
#include "plugins/podautoscaler/status_draft.hpp"

namespace davit::podautoscaler {

/// The outcome of all metrics together.
struct Evaluated {
  std::int32_t replicas = 0;
  std::string metric;                 ///< The name of the one that decided.
  std::vector<std::string> statuses;  ///< For status.currentMetrics, as JSON.
  /// Why nothing follows from them, or, if `replicas` counts, what some of them failed with.
  Status error;
  ErrorKind error_kind = ErrorKind::kNone;
  bool is_failed = false;  ///< `replicas` does not count.
};

/// Computes every entry of spec.metrics. Rule: docs/spec/hpa.md, section 8.
class Evaluation {
 public:
  struct Parts {
    Context& cluster;
    const Options& options;
    const AutoscalerMetrics& metrics;
    FreshCatalog& catalog;
    SharedValues& values;
  };
  /// All must outlive this. `pods`: those of the target.
  Evaluation(const Parts& parts, const Autoscaler& autoscaler, Replicas replicas,
             const std::vector<Pod>& pods, std::string pod_selector);

  /// Records Events of failures, and sets the condition ScalingActive. kCancelled in the error: the
  /// host ends the sync.
  [[nodiscard]] Evaluated run(StatusDraft& status);

 private:
  [[nodiscard]] Result<Proposal> compute(const MetricSpec& spec);
  [[nodiscard]] Result<Proposal> of_pods(const MetricSpec& spec);
  [[nodiscard]] Result<Proposal> of_resource(const MetricSpec& spec);
  [[nodiscard]] Result<Proposal> of_value(const MetricSpec& spec);
  [[nodiscard]] PodMetric metric_of(PodValues values, bool is_cpu) const;

  const Parts parts_;
  const Autoscaler& autoscaler_;
  const Replicas replicas_;
  const std::vector<Pod>& pods_;
  const std::vector<PodFacts> facts_;
  const ReplicaCalculator calculator_;
  MetricRequests requests_;
};

}  // namespace davit::podautoscaler
