#include "sandbox/faults/fault_board.hpp"

#include <utility>

namespace davit::sandbox {

std::vector<std::uint64_t> FaultBoard::add(FaultScript script, Revision revision) {
  std::vector<std::uint64_t> ids;
  Listeners listeners;
  {
    MutexLock lock(mutex_);
    if (script.seed) plan_.set_seed(*script.seed);
    for (FaultRule& each : script.rules) {
      ids.push_back(plan_.add(std::move(each), clock_.now(), revision));
      apply_to_open_watches(ids.back(), listeners);
    }
  }
  for (const auto& each : listeners) each->notify();
  return ids;
}

void FaultBoard::apply_to_open_watches(std::uint64_t rule, Listeners& listeners) {
  const Time now = clock_.now();
  for (auto& [id, watch] : watches_) {
    const std::optional<FaultHit> hit = plan_.on_open_watch(rule, watch.request_facts, now);
    if (!hit) continue;
    watch.faults.arm(*hit, now);
    if (watch.listener != nullptr) listeners.push_back(watch.listener);
  }
}

bool FaultBoard::let_go(std::uint64_t rule, Listeners& listeners) {
  if (!plan_.remove(rule)) return false;
  for (auto& [id, watch] : watches_) {
    if (watch.faults.empty()) continue;
    watch.faults.disarm(rule);
    if (watch.listener != nullptr) listeners.push_back(watch.listener);
  }
  return true;
}

bool FaultBoard::remove(std::uint64_t id) {
  bool found = false;
  Listeners listeners;
  {
    MutexLock lock(mutex_);
    found = let_go(id, listeners);
  }
  for (const auto& each : listeners) each->notify();
  return found;
}

void FaultBoard::clear() {
  Listeners listeners;
  {
    MutexLock lock(mutex_);
    for (const std::uint64_t id : plan_.ids()) let_go(id, listeners);
  }
  for (const auto& each : listeners) each->notify();
}

Json FaultBoard::describe(std::uint64_t id) const {
  MutexLock lock(mutex_);
  return plan_.describe(id);
}

Json FaultBoard::describe_all() const {
  MutexLock lock(mutex_);
  Json out = Json::array();
  for (const std::uint64_t id : plan_.ids()) out.push_back(plan_.describe(id));
  return out;
}

bool FaultBoard::asks_for_user() const {
  MutexLock lock(mutex_);
  return plan_.asks_for_user();
}

RequestFaults FaultBoard::on_request(const RequestFacts& request_facts) {
  MutexLock lock(mutex_);
  return plan_.on_request(request_facts, clock_.now());
}

FaultBoard::WatchId FaultBoard::open_watch(RequestFacts request_facts,
                                           const RequestFaults& faults) {
  MutexLock lock(mutex_);
  Watch& watch = watches_[++last_watch_];
  watch.request_facts = std::move(request_facts);
  for (const FaultHit& each : faults.hits) watch.faults.arm(each, clock_.now());
  return last_watch_;
}

void FaultBoard::on_ready(WatchId watch, std::function<void()> ready) {
  auto listener = std::make_shared<const Listener>(std::move(ready));
  {
    MutexLock lock(mutex_);
    std::swap(watches_[watch].listener, listener);
  }
  if (listener != nullptr) listener->close(clock_);
}

void FaultBoard::close_watch(WatchId watch) {
  std::shared_ptr<const Listener> listener;
  {
    MutexLock lock(mutex_);
    const auto found = watches_.find(watch);
    if (found == watches_.end()) return;
    listener = std::move(found->second.listener);
    watches_.erase(found);
  }
  if (listener != nullptr) listener->close(clock_);
}

bool FaultBoard::is_unaffected(WatchId watch) const {
  MutexLock lock(mutex_);
  return !plan_.may_lose_events() && watches_.at(watch).faults.empty();
}

WatchFaults::Verdict FaultBoard::verdict(WatchId watch) {
  MutexLock lock(mutex_);
  return watches_.at(watch).faults.verdict(clock_.now());
}

bool FaultBoard::deliver(WatchId watch, const EventFacts& event) {
  MutexLock lock(mutex_);
  Watch& found = watches_.at(watch);
  found.faults.passed();
  return !plan_.may_lose_events() || !plan_.loses(found.request_facts, event, clock_.now());
}

Time FaultBoard::next_change(WatchId watch) const {
  MutexLock lock(mutex_);
  return watches_.at(watch).faults.next_change(clock_.now());
}

}  // namespace davit::sandbox
