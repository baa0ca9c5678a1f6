#include "host/cli/interruptions.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace davit::host {

Interruptions::Interruptions() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = UniqueFd(signalfd(-1, &set, SFD_CLOEXEC));
  lost_lease_ = UniqueFd(eventfd(0, EFD_CLOEXEC));
}

Interruptions::What Interruptions::wait(std::chrono::milliseconds limit) const {
  std::array<pollfd, 2> ready = {{{signals_.get(), POLLIN, 0}, {lost_lease_.get(), POLLIN, 0}}};
  if (poll(ready.data(), ready.size(), static_cast<int>(limit.count())) <= 0) {
    return What::kNothing;
  }
  if ((ready[1].revents & POLLIN) != 0) return What::kLostLease;
  signalfd_siginfo info{};
  return read(signals_.get(), &info, sizeof(info)) == sizeof(info) ? What::kSignal : What::kNothing;
}

void Interruptions::lost_lease() const {
  const std::uint64_t one = 1;
  // Cannot fail: the counter is far from its end.
  [[maybe_unused]] const ssize_t written = write(lost_lease_.get(), &one, sizeof(one));
}

}  // namespace davit::host
