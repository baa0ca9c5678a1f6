/// JobStatus: a Job's status while a sync computes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/job/job.hpp"

namespace davit::job {

/// A condition in the status, of this controller or another writer.
struct JobCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::string json;  ///< The whole of it.

  friend bool operator==(const JobCondition&, const JobCondition&) = default;
};

/// A condition of this controller's.
[[nodiscard]] JobCondition make_condition(std::string_view type, std::string_view status,
                                          std::string_view reason, std::string_view message,
                                          WallTime now);

/// The members that this controller writes. Rule: docs/spec/job.md, 20.
struct JobStatus {
  std::int64_t active = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::optional<std::int64_t> ready = std::nullopt;
  std::optional<std::int64_t> terminating = std::nullopt;
  /// UIDs of finished pods that hold their finalizer still, or whose loss is not counted yet.
  std::vector<std::string> uncounted_succeeded = {};
  std::vector<std::string> uncounted_failed = {};
  std::string completed_indexes = {};
  std::optional<std::string> failed_indexes = std::nullopt;
  std::optional<WallTime> start_time = std::nullopt;
  std::optional<WallTime> completion_time = std::nullopt;
  std::vector<JobCondition> conditions = {};

  /// The first condition of the type that is True; null without one.
  [[nodiscard]] const JobCondition* find_true(std::string_view type) const;
  /// Replaces the condition of its type, or adds it. A condition that is False is not added.
  /// Whether anything changed; times alone do not count. Rule: docs/spec/job.md, 23.
  bool set_condition(JobCondition condition);

  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

/// Missing members and those of another kind read as empty.
[[nodiscard]] JobStatus read_status(const Job& job);

/// The whole Job with this status; members of the status that are not this controller's stay.
[[nodiscard]] std::string body_with_status(const Job& job, const JobStatus& status);

}  // namespace davit::job
