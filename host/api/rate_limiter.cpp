#include "host/api/rate_limiter.hpp"

#include <algorithm>
#include <cmath>
#include <davit/mutant.hpp>

namespace davit::host {
namespace {

/// One of so many contested tokens goes to the one that has waited longest. A larger number would
/// slow low priorities down further than a controller expects of a request that it makes.
constexpr unsigned kOldestEvery = 4;

// A rate near 0 would lie beyond what a time point can hold.
constexpr double kLongestNs = 400.0 * 24 * 3600 * 1e9;

int rank(RequestPriority priority) {
  switch (priority) {
    case RequestPriority::kHigh:
      return 0;
    case RequestPriority::kNormal:
      return 1;
    case RequestPriority::kLow:
      break;
  }
  return 2;
}

}  // namespace

Time TokenBucket::Turn::take(Time now) {
  const Time due = bucket_->take(id_, now);
  if (due <= now) bucket_ = nullptr;
  return due;
}

void TokenBucket::Turn::leave() {
  if (bucket_ != nullptr) bucket_->leave(id_);
  bucket_ = nullptr;
}

TokenBucket::TokenBucket(Rate rate) : rate_(rate), tokens_(rate.burst) {}

void TokenBucket::refill(Time now) {
  if (!started_) {
    started_ = true;
    filled_at_ = now;
  }
  if (now <= filled_at_) return;  // Callers read the clock before they take the lock.
  const double seconds = std::chrono::duration<double>(now - filled_at_).count();
  tokens_ = std::min(static_cast<double>(rate_.burst), tokens_ + seconds * rate_.qps);
  filled_at_ = now;
}

TokenBucket::Turn TokenBucket::join(Time since, RequestPriority priority) {
  MutexLock lock(mutex_);
  const auto after =
      std::upper_bound(waiting_.begin(), waiting_.end(), since,
                       [](Time earlier, const Waiting& each) { return earlier < each.since; });
  const std::uint64_t id = ++joined_;
  waiting_.insert(after, {id, since, priority});
  return Turn(*this, id);
}

std::size_t TokenBucket::place_of(std::uint64_t id) const {
  if (waiting_.size() <= 1) return 0;
  std::vector<Waiting> left = waiting_;
  for (std::size_t place = 0; !left.empty(); ++place) {
    const bool oldest = (contested_ + place) % kOldestEvery == kOldestEvery - 1;
    const auto next =
        oldest ? left.begin()
               : std::min_element(left.begin(), left.end(), [](const Waiting& a, const Waiting& b) {
                   return rank(a.priority) < rank(b.priority);
                 });
    if (next->id == id) return place;
    left.erase(next);
  }
  return 0;
}

Time TokenBucket::take(std::uint64_t id, Time now) {
  // Rounding may lack so much at the very moment at which a token is complete.
  constexpr double kRounding = 1e-9;
  MutexLock lock(mutex_);
  const bool unlimited = rate_.qps <= 0 || mutant("client-rate");
  if (!unlimited) {
    refill(now);
    const std::size_t place = place_of(id);
    const double lacking = static_cast<double>(place + 1) - tokens_;
    if (lacking > kRounding) {
      const double wait_ns = std::min(std::ceil(lacking / rate_.qps * 1e9), kLongestNs);
      const Time due = filled_at_ + Duration(static_cast<Duration::rep>(wait_ns));
      if (due > now) return due;
    }
    tokens_ -= 1;
    if (place == 0 && waiting_.size() > 1) ++contested_;
  }
  std::erase_if(waiting_, [id](const Waiting& each) { return each.id == id; });
  return now;
}

void TokenBucket::leave(std::uint64_t id) {
  MutexLock lock(mutex_);
  std::erase_if(waiting_, [id](const Waiting& each) { return each.id == id; });
}

}  // namespace davit::host
