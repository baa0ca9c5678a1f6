/// The status of an autoscaler while it is computed. Pure.
#pragma once

#include <cstdint>
#include <davit/kube/condition.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/podautoscaler/autoscaler.hpp"
#include "plugins/podautoscaler/replica_limits.hpp"

namespace davit::podautoscaler {

/// Starts as the cached status. Rule: docs/spec/hpa.md, section 14.
class StatusDraft {
 public:
  StatusDraft(const Autoscaler& autoscaler, WallTime now);

  /// Sets a condition in its place. Its time changes with its status only.
  void set(std::string_view type, bool is_true, std::string_view reason, std::string_view message);
  void set(std::string_view type, const Verdict& verdict) {
    set(type, verdict.is_true, verdict.reason, verdict.message);
  }
  void remove(std::string_view type) { conditions_.remove(type); }
  [[nodiscard]] bool is_true(std::string_view type) const;

  /// Sets what a sync that got past the scale reports. Entries of `metrics` are JSON.
  void set_counts(std::int32_t current, std::int32_t desired, std::vector<std::string> metrics);
  /// The same, with the desired number of before.
  void set_counts(std::int32_t current, std::vector<std::string> metrics) {
    set_counts(current, desired_, std::move(metrics));
  }
  void set_scaled() { last_scale_ = format_time(now_); }

  /// Whether a write of it would change nothing.
  [[nodiscard]] bool is_same_as(const Autoscaler& autoscaler) const;
  /// The body of a PUT: the object with this status.
  [[nodiscard]] std::string body(const Autoscaler& autoscaler) const;

 private:
  [[nodiscard]] std::string metrics_json() const;

  const WallTime now_;
  ConditionList conditions_;
  std::int64_t current_ = 0;
  std::int64_t desired_ = 0;
  std::string last_scale_;
  std::vector<std::string> metrics_;
  std::optional<std::int64_t> observed_generation_;  // Dropped with the first counts, as upstream.
};

}  // namespace davit::podautoscaler
