#include <algorithm>
#include <davit/mutant.hpp>
#include <davit/slow_start.hpp>

namespace davit {

SlowStartOutcome slow_start(
    std::size_t count,
    const std::function<std::vector<Status>(std::size_t first, std::size_t size)>& run_batch,
    std::size_t batch_max) {
  SlowStartOutcome outcome;
  std::size_t first = 0;
  std::size_t size = mutant("slow-start") ? count : 1;
  while (first < count && outcome.error.ok()) {
    size = std::min(size, count - first);
    const std::vector<Status> results = run_batch(first, size);
    for (const Status& result : results) {
      if (result.ok()) {
        ++outcome.succeeded;
      } else if (outcome.error.ok()) {
        outcome.error = result;
      }
    }
    first += size;
    size = std::min(size * 2, batch_max);
  }
  return outcome;
}

}  // namespace davit
