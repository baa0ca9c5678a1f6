#include "sandbox/server/hook_converter.hpp"

#include <utility>

namespace davit::sandbox {

namespace {

class DoneTask final : public ObjectConverter::Task {
 public:
  [[nodiscard]] bool done() override { return true; }
  [[nodiscard]] Time next_poll() const override { return Time::max(); }
};

class ThreadTask final : public ObjectConverter::Task {
 public:
  explicit ThreadTask(std::unique_ptr<HttpDeferredResponse> end) : end_(std::move(end)) {}

  [[nodiscard]] bool done() override {
    done_ = done_ || end_->take().has_value();
    return done_;
  }
  [[nodiscard]] Time next_poll() const override { return end_->next_take(); }

 private:
  const std::unique_ptr<HttpDeferredResponse> end_;
  bool done_ = false;
};

}  // namespace

std::shared_ptr<void> HookConverter::reserve(std::size_t bytes) {
  {
    MutexLock lock(mutex_);
    if (reserved_ != 0 && reserved_ + bytes > kBytesMax) return nullptr;
    reserved_ += bytes;
  }
  return {this, [this, bytes](void*) {
            MutexLock lock(mutex_);
            reserved_ -= bytes;
          }};
}

std::unique_ptr<ObjectConverter::Task> HookConverter::start(const std::string& share, Work work) {
  if (thread_ == WorkThread::kCaller) {
    work({});
    return std::make_unique<DoneTask>();
  }
  std::unique_ptr<HttpDeferredResponse> end = threads_.start(
      [work = std::move(work)](const std::stop_token& stop) {
        work(stop);
        return HttpServerResponse();
      },
      parts_.clock, {share});
  return end == nullptr ? nullptr : std::make_unique<ThreadTask>(std::move(end));
}

}  // namespace davit::sandbox
