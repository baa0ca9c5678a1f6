#include "plugins/podautoscaler/memory.hpp"

#include <davit/mutant.hpp>
#include <davit/state_fields.hpp>
#include <utility>
#include <vector>

namespace davit::podautoscaler {
namespace {

constexpr StateFields::Range kReplicas{INT32_MIN, INT32_MAX};

std::int32_t number_of(const StateFields& entry) {
  return static_cast<std::int32_t>(entry.integer("n", kReplicas));
}

void write_entry(JsonWriter& out, std::int32_t number, Time at) {
  out.begin_object().member("n", std::int64_t{number}).member("at", state_time(at)).end_object();
}

void write_events(JsonWriter& out, std::string_view name, const std::vector<ScaleEvent>& events) {
  out.key(name).begin_array();
  for (const ScaleEvent& each : events) write_entry(out, each.size, each.at);
  out.end_array();
}

std::vector<ScaleEvent> read_events(const StateFields& record, std::string_view name, Time now) {
  std::vector<ScaleEvent> out;
  for (const Value value : record.array(name).elements()) {
    const StateFields entry = record.element(value);
    out.push_back({number_of(entry), entry.past("at", now)});
  }
  return out;
}

}  // namespace

ScalingHistory Memory::take(const Key& key, std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  if (found == records_.end()) return {};
  const bool is_same = found->second.uid == uid || mutant("history-of-namesake");
  return is_same ? found->second.history : ScalingHistory();
}

void Memory::put(const Key& key, std::string_view uid, ScalingHistory history) {
  const std::lock_guard lock(mutex_);
  records_[key] = Record{std::string(uid), std::move(history)};
}

void Memory::forget(const Key& key) {
  const std::lock_guard lock(mutex_);
  records_.erase(key);
}

void Memory::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_array();
  for (const auto& [key, record] : records_) {
    out.begin_object().member("key", key.text()).member("uid", record.uid);
    out.key("recommendations").begin_array();
    for (const Recommendation& each : record.history.recommendations) {
      write_entry(out, each.replicas, each.at);
    }
    out.end_array();
    write_events(out, "ups", record.history.ups);
    write_events(out, "downs", record.history.downs);
    out.end_object();
  }
  out.end_array();
}

Status Memory::read(Value list, Time now) {
  Status status;
  std::unordered_map<Key, Record> records;
  for (const Value value : list.elements()) {
    const StateFields fields(value, status);
    Record record{.uid = fields.text("uid"), .history = {}};
    for (const Value element : fields.array("recommendations").elements()) {
      const StateFields entry = fields.element(element);
      record.history.recommendations.push_back({number_of(entry), entry.past("at", now)});
    }
    record.history.ups = read_events(fields, "ups", now);
    record.history.downs = read_events(fields, "downs", now);
    records[Key::parse(fields.text("key"))] = std::move(record);
  }
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  records_ = std::move(records);
  return {};
}

}  // namespace davit::podautoscaler
