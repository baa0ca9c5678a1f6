/// JobSpec: what a Job asks for, read once for a sync.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/job/job.hpp"

namespace davit::job {

/// One rule of spec.podFailurePolicy. The texts are borrowed from the Job.
struct FailureRule {
  enum class Action : std::uint8_t { kFailJob, kFailIndex, kCount, kIgnore, kUnknown };
  enum class Operator : std::uint8_t { kIn, kNotIn, kUnknown };
  struct Condition {
    std::string_view type;
    std::string_view status;
  };

  Action action = Action::kUnknown;
  bool on_exit_codes = false;                                ///< Else on conditions.
  std::optional<std::string_view> container = std::nullopt;  ///< Nothing: any.
  Operator op = Operator::kUnknown;
  std::vector<std::int64_t> exit_codes = {};
  std::vector<Condition> conditions = {};
};

/// One rule of spec.successPolicy.
struct SuccessRule {
  std::optional<std::string_view> indexes = std::nullopt;
  std::optional<std::int64_t> count = std::nullopt;
};

struct JobSpec {
  std::int64_t parallelism = 1;
  std::optional<std::int64_t> completions = std::nullopt;
  std::int64_t backoff_limit = 6;
  std::optional<std::int64_t> backoff_limit_per_index = std::nullopt;
  std::optional<std::int64_t> max_failed_indexes = std::nullopt;
  std::optional<std::chrono::seconds> active_deadline = std::nullopt;
  bool indexed = false;
  bool suspended = false;
  bool being_deleted = false;
  bool replaces_failed_only = false;  ///< Pods that still terminate are not replaced.
  bool restarts_in_place = false;     ///< The template's restartPolicy is OnFailure.
  std::optional<std::vector<FailureRule>> failure_policy = std::nullopt;
  std::vector<SuccessRule> success_policy = {};

  [[nodiscard]] bool per_index() const { return backoff_limit_per_index.has_value(); }
};

/// Borrows from `job`. kInvalid: a number of the spec is none, negative or beyond int32.
[[nodiscard]] Result<JobSpec> read_spec(const Job& job);

}  // namespace davit::job
