#include "plugins/job/orphan_pods.hpp"

#include <chrono>
#include <davit/kube/selector.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/job/pod_writer.hpp"
#include "plugins/job/queues.hpp"
#include "plugins/shared/owners/owners.hpp"

namespace davit::job {
namespace {

// The first part of a key's name. Neither is the beginning of a namespace's or a pod's name.
constexpr std::string_view kPod = "pod/";
constexpr std::string_view kSelector = "selector/";

/// A pod that the server did not find to patch it may be there all the same. The cache shows its
/// end well before this.
constexpr Duration kLookAgain = std::chrono::seconds(30);

Key key_of(std::string_view ns, std::string_view pod) {
  return {std::string(ns), std::string(kPod) + std::string(pod)};
}

}  // namespace

OrphanPods::OrphanPods(Context& cluster, Informer<Job> jobs, Informer<Pod> pods)
    : cluster_(cluster),
      jobs_(jobs),
      pods_(pods),
      queue_(cluster.open_queue(queue_options("job_orphan_pod"),
                                [this](const Key& key) { return sync(key); })) {}

void OrphanPods::add(const Pod& pod) const { queue_.add(key_of(pod.ns(), pod.name())); }

void OrphanPods::add_pods_of(const Job& job) const {
  // Without a selector the Job had no pods.
  if (job.selector().kind() != Kind::kObject) return;
  queue_.add(Key{std::string(job.ns()), std::string(kSelector) + job.selector().json()});
}

Result<Again> OrphanPods::sync(const Key& key) const {
  const std::string_view name = key.name;
  if (name.starts_with(kSelector)) {
    sync_selected(key.ns, name.substr(kSelector.size()));
    return Again::when_changed();
  }
  const Lookup<Pod> pod = pods_.get(key.ns, name.substr(kPod.size()));
  if (!pod || !is_left_over(*pod)) return Again::when_changed();
  const Status released = cluster_.client().call(finalizer_request(pod->ns(), pod->name())).error();
  if (released.code() == Code::kNotFound) return Again::after(kLookAgain);
  if (!released.ok()) return released;
  return Again::when_changed();
}

void OrphanPods::sync_selected(std::string_view ns, std::string_view selector_json) const {
  const Result<Value> value = parse_json(cluster_.api(), selector_json);
  const Result<Selector> selector = value ? Selector::parse(*value) : value.error();
  if (!selector) return;  // A Job whose selector cannot be read has never had a pod.
  std::vector<std::string_view> left_over;
  for (const Pod& pod : pods_.with_labels(ns, (*value)[&Names::match_labels])) {
    if (selector->matches(pod.labels()) && is_left_over(pod)) left_over.push_back(pod.name());
  }
  // A Job may have had ten thousand pods: each request is made when its turn comes.
  const Status sent = cluster_.client().fan_out(
      [&](std::size_t i) -> std::optional<Request> {
        if (i >= left_over.size()) return std::nullopt;
        return finalizer_request(ns, left_over[i]);
      },
      [&](std::size_t i, const Result<Value>& response) {
        const Status status = response.error();
        if (status.ok() || status.code() == Code::kCancelled) return;
        if (status.code() == Code::kNotFound) {
          return queue_.add_after(key_of(ns, left_over[i]), kLookAgain);
        }
        cluster_.log().error("the tracking finalizer of a pod without a Job could not be removed",
                             {{"pod", std::string(ns) + "/" + std::string(left_over[i])},
                              {"error", status.message()}});
      });
  static_cast<void>(sent);  // Each request reports its own.
}

bool OrphanPods::is_left_over(const Pod& pod) const {
  if (!pod.has_finalizer(kTrackingFinalizer)) return false;
  const std::optional<OwnerReference> owner = pod.controller();
  if (!owner) return true;
  if (owner->kind() != Job::kResource.kind ||
      owner->api_version() != Job::kResource.api_version()) {
    return false;
  }
  // An unfinished Job takes it off itself.
  const Lookup<Job> job = owners::resolve(jobs_, pod.ns(), *owner);
  return !job || (!job->is_external() && job->is_finished());
}

}  // namespace davit::job
