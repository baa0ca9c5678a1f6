/// Slow start: creating many objects without failing many times (slowStartBatch).
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <functional>
#include <limits>
#include <vector>

namespace davit {

/// The result of slow_start().
struct SlowStartOutcome {
  std::size_t succeeded = 0;
  Status error;  ///< One of the failures of the last batch; ok when there was none.
};

/// Runs `count` calls in batches of 1, 2, 4, … and stops after the first batch with a failure, so
/// that a quota or webhook that refuses everything is asked once and not `count` times.
/// `run_batch(first, size)` makes the calls `first` … `first + size - 1` concurrently and returns
/// one Status each, in order; an ok Status counts as success. No batch is larger than `batch_max`.
[[nodiscard]] SlowStartOutcome slow_start(
    std::size_t count,
    const std::function<std::vector<Status>(std::size_t first, std::size_t size)>& run_batch,
    std::size_t batch_max = std::numeric_limits<std::size_t>::max());

}  // namespace davit
