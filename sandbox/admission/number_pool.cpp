#include "sandbox/admission/number_pool.hpp"

#include <algorithm>

namespace davit::sandbox {

bool NumberPool::take(std::size_t number) {
  if (taken_[number]) return false;
  taken_[number] = true;
  return true;
}

std::optional<std::size_t> NumberPool::take_any(Random& random) {
  const std::size_t middle = std::max(limits_.first_free, limits_.reserved);
  const auto upper = take_between(middle, limits_.size, random);
  return upper ? upper : take_between(limits_.reserved, middle, random);
}

std::optional<std::size_t> NumberPool::take_between(std::size_t first, std::size_t last,
                                                    Random& random) {
  const std::size_t count = last - first;
  if (count == 0) return std::nullopt;
  const std::size_t start = random.next() % count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = first + (start + i) % count;
    if (take(number)) return number;
  }
  return std::nullopt;
}

}  // namespace davit::sandbox
