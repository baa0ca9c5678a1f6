/// std::mutex with clang's thread-safety annotations. g++ ignores them; the `clang` preset fails on
/// misuse.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define DAVIT_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define DAVIT_THREAD_ATTRIBUTE(x)
#endif
#define CAPABILITY(x) DAVIT_THREAD_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY DAVIT_THREAD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) DAVIT_THREAD_ATTRIBUTE(guarded_by(x))
#define REQUIRES(...) DAVIT_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) DAVIT_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) DAVIT_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) DAVIT_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS DAVIT_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace davit {

/// One per class. Never held while calling a plugin, a callback or a socket.
class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Condition variable for Mutex. Wait in a loop over the condition: wakes may be spurious.
class CondVar {
 public:
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    cond_.wait(held);
    static_cast<void>(held.release());
  }
  void wait_for(Mutex& mutex, std::chrono::nanoseconds time) REQUIRES(mutex) {
    if (time > kLongestWait) time = kLongestWait;
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    cond_.wait_for(held, time);
    static_cast<void>(held.release());
  }
  void notify_one() { cond_.notify_one(); }
  void notify_all() { cond_.notify_all(); }

 private:
  /// Long enough to be invisible, short enough that adding it to a time point cannot overflow.
  static constexpr std::chrono::nanoseconds kLongestWait = std::chrono::hours(1);
  std::condition_variable cond_;  // Not _any: that one adds a mutex, where every wake-up collides.
};

}  // namespace davit
