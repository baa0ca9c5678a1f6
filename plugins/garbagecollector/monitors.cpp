#include "plugins/garbagecollector/monitors.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
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

/// Whether changes of these objects change what the server offers.
bool defines_resources(const ResourceId& id) {
  return (id.group == "apiextensions.k8s.io" && id.resource == "customresourcedefinitions") ||
         (id.group == "apiregistration.k8s.io" && id.resource == "apiservices");
}

Handlers<ObjectView> handlers_for(SharedGraph& graph,
                                  const std::shared_ptr<const SharedGraph::Feed>& feed,
                                  const std::string& kind, const std::string& api_version) {
  const auto read = [kind, api_version](const ObjectView& object) {
    return observed(object, kind, api_version);
  };
  return {.added = [&graph, feed,
                    read](const ObjectView& added) { graph.observe(*feed, read(added), nullptr); },
          .updated =
              [&graph, feed, read](const ObjectView& old, const ObjectView& current) {
                const Observed past = read(old);
                const bool is_other = past.identity.uid != current.uid();
                // Its deletion was missed. Upstream would forget it.
                if (is_other) graph.remove(*feed, past.identity);
                graph.observe(*feed, read(current), is_other ? nullptr : &past);
              },
          .deleted = [&graph, feed,
                      read](const ObjectView& gone) { graph.remove(*feed, read(gone).identity); }};
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
  if (const Result<Offer> offer = offer::whole(discover_(Freshness::kRecent))) {
    wanted_ = plan_resources(*offer, {});
    follow();
  }
  cluster_.start_timer({.period = kPeriod}, [this] { queue_.add(kOffer); });
}

Result<Again> Monitors::sync(const Key& key) {
  note_filled();
  if (key == kOffer || !has_looked_) look();
  retire();
  return wait_for_content();
}

void Monitors::look() {
  const bool is_known = has_looked_ || mutant("takeover-offer");
  const Result<Offer> offer =
      offer::whole(discover_(is_known ? Freshness::kRecent : Freshness::kNow));
  // The first time nothing is filled: what was known stays if the server cannot tell.
  const ResourceSet known = has_looked_ ? filled() : wanted_;
  ResourceSet wanted = offer ? plan_resources(*offer, known) : ResourceSet();
  if (wanted.empty()) {
    count_error("no resources found", offer ? "the server offers none" : offer.error().message());
    return;
  }
  if (!std::exchange(has_looked_, true)) offer::wake_on_change(cluster_, queue_, kOffer);
  if (wanted != wanted_) {
    cluster_.log().info("resources have changed", {{"count", std::to_string(wanted.size())}});
    log_vanished(std::exchange(wanted_, std::move(wanted)));
  }
  follow();
}

void Monitors::log_vanished(const ResourceSet& before) const {
  for (const Watched& each : before) {
    const bool is_wanted = wanted_.contains(each.first) || successor_of(each) != informers_.end();
    if (is_wanted) continue;
    cluster_.log().warning(
        "the server offers a resource no more",
        {{"resource", each.first.resource}, {"version", each.first.api_version()}});
  }
}

void Monitors::follow() {
  bool is_complete = true;
  for (const Watched* each : opening_order(wanted_)) {
    if (informers_.contains(*each)) continue;
    is_complete = open(*each) && is_complete;
    waits_ = true;
    wait_.reset();
  }
  if (!is_complete) count_error("some resources are not followed", "see above");
}

bool Monitors::open(const Watched& watched) {
  const auto& [id, kind] = watched;
  const auto feed = std::make_shared<SharedGraph::Feed>();
  Handlers<ObjectView> handlers = handlers_for(graph_, feed, kind, id.api_version());
  if (defines_resources(id) && !mutant("definition-refresh")) {
    handlers.any = [this](const Event<ObjectView>& event) {
      if (!event.initial) cluster_.discovery().refresh();
    };
  }
  const Result<DynamicInformer> opened = cluster_.open_dynamic_informer(
      {.group = id.group,
       .version = id.version,
       .resource = id.resource,
       .form = ObjectForm::kMetadata,
       .projection = {"metadata.name", "metadata.namespace", "metadata.uid",
                      "metadata.resourceVersion", "metadata.deletionTimestamp",
                      "metadata.finalizers", "metadata.ownerReferences"},
       .wake = DynamicInformerOptions::Wake{queue_, kContent}},
      std::move(handlers));
  if (opened) {
    informers_.emplace(watched, Followed{*opened, feed});
    return true;
  }
  cluster_.log().error("a resource is not followed; its objects are not collected",
                       {{"resource", id.resource},
                        {"version", id.api_version()},
                        {"error", opened.error().message()}});
  return false;
}

void Monitors::note_filled() {
  for (auto& [watched, followed] : informers_) {
    followed.was_filled = followed.was_filled || followed.informer.synced().ok();
  }
}

void Monitors::retire() {
  for (auto it = informers_.begin(); it != informers_.end();) {
    const auto& [watched, followed] = *it;
    const auto wanted = wanted_.find(watched.first);
    const bool is_wanted = wanted != wanted_.end() && wanted->second == watched.second;
    const auto successor = is_wanted ? informers_.cend() : successor_of(watched);
    const bool is_replaced = successor != informers_.cend() && successor->second.was_filled;
    if (is_wanted || !(is_replaced || is_gone(watched, followed))) {
      ++it;
      continue;
    }
    graph_.end(*followed.feed);
    followed.informer.close();
    if (is_replaced) reconcile(watched, *successor);
    it = informers_.erase(it);
  }
}

Monitors::Informers::const_iterator Monitors::successor_of(const Watched& watched) const {
  for (const Watched& each : wanted_) {
    if (each.first.qualified() == watched.first.qualified()) return informers_.find(each);
  }
  return informers_.end();
}

bool Monitors::is_gone(const Watched& watched, const Followed& followed) const {
  if (mutant("one-discovery-answer")) return true;
  return followed.informer.synced().code() == Code::kNotFound &&
         graph_.shown(watched.first.group, watched.second).empty();
}

void Monitors::reconcile(const Watched& closed, const Informers::value_type& successor) const {
  const auto& [watched, followed] = successor;
  if (mutant("missed-deletions")) return;
  for (Identity& each : graph_.shown(closed.first.group, closed.second)) {
    const Lookup<ObjectView> shown = followed.informer.get(each.ns, each.name);
    if (shown && shown->uid() == each.uid) continue;
    each.kind = watched.second;
    each.api_version = watched.first.api_version();
    graph_.doubt(each);
  }
}

ResourceSet Monitors::filled() const {
  ResourceSet out;
  for (const Watched& each : wanted_) {
    const auto found = informers_.find(each);
    if (found != informers_.end() && found->second.was_filled) out.insert(each);
  }
  return out;
}

Again Monitors::wait_for_content() {
  if (!waits_) return Again::when_changed();
  if (!has_looked_) return Again::after(kRetry);
  const Time now = cluster_.now();
  if (!wait_) wait_ = now + kWait;
  const auto missing = std::find_if(wanted_.begin(), wanted_.end(), [this](const Watched& each) {
    const auto found = informers_.find(each);
    return found != informers_.end() && !found->second.was_filled;
  });
  const bool is_filled = !informers_.empty() && missing == wanted_.end();
  if (!is_filled && now < *wait_) return Again::after(*wait_ - now);
  // It can be listed, but may be older than the beginning: conclusions from it would be wrong.
  const bool is_old = std::any_of(informers_.begin(), informers_.end(), [](const auto& each) {
    return each.second.informer.synced().code() == Code::kExpired;
  });
  if (is_old) return Again::after(kRetry);
  if (!is_filled) {
    count_error("timed out waiting for the content of a resource",
                missing == wanted_.end() ? "there is none" : missing->first.resource);
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
