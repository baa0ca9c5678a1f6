#include "host/transport/connection_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace davit::host {

std::vector<ConnectionPool::Idle> ConnectionPool::take_old(Time now) {
  const auto young = std::find_if(idle_.begin(), idle_.end(), [now](const Idle& each) {
    return now - each.since < kIdleConnectionMax;
  });
  std::vector<Idle> old(std::make_move_iterator(idle_.begin()), std::make_move_iterator(young));
  idle_.erase(idle_.begin(), young);
  return old;
}

ConnectionPool::Owned ConnectionPool::take(const std::shared_ptr<const TlsMaterial>& tls,
                                           Time now) {
  std::vector<Idle> old;  // Closed after the lock is released.
  MutexLock lock(mutex_);
  old = take_old(now);
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&tls](const Idle& each) {
    return each.connection->tls() == tls;
  });
  if (found == idle_.rend()) return nullptr;
  Owned taken = std::move(found->connection);
  idle_.erase(std::next(found).base());
  return taken;
}

void ConnectionPool::put(Owned connection, Time now) {
  std::vector<Idle> old;
  MutexLock lock(mutex_);
  old = take_old(now);
  if (only_ != nullptr && connection->tls() != only_) {
    old.push_back({std::move(connection), now});
  } else {
    idle_.push_back({std::move(connection), now});
  }
}

void ConnectionPool::close_idle(Time now) {
  std::vector<Idle> old;
  MutexLock lock(mutex_);
  old = take_old(now);
}

std::vector<ConnectionPool::Owned> ConnectionPool::keep_only(
    std::shared_ptr<const TlsMaterial> tls) {
  std::vector<Owned> others;
  MutexLock lock(mutex_);
  only_ = std::move(tls);
  for (Idle& each : idle_) {
    if (each.connection->tls() != only_) others.push_back(std::move(each.connection));
  }
  std::erase_if(idle_, [](const Idle& each) { return each.connection == nullptr; });
  return others;
}

}  // namespace davit::host
