#include "host/plugin/cloud_exchange.hpp"

#include <set>
#include <vector>

#include "host/plugin/cloud_side.hpp"
#include "host/plugin/waker.hpp"

namespace davit::host {

CloudExchange::~CloudExchange() {
  for (const auto& [of, wakers] : followers_) {
    for (davit_waker* const each : wakers) each->release();
  }
}

void CloudExchange::set(CloudSide* side) {
  const CloudSide::Scope before = side_ == nullptr ? CloudSide::Scope() : side_->scope();
  const CloudSide::Scope after = side == nullptr ? CloudSide::Scope() : side->scope();
  side_ = side;
  ++generation_;
  if (before != after) changes_.fetch_add(1, std::memory_order_relaxed);
}

Status CloudExchange::offer(CloudSide& side) {
  MutexLock lock(mutex_);
  if (side_ != nullptr && side_->name() != side.name()) {
    return {Code::kAlreadyExists, side_->name() +
                                      " provides the cloud already, and at most one controller "
                                      "may: disable it first"};
  }
  sides_.push_back(&side);
  if (side_ == nullptr) set(&side);
  return {};
}

void CloudExchange::serve(CloudSide& side) {
  MutexLock lock(mutex_);
  const bool is_offered = std::ranges::find(sides_, &side) != sides_.end();
  if (is_offered && side_ != &side) set(&side);
}

void CloudExchange::withdraw(CloudSide& side) {
  MutexLock lock(mutex_);
  std::erase(sides_, &side);
  if (side_ == &side) set(sides_.empty() ? nullptr : sides_.back());
}

std::optional<CloudExchange::Offer> CloudExchange::offer() const {
  MutexLock lock(mutex_);
  if (side_ == nullptr) return std::nullopt;
  const CloudSide::Scope& scope = side_->scope();
  return Offer{side_->name(),      scope.parts, scope.classes,
               scope.only_classes, generation_, side_->is_ready()};
}

Result<CloudExchange::Entered> CloudExchange::enter() {
  MutexLock lock(mutex_);
  if (side_ == nullptr) return Status(Code::kNotFound, "there is no cloud provider");
  std::optional<Gate::Pass> pass = side_->gate().enter();
  // The pass comes first: a drain that begins now waits for it.
  if (!pass || !side_->is_ready()) {
    return Status(Code::kUnavailable,
                  "the cloud provider " + side_->name() + " is not ready, or is being swapped");
  }
  return Entered(side_, *std::move(pass));
}

void CloudExchange::follow(std::string_view controller, std::uint32_t part, davit_waker* waker) {
  MutexLock lock(mutex_);
  std::vector<davit_waker*>& held = followers_[{std::string(controller), part}];
  // Those that lead nowhere go, and those that a swap has led to the queue of another.
  std::set<const void*> destinations{nullptr, waker->destination()};
  std::erase_if(held, [&](davit_waker* each) {
    if (destinations.insert(each->destination()).second) return false;
    each->release();
    return true;
  });
  held.push_back(waker);
}

void CloudExchange::wake(std::uint32_t part, std::string_view key) {
  std::vector<davit_waker*> all;
  {
    MutexLock lock(mutex_);
    for (const auto& [of, wakers] : followers_) {
      if ((of.second & part) == 0) continue;
      for (davit_waker* const each : wakers) each->retain();
      all.insert(all.end(), wakers.begin(), wakers.end());
    }
  }
  for (davit_waker* const each : all) {
    static_cast<void>(each->wake(key));  // kStale: the loop has ended.
    each->release();
  }
}

}  // namespace davit::host
