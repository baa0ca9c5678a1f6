/// The replica calculator: values of a metric and the state of pods in, a number of replicas out.
/// Pure; pkg/controller/podautoscaler/replica_calculator.go.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit::podautoscaler {

/// A value of a pod, in thousandths.
struct PodValue {
  std::int64_t milli = 0;
  WallTime timestamp{};  ///< When it was measured.
  Duration window{};     ///< The time that it covers.
};
/// The key is the name of a pod. Names of no pod may be among them.
using PodValues = std::map<std::string, PodValue, std::less<>>;

/// Requests in thousandths, by the name of the pod.
using PodRequests = std::map<std::string, std::int64_t, std::less<>>;

/// The state of a pod, as far as it counts.
struct PodFacts {
  enum class Ready : std::uint8_t { kAbsent, kTrue, kFalse, kUnknown };

  std::string name;
  bool is_ignored = false;  ///< It is being deleted, or Failed.
  bool is_pending = false;
  bool is_running = false;  ///< Its phase.
  Ready ready = Ready::kAbsent;
  WallTime ready_since{};  ///< The condition's time; long ago if it has none.
  std::optional<WallTime> started{};
};

/// The deviation from the target that moves nothing.
struct Tolerance {
  double down = 0.1;
  double up = 0.1;

  /// Whether a ratio of use to target counts as the target. Infinities and NaN do not.
  [[nodiscard]] bool holds(double ratio) const { return 1.0 - down <= ratio && ratio <= 1.0 + up; }
};

struct CalculatorSettings {
  Tolerance tolerance{};
  Duration cpu_initialization = std::chrono::minutes(5);
  Duration initial_readiness_delay = std::chrono::seconds(30);
};

/// The numbers of the target's scale.
struct Replicas {
  std::int32_t current = 0;  ///< spec.replicas
  std::int32_t counted = 0;  ///< status.replicas
};

/// The outcome of one metric.
struct Proposal {
  std::int32_t replicas = 0;
  std::int64_t milli = 0;                     ///< The value that the status shows.
  std::optional<std::int32_t> utilization{};  ///< In percent, if that is the target.
};

/// One metric of pods: its values, and whether the state of pods that start counts.
struct PodMetric {
  std::span<const PodFacts> pods;
  PodValues values;
  bool is_cpu = false;  ///< Values of pods that start do not count.
  WallTime now{};
};

/// Proposes for one metric. Rule: docs/spec/hpa.md, section 9. The errors are upstream's texts.
class ReplicaCalculator {
 public:
  ReplicaCalculator(const CalculatorSettings& settings, Replicas replicas)
      : settings_(settings), replicas_(replicas) {}

  /// `percent` of what pods request; `requests` may be the error of reading them.
  [[nodiscard]] Result<Proposal> by_utilization(PodMetric metric,
                                                const Result<PodRequests>& requests,
                                                std::int32_t percent) const;
  /// `target` thousandths for each pod.
  [[nodiscard]] Result<Proposal> by_average(PodMetric metric, std::int64_t target) const;
  /// One value for all pods.
  [[nodiscard]] Result<Proposal> by_value(std::span<const PodFacts> pods, std::int64_t value,
                                          std::int64_t target) const;
  /// One value, shared by the pods that the scale counts.
  [[nodiscard]] Proposal by_average_value(std::int64_t value, std::int64_t target) const;

 private:
  struct Usage {
    double ratio = 0;
    std::int64_t milli = 0;
    std::optional<std::int32_t> utilization{};
  };
  struct Groups;

  [[nodiscard]] Result<Groups> grouped(PodMetric& metric) const;
  /// Steps 4 to 8 of section 9.5. `usage` measures the values; `fill` is what a missing pod counts
  /// as, below the target.
  template <typename Measure, typename Fill>
  [[nodiscard]] Result<Proposal> propose(PodValues values, const Groups& groups,
                                         const Measure& measure, const Fill& fill) const;

  CalculatorSettings settings_;
  Replicas replicas_;
};

}  // namespace davit::podautoscaler
