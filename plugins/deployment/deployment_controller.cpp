#include "plugins/deployment/deployment_controller.hpp"

#include <algorithm>
#include <davit/controller_ref_manager.hpp>
#include <davit/json_writer.hpp>
#include <davit/options.hpp>
#include <utility>

#include "plugins/deployment/rollout.hpp"
#include "plugins/shared/owners/owners.hpp"

namespace davit::deployment {
namespace {

/// Upstream's number: after so many failures in a row, about 164 s, a key waits for its next event.
constexpr std::uint32_t kRetriesMax = 15;

/// A set just adopted: the snapshot does not name its owner yet.
bool is_orphan(const ReplicaSet& set) { return !set.controller(); }

bool same_reference(const std::optional<OwnerReference>& a,
                    const std::optional<OwnerReference>& b) {
  if (!a || !b) return !a && !b;
  return *a == *b;
}

}  // namespace

InitResult DeploymentController::open(Context& context) {
  if (Status s = check_options(context.config(), {kWriteWindowOption}); !s.ok()) return s;
  const Result<Duration> window = read_write_window(context.config());
  if (!window) return window.error();
  return std::unique_ptr<Controller>(std::make_unique<DeploymentController>(context, *window));
}

DeploymentController::DeploymentController(Context& context, Duration write_window)
    : context_(context),
      status_window_(write_window),
      queue_(context.open_queue({.name = "deployment", .retries_max = kRetriesMax},
                                [this](const Key& key) { return sync(key); })),
      cluster_{context.open_informer<Deployment>(deployment_handlers()),
               context.open_informer<ReplicaSet>(replica_set_handlers()),
               context.open_informer<Pod>(pod_handlers()),
               context.client(),
               context.events(),
               context.log(),
               queue_,
               status_window_} {}

/// Read, decide, act: the reading and the claim are here, everything else is in Rollout.
Result<Again> DeploymentController::sync(const Key& key) {
  const Lookup<Deployment> deployment = cluster_.deployments.get(key);
  if (!deployment) return Again::when_changed();  // Deleted. Its sets go with their owner.

  Result<Again> again = sync_deployment(*deployment);
  if (again || !again.error().has_cause("NamespaceTerminating")) return again;
  // Nothing can be created there any more, and soon there is nothing left to do.
  cluster_.log.verbose(2, "The namespace is being deleted", {{"deployment", key.text()}});
  return Again::when_changed();
}

Result<Again> DeploymentController::sync_deployment(const Deployment& deployment) {
  const Result<Selector> selector = Selector::parse(deployment.selector());
  if (!selector) {
    return selector.error().with_context("deployment " + deployment.key().text() +
                                         " has invalid label selector");
  }
  if (selector->matches_everything()) return refuse_to_select_all(deployment);

  Result<std::vector<ReplicaSet>> owned = claim(deployment, *selector);
  if (!owned) return owned.error();
  // The adoption arrives as an event and queues the key; until then every other write to the set
  // would end in a conflict.
  if (std::any_of(owned->begin(), owned->end(), is_orphan)) return Again::when_changed();
  return Rollout(cluster_, deployment, *std::move(owned),
                 {.wall = context_.wall_now(), .steady = context_.now()})
      .run();
}

Result<std::vector<ReplicaSet>> DeploymentController::claim(const Deployment& deployment,
                                                            const Selector& selector) const {
  std::vector<ReplicaSet> candidates = cluster_.replica_sets.controlled_by(deployment);
  for (const ReplicaSet& set : cluster_.replica_sets.orphans(deployment.ns())) {
    candidates.push_back(set);
  }
  return ControllerRefManager<Deployment, ReplicaSet>(cluster_.client, deployment, selector)
      .claim(candidates);
}

Result<Again> DeploymentController::refuse_to_select_all(const Deployment& deployment) const {
  cluster_.events.warning(
      deployment, "SelectingAll",
      "This deployment is selecting all pods. A non-empty selector is required.");
  if (deployment.observed_generation() < deployment.generation()) {
    JsonWriter body;
    body.begin_object().key("metadata").begin_object();
    body.member("resourceVersion", deployment.resource_version()).end_object();
    body.key("status").begin_object();
    body.member("observedGeneration", deployment.generation()).end_object().end_object();
    // A failure is not worth a retry, as upstream: nothing depends on it.
    static_cast<void>(cluster_.client.patch<Deployment>(
        deployment.key(), PatchType::kMerge, std::move(body).text(),
        {.subresource = "status", .answer = Answer::kMetadata}));
  }
  return Again::when_changed();
}

Handlers<Deployment> DeploymentController::deployment_handlers() const {
  Handlers<Deployment> handlers;
  handlers.any = [this](const Event<Deployment>& event) { queue_.add(event.current); };
  return handlers;
}

Handlers<ReplicaSet> DeploymentController::replica_set_handlers() const {
  Handlers<ReplicaSet> handlers;
  handlers.added = [this](const ReplicaSet& set) { on_set_added(set); };
  handlers.updated = [this](const ReplicaSet& old, const ReplicaSet& current) {
    on_set_updated(old, current);
  };
  handlers.deleted = [this](const ReplicaSet& set) { on_set_deleted(set); };
  return handlers;
}

Handlers<Pod> DeploymentController::pod_handlers() const {
  Handlers<Pod> handlers;
  handlers.deleted = [this](const Pod& pod) { on_pod_deleted(pod); };
  return handlers;
}

void DeploymentController::on_set_added(const ReplicaSet& set) const {
  // After a restart a set may come to us already on its way out.
  if (set.is_being_deleted()) return on_set_deleted(set);
  const std::optional<OwnerReference> owner = set.controller();
  if (owner) return add_owner(set.ns(), owner);
  add_matching(set);
}

void DeploymentController::on_set_updated(const ReplicaSet& old, const ReplicaSet& current) const {
  if (old.resource_version() == current.resource_version()) return;  // A periodic resync.
  const std::optional<OwnerReference> before = old.controller();
  const std::optional<OwnerReference> owner = current.controller();
  const bool changed_hands = !same_reference(before, owner);
  if (changed_hands) add_owner(old.ns(), before);
  if (owner) return add_owner(current.ns(), owner);
  if (changed_hands || old.labels() != current.labels()) add_matching(current);
}

void DeploymentController::on_set_deleted(const ReplicaSet& set) const {
  add_owner(set.ns(), set.controller());
}

/// A Recreate rollout waits for its last old pod.
void DeploymentController::on_pod_deleted(const Pod& pod) const {
  const Lookup<ReplicaSet> set = owners::controller_of(cluster_.replica_sets, pod);
  if (!set) return;
  const Lookup<Deployment> deployment = owners::controller_of(cluster_.deployments, *set);
  if (!deployment || deployment->strategy_type() != "Recreate") return;
  for (const ReplicaSet& each : cluster_.replica_sets.controlled_by(*deployment)) {
    if (!cluster_.pods.controlled_by(each).empty()) return;
  }
  queue_.add(*deployment);
}

void DeploymentController::add_owner(std::string_view ns,
                                     const std::optional<OwnerReference>& reference) const {
  if (!reference) return;
  if (const auto owner = owners::resolve(cluster_.deployments, ns, *reference)) queue_.add(*owner);
}

void DeploymentController::add_matching(const ReplicaSet& set) const {
  for (const Deployment& deployment : owners::matching(cluster_.deployments, set)) {
    queue_.add(deployment);
  }
}

}  // namespace davit::deployment
