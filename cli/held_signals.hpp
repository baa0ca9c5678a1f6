/// Signals that would end a command which has something to tidy up.
#pragma once

#include <signal.h>

#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// Keeps SIGINT, SIGTERM, SIGHUP and SIGPIPE pending while this lives; they act afterwards. In a
/// process of one thread.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  /// Readable as soon as there is one.
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  sigset_t before_{};
  UniqueFd fd_;
};

}  // namespace davit::host
