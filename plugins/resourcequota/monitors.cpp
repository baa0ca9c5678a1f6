#include "plugins/resourcequota/monitors.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "plugins/resourcequota/change_filter.hpp"

namespace davit::resourcequota {
namespace {

/// Keys of the queue: ask the server again; look at the informers again.
const Key kOffer{{}, "offer"};
const Key kContent{{}, "content"};

constexpr std::string_view kDeviceClasses = "deviceclasses.resource.k8s.io";

/// The fields that are read of each object; the rest is not kept.
std::vector<std::string_view> projection_of(Counting counting) {
  std::vector<std::string_view> out = {"metadata.name", "metadata.namespace", "metadata.uid",
                                       "metadata.resourceVersion"};
  const auto add = [&out](std::initializer_list<std::string_view> paths) {
    out.insert(out.end(), paths);
  };
  switch (counting) {
    case Counting::kObjects:
      break;
    case Counting::kPods:
      add({"metadata.deletionTimestamp",
           "metadata.deletionGracePeriodSeconds",
           "spec.activeDeadlineSeconds",
           "spec.priorityClassName",
           "spec.affinity.podAffinity",
           "spec.affinity.podAntiAffinity",
           "spec.overhead",
           "spec.resources",
           "spec.containers[].name",
           "spec.containers[].resources",
           "spec.initContainers[].name",
           "spec.initContainers[].resources",
           "spec.initContainers[].restartPolicy",
           "status.phase",
           "status.qosClass",
           "status.extendedResourceClaimStatus",
           "status.conditions[].type",
           "status.conditions[].reason",
           "status.containerStatuses[].name",
           "status.containerStatuses[].resources",
           "status.containerStatuses[].allocatedResources",
           "status.initContainerStatuses[].name",
           "status.initContainerStatuses[].resources",
           "status.initContainerStatuses[].allocatedResources"});
      break;
    case Counting::kServices:
      add({"spec.type", "spec.ports", "spec.allocateLoadBalancerNodePorts"});
      break;
    case Counting::kVolumeClaims:
      add({"metadata.annotations", "spec.storageClassName", "spec.resources",
           "spec.volumeAttributesClassName", "status.allocatedResources",
           "status.currentVolumeAttributesClassName", "status.modifyVolumeStatus"});
      break;
    case Counting::kDeviceClaims:
      add({"metadata.annotations", "metadata.ownerReferences", "metadata.creationTimestamp",
           "spec.devices"});
      break;
  }
  return out;
}

Handlers<ObjectView> handlers_for(const Context& cluster, const Queue& changes,
                                  const std::string& qualified) {
  const auto add = [changes, qualified](const ObjectView& object) {
    changes.add(Monitors::change_key(object.ns(), qualified));
  };
  return {.updated =
              [&cluster, qualified, add](const ObjectView& old, const ObjectView& current) {
                // Another UID: the deletion of the former one was missed.
                if (old.uid() != current.uid() ||
                    matters(qualified, old, current, cluster.wall_now())) {
                  add(current);
                }
              },
          .deleted = add};
}

bool offers_device_classes(const Offer& offer) {
  return std::any_of(offer.resources.begin(), offer.resources.end(),
                     [](const OfferedResource& each) {
                       return each.id.qualified() == kDeviceClasses && each.id.version == "v1";
                     });
}

}  // namespace

Monitors::Monitors(Context& cluster, Wiring wiring, Discover discover, const Offer& first)
    : cluster_(cluster),
      wiring_(std::move(wiring)),
      discover_(std::move(discover)),
      next_(initial_registry()) {
  ResourceSet wanted = plan_resources(first, {});
  if (follow(wanted, offers_device_classes(first))) accepted_ = std::move(wanted);
  publish();
  cluster_.start_timer({.period = kPeriod}, [this] { wiring_.rounds.add(kOffer); });
}

Result<Again> Monitors::sync(const Key& key) {
  if (key == kOffer) look();
  return wait_for_content();
}

bool Monitors::is_open() const {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::kOpen;
}

std::shared_ptr<const Registry> Monitors::registry() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

void Monitors::look() {
  const Result<Offer> offer = discover_();
  ResourceSet wanted = offer ? plan_resources(*offer, accepted_) : ResourceSet();
  if (wanted.empty()) {
    cluster_.log().error("discovery failed", {{"error", offer ? "the server offers nothing"
                                                              : offer.error().message()}});
    return;
  }
  if (wanted == accepted_) return;
  if (is_open()) set_phase(Phase::kChanging);
  wait_.reset();
  const bool is_complete = follow(wanted, offers_device_classes(*offer));
  publish();
  // Unless it is remembered, it is tried again in the next round.
  if (is_complete) accepted_ = std::move(wanted);
  cluster_.log().info("resources have changed", {{"count", std::to_string(informers_.size())}});
}

bool Monitors::follow(const ResourceSet& wanted, bool has_device_classes) {
  for (auto it = informers_.begin(); it != informers_.end();) {
    if (wanted.contains(it->first)) {
      ++it;
      continue;
    }
    Evaluator& evaluator = next_.evaluators.at(it->first.qualified());
    evaluator.informer.reset();
    evaluator.is_gone = true;
    it->second.close();
    it = informers_.erase(it);
  }
  bool is_complete = true;
  for (const ResourceId& each : wanted) {
    if (!informers_.contains(each)) is_complete = open(each) && is_complete;
  }
  follow_device_classes(has_device_classes);
  return is_complete;
}

bool Monitors::open(const ResourceId& id) {
  const Counting counting = counting_of(id.qualified());
  const Result<DynamicInformer> opened = cluster_.open_dynamic_informer(
      {.group = id.group,
       .version = id.version,
       .resource = id.resource,
       .form = counting == Counting::kObjects ? ObjectForm::kMetadata : ObjectForm::kObject,
       .projection = projection_of(counting),
       .wake = DynamicInformerOptions::Wake{wiring_.rounds, kContent}},
      handlers_for(cluster_, wiring_.changes, id.qualified()));
  if (!opened) {
    cluster_.log().error("a resource is not counted", {{"resource", id.qualified()},
                                                       {"version", id.version},
                                                       {"error", opened.error().message()}});
    return false;
  }
  informers_.emplace(id, *opened);
  Evaluator& evaluator = next_.evaluators.try_emplace(id.qualified(), Evaluator{id}).first->second;
  evaluator.informer = *opened;
  evaluator.is_gone = false;
  return true;
}

void Monitors::follow_device_classes(bool are_offered) {
  if (next_.device_classes && !are_offered) {
    next_.device_classes->close();
    next_.device_classes.reset();
  }
  if (next_.device_classes || !are_offered) return;
  const Result<DynamicInformer> opened = cluster_.open_dynamic_informer(
      {.group = "resource.k8s.io",
       .version = "v1",
       .resource = "deviceclasses",
       .projection = {"metadata.name", "metadata.uid", "metadata.resourceVersion",
                      "metadata.creationTimestamp", "spec.extendedResourceName"},
       .wake = DynamicInformerOptions::Wake{wiring_.rounds, kContent}});
  if (opened) {
    next_.device_classes = *opened;
  } else {
    cluster_.log().error("device classes are not followed", {{"error", opened.error().message()}});
  }
}

std::string Monitors::missing() const {
  for (const auto& [id, informer] : informers_) {
    if (!informer.synced().ok()) return id.qualified();
  }
  const bool lacks_classes = next_.device_classes && !next_.device_classes->synced().ok();
  return lacks_classes ? std::string(kDeviceClasses) : std::string();
}

Again Monitors::wait_for_content() {
  if (is_open()) return Again::when_changed();
  const std::string lacking = informers_.empty() ? "every resource" : missing();
  if (!lacking.empty()) {
    const Time now = cluster_.now();
    if (!wait_) wait_ = now + kWait;
    if (now < *wait_) return Again::after(*wait_ - now);
    cluster_.log().error("timed out waiting for the content of a resource",
                         {{"resource", lacking}});
  }
  set_phase(Phase::kOpen);
  wiring_.opened();
  return Again::when_changed();
}

void Monitors::publish() {
  auto next = std::make_shared<const Registry>(next_);
  const std::lock_guard lock(mutex_);
  published_ = std::move(next);
}

void Monitors::set_phase(Phase phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
}

}  // namespace davit::resourcequota
