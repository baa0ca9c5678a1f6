#include "host/trace/tracer.hpp"

#include <algorithm>
#include <davit/hex.hpp>

namespace davit::host {
namespace {

std::string hex(std::uint64_t value) { return hex_number(value, 16); }

/// Whether an id with this lower half is sampled, as the SDK of Go decides it.
bool is_sampled(std::uint64_t low, std::uint32_t per_million) {
  constexpr std::uint32_t kAll = 1'000'000;
  if (per_million >= kAll) return true;
  return low >> 1 < (std::uint64_t{1} << 63) / kAll * per_million;
}

}  // namespace

std::uint64_t Tracer::nonzero() {
  std::uint64_t value = 0;
  while (value == 0) value = random_.next();
  return value;
}

SpanContext Tracer::begin() {
  const std::uint64_t high = random_.next();
  const std::uint64_t low = nonzero();
  const bool sampled = is_sampled(low, options_.sampled_per_million);
  return {hex(high) + hex(low), hex(nonzero()),
          sampled ? SpanContext::Sampled::kYes : SpanContext::Sampled::kNo};
}

SpanContext Tracer::child(const SpanContext& parent) {
  return {parent.trace_id, hex(nonzero()), parent.sampled};
}

void Tracer::record(Span span) {
  if (!span.context.is_sampled()) return;
  {
    MutexLock lock(mutex_);
    if (spans_.size() < options_.spans_max) {
      spans_.push_back(std::move(span));
      if (enough_ != 0 && spans_.size() >= enough_) changed_.notify_all();
      return;
    }
  }
  metrics_.spans_dropped("queue_full", 1);
}

void Tracer::await(std::size_t enough, Time until, const std::stop_token& stop) {
  // Before the lock: a callback for a stop that has come already runs here, and takes it.
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  MutexLock lock(mutex_);
  enough_ = enough;
  while (!stop.stop_requested() && spans_.size() < enough && clock_.now() < until) {
    clock_.wait_until(changed_, mutex_, until);
  }
  enough_ = 0;
}

std::vector<Span> Tracer::take(std::size_t most) {
  MutexLock lock(mutex_);
  const auto end = spans_.begin() + static_cast<std::ptrdiff_t>(std::min(most, spans_.size()));
  std::vector<Span> taken(std::make_move_iterator(spans_.begin()), std::make_move_iterator(end));
  spans_.erase(spans_.begin(), end);
  return taken;
}

}  // namespace davit::host
