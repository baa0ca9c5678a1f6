#include "plugins/nodelifecycle/eviction_timers.hpp"

#include <davit/mutant.hpp>
#include <utility>

namespace davit::nodelifecycle {

bool EvictionTimers::add(const Key& pod, Time now, Time due) {
  const std::lock_guard lock(mutex_);
  if (pending_.contains(pod) || running_.contains(pod)) return false;
  if (due > now) {
    pending_.emplace(pod, due);
  } else {
    start(pod, due);
  }
  return true;
}

EvictionTimers::Found EvictionTimers::cancel(const Key& pod) {
  const std::lock_guard lock(mutex_);
  if (mutant("eviction-cancel")) return Found::kNothing;
  if (pending_.erase(pod) != 0) return Found::kPending;
  return running_.erase(pod) != 0 ? Found::kRunning : Found::kNothing;
}

bool EvictionTimers::is_pending(const Key& pod) const {
  const std::lock_guard lock(mutex_);
  return pending_.contains(pod);
}

EvictionTimers::Step EvictionTimers::step(const Key& pod, Time now) {
  const std::lock_guard lock(mutex_);
  if (const auto pending = pending_.find(pod); pending != pending_.end()) {
    const Time due = pending->second;
    if (due > now && !deletions_.contains(pod)) return Wait{due - now};
    if (due <= now) {
      pending_.erase(pending);
      start(pod, due);
    }
  }
  const auto deletion = deletions_.find(pod);
  if (deletion == deletions_.end()) return std::monostate();
  return Attempt{deletion->second.due, ++deletion->second.tries};
}

bool EvictionTimers::ended(const Key& pod) {
  const std::lock_guard lock(mutex_);
  const auto deletion = deletions_.find(pod);
  if (deletion == deletions_.end()) return pending_.contains(pod);
  const std::optional<Time> next = deletion->second.next;
  deletions_.erase(deletion);
  if (next) {
    deletions_.emplace(pod, Deletion{*next});
    return true;
  }
  running_.erase(pod);
  return pending_.contains(pod);
}

void EvictionTimers::not_tried(const Key& pod) {
  const std::lock_guard lock(mutex_);
  if (const auto found = deletions_.find(pod); found != deletions_.end()) --found->second.tries;
}

void EvictionTimers::start(const Key& pod, Time due) {
  running_.insert(pod);
  const auto [deletion, is_new] = deletions_.try_emplace(pod, Deletion{due});
  if (!is_new) deletion->second.next = due;
}

void EvictionTimers::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_object().key("pending").begin_array();
  for (const auto& [pod, due] : pending_) {
    out.begin_object().member("pod", pod.text()).member("due", state_time(due)).end_object();
  }
  out.end_array().key("running").begin_array();
  for (const Key& pod : running_) out.string(pod.text());
  out.end_array().key("deletions").begin_array();
  for (const auto& [pod, deletion] : deletions_) {
    out.begin_object().member("pod", pod.text()).member("due", state_time(deletion.due));
    out.member("tries", deletion.tries);
    if (deletion.next) out.member("next", state_time(*deletion.next));
    out.end_object();
  }
  out.end_array().end_object();
}

Result<std::vector<EvictionTimers::Call>> EvictionTimers::read(Value state) {
  constexpr StateFields::Range kTries = {0, 100};
  Status status;
  const StateFields fields(state, status);
  std::unordered_map<Key, Time> pending;
  std::unordered_set<Key> running;
  std::unordered_map<Key, Deletion> deletions;
  std::vector<Call> calls;
  for (const Value element : fields.array("pending").elements()) {
    const StateFields each = fields.element(element);
    const Key pod = Key::parse(each.text("pod"));
    const Time due = pending[pod] = each.time("due");
    calls.push_back({pod, due});
  }
  for (const std::string& pod : fields.texts("running")) {
    if (!pending.contains(Key::parse(pod))) running.insert(Key::parse(pod));
  }
  for (const Value element : fields.array("deletions").elements()) {
    const StateFields each = fields.element(element);
    const Key pod = Key::parse(each.text("pod"));
    const auto tries = static_cast<int>(each.integer("tries", kTries));
    Deletion& made = deletions[pod] = {each.time("due"), tries};
    if (each.has("next")) made.next = each.time("next");
    calls.push_back({pod, made.due});
  }
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  pending_ = std::move(pending);
  running_ = std::move(running);
  deletions_ = std::move(deletions);
  return calls;
}

}  // namespace davit::nodelifecycle
