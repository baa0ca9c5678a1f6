#include "cli/held_signals.hpp"

#include <sys/signalfd.h>

namespace davit::host {

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &before_);
  fd_ = UniqueFd(signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK));
}

HeldSignals::~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace davit::host
