/// The definition of a metric.
#pragma once

#include <string>
#include <vector>

namespace davit::host {

enum class MetricType { kCounter, kGauge, kHistogram };

/// One metric of the host. The help text begins with the stability level in brackets, as upstream's
/// do (component-base/metrics, kubernetes/enhancements/keps/sig-instrumentation/1209).
struct MetricDefinition {
  MetricType type = MetricType::kCounter;
  std::string name = {};
  std::string help = {};
  std::vector<std::string> labels = {};
  std::vector<double> buckets = {};  ///< Histograms: upper bounds, rising.
};

}  // namespace davit::host
