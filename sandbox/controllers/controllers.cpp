#include "sandbox/controllers/controllers.hpp"

#include <algorithm>

#include "sandbox/controllers/api_service_availability.hpp"
#include "sandbox/controllers/claim_binder.hpp"
#include "sandbox/controllers/event_expiry.hpp"
#include "sandbox/controllers/garbage_collector.hpp"
#include "sandbox/controllers/namespace_deletion.hpp"
#include "sandbox/controllers/namespace_publisher.hpp"

namespace davit::sandbox {

Controllers::Controllers(ControllerParts parts, const ControllerOptions& options)
    : parts_(std::move(parts)), watcher_(parts_.store, [this] { wake(); }) {
  if (options.garbage_collector == Switch::kOn) {
    controllers_.push_back(std::make_unique<GarbageCollector>(parts_));
  }
  if (options.namespaces == Switch::kOn) {
    controllers_.push_back(std::make_unique<NamespaceDeletion>(parts_));
  }
  if (options.event_expiry == Switch::kOn) {
    controllers_.push_back(std::make_unique<EventExpiry>(parts_));
  }
  if (options.volumes == Switch::kOn) {
    controllers_.push_back(std::make_unique<ClaimBinder>(parts_));
  }
  NamespaceDefaults defaults;
  defaults.service_account = options.default_accounts == Switch::kOn;
  defaults.root_ca = options.root_ca;
  if (defaults.service_account || !defaults.root_ca.empty()) {
    controllers_.push_back(std::make_unique<NamespacePublisher>(parts_, std::move(defaults)));
  }
  if (options.aggregation != nullptr) {
    controllers_.push_back(std::make_unique<ApiServiceAvailability>(parts_, *options.aggregation));
  }
}

Time Controllers::step(Time now) {
  while (true) {
    follow_all();
    while (observe_some()) continue;
    Time next = Time::max();
    for (const auto& each : controllers_) next = std::min(next, each->act(now));
    // The controllers' own writes are changes, too.
    if (!observe_some() && next > now) return next;
  }
}

void Controllers::follow_all() {
  std::shared_ptr<const ResourceSet> current = parts_.resources();
  if (current == followed_) return;
  for (const ResourcePtr& each : current->all()) watcher_.follow(each->collection);
  followed_ = std::move(current);
}

bool Controllers::observe_some() {
  const std::optional<CollectionWatcher::Batch> batch = watcher_.pull();
  if (!batch) return false;
  for (const auto& each : controllers_) {
    if (batch->relisted) each->on_relist(batch->collection);
    for (const Change& change : batch->changes) each->observe(batch->collection, change);
  }
  return true;
}

void Controllers::wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  woken_cond_.notify_all();
}

void Controllers::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { wake(); });
  while (!stop.stop_requested()) {
    const Time next = step(parts_.clock.now());
    MutexLock lock(mutex_);
    while (!woken_ && parts_.clock.now() < next) {
      parts_.clock.wait_until(woken_cond_, mutex_, next);
    }
    woken_ = false;
  }
}

}  // namespace davit::sandbox
