#include "host/process/interruptions.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace davit::host {

UniqueFd make_event() { return UniqueFd(eventfd(0, EFD_CLOEXEC)); }

void signal_event(const UniqueFd& event) {
  const std::uint64_t one = 1;
  // Cannot fail: the counter is far from its end.
  [[maybe_unused]] const ssize_t written = write(event.get(), &one, sizeof(one));
}

Interruptions::Interruptions() : Interruptions(make_system_clock()) {}

Interruptions::Interruptions(std::unique_ptr<Clock> clock) : clock_(std::move(clock)) {
  // The programs that davit replaces ignore these, too: a stray signal must not end a host.
  for (const int ignored : {SIGPIPE, SIGHUP, SIGUSR1, SIGUSR2}) signal(ignored, SIG_IGN);
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
  for (;;) {
    // poll() skips what is not a descriptor.
    std::array<pollfd, 3> ready = {
        {{signals_.get(), POLLIN, 0}, {lost_lease_.get(), POLLIN, 0}, {enough.get(), POLLIN, 0}}};
    const int found = poll(ready.data(), ready.size(), static_cast<int>(limit.count()));
    if (found < 0 && errno == EINTR && limit == kNoLimit) continue;
    if (found <= 0 || (ready[2].revents & POLLIN) != 0) return What::kNothing;
    if ((ready[1].revents & POLLIN) != 0) return What::kLostLease;
    if (take_signal()) return What::kSignal;
  }
}

bool Interruptions::take_signal() const {
  signalfd_siginfo info{};
  if (read(signals_.get(), &info, sizeof(info)) != sizeof(info)) return false;
  const Time now = clock_->now();
  const Time last = last_signal_.exchange(now, std::memory_order_relaxed);
  return last == Time::min() || now - last >= kSameRequest;
}

void Interruptions::lost_lease() const { signal_event(lost_lease_); }

bool Interruptions::has_lost_lease() const {
  pollfd lost = {lost_lease_.get(), POLLIN, 0};
  return poll(&lost, 1, 0) > 0;
}

}  // namespace davit::host
