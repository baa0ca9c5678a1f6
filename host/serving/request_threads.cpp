#include "host/serving/request_threads.hpp"

#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {

RequestThreads::~RequestThreads() {
  stop_.request_stop();
  std::vector<std::jthread> threads;
  {
    MutexLock lock(mutex_);
    ending_ = true;
    waiting_.clear();
    threads = std::move(threads_);
    changed_.notify_all();
  }
  for (std::jthread& each : threads) each.join();
}

bool RequestThreads::post(Job job) {
  MutexLock lock(mutex_);
  if (ending_ || waiting_.size() >= kWaitingMax) return false;
  if (idle_ <= waiting_.size() && threads_.size() < kThreadsMax) {
    std::jthread made;
    if (start_thread(made, "access", [this] { work(stop_.get_token()); })) {
      threads_.push_back(std::move(made));
    }
  }
  if (threads_.empty()) return false;
  waiting_.push_back(std::move(job));
  changed_.notify_one();
  return true;
}

void RequestThreads::wait_idle() {
  MutexLock lock(mutex_);
  while (!waiting_.empty() || idle_ < threads_.size()) all_idle_.wait(mutex_);
}

void RequestThreads::work(const std::stop_token& stop) {
  for (;;) {
    Job job;
    {
      MutexLock lock(mutex_);
      ++idle_;
      all_idle_.notify_all();
      while (!ending_ && waiting_.empty()) changed_.wait(mutex_);
      --idle_;
      if (ending_) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    job(stop);
  }
}

}  // namespace davit::host
