/// The pauses of a loop while the provider cannot be called.
#pragma once

#include <chrono>
#include <davit/cloud.hpp>
#include <davit/queue.hpp>
#include <optional>

namespace davit::cloud {

[[nodiscard]] inline Again after_busy() {
  return Again::after(std::chrono::milliseconds(DAVIT_CLOUD_BUSY_MS)).keeping_backoff();
}

/// When to look again while the provider cannot be called; nothing: it can.
[[nodiscard]] inline std::optional<Again> wait_for(const Cloud& cloud) {
  const std::optional<Cloud::Offer> offer = cloud.offer();
  if (offer && offer->is_ready) return std::nullopt;
  return after_busy();
}

/// The same after a failure: of a call that was cut short by a stop or a swap, or of a provider
/// that cannot be called any more. Nothing: it counts.
[[nodiscard]] inline std::optional<Again> excuse(const Cloud& cloud, const Status& failure) {
  if (failure.code() != Code::kCancelled) return wait_for(cloud);
  return after_busy();
}

}  // namespace davit::cloud
