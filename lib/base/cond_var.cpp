#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "lib/base/mutex.hpp"

namespace davit {
namespace {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// Sleeps if `*word` is still `expected`, until it is woken, or `time` has passed if it is given.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, const timespec* time) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, time, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// Waits for a notification, until `time` has passed if it is given. One that comes after the count
/// was read changes it, so that futex_wait() does not sleep.
void await(std::atomic<std::uint32_t>& notified, std::atomic<std::uint32_t>& waiters, Mutex& mutex,
           const timespec* time) REQUIRES(mutex) {
  waiters.fetch_add(1);
  const std::uint32_t seen = notified.load();
  mutex.unlock();
  futex_wait(notified, seen, time);
  waiters.fetch_sub(1);
  mutex.lock();
}

/// Long enough to be invisible, short enough for every clock.
constexpr std::chrono::nanoseconds kLongestWait = std::chrono::hours(1);

}  // namespace

void CondVar::wait(Mutex& mutex) { await(notified_, waiters_, mutex, nullptr); }

void CondVar::wait_for(Mutex& mutex, std::chrono::nanoseconds time) {
  time = std::clamp(time, std::chrono::nanoseconds::zero(), kLongestWait);
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec limit{.tv_sec = whole.count(), .tv_nsec = (time - whole).count()};
  await(notified_, waiters_, mutex, &limit);
}

void CondVar::notify(int count) {
  notified_.fetch_add(1);
  if (waiters_.load() > 0) futex_wake(notified_, count);
}

}  // namespace davit
