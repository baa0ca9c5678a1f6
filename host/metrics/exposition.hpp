/// Prometheus' text format, version 0.0.4, as Go's client writes it. Internal to host/health.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace davit::host {

/// Families by name, series by labels, so that the same state is the same text. Families without
/// series are left out.
[[nodiscard]] std::string exposition(std::vector<prometheus::MetricFamily> families);

/// A number as strconv.FormatFloat(v, 'g', -1, 64) writes it: "1e-08", "0.025", "1.048576e+06". The
/// bounds of buckets are labels, so dashboards depend on the spelling.
[[nodiscard]] std::string number_text(double value);

}  // namespace davit::host
