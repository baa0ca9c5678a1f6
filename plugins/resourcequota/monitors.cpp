#include "plugins/resourcequota/monitors.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
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

/// Whether the server does not serve the resource, and had no object of it left.
bool is_gone(const DynamicInformer& informer) {
  if (mutant("last-known-usage")) return true;
  if (informer.synced().code() != Code::kNotFound) return false;
  const List<ObjectView> objects = informer.list();
  return objects.error().ok() && objects.empty();
}

}  // namespace

Monitors::Monitors(Context& cluster, Wiring wiring, Discover discover, const Offer& first)
    : cluster_(cluster),
      wiring_(std::move(wiring)),
      discover_(std::move(discover)),
      next_(initial_registry()) {
  wanted_ = plan_resources(first, {});
  follow_device_classes(offers_device_classes(first));
  follow();
  publish();
  cluster_.start_timer({.period = kPeriod}, [this] { wiring_.rounds.add(kOffer); });
}

Result<Again> Monitors::sync(const Key& key) {
  note_filled();
  if (key == kOffer || !has_looked_) look();
  retire();
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
  const bool is_known = has_looked_ || mutant("takeover-offer");
  const Result<Offer> offer =
      offer::whole(discover_(is_known ? Freshness::kRecent : Freshness::kNow));
  ResourceSet wanted = offer ? plan_resources(*offer, wanted_) : ResourceSet();
  if (wanted.empty()) {
    cluster_.log().error("discovery failed", {{"error", offer ? "the server offers nothing"
                                                              : offer.error().message()}});
    return;
  }
  if (!std::exchange(has_looked_, true)) offer::wake_on_change(cluster_, wiring_.rounds, kOffer);
  if (wanted != wanted_) {
    cluster_.log().info("resources have changed", {{"count", std::to_string(wanted.size())}});
    log_vanished(std::exchange(wanted_, std::move(wanted)));
  }
  follow_device_classes(offers_device_classes(*offer));
  if (!is_complete()) {
    if (is_open()) set_phase(Phase::kChanging);
    wait_.reset();
    follow();
  }
  publish();
}

bool Monitors::is_complete() const {
  return std::all_of(wanted_.begin(), wanted_.end(),
                     [this](const ResourceId& each) { return informers_.contains(each); });
}

void Monitors::log_vanished(const ResourceSet& before) const {
  for (const ResourceId& each : before) {
    const bool is_wanted = std::any_of(
        wanted_.begin(), wanted_.end(),
        [&each](const ResourceId& wanted) { return wanted.qualified() == each.qualified(); });
    if (is_wanted) continue;
    cluster_.log().warning("the server offers a resource no more; its last known usage stays",
                           {{"resource", each.qualified()}});
  }
}

void Monitors::follow() {
  for (const ResourceId* each : opening_order(wanted_)) {
    if (!informers_.contains(*each)) open(*each);
  }
}

void Monitors::open(const ResourceId& id) {
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
    return;
  }
  informers_.emplace(id, Followed{*opened});
  Evaluator& evaluator = next_.evaluators.try_emplace(id.qualified(), Evaluator{id}).first->second;
  // Another version counts until this one has its content.
  if (!evaluator.informer) evaluator = Evaluator{id, *opened};
}

void Monitors::follow_device_classes(bool are_offered) {
  if (next_.device_classes && !are_offered && is_gone(*next_.device_classes)) {
    next_.device_classes->close();
    next_.device_classes.reset();
    next_.are_classes_filled = false;
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

void Monitors::note_filled() {
  bool is_news = false;
  for (auto& [id, followed] : informers_) {
    if (followed.was_filled || !followed.informer.synced().ok()) continue;
    followed.was_filled = true;
    Evaluator& evaluator = next_.evaluators.at(id.qualified());
    if (evaluator.id == id) evaluator.is_filled = is_news = true;
  }
  const bool lacks_classes = next_.device_classes && !next_.are_classes_filled;
  if (lacks_classes && next_.device_classes->synced().ok()) {
    next_.are_classes_filled = is_news = true;
  }
  if (is_news) publish();
}

void Monitors::retire() {
  bool is_news = false;
  for (auto it = informers_.begin(); it != informers_.end();) {
    const bool is_wanted = wanted_.contains(it->first);
    const auto successor = is_wanted ? informers_.cend() : successor_of(it->first);
    const bool is_replaced = successor != informers_.cend() && successor->second.was_filled;
    if (is_wanted || !(is_replaced || is_gone(it->second.informer))) {
      ++it;
      continue;
    }
    Evaluator& evaluator = next_.evaluators.at(it->first.qualified());
    if (evaluator.id == it->first) {
      evaluator = is_replaced ? Evaluator{successor->first, successor->second.informer, true}
                              : Evaluator{.id = it->first, .is_gone = true};
      is_news = true;
    }
    it->second.informer.close();
    it = informers_.erase(it);
  }
  if (!is_news) return;
  publish();
  // Changes that its handlers have not seen are lost.
  if (is_open()) wiring_.opened();
}

Monitors::Informers::const_iterator Monitors::successor_of(const ResourceId& id) const {
  const auto wanted = std::find_if(wanted_.begin(), wanted_.end(), [&id](const ResourceId& each) {
    return each.qualified() == id.qualified();
  });
  return wanted == wanted_.end() ? informers_.end() : informers_.find(*wanted);
}

std::string Monitors::missing() const {
  for (const auto& [id, followed] : informers_) {
    if (wanted_.contains(id) && !followed.was_filled) return id.qualified();
  }
  const bool lacks_classes = next_.device_classes && !next_.are_classes_filled;
  return lacks_classes ? std::string(kDeviceClasses) : std::string();
}

bool Monitors::is_old() const {
  const auto compares = [](const DynamicInformer& each) {
    return each.synced().code() == Code::kExpired;
  };
  return std::any_of(informers_.begin(), informers_.end(),
                     [&](const auto& each) { return compares(each.second.informer); }) ||
         (next_.device_classes && compares(*next_.device_classes));
}

Again Monitors::wait_for_content() {
  if (is_open()) return Again::when_changed();
  if (!has_looked_) return Again::after(kRetry);
  const std::string lacking = informers_.empty() ? "every resource" : missing();
  if (!lacking.empty()) {
    const Time now = cluster_.now();
    if (!wait_) wait_ = now + kWait;
    if (now < *wait_) return Again::after(*wait_ - now);
    if (is_old()) return Again::after(kRetry);
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
