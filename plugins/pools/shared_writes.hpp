/// Writes of one thing that several threads change.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "plugins/pools/route_table.hpp"

namespace davit::pools {

/// One thread writes at a time. Changes that arrive during a write are written together after it.
/// Rule: docs/spec/cloud.md, F6. Thread-safe.
class SharedWrites {
 public:
  using Change = std::function<void(RouteTable& table)>;
  /// Carries changes out, in their order.
  using Write = std::function<Status(const std::vector<Change>& changes)>;

  explicit SharedWrites(Write write) : write_(std::move(write)) {}

  /// Returns when a write with this change has ended, with its result. Waits.
  [[nodiscard]] Status make(Change change);

 private:
  struct Batch {
    std::vector<Change> changes{};
    std::optional<Status> result{};
  };

  class Writing;

  const Write write_;
  std::mutex mutex_;
  std::condition_variable ended_;
  // Guarded by mutex_.
  std::shared_ptr<Batch> open_;  // Takes changes in; null: none has come since the last write.
  bool is_writing_ = false;
};

}  // namespace davit::pools
