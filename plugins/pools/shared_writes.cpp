#include "plugins/pools/shared_writes.hpp"

namespace davit::pools {

/// The write of a batch that is under way. Its end, also by an exception, gives all callers of the
/// batch the result.
class SharedWrites::Writing {
 public:
  /// The mutex is held.
  Writing(SharedWrites& owner, std::shared_ptr<Batch> batch)
      : owner_(owner), batch_(std::move(batch)) {
    owner_.is_writing_ = true;
    owner_.open_.reset();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  /// The mutex is not held.
  ~Writing() {
    const std::lock_guard lock(owner_.mutex_);
    owner_.is_writing_ = false;
    batch_->result = std::move(result);
    owner_.ended_.notify_all();
  }

  Status result{Code::kInternal, "the write has ended with an exception"};

 private:
  SharedWrites& owner_;
  const std::shared_ptr<Batch> batch_;
};

Status SharedWrites::make(Change change) {
  std::unique_lock lock(mutex_);
  if (open_ == nullptr) open_ = std::make_shared<Batch>();
  const std::shared_ptr<Batch> batch = open_;
  batch->changes.push_back(std::move(change));
  ended_.wait(lock, [&] { return batch->result.has_value() || !is_writing_; });
  if (batch->result) return *batch->result;
  Writing writing(*this, batch);
  lock.unlock();
  writing.result = write_(batch->changes);
  return writing.result;
}

}  // namespace davit::pools
