#include "plugins/ttlafterfinished/ttl_after_finished_controller.hpp"

#include <algorithm>
#include <string>

namespace davit::ttlafterfinished {
namespace {

// Timers count the time that passes, a TTL that of the wall clock. A clock that is set, or a
// machine that slept, delays a deletion by so much at most.
constexpr Duration kLookAgain = std::chrono::minutes(10);

}  // namespace

TtlAfterFinishedController::TtlAfterFinishedController(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "ttl_jobs_to_delete"},
                                [this](const Key& key) { return sync(key); })),
      jobs_(cluster.open_informer<Job>(
          {.added = [this](const Job& job) { enqueue(job); },
           .updated = [this](const Job&, const Job& job) { enqueue(job); }})),
      duration_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "ttl_after_finished_controller_job_deletion_duration_seconds",
           .help = "The time it took to delete the job since it became eligible for deletion",
           .buckets = {0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6,
                       819.2}})) {}

void TtlAfterFinishedController::enqueue(const Job& job) const {
  if (needs_cleanup(job)) queue_.add(job);
}

std::optional<Result<Again>> TtlAfterFinishedController::hold_back(const Job& job) const {
  if (!needs_cleanup(job)) return Again::when_changed();
  const Result<WallTime> expiry = expiry_of(job);
  if (!expiry) return expiry.error();
  const Duration left = *expiry - cluster_.wall_now();
  if (left <= Duration::zero()) return std::nullopt;
  return Again::after(std::min(left, kLookAgain));
}

Result<Again> TtlAfterFinishedController::sync(const Key& key) const {
  const Lookup<Job> job = jobs_.get(key);
  if (!job) return Again::when_changed();
  if (std::optional<Result<Again>> outcome = hold_back(*job)) return *outcome;
  return remove(key);
}

Result<Again> TtlAfterFinishedController::remove(const Key& key) const {
  // The cache may be behind: the TTL that counts is the one that the server has now.
  const Result<Value> found = cluster_.client().call(Request::get<Job>(key));
  if (found.error().code() == Code::kNotFound) return Again::when_changed();
  if (!found) return found.error();
  const Job job(*found);
  if (std::optional<Result<Again>> outcome = hold_back(job)) return *outcome;
  const Result<WallTime> expiry = expiry_of(job);
  if (!expiry) return expiry.error();
  const Status removed = cluster_.client().remove<Job>(
      key, {.propagation = Propagation::kForeground, .uid = std::string(job.uid())});
  if (!removed.ok()) return removed;
  duration_.record(std::chrono::duration<double>(cluster_.wall_now() - *expiry).count());
  return Again::when_changed();
}

}  // namespace davit::ttlafterfinished
