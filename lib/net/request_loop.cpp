#include "lib/net/request_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/stack_pages.hpp"

namespace davit {
namespace {

// Woken by sockets and the bell; this only bounds a sleep that nothing ends.
constexpr Duration kPollMax = std::chrono::seconds(60);
// Without a bell (no descriptor was left) calls of other threads are noticed no later than this.
constexpr Duration kPollWithoutBell = std::chrono::milliseconds(20);
// When nothing has come for so long, as on most watches, nothing may come for long: the thread then
// waits without the pages of its stack that only deeper calls need.
constexpr Duration kUntilRest = std::chrono::seconds(5);

// The result of poll() on `polled`.
int poll_for(std::vector<pollfd>& polled, Duration limit) {
  const timespec time{whole_seconds(limit),
                      static_cast<long>((limit % std::chrono::seconds(1)).count())};
  return ::ppoll(polled.data(), polled.size(), &time, nullptr);
}

}  // namespace

// One wake-up suffices: the sleeper reads everything when it wakes.
void RequestLoop::notify() {
  changed_.notify_one();
  const int bell = std::exchange(bell_to_ring_, -1);
  if (bell < 0) return;
  ::eventfd_write(bell, 1);  // Fails only when it rings already.
}

void RequestLoop::post(std::size_t index) {
  MutexLock lock(mutex_);
  posted_.push_back(index);
  if (posted_.size() >= enough_) notify();
}

void RequestLoop::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  notify();
}

bool RequestLoop::stopped() {
  MutexLock lock(mutex_);
  return stopped_;
}

void RequestLoop::hold() {
  MutexLock lock(mutex_);
  held_ = true;
  notify();
}

bool RequestLoop::held() {
  MutexLock lock(mutex_);
  return held_;
}

void RequestLoop::ring() {
  MutexLock lock(mutex_);
  rung_ = true;
  notify();
}

void RequestLoop::leave(DrivenRequest& request) {
  std::erase_if(driven_, [&](Driven& each) {
    if (each.request != &request) return false;
    watch_no_more(each);
    return true;
  });
}

void RequestLoop::reset() {
  MutexLock lock(mutex_);
  posted_.clear();
  enough_ = 1;
  stopped_ = held_ = hold_seen_ = rung_ = false;
}

std::vector<std::size_t> RequestLoop::wait(Clock& clock, Time until, std::size_t enough) {
  {
    MutexLock lock(mutex_);
    enough_ = enough;
    if (driven_.empty()) {
      while (must_go_on(enough) && clock.now() < until) {
        clock.wait_until(changed_, mutex_, until);
      }
    }
  }
  while (!driven_.empty()) {
    {
      MutexLock lock(mutex_);
      if (!must_go_on(enough) || clock.now() >= until) break;
    }
    poll_once(clock, until);
  }
  MutexLock lock(mutex_);
  hold_seen_ = held_;
  return std::exchange(posted_, {});
}

// Immediately after a request was driven: it may have closed its descriptor, which the next one
// to be driven may open again for itself.
void RequestLoop::ask(Driven& driven) {
  driven.is_asked = true;
  std::optional<DrivenRequest::SteadyWait> wait = driven.request->steady_wait();
  const bool is_same = wait && driven.steady && wait->descriptor == driven.steady->descriptor &&
                       wait->connection == driven.steady->connection;
  if (!is_same) {
    watch_no_more(driven);
    if (wait) {
      driven.watch = ++last_watch_;
      epoll_event event{.events = EPOLLIN, .data = {.u64 = driven.watch}};
      // Without it the request is polled for, as in a loop of few.
      if (::epoll_ctl(watched_.get(), EPOLL_CTL_ADD, wait->descriptor, &event) != 0) wait.reset();
    }
  }
  driven.steady = wait;
}

// Fails where the descriptor was closed, which the kernel has noticed.
void RequestLoop::watch_no_more(Driven& driven) {
  driven.watch = 0;
  if (!driven.steady) return;
  ::epoll_ctl(watched_.get(), EPOLL_CTL_DEL, driven.steady->descriptor, nullptr);
}

Time RequestLoop::gather_waits() {
  if (requests_ == Requests::kMany && !watched_.valid()) {
    watched_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  }
  polled_.clear();
  Time due = Time::max();
  for (Driven& each : driven_) {
    if (watched_.valid() && !each.is_asked) ask(each);
    each.first = polled_.size();
    each.count = 0;
    if (each.steady) {
      due = std::min(due, each.steady->due);
      continue;
    }
    each.request->poll_for(polled_);
    each.count = polled_.size() - each.first;
    due = std::min(due, each.request->due());
  }
  if (watched_.valid()) polled_.push_back({watched_.get(), POLLIN, 0});
  return due;
}

void RequestLoop::take_input() {
  std::array<epoll_event, 64> events;
  int count = static_cast<int>(events.size());
  // Level-triggered: what does not fit is reported at the next wait.
  count = watched_.valid() ? ::epoll_wait(watched_.get(), events.data(), count, 0) : 0;
  reported_.clear();
  for (int i = 0; i < count; ++i) reported_.push_back(events[i].data.u64);
  std::sort(reported_.begin(), reported_.end());
}

bool RequestLoop::has_input(const Driven& driven) const {
  return std::binary_search(reported_.begin(), reported_.end(), driven.watch);
}

void RequestLoop::renew_watched() {
  watched_.reset();
  for (Driven& each : driven_) {
    each.is_asked = false;
    each.steady.reset();
    each.watch = 0;
  }
}

void RequestLoop::poll_once(Clock& clock, Time until) {
  const Time due = std::min(until, gather_waits());
  if (!bell_.valid()) bell_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Duration limit = bell_.valid() ? kPollMax : kPollWithoutBell;
  if (bell_.valid()) polled_.push_back({bell_.get(), POLLIN, 0});
  {
    MutexLock lock(mutex_);
    if (!must_go_on(enough_) || rung_) limit = Duration::zero();
    bell_to_ring_ = bell_.get();
  }
  limit = std::clamp(due - clock.now(), Duration::zero(), limit);
  if (poll_for(polled_, std::min(limit, kUntilRest)) == 0 && limit > kUntilRest) {
    release_stack_pages();
    poll_for(polled_, limit - kUntilRest);
  }
  drive_ready(clock.now());
}

void RequestLoop::drive_ready(Time now) {
  bool all = !bell_.valid();
  {
    MutexLock lock(mutex_);
    bell_to_ring_ = -1;
    all = std::exchange(rung_, false) || all;
  }
  if (bell_.valid() && polled_.back().revents != 0) clear_bell();
  take_input();
  std::size_t unknown = reported_.size();
  for (Driven& each : driven_) {
    const std::span<const pollfd> part(polled_.data() + each.first, each.count);
    const bool is_reported = has_input(each);
    if (is_reported) --unknown;
    const bool ready = is_reported || std::any_of(part.begin(), part.end(), [](const pollfd& one) {
                         return one.revents != 0;
                       });
    const Time due = each.steady ? each.steady->due : each.request->due();
    if (!ready && !all && now < due) continue;
    each.request->drive(part, now);
    if (watched_.valid()) ask(each);
  }
  // A child process without a new program still holds a descriptor that was closed here. The kernel
  // would report it without end, and cannot be asked not to.
  if (unknown > 0) renew_watched();
}

void RequestLoop::clear_bell() {
  eventfd_t rings = 0;
  ::eventfd_read(bell_.get(), &rings);
}

}  // namespace davit
