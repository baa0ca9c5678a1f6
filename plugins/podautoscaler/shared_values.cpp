#include "plugins/podautoscaler/shared_values.hpp"

namespace davit::podautoscaler {

std::optional<std::int64_t> SharedValues::find(const Question& question) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(question.what);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  if (entry.asker == question.asker || question.now - entry.asked >= period_) return std::nullopt;
  return entry.value;
}

void SharedValues::put(const Question& question, std::int64_t value) {
  const std::lock_guard lock(mutex_);
  entries_[question.what] = {value, question.asker, question.now};
  if (question.now - pruned_ < period_) return;
  pruned_ = question.now;
  // Autoscalers come and go, so what no one asks for any more must not stay.
  std::erase_if(entries_, [&](const auto& each) {
    return question.now - each.second.asked >= period_ && each.first != question.what;
  });
}

}  // namespace davit::podautoscaler
