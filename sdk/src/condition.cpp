#include <algorithm>
#include <cstddef>
#include <davit/kube/condition.hpp>
#include <iterator>

namespace davit {

std::optional<ConditionView> find_condition(Value conditions, std::string_view type) {
  for (const Value each : conditions.elements()) {
    const ConditionView condition(each);
    if (condition.type() == type) return condition;
  }
  return std::nullopt;
}

Condition Condition::from(const ConditionView& view) {
  Condition out{std::string(view.type()),    std::string(view.status()),
                std::string(view.reason()),  std::string(view.message()),
                view.last_transition_time(), view.last_update_time(),
                view.observed_generation()};
  for (const auto& [name, value] : view.value().members()) {
    constexpr std::string_view kKnown[] = {"type",
                                           "status",
                                           "reason",
                                           "message",
                                           "lastTransitionTime",
                                           "lastUpdateTime",
                                           "observedGeneration"};
    if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) continue;
    if (!out.others.empty()) out.others.push_back(',');
    append_json_string(out.others, name);
    out.others.push_back(':');
    out.others += value.json();
  }
  return out;
}

void Condition::write(JsonWriter& out) const {
  out.begin_object().member("type", type).member("status", status);
  if (observed_generation) out.member("observedGeneration", *observed_generation);
  if (last_update_time) out.member("lastUpdateTime", format_time(*last_update_time));
  if (last_transition_time) out.member("lastTransitionTime", format_time(*last_transition_time));
  out.member("reason", reason).member("message", message);
  if (!others.empty()) out.raw(others);
  out.end_object();
}

bool operator==(const Condition& a, const Condition& b) {
  return a.type == b.type && a.status == b.status && a.reason == b.reason &&
         a.message == b.message && a.last_transition_time == b.last_transition_time &&
         a.last_update_time == b.last_update_time && a.observed_generation == b.observed_generation;
}

ConditionList::ConditionList(Value conditions) {
  for (const Value each : conditions.elements()) {
    conditions_.push_back(Condition::from(ConditionView(each)));
    as_read_.push_back(each.json());
  }
}

void ConditionList::set(Condition condition) {
  if (const Condition* present = find(condition.type)) {
    if (present->status == condition.status && present->reason == condition.reason) return;
    if (present->status == condition.status) {
      condition.last_transition_time = present->last_transition_time;
    }
    if (condition.others.empty()) condition.others = present->others;
  }
  remove(condition.type);
  append(std::move(condition));
}

void ConditionList::remove(std::string_view type) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    if (conditions_[i].type == type) continue;
    if (kept != i) {
      conditions_[kept] = std::move(conditions_[i]);
      as_read_[kept] = std::move(as_read_[i]);
    }
    ++kept;
  }
  conditions_.resize(kept);
  as_read_.resize(kept);
}

bool ConditionList::replace(Condition condition) {
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    Condition& each = conditions_[i];
    if (each.type != condition.type) continue;
    if (each == condition) return false;
    if (condition.others.empty()) condition.others = std::move(each.others);
    each = std::move(condition);
    as_read_[i].clear();
    return true;
  }
  append(std::move(condition));
  return true;
}

void ConditionList::append(Condition condition) {
  conditions_.push_back(std::move(condition));
  as_read_.emplace_back();
}

void ConditionList::write(JsonWriter& out) const {
  out.begin_array();
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    if (as_read_[i].empty()) {
      conditions_[i].write(out);
    } else {
      out.raw(as_read_[i]);
    }
  }
  out.end_array();
}

}  // namespace davit
