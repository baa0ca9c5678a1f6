/// Signals while a host starts.
#pragma once

#include <chrono>
#include <davit/result.hpp>
#include <memory>
#include <stop_token>
#include <thread>

#include "host/process/interruptions.hpp"
#include "lib/base/log.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// Ends the process at once, without destructors, because something hangs or must not continue.
[[noreturn]] void leave(LogSink& sink);

/// Watches for signals while a host starts, until it is destroyed. The first one ends the waits of
/// the start (stopping()); what then still hangs, a plugin's constructor or InitFunc, is given a
/// moment, or until the second signal, and ends with the process.
class StartWatch {
 public:
  /// Enough for every wait of a start to notice, little for a person who presses Ctrl-C.
  static constexpr std::chrono::milliseconds kGrace{2000};

  /// Starts the thread that watches. Both references must outlive it. kUnavailable: the system has
  /// no thread or descriptor for it.
  [[nodiscard]] static Result<std::unique_ptr<StartWatch>> open(
      const Interruptions& interruptions, LogSink& sink, std::chrono::milliseconds grace = kGrace);
  /// Watches nothing yet; see open().
  StartWatch(const Interruptions& interruptions, LogSink& sink, std::chrono::milliseconds grace);

  /// Requested by the first signal. May outlive this object.
  [[nodiscard]] std::stop_token stopping() const { return stopping_.get_token(); }

 private:
  void watch(const std::stop_token& started);

  const Interruptions& interruptions_;
  LogSink& sink_;
  const std::chrono::milliseconds grace_;
  const UniqueFd started_;  // An eventfd that ends the waits.
  std::stop_source stopping_;
  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace davit::host
