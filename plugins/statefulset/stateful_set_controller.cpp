#include "plugins/statefulset/stateful_set_controller.hpp"

#include <algorithm>
#include <davit/controller_ref_manager.hpp>
#include <davit/kube/int_or_percent.hpp>
#include <davit/options.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/gates/read_switch.hpp"
#include "plugins/shared/owners/owners.hpp"
#include "plugins/shared/pods/availability.hpp"
#include "plugins/statefulset/identity.hpp"

namespace davit::statefulset {
namespace {

constexpr std::string_view kMaxUnavailableOption = "maxUnavailable";

Result<StatefulSetController::Options> read_config(Value config) {
  if (Status s = check_options(config, {kMaxUnavailableOption}); !s.ok()) return s;
  const Result<bool> on = gates::read_switch(config, kMaxUnavailableOption);
  if (!on) return on.error();
  return StatefulSetController::Options{.max_unavailable = *on};
}

/// At least one; the default for a value that cannot be read.
std::int64_t read_max_unavailable(const StatefulSet& set) {
  const Result<IntOrPercent> wanted =
      IntOrPercent::parse(set.rolling_update()[&Names::max_unavailable]);
  return std::max<std::int64_t>(wanted ? wanted->resolve(set.replicas(), Rounding::kDown) : 1, 1);
}

UpdateStrategy read_strategy(const StatefulSet& set) {
  const Value block = set.rolling_update();
  return {.on_delete = set.strategy() == "OnDelete",
          .rolling = set.strategy() == "RollingUpdate",
          .has_block = block.kind() == Kind::kObject,
          .partition = block["partition"].integer_or(0)};
}

/// kInvalid: the data of the revision describes no pod.
Result<Version> version_of(const ControllerRevision& revision) {
  const Value pod_template = revision.pod_template();
  if (pod_template.kind() != Kind::kObject) {
    return Status(Code::kInvalid, "the ControllerRevision " + revision.key().text() +
                                      " has no data.spec.template; delete it");
  }
  return Version{revision.name(), pod_template};
}

}  // namespace

InitResult StatefulSetController::open(Context& cluster) {
  const Result<Options> options = read_config(cluster.config());
  if (!options) return options.error();
  return std::unique_ptr<Controller>(std::make_unique<StatefulSetController>(cluster, *options));
}

StatefulSetController::StatefulSetController(Context& cluster, const Options& options)
    : cluster_(cluster),
      options_(options),
      queue_(cluster.open_queue({.name = "statefulset"},
                                [this](const Key& key) { return sync(key); })),
      sets_(cluster.open_informer<StatefulSet>(
          {.any = [this](const Event<StatefulSet>& event) { queue_.add(event.current); }})),
      pods_(cluster.open_informer<Pod>(
          {.added = [this](const Pod& pod) { changes_.pods().added(pod); },
           .updated = [this](const Pod& old, const Pod& pod) { changes_.pods().updated(old, pod); },
           .deleted = [this](const Pod& pod) { changes_.pods().deleted(pod); }})),
      claims_(cluster.open_informer<PersistentVolumeClaim>(
          {.deleted =
               [this](const PersistentVolumeClaim& claim) { changes_.claim_deleted(claim); }})),
      revision_cache_(cluster.open_informer<ControllerRevision>()),
      changes_(sets_, queue_),
      revisions_(cluster, revision_cache_),
      control_(cluster, pods_, claims_),
      status_(cluster, sets_),
      max_unavailable_(cluster.open_metric(
          {.type = MetricType::kGauge,
           .name = "statefulset_controller_statefulset_max_unavailable",
           .help = "Maximum number of unavailable pods allowed during StatefulSet rolling updates",
           .labels = {"statefulset_namespace", "statefulset_name", "pod_management_policy"}})),
      unavailable_(cluster.open_metric(
          {.type = MetricType::kGauge,
           .name = "statefulset_controller_statefulset_unavailable_replicas",
           .help = "Current number of unavailable pods in StatefulSet",
           .labels = {"statefulset_namespace", "statefulset_name", "pod_management_policy"}})) {}

Result<Again> StatefulSetController::sync(const Key& key) {
  const Lookup<StatefulSet> set = sets_.get(key);
  if (!set) return Again::when_changed();  // Deleted. Its pods go with their owner.
  const Result<Selector> selector = Selector::parse(set->selector());
  if (!selector) {  // Until it changes, which adds the key.
    cluster_.log().error("invalid selector",
                         {{"statefulset", key.text()}, {"error", selector.error().message()}});
    return Again::when_changed();
  }
  const std::vector<ControllerRevision> known = revisions_.list(*set, *selector);
  if (Status s = revisions_.adopt_orphans(*set, *selector, known); !s.ok()) return s;
  const Result<std::vector<Pod>> pods = claim_pods(*set, *selector);
  if (!pods) return pods.error();

  const WallTime now = cluster_.wall_now();
  const Result<ChosenRevisions> revisions = revisions_.choose(*set, known);
  SetStatus status;
  std::vector<Status> errors;
  const Status reconciled =
      revisions ? reconcile(*set, *pods, *revisions, now, status) : revisions.error();
  if (!reconciled.ok()) errors.push_back(reconciled);
  const Status truncated =
      revisions_.truncate(*set, known, revisions ? &*revisions : nullptr, *pods);
  if (!truncated.ok()) errors.push_back(truncated);
  if (Status joined = join_errors(errors); !joined.ok()) return joined;
  if (status.ready == status.available) return Again::when_changed();
  return pods::when_available(*pods, set->min_ready(), now, cluster_.wall_now());
}

Result<std::vector<Pod>> StatefulSetController::claim_pods(const StatefulSet& set,
                                                           const Selector& selector) const {
  std::vector<Pod> candidates = pods_.controlled_by(set);
  for (const Pod& each : pods_.orphans(set.ns())) candidates.push_back(each);
  const Client client = cluster_.client();
  return ControllerRefManager<StatefulSet, Pod>(client, set, selector)
      .claim(candidates,
             [&](const Pod& pod) { return parse_pod_name(pod.name()).parent == set.name(); });
}

Status StatefulSetController::reconcile(const StatefulSet& set, const std::vector<Pod>& pods,
                                        const ChosenRevisions& revisions, WallTime now,
                                        SetStatus& status) {
  const Result<Version> current = version_of(revisions.current);
  if (!current) return current.error();
  const Result<Version> update = version_of(revisions.update);
  if (!update) return update.error();
  const std::string_view management = set.is_parallel() ? "Parallel" : "OrderedReady";
  UpdateStrategy strategy = read_strategy(set);
  if (options_.max_unavailable && strategy.rolling) {
    strategy.max_unavailable = read_max_unavailable(set);
    max_unavailable_.record(static_cast<double>(*strategy.max_unavailable),
                            {set.ns(), set.name(), management});
  }
  const ReconcileInput input{set, pods, *current, *update, strategy, now};
  const ReconcileOutcome outcome = Reconciler(control_, input).run();
  if (options_.max_unavailable && outcome.unavailable) {
    unavailable_.record(static_cast<double>(*outcome.unavailable),
                        {set.ns(), set.name(), management});
  }
  status = outcome.status;
  status.observed_generation = set.generation();
  status.collision_count = revisions.collision_count;
  if (strategy.rolling) complete_update(set.replicas(), status);
  const Status written = status_.write(set, status);
  return outcome.error.ok() ? written : outcome.error;
}

}  // namespace davit::statefulset
