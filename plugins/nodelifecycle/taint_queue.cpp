#include "plugins/nodelifecycle/taint_queue.hpp"

#include <algorithm>
#include <chrono>

namespace davit::nodelifecycle {

TaintLimiter::TaintLimiter(float rate, Time now)
    : rate_(std::max(rate, 0.0F)), tokens_(rate_ > 0 ? 1 : 0), at_(now) {}

bool TaintLimiter::take(Time now) {
  constexpr double kWhole = 1 - 1e-6;  // 1/rate seconds at this rate may round to less than one.
  refill(now);
  if (tokens_ < kWhole) return false;
  tokens_ = 0;
  return true;
}

void TaintLimiter::swap(float rate, Time now) {
  const float reported = rate_ > 0 ? rate_ : 1;
  if (reported == rate) return;
  const bool had_token = take(now);
  rate_ = std::max(rate, 0.0F);
  tokens_ = had_token && rate_ > 0 ? 1 : 0;
}

void TaintLimiter::refill(Time now) {
  const double seconds = std::chrono::duration<double>(now - at_).count();
  tokens_ = std::min(1.0, tokens_ + seconds * static_cast<double>(rate_));
  at_ = now;
}

bool TaintQueue::add(const std::string& node, Time now) {
  if (!known_.try_emplace(node, now).second) return false;
  heap_.emplace(now, node);
  return true;
}

bool TaintQueue::remove(const std::string& node) {
  const auto known = known_.find(node);
  if (known == known_.end()) return false;
  heap_.erase({known->second, node});
  known_.erase(known);
  return true;
}

void TaintQueue::run(const std::function<Time()>& clock,
                     const std::function<Outcome(const std::string& node)>& act) {
  while (!heap_.empty()) {
    const Time now = clock();
    if (!limiter_.take(now) || heap_.begin()->first > now) return;
    const auto [due, node] = *heap_.begin();
    const Outcome outcome = act(node);
    heap_.erase({due, node});
    if (!outcome) continue;
    const Time next = clock() + *outcome + Duration(1);
    heap_.emplace(next, node);
    known_[node] = next;
  }
}

}  // namespace davit::nodelifecycle
