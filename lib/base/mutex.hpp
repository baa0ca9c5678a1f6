/// std::mutex and a condition variable with clang's thread-safety annotations. g++ ignores them;
/// the `clang` preset fails on misuse.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
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
///
/// Implemented as a futex that counts notifications. glibc's condition variable leaves the mutex
/// marked as contended after each wait, so that unlocking it costs a system call that wakes no
/// thread (docs/decisions/025-fibers-and-wakes.md).
class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void wait(Mutex& mutex) REQUIRES(mutex);
  void wait_for(Mutex& mutex, std::chrono::nanoseconds time) REQUIRES(mutex);
  void notify_one() { notify(1); }
  void notify_all() { notify(kAll); }

 private:
  static constexpr int kAll = std::numeric_limits<int>::max();

  /// Wakes up to `count` threads.
  void notify(int count);

  std::atomic<std::uint32_t> notified_ = 0;  // The futex.
  // A waiter raises it while it holds the mutex, so a thread that changes the condition later sees
  // it.
  std::atomic<std::uint32_t> waiters_ = 0;
};

}  // namespace davit
