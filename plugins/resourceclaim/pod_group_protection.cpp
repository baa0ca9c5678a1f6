#include "plugins/resourceclaim/pod_group_protection.hpp"

#include <davit/mutant.hpp>
#include <davit/options.hpp>

#include "plugins/resourceclaim/bodies.hpp"
#include "plugins/shared/gates/read_switch.hpp"

namespace davit::resourceclaim {
namespace {

constexpr std::string_view kGateSwitch = "genericWorkload";
constexpr std::string_view kByPodGroup = "pod-group";

bool is_held(const PodGroup& group) {
  return group.is_being_deleted() && group.has_finalizer(PodGroupProtection::kFinalizer);
}

}  // namespace

InitResult PodGroupProtection::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_options(config, {kGateSwitch}); !s.ok()) return s;
  const Result<bool> on = gates::read_switch(config, kGateSwitch);
  if (!on) return on.error();
  if (!*on) return cluster.skip("the feature gate GenericWorkload is off");
  const Status served = cluster.client().resource_exists(PodGroup::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  return make<PodGroupProtection>(cluster);
}

PodGroupProtection::PodGroupProtection(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "podgroupprotection"},
                                [this](const Key& key) { return sync(key); })),
      groups_(cluster.open_informer<PodGroup>({.any =
                                                   [this](const Event<PodGroup>& event) {
                                                     if (is_held(event.current)) {
                                                       queue_.add(event.current);
                                                     }
                                                   }})),
      pods_(
          cluster.open_informer<Pod>({.any = [this](const Event<Pod>& event) { on_pod(event); }})) {
  cluster.add_index(pods_, kByPodGroup, "spec.schedulingGroup.podGroupName");
}

void PodGroupProtection::on_pod(const Event<Pod>& event) const {
  using Type = Event<Pod>::Type;
  if (event.type == Type::kUpdated && event.old->uid() != event.current.uid()) {
    add_group_of(*event.old);
  }
  if (event.type == Type::kDeleted || event.current.is_finished()) add_group_of(event.current);
}

void PodGroupProtection::add_group_of(const Pod& pod) const {
  if (group_of(pod).empty()) return;
  queue_.add(Key{std::string(pod.ns()), std::string(group_of(pod))});
}

bool PodGroupProtection::has_active_pods(const PodGroup& group) const {
  for (const Pod& each : pods_.by_index(kByPodGroup, group.name())) {
    // A pod that is being deleted counts until it is gone.
    if (each.ns() == group.ns() && !each.is_finished()) return true;
  }
  return false;
}

Result<Again> PodGroupProtection::sync(const Key& key) const {
  const Lookup<PodGroup> group = groups_.get(key);
  if (!group || !is_held(*group)) return Again::when_changed();
  if (has_active_pods(*group) && !mutant("group-of-active-pods")) return Again::when_changed();
  Status written = cluster_.client()
                       .patch<PodGroup>(key, PatchType::kMerge, finalizer_patch(*group, kFinalizer),
                                        {.answer = Answer::kMetadata})
                       .error()
                       .unless(Code::kNotFound);
  if (!written.ok()) return written;
  return Again::when_changed();
}

}  // namespace davit::resourceclaim
