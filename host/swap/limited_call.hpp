/// A call into code that may never return, with a limit to the waiting.
#pragma once

#include <functional>
#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

/// Runs `work` on a thread of its own, once, from the construction on. A caller that gives up
/// waiting keeps this: the destructor waits for the end. Where the system has no thread, the work
/// does not run.
class LimitedCall {
 public:
  LimitedCall(Clock& clock, std::function<void()> work) : clock_(clock), work_(std::move(work)) {
    (void)start_thread(thread_, "swap", [this] { run(); });
  }
  LimitedCall(const LimitedCall&) = delete;
  LimitedCall& operator=(const LimitedCall&) = delete;

  /// Whether there was a thread for it.
  [[nodiscard]] bool started() const { return thread_.joinable(); }
  /// Whether the work has ended or never began; waits for it until `deadline`.
  [[nodiscard]] bool wait(Time deadline) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!ended_ && started()) {
      if (clock_.now() >= deadline) return false;
      clock_.wait_until(done_, mutex_, deadline);
    }
    return true;
  }

 private:
  void run() EXCLUDES(mutex_) {
    work_();
    MutexLock lock(mutex_);
    ended_ = true;
    done_.notify_all();
  }

  Clock& clock_;
  const std::function<void()> work_;
  Mutex mutex_;
  CondVar done_;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace davit::host
