/// PodFacts: the fields of a Job's pod that the rules read.
#pragma once

#include <cstdint>
#include <davit/kube/pod.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "plugins/job/job_spec.hpp"
#include "plugins/shared/pods/pod_ranking.hpp"

namespace davit::job {

/// An unknown phase counts as pending.
enum class PodPhase : std::uint8_t { kPending, kUnknown, kRunning, kSucceeded, kFailed };

struct ContainerExit {
  std::string_view container;
  std::int64_t code = 0;
};

/// The texts are borrowed from the pod.
struct PodFacts {
  std::string_view name = {};
  std::string_view uid = {};
  PodPhase phase = PodPhase::kPending;
  pods::PodRank rank = {};  ///< Decides which pods go if there are too many.
  bool being_deleted = false;
  bool has_finalizer = false;
  bool removal_awaited = false;   ///< The finalizer is gone, which the cache does not show yet.
  WallTime finished{};            ///< Rule: docs/spec/job.md, 3.5.
  std::int64_t all_restarts = 0;  ///< Sum over all containers.
  std::optional<std::int64_t> index = std::nullopt;
  std::int64_t failures = 0;          ///< Earlier counted failures of its index.
  std::int64_t ignored_failures = 0;  ///< Earlier ignored ones.
  /// Only with a pod failure policy: regular containers first.
  std::vector<ContainerExit> exits = {};
  std::vector<FailureRule::Condition> conditions = {};

  [[nodiscard]] bool is_terminal() const {
    return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed;
  }
  [[nodiscard]] bool is_active() const { return !is_terminal() && !being_deleted; }
  [[nodiscard]] bool is_terminating() const { return !is_terminal() && being_deleted; }
  /// Still to be counted and to lose its finalizer.
  [[nodiscard]] bool is_tracked() const { return has_finalizer && !removal_awaited; }
  [[nodiscard]] std::int64_t index_failures() const { return failures + ignored_failures; }
};

/// Everything but `removal_awaited`. A pod without controller reference is one that this sync has
/// just adopted, so it has the finalizer now.
[[nodiscard]] PodFacts read_pod(const Pod& pod, const JobSpec& spec);

/// Whether the Job has lost the pod: see docs/spec/job.md, 3.3.
[[nodiscard]] bool is_failed(const PodFacts& pod, const JobSpec& spec);
/// Whether the pod has an index that the Job wants; true for Jobs without indexes.
[[nodiscard]] bool in_range(const PodFacts& pod, const JobSpec& spec);

}  // namespace davit::job
