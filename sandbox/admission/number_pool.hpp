/// NumberPool: which numbers of a range are taken. Addresses and ports are such numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lib/base/random.hpp"

namespace davit::sandbox {

/// The numbers from 0 to size - 1. Numbers below `first_free` are given out last, so they stay free
/// for requests that name one (k8s: the static band of service ranges). Not thread-safe.
class NumberPool {
 public:
  struct Limits {
    std::size_t size = 0;
    std::size_t first_free = 0;
    /// Numbers below this one are given out only by name.
    std::size_t reserved = 0;
  };
  explicit NumberPool(const Limits& limits) : limits_(limits), taken_(limits.size) {}

  [[nodiscard]] std::size_t size() const { return limits_.size; }
  /// False when it is taken. `number` is below size().
  [[nodiscard]] bool take(std::size_t number);
  /// Any one; nothing when all are taken.
  [[nodiscard]] std::optional<std::size_t> take_any(Random& random);
  [[nodiscard]] bool has(std::size_t number) const { return taken_[number]; }
  void release(std::size_t number) { taken_[number] = false; }

 private:
  [[nodiscard]] std::optional<std::size_t> take_between(std::size_t first, std::size_t last,
                                                        Random& random);

  const Limits limits_;
  std::vector<bool> taken_;
};

}  // namespace davit::sandbox
