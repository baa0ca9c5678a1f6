#include "plugins/daemonset/status_writer.hpp"

#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <utility>

namespace davit::daemonset {

std::string status_patch(const DaemonSet& set, const StatusPlan& plan, std::int64_t generation) {
  const DaemonCounts& counts = plan.counts;
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.member("resourceVersion", set.resource_version()).end_object();
  body.key("status").begin_object();
  body.member("currentNumberScheduled", counts.current);
  body.member("desiredNumberScheduled", counts.desired);
  body.member("numberAvailable", counts.available);
  body.member("numberMisscheduled", counts.misscheduled);
  body.member("numberReady", counts.ready);
  body.member("numberUnavailable", counts.unavailable());
  body.member("updatedNumberScheduled", counts.updated);
  if (plan.generation == Observed::kYes) body.member("observedGeneration", generation);
  body.end_object().end_object();
  return std::move(body).text();
}

StatusWriter::Change StatusWriter::change(const DaemonSet& set, const StatusPlan& plan) {
  if (plan.generation == Observed::kYes && set.observed_generation() < set.generation()) {
    return Change::kGeneration;
  }
  const bool same = has_counts(set, plan.counts) && !mutant("same-status");
  return same ? Change::kNone : Change::kCounts;
}

Status StatusWriter::write(const DaemonSet& set, const StatusPlan& plan) const {
  const Status first = patch(set, plan, set.generation());
  if (first.ok()) return first;
  const Result<DaemonSet> live = client_.get<DaemonSet>(set.key());
  if (!live) return live.error();
  // Upstream writes to any set of this name; here a recreated set gets its own status.
  if (live->uid() != set.uid()) return first;
  return patch(*live, plan, set.generation());
}

Status StatusWriter::patch(const DaemonSet& set, const StatusPlan& plan,
                           std::int64_t generation) const {
  return client_
      .patch<DaemonSet>(set.key(), PatchType::kMerge, status_patch(set, plan, generation),
                        {.subresource = "status", .answer = Answer::kMetadata})
      .error();
}

}  // namespace davit::daemonset
