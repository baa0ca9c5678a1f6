#include "plugins/garbagecollector/monitors.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace davit::garbage {
namespace {

/// Adds to the queue's keys: ask the server again; look at the informers again.
const Key kOffer{{}, "offer"};
const Key kContent{{}, "content"};

Observed observed(const ObjectView& object, const std::string& kind,
                  const std::string& api_version) {
  Observed out;
  out.identity = {kind, api_version, std::string(object.ns()), std::string(object.name()),
                  std::string(object.uid())};
  out.owners = read_references(object);
  out.is_being_deleted = object.is_being_deleted();
  out.waits_for_dependents = object.has_finalizer(kForegroundFinalizer);
  out.orphans_dependents = object.has_finalizer(kOrphanFinalizer);
  return out;
}

Handlers<ObjectView> handlers_for(SharedGraph& graph, const std::string& kind,
                                  const std::string& api_version) {
  const auto read = [kind, api_version](const ObjectView& object) {
    return observed(object, kind, api_version);
  };
  return {.added = [&graph, read](const ObjectView& added) { graph.observe(read(added), nullptr); },
          .updated =
              [&graph, read](const ObjectView& old, const ObjectView& current) {
                const Observed past = read(old);
                const bool is_other = past.identity.uid != current.uid();
                // Its deletion was missed. Upstream would forget it.
                if (is_other) graph.remove(past.identity);
                graph.observe(read(current), is_other ? nullptr : &past);
              },
          .deleted = [&graph, read](const ObjectView& gone) { graph.remove(read(gone).identity); }};
}

}  // namespace

Monitors::Monitors(Context& cluster, Queue queue, SharedGraph& graph, Discover discover)
    : cluster_(cluster),
      queue_(queue),
      graph_(graph),
      discover_(std::move(discover)),
      errors_(cluster.open_metric({.type = MetricType::kCounter,
                                   .name = "garbagecollector_controller_resources_sync_error_total",
                                   .help = "Number of garbage collector resources sync errors"})) {
  if (const Result<Offer> offer = discover_()) {
    ResourceSet wanted = plan_resources(*offer, {});
    if (follow(wanted)) accepted_ = std::move(wanted);
  }
  cluster_.start_timer({.period = kPeriod}, [this] { queue_.add(kOffer); });
}

Result<Again> Monitors::sync(const Key& key) {
  if (key == kOffer) look();
  return wait_for_content();
}

void Monitors::look() {
  const Result<Offer> offer = discover_();
  ResourceSet wanted = offer ? plan_resources(*offer, synced()) : ResourceSet();
  if (wanted.empty()) {
    count_error("no resources found", offer ? "the server offers none" : offer.error().message());
    return;
  }
  if (wanted == accepted_) return;
  if (!follow(wanted)) {
    count_error("some resources are not followed", "see above");
    return;
  }
  cluster_.log().info("resources have changed", {{"count", std::to_string(wanted.size())}});
  accepted_ = std::move(wanted);
  waits_ = true;
  wait_.reset();
}

bool Monitors::follow(const ResourceSet& wanted) {
  for (auto it = informers_.begin(); it != informers_.end();) {
    if (wanted.contains(it->first)) {
      ++it;
      continue;
    }
    it->second.close();
    it = informers_.erase(it);
  }
  bool is_complete = true;
  for (const auto& [id, kind] : wanted) {
    if (!informers_.contains(id)) is_complete = open(id, kind) && is_complete;
  }
  return is_complete;
}

bool Monitors::open(const ResourceId& id, const std::string& kind) {
  const Result<DynamicInformer> opened = cluster_.open_dynamic_informer(
      {.group = id.group,
       .version = id.version,
       .resource = id.resource,
       .form = ObjectForm::kMetadata,
       .projection = {"metadata.name", "metadata.namespace", "metadata.uid",
                      "metadata.resourceVersion", "metadata.deletionTimestamp",
                      "metadata.finalizers", "metadata.ownerReferences"},
       .wake = DynamicInformerOptions::Wake{queue_, kContent}},
      handlers_for(graph_, kind, id.api_version()));
  if (opened) {
    informers_.emplace(id, *opened);
    return true;
  }
  cluster_.log().error("a resource is not followed", {{"resource", id.resource},
                                                      {"version", id.api_version()},
                                                      {"error", opened.error().message()}});
  return false;
}

ResourceSet Monitors::synced() const {
  ResourceSet out;
  for (const auto& [id, kind] : accepted_) {
    if (is_synced(id)) out.emplace(id, kind);
  }
  return out;
}

bool Monitors::is_synced(const ResourceId& id) const {
  const auto found = informers_.find(id);
  return found != informers_.end() && found->second.synced().ok();
}

Again Monitors::wait_for_content() {
  if (!waits_) return Again::when_changed();
  const Time now = cluster_.now();
  if (!wait_) wait_ = now + kWait;
  const auto missing = std::find_if(informers_.begin(), informers_.end(),
                                    [](const auto& each) { return !each.second.synced().ok(); });
  const bool is_filled = !informers_.empty() && missing == informers_.end();
  if (!is_filled && now < *wait_) return Again::after(*wait_ - now);
  if (!is_filled) {
    count_error("timed out waiting for the content of a resource",
                missing == informers_.end() ? "there is none" : missing->first.resource);
  }
  waits_ = false;
  graph_.open();
  return Again::when_changed();
}

void Monitors::count_error(std::string_view what, std::string_view why) const {
  errors_.record(1);
  cluster_.log().error(what, {{"why", why}});
}

}  // namespace davit::garbage
