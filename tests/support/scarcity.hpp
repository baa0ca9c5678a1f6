/// A system that has no memory or no threads left. Link scarcity.cpp: it replaces operator new and
/// pthread_create of the whole program.
#pragma once

#include <cstddef>

namespace davit::test {

/// While it lives, this thread's allocations fail from the `after`-th on, counted from 0.
class NoMemory {
 public:
  explicit NoMemory(std::size_t after);
  ~NoMemory();
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

  /// Whether one has failed so far.
  [[nodiscard]] bool was_felt() const;
};

/// While it lives, this thread starts no thread, but for the first `after`.
class NoThreads {
 public:
  explicit NoThreads(std::size_t after = 0);
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

  /// The number refused so far.
  [[nodiscard]] std::size_t wanted() const;
};

}  // namespace davit::test
