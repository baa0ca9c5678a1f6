/// Looks for calls that do not end while the thread that orders come to waits for one.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

/// Calls `check` every quarter of a second on a separate thread, from start() until destroyed.
class StuckWatch {
 public:
  static constexpr Duration kPeriod = std::chrono::milliseconds(250);

  /// `clock` must outlive it.
  StuckWatch(Clock& clock, std::function<void()> check) : clock_(clock), check_(std::move(check)) {}

  /// False when the system has no thread for it: then nothing is called.
  [[nodiscard]] bool start() {
    return start_thread(thread_, "stuck", [this](const std::stop_token& stop) { watch(stop); });
  }

 private:
  void watch(const std::stop_token& stop) EXCLUDES(mutex_) {
    const std::stop_callback wake(stop, [this] {
      MutexLock lock(mutex_);
      stopped_.notify_all();
    });
    for (;;) {
      check_();
      MutexLock lock(mutex_);
      if (stop.stop_requested()) return;
      clock_.wait_until(stopped_, mutex_, clock_.now() + kPeriod);
      if (stop.stop_requested()) return;
    }
  }

  Clock& clock_;
  const std::function<void()> check_;
  Mutex mutex_;
  CondVar stopped_;
  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace davit::host
