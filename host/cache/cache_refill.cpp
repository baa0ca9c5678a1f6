#include "host/cache/cache_refill.hpp"

#include <algorithm>
#include <utility>

#include "host/cache/informer_factory.hpp"

namespace davit::host {

using State = Informer::Refill::State;

Status CacheRefill::begin(const std::vector<CacheNeed>& needs) {
  for (const CacheNeed& need : needs) {
    if (factory_.serves(need)) continue;
    const auto known = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
      return same_selection(part.need.spec, need.spec);
    });
    if (known == parts_.end()) {
      parts_.push_back({.need = need, .made = {}, .refill = {}});
    } else {
      known->need.add(need);
    }
  }
  for (Part& part : parts_) {
    if (Status s = begin_part(part); !s.ok()) return s;
  }
  return {};
}

CacheRefill::~CacheRefill() {
  for (Part& part : parts_) part.refill.reset();
}

Status CacheRefill::begin_part(Part& part) {
  part.informer = factory_.running(part.need.spec);
  if (part.informer == nullptr) {
    part.made = factory_.make(part.need.spec);
    part.informer = part.made.get();
  }
  Result<std::unique_ptr<Informer::Refill>> refill = part.informer->refill(part.need, *this);
  if (!refill) return refill.error().with_context(part.need.spec.resource.text());
  part.refill = std::move(*refill);
  return {};
}

CacheRefill::End CacheRefill::wait(Time deadline, std::stop_token stop) {
  const std::stop_callback on_stop(stop, [this] { refill_moved(); });
  while (true) {
    const std::uint64_t seen = moves();
    if (stop.stop_requested()) return End::kStopped;
    if (all_at_least(State::kServing)) break;
    if (is_refused()) return End::kRefused;
    if (all_at_least(State::kReady)) {
      for (Part& part : parts_) part.refill->allow();
    }
    if (!await_move(seen, deadline, stop)) return End::kTimedOut;
  }
  for (Part& part : parts_) {
    part.refill.reset();
    if (part.made) factory_.adopt(std::move(part.made));
  }
  return End::kServing;
}

std::vector<std::string> CacheRefill::resources() const {
  std::vector<std::string> all;
  for (const Part& part : parts_) all.push_back(part.need.spec.resource.text());
  return all;
}

std::string CacheRefill::missing() const {
  std::string text;
  for (const Part& part : parts_) {
    if (part.refill == nullptr || part.refill->state() == State::kServing) continue;
    text += (text.empty() ? "" : ", ") + part.need.spec.resource.text();
    const Status failure = part.refill->failure();
    if (!failure.ok()) text += " (" + failure.message() + ")";
  }
  return text;
}

void CacheRefill::refill_moved() {
  MutexLock lock(mutex_);
  ++moves_;
  moved_.notify_all();
}

std::uint64_t CacheRefill::moves() {
  MutexLock lock(mutex_);
  return moves_;
}

bool CacheRefill::await_move(std::uint64_t moves, Time deadline, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (moves_ == moves && !stop.stop_requested()) {
    if (clock_.now() >= deadline) return false;
    clock_.wait_until(moved_, mutex_, deadline);
  }
  return true;
}

bool CacheRefill::all_at_least(State state) const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return part.refill->state() >= state; });
}

/// Waiting brings neither rights nor resources; after a change the operator swaps again.
bool CacheRefill::is_refused() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) {
    const Code code = part.refill->failure().code();
    return part.refill->state() == State::kFilling &&
           (code == Code::kForbidden || code == Code::kNotFound);
  });
}

}  // namespace davit::host
