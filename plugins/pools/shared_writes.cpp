#include "plugins/pools/shared_writes.hpp"

namespace davit::pools {

Status SharedWrites::make(Change change) {
  std::unique_lock lock(mutex_);
  if (open_ == nullptr) open_ = std::make_shared<Batch>();
  const std::shared_ptr<Batch> batch = open_;
  batch->changes.push_back(std::move(change));
  ended_.wait(lock, [&] { return batch->result.has_value() || !is_writing_; });
  if (batch->result) return *batch->result;
  is_writing_ = true;
  open_.reset();
  lock.unlock();
  Status result = write_(batch->changes);
  lock.lock();
  is_writing_ = false;
  batch->result = result;
  ended_.notify_all();
  return result;
}

}  // namespace davit::pools
