/// The metrics and the values of labels that an exposition leaves out. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// A set of names.
using NameSet = std::set<std::string, std::less<>>;

/// Rule: k8s.io/component-base/metrics, options.
struct MetricRules {
  NameSet disabled = {};  ///< Metrics that are not shown.
  /// The values that are shown, keyed by metric and label. All others become "unexpected".
  std::map<std::string, std::map<std::string, NameSet, std::less<>>, std::less<>> allowed = {};
};

/// The rules for the labels of one metric.
class LabelLimits {
 public:
  /// `labels` are those of the metric, in their order.
  LabelLimits(const MetricRules& rules, std::string_view metric,
              const std::vector<std::string>& labels);

  /// Whether every value is allowed.
  [[nodiscard]] bool empty() const { return limits_.empty(); }
  /// Replaces the values that are not allowed, in the order of the labels, and returns their
  /// number.
  std::size_t apply(std::vector<std::string_view>& values) const;

 private:
  struct Limit {
    std::size_t label;  // Its place.
    NameSet values;
  };
  std::vector<Limit> limits_;
};

}  // namespace davit::host
