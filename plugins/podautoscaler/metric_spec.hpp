/// One entry of spec.metrics. Pure.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/podautoscaler/replica_calculator.hpp"

namespace davit::podautoscaler {

enum class MetricSource : std::uint8_t {
  kResource,
  kContainerResource,
  kPods,
  kObject,
  kExternal,
  kUnknown,
};

/// An entry, read. Its views live as long as the autoscaler.
struct MetricSpec {
  MetricSource source = MetricSource::kUnknown;
  std::string_view type;       ///< As the entry spells it.
  std::string_view name;       ///< The resource or metric.
  std::string_view container;  ///< ContainerResource.
  Value metric;                ///< Name and selector, of all but resources.
  Value described;             ///< Object: describedObject.
  std::string_view target_type;
  std::optional<std::int64_t> value;          ///< Thousandths.
  std::optional<std::int64_t> average_value;  ///< Thousandths.
  std::optional<std::int32_t> utilization;    ///< Percent.

  [[nodiscard]] bool is_of_resource() const {
    return source == MetricSource::kResource || source == MetricSource::kContainerResource;
  }
  /// Whether an average for each pod is the target of an Object or External metric.
  [[nodiscard]] bool wants_average() const;

  /// The name in conditions and Events. Rule: docs/spec/hpa.md, section 8.1.
  [[nodiscard]] std::string title() const;
  /// The reason of its failure.
  [[nodiscard]] std::string_view failure_reason() const;
  /// The error of the whole autoscaler that follows from the error of the entry.
  [[nodiscard]] std::string outer_error(std::string_view inner) const;
  /// The entry of status.currentMetrics, as JSON.
  [[nodiscard]] std::string status(const Proposal& proposal) const;
};

/// A quantity, written as a text or a number, in thousandths.
[[nodiscard]] std::optional<std::int64_t> read_milli(Value quantity);

[[nodiscard]] MetricSpec read_metric(Value entry);

/// A label selector as Go prints it: "nil" without one.
[[nodiscard]] std::string printed_selector(Value selector);

/// Whether an entry allows that there is no pod at all.
[[nodiscard]] bool has_object_or_external(Value metrics);

}  // namespace davit::podautoscaler
