#include "host/plugin/waker.hpp"

#include <memory>

davit_code davit_waker::wake(std::string_view key) {
  davit::MutexLock lock(mutex_);
  if (queue_ == nullptr) return DAVIT_STALE;
  queue_->add(davit::host::QueueKey(key, {}));
  return DAVIT_OK;
}

void davit_waker::point_to(davit::host::ControllerQueue* queue) {
  davit::MutexLock lock(mutex_);
  queue_ = queue;
}

const void* davit_waker::destination() {
  davit::MutexLock lock(mutex_);
  return queue_;
}

void davit_waker::release() {
  // The last one sees what the others did before they gave theirs back.
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::unique_ptr<davit_waker> last(this);
}
