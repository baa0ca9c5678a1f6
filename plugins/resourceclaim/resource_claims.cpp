#include "plugins/resourceclaim/resource_claims.hpp"

#include <cstddef>
#include <davit/options.hpp>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

#include "plugins/shared/gates/read_switch.hpp"
#include "plugins/shared/lookup/namespaced.hpp"

namespace davit::resourceclaim {
namespace {

constexpr std::string_view kGroupSwitch = "workloadResourceClaims";
constexpr std::string_view kListSwitch = "prioritizedList";

constexpr std::string_view kPodKey = "pod:";
constexpr std::string_view kClaimKey = "claim:";
constexpr std::string_view kGroupKey = "podgroup:";

constexpr std::string_view kByClaim = "claim";
constexpr std::string_view kByMadeClaim = "made-claim";
constexpr std::string_view kByTemplate = "template";
constexpr std::string_view kByGroup = "group";

Key key_of(std::string_view kind, std::string_view ns, std::string_view name) {
  return {std::string(kind) + std::string(ns), std::string(name)};
}

template <typename View>
void add_indexes(Context& cluster, const Informer<View>& consumers) {
  cluster.add_index(consumers, kByClaim, "spec.resourceClaims[].resourceClaimName");
  cluster.add_index(consumers, kByMadeClaim, "status.resourceClaimStatuses[].resourceClaimName");
  cluster.add_index(consumers, kByTemplate, "spec.resourceClaims[].resourceClaimTemplateName");
}

/// Calls `visit` for each consumer of the namespace that has `value` in one of the indexes and
/// `matches`. Names such as "gpu" may be those of many namespaces.
template <typename View, typename Matches, typename Visit>
void each_consumer(const Informer<View>& cache, std::initializer_list<std::string_view> indexes,
                   const Key& value, const Matches& matches, const Visit& visit) {
  lookup::each_candidate(cache, indexes, value.ns, value.name, [&](const View& each) {
    if (matches(each)) visit(each);
  });
}

/// Calls `visit` for each consumer that names the claim.
template <typename View, typename Visit>
void each_user(const Informer<View>& cache, const Key& claim, const Visit& visit) {
  const auto names_it = [&claim](const View& consumer) {
    bool found = false;
    each_claim_name(Consumer(consumer),
                    [&](std::string_view name) { found = found || name == claim.name; });
    return found;
  };
  each_consumer(cache, {kByClaim, kByMadeClaim}, claim, names_it, visit);
}

/// Calls `visit` for each consumer that has the template.
template <typename View, typename Visit>
void each_made_from(const Informer<View>& cache, const Key& from, const Visit& visit) {
  const auto has_it = [&from](const View& consumer) {
    for (const Value each : Consumer(consumer).claims().elements()) {
      if (each["resourceClaimTemplateName"].string() == from.name) return true;
    }
    return false;
  };
  each_consumer(cache, {kByTemplate}, from, has_it, visit);
}

std::string_view extended_claim(const Pod& pod) {
  return pod.status()["extendedResourceClaimStatus"]["resourceClaimName"].string();
}

template <typename View>
bool is_replaced(const Event<View>& event) {
  return event.type == Event<View>::Type::kUpdated && event.old->uid() != event.current.uid();
}

}  // namespace

InitResult ResourceClaims::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_options(config, {kGroupSwitch, kListSwitch}); !s.ok()) return s;
  const Result<bool> on = gates::read_switch(config, kGroupSwitch);
  if (!on) return on.error();
  const Result<bool> lists = gates::read_switch(config, kListSwitch, true);
  if (!lists) return lists.error();
  const Status served = cluster.client().resource_exists(Claim::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  Groups groups = *on ? Groups::kCount : Groups::kIgnored;
  if (*on) {
    const Status has_groups = cluster.client().resource_exists(PodGroup::kResource);
    if (has_groups.code() == Code::kNotFound) {
      cluster.log().warning("PodGroups get no claims", {{"error", has_groups.message()}});
      groups = Groups::kIgnored;
    }
  }
  return std::unique_ptr<Controller>(std::make_unique<ResourceClaims>(
      cluster, groups, *lists ? PrioritizedLists::kAllowed : PrioritizedLists::kRefused));
}

ResourceClaims::ResourceClaims(Context& cluster, Groups groups, PrioritizedLists prioritized_lists)
    : counts_(cluster),
      parts_{.cluster = cluster,
             .queue = cluster.open_queue({.name = "resource_claim"},
                                         [this](const Key& key) { return sync(key); }),
             .pods = cluster.open_informer<Pod>(
                 {.any = [this](const Event<Pod>& event) { on_pod(event); }}),
             .claims = cluster.open_informer<Claim>(
                 {.any = [this](const Event<Claim>& event) { on_claim(event); }}),
             .templates = cluster.open_informer<Template>(
                 {.added = [this](const Template& added) { on_template(added); },
                  .updated = [this](const Template&,
                                    const Template& current) { on_template(current); }}),
             .pod_groups =
                 groups == Groups::kIgnored
                     ? std::nullopt
                     : std::optional(cluster.open_informer<PodGroup>(
                           {.any = [this](const Event<PodGroup>& event) { on_group(event); }})),
             .prioritized_lists = prioritized_lists},
      claim_sync_(parts_, deleted_),
      consumer_sync_(parts_, counts_) {
  add_indexes(cluster, parts_.pods);
  if (!parts_.pod_groups) return;
  add_indexes(cluster, *parts_.pod_groups);
  cluster.add_index(parts_.pods, kByGroup, "spec.schedulingGroup.podGroupName");
}

void ResourceClaims::on_pod(const Event<Pod>& event) {
  const Consumer consumer(event.current);
  if (is_replaced(event)) add_claims_of(*event.old);
  if (event.type != Event<Pod>::Type::kDeleted) return look_at(event.current);
  const bool has_any = consumer.claims().count() > 0 || !extended_claim(event.current).empty();
  // The state of a tombstone may be old, and so may the conclusion that the pod has gone.
  if (has_any && !event.tombstone) deleted_.add(event.current.uid());
  add_claims_of(event.current);
}

void ResourceClaims::look_at(const Pod& pod) const {
  if (is_done(pod)) return add_claims_of(pod);
  if (Consumer(pod).claims().count() == 0) return;
  if (consumer_sync_.needs_work(pod)) parts_.queue.add(key_of(kPodKey, pod.ns(), pod.name()));
}

void ResourceClaims::add_claims_of(const Pod& pod) const {
  const auto add = [&](std::string_view name) {
    parts_.queue.add(key_of(kClaimKey, pod.ns(), name));
  };
  each_claim_name(Consumer(pod), add);
  if (!extended_claim(pod).empty()) add(extended_claim(pod));
}

void ResourceClaims::on_claim(const Event<Claim>& event) {
  counts_.on_claim(event);
  const Claim& claim = event.current;
  if (event.type != Event<Claim>::Type::kDeleted) {
    parts_.queue.add(key_of(kClaimKey, claim.ns(), claim.name()));
  }
  each_user(parts_.pods, claim.key(), [this](const Pod& pod) { look_at(pod); });
  if (!parts_.pod_groups) return;
  each_user(*parts_.pod_groups, claim.key(), [this](const PodGroup& group) { look_at(group); });
}

void ResourceClaims::on_template(const Template& changed) const {
  // Failures for the lack of the template say nothing about what follows.
  each_made_from(parts_.pods, changed.key(), [this](const Pod& pod) {
    parts_.queue.forget(key_of(kPodKey, pod.ns(), pod.name()));
    look_at(pod);
  });
  if (!parts_.pod_groups) return;
  each_made_from(*parts_.pod_groups, changed.key(), [this](const PodGroup& group) {
    parts_.queue.forget(key_of(kGroupKey, group.ns(), group.name()));
    look_at(group);
  });
}

void ResourceClaims::on_group(const Event<PodGroup>& event) {
  const PodGroup& group = event.current;
  if (is_replaced(event)) add_claims_of(*event.old);
  if (event.type == Event<PodGroup>::Type::kAdded) forget_members(group);
  if (event.type != Event<PodGroup>::Type::kDeleted) return look_at(group);
  if (Consumer(group).claims().count() > 0 && !event.tombstone) deleted_.add(group.uid());
  add_claims_of(group);
}

void ResourceClaims::forget_members(const PodGroup& group) const {
  for (const Pod& each : parts_.pods.by_index(kByGroup, group.name())) {
    if (each.ns() == group.ns()) parts_.queue.forget(key_of(kPodKey, each.ns(), each.name()));
  }
}

void ResourceClaims::look_at(const PodGroup& group) const {
  if (consumer_sync_.needs_work(group)) {
    parts_.queue.add(key_of(kGroupKey, group.ns(), group.name()));
  }
  // A claim that the group has got by now is that of its pods, too.
  for (const Pod& each : parts_.pods.by_index(kByGroup, group.name())) {
    if (each.ns() == group.ns()) look_at(each);
  }
}

void ResourceClaims::add_claims_of(const PodGroup& group) const {
  each_claim_name(Consumer(group), [&](std::string_view name) {
    parts_.queue.add(key_of(kClaimKey, group.ns(), name));
  });
}

Result<Again> ResourceClaims::sync(const Key& key) const {
  const std::string_view text = key.ns;
  const auto rest = [&](std::string_view kind) {
    return Key{std::string(text.substr(kind.size())), key.name};
  };
  if (text.starts_with(kPodKey)) return consumer_sync_.sync_pod(rest(kPodKey));
  if (text.starts_with(kClaimKey)) return claim_sync_.sync(rest(kClaimKey));
  if (!parts_.pod_groups) return Again::when_changed();
  return consumer_sync_.sync_group(rest(kGroupKey));
}

}  // namespace davit::resourceclaim
