/// The section `metrics` of the manifest: which metrics and values of labels are shown.
#pragma once

#include <davit/result.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/fields.hpp"
#include "host/config/serving_settings.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {

/// The values that a label may have, with commas between; the key is "metric,label".
using AllowedLabels = std::map<std::string, std::string>;

/// Rule: k8s.io/component-base/metrics, options.
struct MetricSettings {
  std::vector<std::string> disabled = {};  ///< As --disabled-metrics.
  AllowedLabels allowed_labels = {};       ///< As --allow-metric-labels.
  std::string allowed_labels_file = {};    ///< As --allow-metric-labels-manifest; absolute.
  AllowedLabels labels_of_file =
      {};  ///< The content of that file. Empty in a manifest as it is read.

  /// The entries in force: those of the manifest, or those of the file if the manifest has none.
  [[nodiscard]] const AllowedLabels& labels() const {
    return allowed_labels.empty() ? labels_of_file : allowed_labels;
  }
  bool operator==(const MetricSettings&) const = default;
};

/// Whether Prometheus allows this name for a metric.
[[nodiscard]] bool is_metric_name(std::string_view text);
/// Whether this is a metric and a label with a comma between.
[[nodiscard]] bool is_metric_label(std::string_view text);

/// Reads the values of --allow-metric-labels: `metric,label=v1,v2`, or several such entries in
/// double quotes with commas between. kInvalid: one line that says what is wrong.
[[nodiscard]] Result<AllowedLabels> parse_allowed_labels(std::span<const std::string> values);

/// Reads the manifest's section.
void read_metrics(Fields& in, const PathResolver& resolve, MetricSettings& out);

/// Reads a file for --allow-metric-labels-manifest: a mapping as above, at the top or, as
/// upstream's help says, below allowListMapping.
[[nodiscard]] AllowedLabels load_allowed_labels(const std::string& path,
                                                std::vector<Mistake>& mistakes);

}  // namespace davit::host
