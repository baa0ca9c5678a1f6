/// A wait that ends early.
#pragma once

#include <stop_token>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit {

/// Waits until `until`; returns earlier once one of the tokens is requested, and whether one is.
inline bool await_stop(Clock& clock, Time until, const std::stop_token& stop,
                       const std::stop_token& other = {}) {
  Mutex mutex;
  CondVar stopped;
  const auto wake = [&] {
    MutexLock lock(mutex);  // So that the wake-up does not fall between the check and the wait.
    stopped.notify_all();
  };
  const std::stop_callback on_stop(stop, wake);
  const std::stop_callback on_other(other, wake);
  const auto is_requested = [&] { return stop.stop_requested() || other.stop_requested(); };
  MutexLock lock(mutex);
  while (!is_requested() && clock.now() < until) clock.wait_until(stopped, mutex, until);
  return is_requested();
}

}  // namespace davit
