/// Threads: naming them, and starting one when the system may have none left.
#pragma once

#include <pthread.h>

#include <array>
#include <chrono>
#include <ctime>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

namespace davit {

/// Whether a component has its own threads. With kNone its owner calls step(), so that the
/// component runs on the owner's thread and clock.
enum class Threads { kOwn, kNone };

/// Names a thread after its job, "davit-JOB", for top, perf and debuggers. The kernel keeps 15
/// characters (pthread_setname_np(3)).
inline void name_thread(pthread_t thread, std::string_view job) noexcept {
  constexpr std::string_view kPrefix = "davit-";
  std::array<char, 16> name{};
  const auto rest = kPrefix.copy(name.data(), name.size() - 1);
  job.copy(name.data() + rest, name.size() - 1 - rest);
  pthread_setname_np(thread, name.data());
}

/// Runs `body` on a new thread that `thread` then owns, named after its job. False if the system
/// has no thread or memory for it; `thread` is then unchanged.
template <typename Body>
[[nodiscard]] bool start_thread(std::jthread& thread, std::string_view job, Body&& body) noexcept {
  try {
    thread = std::jthread(std::forward<Body>(body));
  } catch (const std::exception&) {
    return false;
  }
  name_thread(thread.native_handle(), job);
  return true;
}

/// The CPU time that a thread has used; 0 if it has ended or was never started.
[[nodiscard]] inline std::chrono::nanoseconds thread_cpu_time(const std::jthread& thread) noexcept {
  clockid_t clock{};
  timespec used{};
  if (!thread.joinable()) return {};
  // native_handle() is not const although it changes nothing.
  const pthread_t handle = const_cast<std::jthread&>(thread).native_handle();
  if (pthread_getcpuclockid(handle, &clock) != 0) return {};
  if (clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace davit
