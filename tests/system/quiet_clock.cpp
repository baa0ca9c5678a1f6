#include "tests/system/quiet_clock.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "lib/base/unique_fd.hpp"

namespace davit::test {

namespace {

/// Far from zero, so that "never" and "long ago" cannot be mixed up with the start.
constexpr Time kStart{std::chrono::hours(1000)};
/// 2026-01-01T00:00:00Z.
constexpr WallTime kWallStart{std::chrono::seconds(1767225600)};
/// Only for errors: a wait that a notification has missed ends then, and not never.
constexpr Duration kLongestWait = std::chrono::seconds(5);
/// Short beside what a sync takes, long beside what it takes to look.
constexpr Duration kRecheckPeriod = std::chrono::microseconds(200);

/// The other threads of the process, as the kernel lists them.
class Threads {
 public:
  Threads() : tasks_(opendir("/proc/self/task")) {}

  /// For each how long and how often it ran: it differs once one of them has been let run.
  [[nodiscard]] std::string runs() const { return all("schedstat"); }
  [[nodiscard]] bool all_sleep() const {
    return each("stat", [](std::string_view text) {
      const std::size_t name = text.rfind(") ");
      return name == std::string_view::npos || text.substr(name + 2, 1) == "S";
    });
  }

 private:
  [[nodiscard]] std::string all(const char* file) const {
    std::string out;
    each(file, [&out](std::string_view text) {
      out.append(text).append("\n");
      return true;
    });
    return out;
  }
  /// Calls `take` with that file of each, with nothing for one that has just ended, while it says
  /// true. Whether it always did.
  template <typename Take>
  bool each(const char* file, const Take& take) const {
    const std::string self = std::to_string(gettid());
    rewinddir(tasks_.get());
    while (const dirent* task = readdir(tasks_.get())) {
      if (task->d_name[0] == '.' || task->d_name == self) continue;
      const std::string path = std::string(task->d_name) + "/" + file;
      const UniqueFd open(openat(dirfd(tasks_.get()), path.c_str(), O_RDONLY | O_CLOEXEC));
      std::array<char, 512> text{};
      const ssize_t size = open.get() < 0 ? 0 : read(open.get(), text.data(), text.size());
      const std::size_t length = size > 0 ? static_cast<std::size_t>(size) : 0;
      if (!take(std::string_view(text.data(), length))) return false;
    }
    return true;
  }

  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  std::unique_ptr<DIR, Close> tasks_;
};

}  // namespace

Time QuietClock::now() const {
  MutexLock lock(mutex_);
  return kStart + passed_;
}

WallTime QuietClock::wall_now() const {
  MutexLock lock(mutex_);
  return kWallStart + passed_;
}

void QuietClock::wait_until(CondVar& cond, Mutex& mutex, Time deadline) {
  std::list<Waiter>::iterator self;
  {
    MutexLock lock(mutex_);
    if (kStart + passed_ >= deadline) return;
    self = waiters_.insert(waiters_.end(), Waiter{&cond, deadline});
  }
  cond.wait_for(mutex, kLongestWait);
  MutexLock lock(mutex_);
  waiters_.erase(self);
}

// Who sleeps at the second look and was not let run between the first and the third slept when the
// second began. So at that moment all did, and nothing but this thread or time could wake any.
void QuietClock::wait_until_idle() {
  const Threads threads;
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  while (true) {
    // The first of these looks only saves the others.
    if (!waits_() && threads.all_sleep()) {
      const std::string before = threads.runs();
      if (threads.all_sleep() && threads.runs() == before && !waits_()) return;
    }
    never.wait_for(mutex, kRecheckPeriod);
  }
}

bool QuietClock::step(Time end) {
  wait_until_idle();
  MutexLock lock(mutex_);
  const Time now = kStart + passed_;
  if (now >= end) return false;
  Time next = end;
  for (const Waiter& each : waiters_) next = std::min(next, std::max(each.deadline, now));
  passed_ = next - kStart;
  wake_due();
  return true;
}

void QuietClock::leap(Duration time) {
  wait_until_idle();
  MutexLock lock(mutex_);
  passed_ += time;
  wake_due();
}

void QuietClock::wake_due() {
  for (const Waiter& each : waiters_) {
    if (each.deadline <= kStart + passed_) each.cond->notify_all();
  }
}

}  // namespace davit::test
