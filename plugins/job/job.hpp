/// Job: a typed view, and the names that the API has for what belongs to Jobs.
#pragma once

#include <davit/kube/metadata.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/jobs/job.hpp"

namespace davit::job {

/// Keeps a finished pod until the Job's status has counted it.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
/// Annotation and label of an indexed Job's pod.
inline constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kFailureCount = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIgnoredFailureCount =
    "batch.kubernetes.io/job-index-ignored-failure-count";

inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kFailureTarget = "FailureTarget";
inline constexpr std::string_view kSuccessCriteriaMet = "SuccessCriteriaMet";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kComplete = "Complete";

/// Rule: docs/spec/job.md, 3.2.
class Job : public jobs::Job {
 public:
  using jobs::Job::Job;

  [[nodiscard]] Value selector() const { return spec()[&Names::selector]; }
  [[nodiscard]] Value pod_template() const { return spec()[&Names::pod_template]; }
  [[nodiscard]] bool is_suspended() const { return spec()["suspend"].is_true(); }
  [[nodiscard]] bool is_indexed() const { return spec()["completionMode"].string() == "Indexed"; }
  /// Another controller cares for it.
  [[nodiscard]] bool is_external() const {
    const std::optional<std::string_view> manager = managed_by();
    return manager && *manager != "kubernetes.io/job-controller";
  }
  [[nodiscard]] std::optional<std::string_view> managed_by() const {
    return spec()["managedBy"].text();
  }
  [[nodiscard]] std::optional<WallTime> start_time() const {
    return parse_time(status()["startTime"].string());
  }
};

/// A Job; another one with the same name is not the same.
struct JobId {
  Key key;
  std::string uid;
};
[[nodiscard]] inline JobId id_of(const Job& job) { return {job.key(), std::string(job.uid())}; }

/// The text of the metrics' label completion_mode.
[[nodiscard]] inline std::string_view completion_mode(const Job& job) {
  return job.is_indexed() ? "Indexed" : "NonIndexed";
}

}  // namespace davit::job
