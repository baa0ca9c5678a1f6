#include "plugins/resourceclaim/deleted_consumers.hpp"

namespace davit::resourceclaim {

void DeletedConsumers::add(std::string_view uid) {
  const std::lock_guard lock(mutex_);
  if (!uids_.emplace(uid).second) return;
  order_.emplace_back(uid);
  if (order_.size() <= kMax) return;
  uids_.erase(order_.front());
  order_.pop_front();
}

bool DeletedConsumers::has(std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  return uids_.contains(std::string(uid));
}

}  // namespace davit::resourceclaim
