#include "sandbox/metrics/metric_board.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace davit::sandbox {

namespace {

std::shared_ptr<const ActiveRule> activated(std::uint64_t id, MetricRule rule, Time now) {
  // The body of a raw rule is kept twice.
  const std::size_t bytes = to_text(rule.source).size() + rule.body.size();
  return std::make_shared<const ActiveRule>(ActiveRule{id, now, std::move(rule), bytes});
}

auto id_is(std::uint64_t id) {
  return [id](const std::shared_ptr<const ActiveRule>& each) { return each->id == id; };
}

}  // namespace

Json ActiveRule::describe() const {
  Json out = Json::object({{"id", std::to_string(id)}});
  for (const Json::Member& each : rule.source.members()) out.set(each.key, each.value);
  return out;
}

Result<MetricRules> MetricBoard::add(std::vector<MetricRule> rules, Time now) {
  MutexLock lock(mutex_);
  return append(*rules_, std::move(rules), now);
}

Result<MetricRules> MetricBoard::set(std::vector<MetricRule> rules, Time now) {
  MutexLock lock(mutex_);
  return append({}, std::move(rules), now);
}

Result<MetricRules> MetricBoard::append(MetricRules to, std::vector<MetricRule> rules, Time now) {
  MetricRules added;
  std::uint64_t id = last_id_;
  for (MetricRule& each : rules) added.push_back(activated(++id, std::move(each), now));
  to.insert(to.end(), added.begin(), added.end());
  if (Status s = check_room(to); !s.ok()) return s;
  last_id_ = id;
  rules_ = std::make_shared<const MetricRules>(std::move(to));
  return added;
}

Status MetricBoard::replace(std::uint64_t id, MetricRule rule, Time now) {
  MutexLock lock(mutex_);
  auto next = std::make_shared<MetricRules>(*rules_);
  const auto found = std::ranges::find_if(*next, id_is(id));
  if (found == next->end()) return {Code::kNotFound, "no such rule"};
  *found = activated(id, std::move(rule), now);
  if (Status s = check_room(*next); !s.ok()) return s;
  rules_ = std::move(next);
  return {};
}

bool MetricBoard::remove(std::uint64_t id) {
  MutexLock lock(mutex_);
  auto next = std::make_shared<MetricRules>(*rules_);
  if (std::erase_if(*next, id_is(id)) == 0) return false;
  rules_ = std::move(next);
  return true;
}

void MetricBoard::clear() {
  MutexLock lock(mutex_);
  rules_ = std::make_shared<const MetricRules>();
}

std::shared_ptr<const MetricRules> MetricBoard::rules() const {
  MutexLock lock(mutex_);
  return rules_;
}

Status MetricBoard::add_load(PodLoad load, Time now) {
  MutexLock lock(mutex_);
  std::erase_if(loads_, [now](const PodLoad& each) { return each.until <= now; });
  if (loads_.size() >= limits_.loads_max) {
    return {Code::kThrottled, "at most " + std::to_string(limits_.loads_max) + " loads at a time"};
  }
  loads_.push_back(std::move(load));
  return {};
}

std::vector<PodLoad> MetricBoard::loads(Time now) const {
  MutexLock lock(mutex_);
  std::vector<PodLoad> out;
  std::ranges::copy_if(loads_, std::back_inserter(out),
                       [now](const PodLoad& each) { return each.until > now; });
  return out;
}

Status MetricBoard::check_room(const MetricRules& rules) const {
  if (rules.size() > limits_.rules_max) {
    return {Code::kThrottled, "at most " + std::to_string(limits_.rules_max) + " rules"};
  }
  std::size_t bytes = 0;
  for (const auto& each : rules) bytes += each->bytes;
  if (bytes <= limits_.bytes_max) return {};
  return {Code::kThrottled, "at most " + std::to_string(limits_.bytes_max) + " bytes of rules"};
}

}  // namespace davit::sandbox
