#include "plugins/shared/replicas/pod_scaler.hpp"

#include <algorithm>
#include <davit/kube/selector.hpp>
#include <davit/mutant.hpp>
#include <davit/slow_start.hpp>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plugins/shared/pods/pod_body.hpp"
#include "plugins/shared/replicas/pod_facts.hpp"
#include "plugins/shared/replicas/scale_plan.hpp"

namespace davit::replicas {
namespace {

/// The selectors, by namespace, of the sets that have the same controller as `set`, itself
/// included; none for a set without a controller. Upstream takes sets of every namespace whose
/// reference has the UID; those of another namespace are forged.
template <typename Set>
std::map<std::string, std::vector<Selector>> sibling_selectors(const Set& set,
                                                               const Informer<Set>& sets) {
  std::map<std::string, std::vector<Selector>> selectors;
  if constexpr (!SetKind<Set>::kSpreadsOverNodes) return selectors;
  const std::optional<OwnerReference> owner = set.controller();
  if (!owner) return selectors;
  for (const Set& sibling : sets.controlled_by(
           ControllerIdentity{owner->kind(), set.ns(), owner->name(), owner->uid()})) {
    Result<Selector> selector = selector_of(sibling);
    if (selector) selectors[std::string(sibling.ns())].push_back(std::move(*selector));
  }
  return selectors;
}

}  // namespace

template <typename Set>
PodScaler<Set>::PodScaler(Context& cluster, Informer<Set> sets, Informer<Pod> pods,
                          TrackingExpectations& expectations)
    : cluster_(cluster),
      sets_(sets),
      pods_(pods),
      expectations_(expectations),
      age_ratio_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "replicaset_controller_sorting_deletion_age_ratio",
           .help = "The ratio of chosen deleted pod's ages to the current youngest pod's age "
                   "(at the time). Should be <2. The intent of this metric is to measure the rough "
                   "efficacy of the LogarithmicScaleDown feature gate's effect on the sorting (and "
                   "deletion) of pods when a replicaset scales down. This only considers Ready "
                   "pods when calculating and reporting.",
           .buckets = {0.25, 0.5, 1, 2, 4, 8}})) {}

template <typename Set>
Status PodScaler<Set>::scale(const Set& set, const std::vector<Pod>& active) const {
  const ScalePlan plan = plan_scale(set.replicas(), active.size());
  if (plan.create > 0) return create(set, plan.create);
  if (plan.remove > 0) return remove(set, choose(set, active, plan.remove));
  return {};
}

template <typename Set>
Status PodScaler<Set>::create(const Set& set, std::size_t count) const {
  if (set.pod_template()[&Names::metadata][&Names::labels].count() == 0) {
    return Status(Code::kInvalid, "unable to create pods, no labels");
  }
  const Client client = cluster_.client();
  const EventRecorder events = cluster_.events();
  const Request request = Request::create<Pod>(
      set.ns(),
      pods::pod_body(set.pod_template(), {.generate_name = pods::pod_name_prefix(set.name())},
                     owner_identity(set)),
      {.answer = Answer::kMetadata});
  expectations_.expect_creations(set.key(), count, cluster_.now());

  const SlowStartOutcome outcome = slow_start(count, [&](std::size_t, std::size_t size) {
    std::vector<Status> responses;
    for (const Result<Value>& made : client.batch(std::vector<Request>(size, request))) {
      Status status = made.error();
      // Everything in a terminating namespace is about to go: nothing to report or to retry.
      if (status.has_cause("NamespaceTerminating")) status = Status();
      if (made) {
        events.normal(set, "SuccessfulCreate", "Created pod: " + std::string(Pod(*made).name()));
      } else if (!status.ok() && status.code() != Code::kCancelled) {
        events.warning(set, "FailedCreate", "Error creating: " + status.message());
      }
      responses.push_back(std::move(status));
    }
    return responses;
  });
  // The cache will not see what failed or was never tried.
  if (outcome.succeeded < count) {
    expectations_.creation_observed(set.key(), count - outcome.succeeded);
  }
  return outcome.error;
}

template <typename Set>
Status PodScaler<Set>::remove(const Set& set, const std::vector<Pod>& victims) const {
  const EventRecorder events = cluster_.events();
  std::vector<Key> keys;
  std::vector<Request> requests;
  for (const Pod& pod : victims) {
    keys.push_back(pod.key());
    requests.push_back(Request::remove<Pod>(keys.back()));
  }
  expectations_.expect_deletions(set.key(), keys, cluster_.now());

  Status error;
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    if (responses[i]) {
      events.normal(set, "SuccessfulDelete", "Deleted pod: " + keys[i].name);
      continue;
    }
    // The cache will not see a deletion of ours.
    if (!mutant("failed-deletion")) expectations_.deletion_observed(set.key(), keys[i]);
    const Status status = responses[i].error().unless(Code::kNotFound);
    if (status.ok()) continue;
    if (status.code() != Code::kCancelled) {
      events.warning(set, "FailedDelete", "Error deleting: " + status.message());
    }
    if (error.ok()) error = status.with_context("unable to delete pods");
  }
  return error;
}

template <typename Set>
std::vector<Pod> PodScaler<Set>::choose(const Set& set, const std::vector<Pod>& active,
                                        std::size_t count) const {
  if (count == active.size()) return active;
  std::vector<pods::PodRank> ranks;
  ranks.reserve(active.size());
  for (const Pod& pod : active) {
    ranks.push_back(pods::pod_rank(pod));
    ranks.back().deletion_cost =
        pods::parse_deletion_cost(pod.annotation(pods::kDeletionCost).value_or(""));
  }
  count_neighbours(set, ranks);

  const WallTime now = cluster_.wall_now();
  std::vector<std::size_t> order = pods::deletion_order(ranks, now);
  order.resize(count);
  for (const double ratio : pods::deletion_age_ratios(ranks, order, now)) age_ratio_.record(ratio);
  std::vector<Pod> victims;
  for (const std::size_t position : order) victims.push_back(active[position]);
  return victims;
}

template <typename Set>
void PodScaler<Set>::count_neighbours(const Set& set, std::vector<pods::PodRank>& ranks) const {
  std::unordered_map<std::string_view, std::size_t> neighbours;
  for (const pods::PodRank& rank : ranks) neighbours.emplace(rank.node, 0);
  // Pods on one node have the same neighbours, so the criterion cannot decide; the walk through the
  // namespace is skipped.
  if (neighbours.size() < 2) return;
  for (const auto& [ns, selectors] : sibling_selectors(set, sets_)) {
    for (const Pod& pod : pods_.in_namespace(ns)) {
      const auto node = neighbours.find(pod.node_name());
      if (node == neighbours.end() || !pod.is_active()) continue;
      const Value labels = pod.labels();
      const bool related = std::any_of(selectors.begin(), selectors.end(),
                                       [&](const Selector& each) { return each.matches(labels); });
      if (related) ++node->second;
    }
  }
  for (pods::PodRank& rank : ranks) rank.neighbours = neighbours[rank.node];
}

template class PodScaler<ReplicaSet>;
template class PodScaler<ReplicationController>;

}  // namespace davit::replicas
