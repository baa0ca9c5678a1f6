/// Events that interrupt a program: signals, and one event of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "lib/base/clock.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// An eventfd, which becomes readable with signal_event(); not valid if there is no descriptor.
[[nodiscard]] UniqueFd make_event();
/// Makes the descriptor of make_event() readable, for good. Any thread.
void signal_event(const UniqueFd& event);

/// SIGINT and SIGTERM are blocked in every thread that is started after this, and read from a
/// descriptor; SIGPIPE, SIGHUP, SIGUSR1 and SIGUSR2 are ignored. One a process, made before any
/// thread.
class Interruptions {
 public:
  /// A signal that follows another one sooner repeats the same request: service managers signal a
  /// process and its group. Shorter than a person takes to ask again.
  static constexpr Duration kSameRequest = std::chrono::milliseconds(500);

  Interruptions();
  /// With another clock for kSameRequest.
  explicit Interruptions(std::unique_ptr<Clock> clock);
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

  enum class What { kNothing, kSignal, kLostLease };

  /// The limit of wait() that means none.
  static constexpr std::chrono::milliseconds kNoLimit{-1};

  /// Waits for one, at most so long, and only until `enough` is readable, if that is a descriptor:
  /// kNothing then, and a signal stays for the next wait. Else a signal is taken, so that the next
  /// wait sees only the next one. Any thread.
  [[nodiscard]] What wait(std::chrono::milliseconds limit,
                          const UniqueFd& enough = UniqueFd()) const;

  /// Any thread.
  void lost_lease() const;
  /// Whether lost_lease() was called. Any thread.
  [[nodiscard]] bool has_lost_lease() const;

 private:
  /// Takes a signal. Returns whether it is a new request.
  [[nodiscard]] bool take_signal() const;

  const std::unique_ptr<Clock> clock_;
  mutable std::atomic<Time> last_signal_{Time::min()};  // Relaxed: it guards no other data.
  UniqueFd signals_;
  UniqueFd lost_lease_;
};

}  // namespace davit::host
