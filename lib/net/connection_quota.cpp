#include "lib/net/connection_quota.hpp"

#include "lib/net/request_loop.hpp"

namespace davit {

ConnectionQuota::Share::Share(ConnectionQuota& quota, RequestLoop& loop)
    : quota_(quota), loop_(loop) {
  MutexLock lock(quota_.mutex_);
  if (quota_.free_ > 0) {
    --quota_.free_;
    granted_ = true;
  } else {
    quota_.line_.push_back(this);
  }
}

ConnectionQuota::Share::~Share() {
  MutexLock lock(quota_.mutex_);
  if (!granted_) {
    std::erase(quota_.line_, this);
    return;
  }
  if (quota_.line_.empty()) {
    ++quota_.free_;
    return;
  }
  Share* const next = quota_.line_.front();
  quota_.line_.pop_front();
  next->granted_ = true;
  next->loop_.ring();  // Under the lock, so that `next` cannot leave the line in between.
}

bool ConnectionQuota::Share::granted() const {
  MutexLock lock(quota_.mutex_);
  return granted_;
}

}  // namespace davit
