/// What other threads did, for a test to wait for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"

namespace davit::test {

/// A growing list of entries. Thread-safe.
template <typename T>
class Collector {
 public:
  void push(T entry) {
    host::MutexLock lock(mutex_);
    entries_.push_back(std::move(entry));
    grown_.notify_all();
  }

  /// Blocks until there are at least `count` entries; returns all of them.
  std::vector<T> await(std::size_t count) {
    host::MutexLock lock(mutex_);
    while (entries_.size() < count) grown_.wait(mutex_);
    return entries_;
  }

  void clear() {
    host::MutexLock lock(mutex_);
    entries_.clear();
  }

  [[nodiscard]] std::vector<T> entries() {
    host::MutexLock lock(mutex_);
    return entries_;
  }

 private:
  host::Mutex mutex_;
  host::CondVar grown_;
  std::vector<T> entries_ GUARDED_BY(mutex_);
};

/// A door that one thread opens for others. Thread-safe.
class Door {
 public:
  void open() {
    host::MutexLock lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  void pass() {
    host::MutexLock lock(mutex_);
    while (!open_) opened_.wait(mutex_);
  }

 private:
  host::Mutex mutex_;
  host::CondVar opened_;
  bool open_ GUARDED_BY(mutex_) = false;
};

}  // namespace davit::test
