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
    first_.clear();
    others_.clear();
    threads = std::move(threads_);
    changed_.notify_all();
  }
  for (std::jthread& each : threads) each.join();
}

bool RequestThreads::post(Job job, Line line) {
  MutexLock lock(mutex_);
  std::deque<Job>& waiting = line == Line::kFirst ? first_ : others_;
  if (ending_ || waiting.size() >= kWaitingMax) return false;
  const bool may_run = line == Line::kFirst || others_running_ + others_.size() < kOthersMax;
  if (may_run && idle_ <= first_.size() + others_.size() && threads_.size() < kThreadsMax) {
    std::jthread made;
    if (start_thread(made, "access", [this] { work(stop_.get_token()); })) {
      threads_.push_back(std::move(made));
    }
  }
  if (threads_.empty()) return false;
  waiting.push_back(std::move(job));
  changed_.notify_one();
  return true;
}

void RequestThreads::wait_idle() {
  MutexLock lock(mutex_);
  while (!first_.empty() || !others_.empty() || idle_ < threads_.size()) all_idle_.wait(mutex_);
}

void RequestThreads::work(const std::stop_token& stop) {
  bool is_other = false;
  for (;;) {
    Job job;
    {
      MutexLock lock(mutex_);
      if (is_other) --others_running_;
      ++idle_;
      all_idle_.notify_all();
      while (!ending_ && !has_job()) changed_.wait(mutex_);
      --idle_;
      if (ending_) return;
      is_other = first_.empty();
      if (is_other) ++others_running_;
      std::deque<Job>& waiting = is_other ? others_ : first_;
      job = std::move(waiting.front());
      waiting.pop_front();
    }
    job(stop);
  }
}

bool RequestThreads::has_job() const {
  return !first_.empty() || (!others_.empty() && others_running_ < kOthersMax);
}

}  // namespace davit::host
