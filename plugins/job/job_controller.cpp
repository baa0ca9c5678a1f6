#include "plugins/job/job_controller.hpp"

#include <string>
#include <utility>

#include "plugins/job/job_sync.hpp"
#include "plugins/job/queues.hpp"

namespace davit::job {

JobController::JobController(Context& cluster)
    : cluster_(cluster),
      metrics_(cluster),
      queue_(
          cluster.open_queue(queue_options("job"), [this](const Key& key) { return sync(key); })),
      jobs_(cluster.open_informer<Job>(
          {.added = [this](const Job& job) { changes_.job_added(job); },
           .updated = [this](const Job& old, const Job& job) { changes_.job_updated(old, job); },
           .deleted = [this](const Job& job) { changes_.job_deleted(job); }})),
      pods_(cluster.open_informer<Pod>(
          {.any = [this](const Event<Pod>& event) { changes_.pod_changed(event); }})),
      orphans_(cluster, jobs_, pods_),
      changes_(cluster, jobs_, queue_, orphans_, memory_, metrics_),
      writer_(cluster, memory_) {}

Result<DebugPage> JobController::debug(std::string_view path, std::string_view query) const {
  const std::optional<Key> key = key_of_waits_page(path);
  if (!key) return Controller::debug(path, query);
  return DebugPage{.body = memory_.waits(*key, cluster_.now())};
}

Result<Again> JobController::sync(const Key& key) {
  const Lookup<Job> job = jobs_.get(key);
  if (!job) {
    memory_.forget(key);
    return Again::when_changed();
  }
  // Asked here too: a queued key may meet a Job that was recreated for another controller.
  if (job->is_external()) return Again::when_changed();
  const JobId id = id_of(*job);
  if (job->is_finished()) {
    memory_.forget(key);
    return Again::when_changed();
  }
  if (memory_.is_finished(id)) return Again::when_changed();  // The cache is about to show it.
  const std::string_view mode = job->spec()["completionMode"].string();
  if (!mode.empty() && mode != "NonIndexed" && mode != "Indexed") {
    cluster_.events().warning(*job, "UnknownCompletionMode",
                              "Skipped Job sync because completion mode is unknown");
    return Again::when_changed();
  }
  Result<JobSpec> spec = read_spec(*job);
  if (!spec) {  // Until it changes, which adds the key.
    cluster_.log().error("invalid Job", {{"job", key.text()}, {"error", spec.error().message()}});
    return Again::when_changed();
  }
  const Time began = cluster_.now();
  JobSync sync({cluster_, queue_, pods_, memory_, writer_, metrics_}, *job, std::move(*spec));
  const Status result = sync.run();
  metrics_.synced(*job, sync.action(), result, cluster_.now() - began);
  if (!result.ok()) return result;
  return Again::when_changed();
}

void JobController::write(JsonWriter& out) const {
  out.begin_object().key("jobs");
  memory_.write(out);
  out.end_object();
}

Status JobController::read(std::uint32_t, Value state) {
  return memory_.read(state, cluster_.now());
}

}  // namespace davit::job
