#include "sandbox/controllers/event_expiry.hpp"

#include <algorithm>
#include <utility>

namespace davit::sandbox {

namespace {

bool is_events(const Collection& collection) {
  return collection.group.empty() && collection.resource == "events";
}

}  // namespace

void EventExpiry::on_relist(const Collection& collection) {
  if (!is_events(collection)) return;
  fresh_.clear();
  leases_.clear();
}

void EventExpiry::observe(const Collection& collection, const Change& change) {
  if (!is_events(collection) || change.type == ChangeType::kDeleted) return;
  const Version& event = *change.object;
  fresh_.push_back({Time(), event.ns, event.name, event.revision});
}

Time EventExpiry::act(Time now) {
  writer_.begin_round(now);
  for (Lease& each : fresh_) {
    each.ends = now + kEventLifetime;
    leases_.push_back(std::move(each));
  }
  fresh_.clear();
  const ResourcePtr resource = parts_.resources()->find("", "v1", "events");
  std::vector<Lease> failed;
  while (!leases_.empty() && leases_.front().ends <= now) {
    Lease lease = std::move(leases_.front());
    leases_.pop_front();
    const VersionPtr event = parts_.store.get({"", "events"}, lease.ns, lease.name);
    if (resource == nullptr || event == nullptr || event->revision != lease.revision) continue;
    // A write that came between makes this fail, and gives the event another hour.
    const ApiWriter::Outcome outcome = writer_.remove(
        object_path(*resource, lease.ns, lease.name),
        Json::object({{"preconditions",
                       Json::object({{"uid", event->uid},
                                     {"resourceVersion", std::to_string(event->revision)}})}}));
    if (!is_done(outcome)) failed.push_back(std::move(lease));
  }
  for (Lease& each : failed) {
    each.ends = now + writer_.retry_after();
    const auto later = std::ranges::upper_bound(leases_, each.ends, {}, &Lease::ends);
    leases_.insert(later, std::move(each));
  }
  return leases_.empty() ? writer_.next_round()
                         : std::min(leases_.front().ends, writer_.next_round());
}

}  // namespace davit::sandbox
