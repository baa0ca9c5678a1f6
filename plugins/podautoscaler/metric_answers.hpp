/// Reads the responses of the three metrics APIs. Pure. The errors are texts for people.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <string_view>

#include "plugins/podautoscaler/replica_calculator.hpp"

namespace davit::podautoscaler {

/// The use of one resource by pods, or by one container of each if `container` is not empty. Pods
/// without it are left out. Rule: docs/spec/hpa.md, section 8.3.
[[nodiscard]] Result<PodValues> read_pod_metrics(Value list, std::string_view resource,
                                                 std::string_view container);

/// A MetricValueList of custom.metrics.k8s.io, by the name of the described object.
[[nodiscard]] Result<PodValues> read_custom_values(Value list);
/// The one value of such a list.
[[nodiscard]] Result<std::int64_t> read_custom_value(Value list);

/// The sum of an ExternalMetricValueList in thousandths; kNotFound: the list is empty.
[[nodiscard]] Result<std::int64_t> read_external_sum(Value list);

}  // namespace davit::podautoscaler
