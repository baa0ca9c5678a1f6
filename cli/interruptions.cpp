#include "cli/interruptions.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace davit::host {

UniqueFd make_event() { return UniqueFd(eventfd(0, EFD_CLOEXEC)); }

void signal_event(const UniqueFd& event) {
  const std::uint64_t one = 1;
  // Cannot fail: the counter is far from its end.
  [[maybe_unused]] const ssize_t written = write(event.get(), &one, sizeof(one));
}

Interruptions::Interruptions() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = UniqueFd(signalfd(-1, &set, SFD_CLOEXEC));
  lost_lease_ = make_event();
}

Interruptions::What Interruptions::wait(std::chrono::milliseconds limit,
                                        const UniqueFd& enough) const {
  // poll() skips what is not a descriptor.
  std::array<pollfd, 3> ready = {
      {{signals_.get(), POLLIN, 0}, {lost_lease_.get(), POLLIN, 0}, {enough.get(), POLLIN, 0}}};
  int found = 0;
  do {
    found = poll(ready.data(), ready.size(), static_cast<int>(limit.count()));
  } while (found < 0 && errno == EINTR && limit == kNoLimit);
  if (found <= 0 || (ready[2].revents & POLLIN) != 0) return What::kNothing;
  if ((ready[1].revents & POLLIN) != 0) return What::kLostLease;
  signalfd_siginfo info{};
  return read(signals_.get(), &info, sizeof(info)) == sizeof(info) ? What::kSignal : What::kNothing;
}

void Interruptions::lost_lease() const { signal_event(lost_lease_); }

}  // namespace davit::host
