#include <algorithm>
#include <davit/kube/condition.hpp>

namespace davit {

std::optional<ConditionView> find_condition(Value conditions, std::string_view type) {
  for (const Value each : conditions.elements()) {
    const ConditionView condition(each);
    if (condition.type() == type) return condition;
  }
  return std::nullopt;
}

Condition Condition::from(const ConditionView& view) {
  return {std::string(view.type()),    std::string(view.status()),  std::string(view.reason()),
          std::string(view.message()), view.last_transition_time(), view.last_update_time(),
          view.observed_generation()};
}

void Condition::write(JsonWriter& out) const {
  out.begin_object().member("type", type).member("status", status);
  if (observed_generation) out.member("observedGeneration", *observed_generation);
  if (last_update_time) out.member("lastUpdateTime", format_time(*last_update_time));
  if (last_transition_time) out.member("lastTransitionTime", format_time(*last_transition_time));
  if (!reason.empty()) out.member("reason", reason);
  if (!message.empty()) out.member("message", message);
  out.end_object();
}

ConditionList::ConditionList(Value conditions) {
  for (const Value each : conditions.elements()) {
    conditions_.push_back(Condition::from(ConditionView(each)));
  }
}

void ConditionList::set(Condition condition) {
  if (const Condition* present = find(condition.type)) {
    if (present->status == condition.status && present->reason == condition.reason) return;
    if (present->status == condition.status) {
      condition.last_transition_time = present->last_transition_time;
    }
  }
  remove(condition.type);
  conditions_.push_back(std::move(condition));
}

void ConditionList::remove(std::string_view type) {
  conditions_.erase(std::remove_if(conditions_.begin(), conditions_.end(),
                                   [type](const Condition& each) { return each.type == type; }),
                    conditions_.end());
}

bool ConditionList::replace(Condition condition) {
  for (Condition& each : conditions_) {
    if (each.type != condition.type) continue;
    if (each == condition) return false;
    each = std::move(condition);
    return true;
  }
  conditions_.push_back(std::move(condition));
  return true;
}

void ConditionList::append(Condition condition) { conditions_.push_back(std::move(condition)); }

void ConditionList::write(JsonWriter& out) const {
  out.begin_array();
  for (const Condition& each : conditions_) each.write(out);
  out.end_array();
}

}  // namespace davit
