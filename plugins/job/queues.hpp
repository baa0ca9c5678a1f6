/// The options that both queues have.
#pragma once

#include <davit/queue.hpp>
#include <string_view>

namespace davit::job {

/// A failing key is retried after 1 s, then 2 s and so on, without an end. Rule: docs/spec/job.md,
/// 1.
[[nodiscard]] inline QueueOptions queue_options(std::string_view name) {
  return {
      .name = name, .base_delay = std::chrono::seconds(1), .max_delay = std::chrono::seconds(60)};
}

}  // namespace davit::job
