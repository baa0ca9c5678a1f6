/// Creating, removing and releasing the pods of a Job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/context.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/job/job.hpp"
#include "plugins/job/job_memory.hpp"
#include "plugins/job/manage_plan.hpp"
#include "plugins/job/pod_facts.hpp"

namespace davit::job {

/// Takes the tracking finalizer off a pod.
[[nodiscard]] Request finalizer_request(std::string_view ns, std::string_view pod);

/// The outcome of a round of writes.
struct PodsWritten {
  std::int64_t pods = 0;   ///< Created or gone.
  std::int64_t ready = 0;  ///< Ready ones for which a deletion was sent.
  Status error{};          ///< One of the errors.
  /// Those among `pods` that a terminating namespace refused. It takes no more, which is not an
  /// error.
  std::int64_t swallowed = 0;
};

/// Waits for all requests of a round. Announces them as Events on the Job. Thread-safe: one call a
/// Job, several at once.
class PodWriter {
 public:
  /// The references must outlive the writer.
  PodWriter(Context& cluster, JobMemory& memory) : cluster_(cluster), memory_(memory) {}

  /// Slow start; the cache will be expected to show the pods. Rule: docs/spec/job.md, 12.5.
  [[nodiscard]] PodsWritten create(const Job& job, const std::vector<NewPod>& pods) const;
  /// Pods that shall not count lose their finalizer first. Rule: docs/spec/job.md, 12.4.
  [[nodiscard]] PodsWritten remove_uncounted(const Job& job,
                                             const std::vector<const PodFacts*>& pods) const;
  /// Pods of a Job that ends; they keep their finalizer, to be counted. Rule: docs/spec/job.md, 11.
  [[nodiscard]] PodsWritten remove_at_end(const Job& job,
                                          const std::vector<const PodFacts*>& pods) const;
  /// Takes the finalizer off pods; the UIDs of those that have lost it.
  struct Released {
    std::vector<std::string_view> uids;
    Status error{};
  };
  [[nodiscard]] Released release(const Job& job, const std::vector<const PodFacts*>& pods) const;

 private:
  /// Whether a pod that a patch has not found is gone; an error if it is there, which a 404 to a
  /// patch does not rule out.
  [[nodiscard]] Status confirm_absence(std::string_view ns, const PodFacts& pod) const;
  /// One DELETE each; those of which the server knew nothing count as gone.
  [[nodiscard]] std::vector<Status> remove(const Job& job,
                                           const std::vector<const PodFacts*>& pods) const;

  Context& cluster_;
  JobMemory& memory_;
};

}  // namespace davit::job
