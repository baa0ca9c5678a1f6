#include "plugins/devicetaint/evicted_counts.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/state_fields.hpp>
#include <utility>

namespace davit::devicetaint {

std::set<RuleId> EvictedCounts::begin(const Key& pod, std::string_view uid,
                                      const std::set<RuleId>& rules) {
  const std::lock_guard lock(mutex_);
  Entry& entry = pods_[pod];
  if (entry.uid != uid) entry = {std::string(uid)};
  std::set<RuleId> added;
  for (const RuleId& each : rules) {
    if (!entry.rules.contains(each)) added.insert(each);
  }
  entry.rules = rules;
  return added;
}

WallTime EvictedCounts::earliest(const Key& pod, WallTime when) {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return when;
  Entry& entry = found->second;
  entry.when = std::min(when, entry.when.value_or(when));
  return *entry.when;
}

Time EvictedCounts::due_since(const Key& pod, Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return now;
  Entry& entry = found->second;
  if (!entry.due) entry.due = now;
  return *entry.due;
}

void EvictedCounts::postpone(const Key& pod) {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(pod);
  if (found != pods_.end()) found->second.due.reset();
}

std::optional<std::set<RuleId>> EvictedCounts::end(const Key& pod, std::string_view uid) {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return std::nullopt;
  const Entry entry = std::move(found->second);
  pods_.erase(found);
  return entry.uid == uid ? std::optional(entry.rules) : std::nullopt;
}

void EvictedCounts::count(const std::set<RuleId>& rules) {
  const std::lock_guard lock(mutex_);
  for (const RuleId& each : rules) ++counts_[each.second];
}

std::int64_t EvictedCounts::counted(std::string_view rule_uid) const {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(rule_uid);
  return found == counts_.end() ? 0 : found->second;
}

void EvictedCounts::forget(std::string_view rule_uid) {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(rule_uid);
  if (found != counts_.end()) counts_.erase(found);
}

void EvictedCounts::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_object().key("pods").begin_array();
  for (const auto& [pod, entry] : pods_) {
    out.begin_object().member("pod", pod.text()).member("uid", entry.uid).end_object();
  }
  out.end_array().key("rules").begin_array();
  for (const auto& [uid, count] : counts_) {
    out.begin_object().member("uid", uid).member("pods", count).end_object();
  }
  out.end_array().end_object();
}

Status EvictedCounts::read(std::uint32_t, Value state) {
  Status status;
  const StateFields fields(state, status);
  std::map<Key, Entry> pods;
  for (const Value each : fields.array("pods").elements()) {
    const StateFields of = fields.element(each);
    pods[Key::parse(of.text("pod"))] = {of.text("uid")};
  }
  std::map<std::string, std::int64_t, std::less<>> counts;
  for (const Value each : fields.array("rules").elements()) {
    const StateFields of = fields.element(each);
    counts[of.text("uid")] = of.integer("pods", {.least = 0});
  }
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  pods_ = std::move(pods);
  counts_ = std::move(counts);
  return {};
}

}  // namespace davit::devicetaint
