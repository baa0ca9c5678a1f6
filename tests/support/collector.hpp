/// Collects the results of other threads, for a test to wait for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"

namespace davit::test {

/// A list of entries to which threads append. Thread-safe.
template <typename T>
class Collector {
 public:
  void push(T entry) {
    MutexLock lock(mutex_);
    entries_.push_back(std::move(entry));
    grown_.notify_all();
  }

  /// Blocks until there are at least `count` entries; returns all of them.
  std::vector<T> await(std::size_t count) {
    MutexLock lock(mutex_);
    while (entries_.size() < count) grown_.wait(mutex_);
    return entries_;
  }

  void clear() {
    MutexLock lock(mutex_);
    entries_.clear();
  }

  [[nodiscard]] std::vector<T> entries() {
    MutexLock lock(mutex_);
    return entries_;
  }

 private:
  Mutex mutex_;
  CondVar grown_;
  std::vector<T> entries_ GUARDED_BY(mutex_);
};

/// A door that one thread opens for others. Thread-safe.
class Door {
 public:
  void open() {
    MutexLock lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  void pass() {
    MutexLock lock(mutex_);
    while (!open_) opened_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar opened_;
  bool open_ GUARDED_BY(mutex_) = false;
};

}  // namespace davit::test
