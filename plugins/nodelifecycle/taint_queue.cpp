#include "plugins/nodelifecycle/taint_queue.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <davit/mutant.hpp>

namespace davit::nodelifecycle {
namespace {

/// A state has tokens as an integer of such parts.
constexpr int kTokenParts = 1'000'000'000;

}  // namespace

TaintLimiter::TaintLimiter(float rate, Time now)
    : rate_(std::max(rate, 0.0F)), tokens_(1), at_(now) {}

bool TaintLimiter::take(Time now) {
  constexpr double kWhole = 1 - 1e-6;  // 1/rate seconds at this rate may round to less than one.
  refill(now);
  if (tokens_ < kWhole && !mutant("taint-rate")) return false;
  tokens_ = 0;
  return true;
}

void TaintLimiter::swap(float rate, Time now) {
  const float reported = is_never_ ? 1 : rate_;
  if (reported == rate) return;
  const bool had_token = take(now);
  is_never_ = rate <= 0;
  rate_ = std::max(rate, 0.0F);
  tokens_ = had_token && !is_never_ ? 1 : 0;
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

std::optional<std::string> TaintQueue::take(Time now) {
  if (heap_.empty() || !limiter_.take(now) || heap_.begin()->first > now) return std::nullopt;
  return heap_.begin()->second;
}

void TaintQueue::finish(const std::string& node, const Outcome& outcome, Time taken) {
  const auto known = known_.find(node);
  if (known == known_.end() || heap_.erase({known->second, node}) == 0) return;
  if (!outcome) return;
  known->second = taken + *outcome + Duration(1);
  heap_.emplace(known->second, node);
}

void TaintLimiter::write(JsonWriter& out) const {
  std::array<char, 32> rate{};  // The shortest text that is read as the same number.
  char* const end = std::to_chars(rate.data(), rate.data() + rate.size(), rate_).ptr;
  out.member("rate", std::string_view(rate.data(), static_cast<std::size_t>(end - rate.data())));
  out.member("never", is_never_);
  out.member("tokens", static_cast<std::int64_t>(tokens_ * kTokenParts))
      .member("refilled", state_time(at_));
}

TaintLimiter TaintLimiter::read(const StateFields& state, Time now) {
  const std::string text = state.text("rate");
  float rate = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rate);
  if (error != std::errc() || stop != end || !(rate >= 0) || !std::isfinite(rate)) {
    state.refuse("rate", "a rate");
    rate = 0;
  }
  TaintLimiter made(rate, state.past("refilled", now));
  // States of older builds have no bucket of the rate 0.
  made.is_never_ = state.has("never") ? state.boolean("never") : rate == 0;
  made.tokens_ = static_cast<double>(state.integer("tokens", {0, kTokenParts})) / kTokenParts;
  return made;
}

void TaintQueue::write(JsonWriter& out) const {
  limiter_.write(out);
  out.key("nodes").begin_array();
  for (const auto& [node, due] : known_) {
    out.begin_object().member("node", node).member("due", state_time(due));
    out.member("waits", heap_.contains({due, node})).end_object();
  }
  out.end_array();
}

TaintQueue TaintQueue::read(const StateFields& state, Time now) {
  TaintQueue made(0, now);
  made.limiter_ = TaintLimiter::read(state, now);
  for (const Value element : state.array("nodes").elements()) {
    const StateFields each = state.element(element);
    const std::string node = each.text("node");
    const Time due = each.time("due");
    if (made.known_.try_emplace(node, due).second && each.boolean("waits")) {
      made.heap_.emplace(due, node);
    }
  }
  return made;
}

}  // namespace davit::nodelifecycle
