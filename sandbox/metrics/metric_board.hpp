/// The rules and loads in force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/metrics/metric_rule.hpp"

namespace davit::sandbox {

/// The groups that the server serves, and the usage that it shows without rules.
struct MetricOptions {
  bool resource = true;  ///< metrics.k8s.io.
  bool custom = true;    ///< custom.metrics.k8s.io.
  bool external = true;  ///< external.metrics.k8s.io.
  /// Each container's, not shared.
  LoadShape cpu = LoadShape::of(kNanosPerUnit / 1000);
  /// Each container's, in bytes, not shared.
  LoadShape memory = LoadShape::of(kNanosPerUnit * 8 * 1024 * 1024);

  [[nodiscard]] bool serves(std::string_view group) const {
    return (resource && group == kResourceMetrics) || (custom && group == kCustomMetrics) ||
           (external && group == kExternalMetrics);
  }
};

/// A rule in force.
struct ActiveRule {
  std::uint64_t id = 0;
  Time added;  ///< Its functions begin.
  MetricRule rule;
  std::size_t bytes = 0;  ///< Those of its texts.

  /// The rule as it was written, with `id`.
  [[nodiscard]] Json describe() const;
};
/// The oldest first.
using MetricRules = std::vector<std::shared_ptr<const ActiveRule>>;

/// Temporary load of pods.
struct PodLoad {
  std::string ns;
  std::string service;  ///< The Ready pods of this Service share it.
  std::string pod;      ///< Or this pod has it.
  Nanos cpu = 0;
  Nanos memory = 0;
  std::string metric;  ///< A custom metric of the pods, with `value`; empty: none.
  Nanos value = 0;
  Time until;
};

/// Bounds what users can make the server keep.
struct MetricLimits {
  std::size_t rules_max = 1000;
  std::size_t bytes_max = std::size_t{8} << 20U;  ///< The texts of all rules.
  std::size_t loads_max = 1000;
};

/// Rules and loads behind one lock. Thread-safe. They end with the process.
class MetricBoard {
 public:
  explicit MetricBoard(MetricOptions options = {}, MetricLimits limits = {})
      : options_(options), limits_(limits) {}

  [[nodiscard]] const MetricOptions& options() const { return options_; }

  /// All or none. kThrottled when there are too many.
  [[nodiscard]] Result<MetricRules> add(std::vector<MetricRule> rules, Time now) EXCLUDES(mutex_);
  /// The same, replacing all rules.
  [[nodiscard]] Result<MetricRules> set(std::vector<MetricRule> rules, Time now) EXCLUDES(mutex_);
  /// Replaces rule `id` in its place; its functions begin again. kNotFound when there is none.
  [[nodiscard]] Status replace(std::uint64_t id, MetricRule rule, Time now) EXCLUDES(mutex_);
  /// Whether there was one.
  bool remove(std::uint64_t id) EXCLUDES(mutex_);
  void clear() EXCLUDES(mutex_);
  /// The rules as they are now.
  [[nodiscard]] std::shared_ptr<const MetricRules> rules() const EXCLUDES(mutex_);

  /// kThrottled when there are too many.
  [[nodiscard]] Status add_load(PodLoad load, Time now) EXCLUDES(mutex_);
  [[nodiscard]] std::vector<PodLoad> loads(Time now) const EXCLUDES(mutex_);

 private:
  [[nodiscard]] Result<MetricRules> append(MetricRules to, std::vector<MetricRule> rules, Time now)
      REQUIRES(mutex_);
  [[nodiscard]] Status check_room(const MetricRules& rules) const;

  const MetricOptions options_;
  const MetricLimits limits_;
  mutable Mutex mutex_;
  std::shared_ptr<const MetricRules> rules_ GUARDED_BY(mutex_) =
      std::make_shared<const MetricRules>();
  std::uint64_t last_id_ GUARDED_BY(mutex_) = 0;
  std::vector<PodLoad> loads_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox
