/// What happens to a program from outside its own work: signals, and one event of its own.
#pragma once

#include <chrono>

#include "host/base/unique_fd.hpp"

namespace davit::host {

/// SIGINT and SIGTERM are blocked in every thread that is started after this, and read from a
/// descriptor; SIGPIPE and SIGHUP are ignored. One a process, made before any thread.
class Interruptions {
 public:
  Interruptions();
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

  enum class What { kNothing, kSignal, kLostLease };

  /// Waits for one, at most so long. A signal is taken, so that the next wait sees only the next
  /// one. Any thread.
  [[nodiscard]] What wait(std::chrono::milliseconds limit) const;

  /// Any thread.
  void lost_lease() const;

 private:
  UniqueFd signals_;
  UniqueFd lost_lease_;
};

}  // namespace davit::host
