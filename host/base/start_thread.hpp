/// Starting a thread where the system may have none left.
#pragma once

#include <exception>
#include <thread>
#include <utility>

namespace davit::host {

/// Runs `body` on a new thread, which `thread` owns then. False when the system gives no thread or
/// no memory for one; `thread` is as it was.
template <typename Body>
[[nodiscard]] bool start_thread(std::jthread& thread, Body&& body) noexcept {
  try {
    thread = std::jthread(std::forward<Body>(body));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace davit::host
