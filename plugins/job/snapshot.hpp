/// Snapshot: what one sync knows of a Job and its pods, and what follows from that by counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/job/index_set.hpp"
#include "plugins/job/job_spec.hpp"
#include "plugins/job/job_status.hpp"
#include "plugins/job/pod_facts.hpp"

namespace davit::job {

/// The texts are borrowed from the Job and its pods. Positions are those in `pods`.
struct Snapshot {
  JobSpec spec{};
  JobStatus stored{};  ///< The status in the cache.
  std::string_view ns{};
  std::vector<PodFacts> pods{};

  // Rule: docs/spec/job.md, 9.
  std::vector<std::size_t> newly_succeeded{};
  std::vector<std::size_t> newly_failed{};
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t active = 0;
  std::int64_t ready = 0;
  std::int64_t terminating = 0;

  // Only indexed Jobs. Rule: docs/spec/job.md, 14 and 15.
  IndexSet previously_succeeded{};
  IndexSet succeeded_indexes{};
  std::optional<IndexSet> failed_indexes{};  ///< Only with a back-off limit per index.
  /// Failed pods that keep their finalizer until their index has another one.
  std::map<std::int64_t, std::size_t> delayed{};

  [[nodiscard]] bool is_delayed(std::size_t position) const {
    const std::optional<std::int64_t> index = pods[position].index;
    const auto found = index ? delayed.find(*index) : delayed.end();
    return found != delayed.end() && found->second == position;
  }
};

/// Counts. `pods` are all that the Job owns.
[[nodiscard]] Snapshot make_snapshot(JobSpec spec, JobStatus stored, std::string_view ns,
                                     std::vector<PodFacts> pods);

}  // namespace davit::job
