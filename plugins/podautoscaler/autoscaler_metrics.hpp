/// The controller's metrics, with upstream's names.
#pragma once

#include <davit/context.hpp>
#include <string_view>

namespace davit::podautoscaler {

/// The value of the label "error".
enum class ErrorKind : std::uint8_t { kNone, kSpec, kInternal };

/// Rule: docs/spec/hpa.md, section 18.
class AutoscalerMetrics {
 public:
  explicit AutoscalerMetrics(Context& cluster);

  /// A sync that began at `begin`; the numbers before and after.
  void reconciled(std::int32_t from, std::int32_t to, ErrorKind error, Time begin) const;
  /// The computation of one entry. `type`: as spec.metrics has it.
  void computed(std::int32_t from, std::int32_t to, ErrorKind error, std::string_view type,
                Time begin) const;
  void count(std::size_t autoscalers) const;
  void desired(std::string_view ns, std::string_view name, std::int32_t replicas) const;
  void forget(std::string_view ns, std::string_view name) const;

 private:
  [[nodiscard]] double seconds_since(Time begin) const;

  Context& cluster_;
  const Metric reconciliations_;
  const Metric reconciliation_seconds_;
  const Metric computations_;
  const Metric computation_seconds_;
  const Metric autoscalers_;
  const Metric desired_;
};

}  // namespace davit::podautoscaler
