/// The start of a loop without its provider, and its pauses while that cannot be called.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/cloud.hpp>
#include <davit/queue.hpp>
#include <optional>
#include <string_view>

namespace davit::cloud {

/// Why a loop does not start: there is no provider, or one without `part`, for which `lacks` is the
/// reason. Nothing: it starts.
[[nodiscard]] inline std::optional<std::string_view> reason_to_skip(const Cloud& cloud,
                                                                    std::uint32_t part,
                                                                    std::string_view lacks) {
  const std::optional<Cloud::Offer> offer = cloud.offer();
  if (!offer) return "there is no cloud provider";
  if ((offer->parts & part) == 0) return lacks;
  return std::nullopt;
}

[[nodiscard]] inline Again after_busy() {
  return Again::after(std::chrono::milliseconds(DAVIT_CLOUD_BUSY_MS)).keeping_backoff();
}

/// The generation of the provider that can be called now; nothing: none can.
[[nodiscard]] inline std::optional<std::uint64_t> generation_of(const Cloud& cloud) {
  const std::optional<Cloud::Offer> offer = cloud.offer();
  return offer && offer->is_ready ? std::optional(offer->generation) : std::nullopt;
}

/// When to look again while the provider cannot be called; nothing: it can.
[[nodiscard]] inline std::optional<Again> wait_for(const Cloud& cloud) {
  if (generation_of(cloud)) return std::nullopt;
  return after_busy();
}

/// The same after a failure: of a call that was cut short by a stop or a swap, or of a provider
/// that cannot be called any more. Nothing: it counts.
[[nodiscard]] inline std::optional<Again> excuse(const Cloud& cloud, const Status& failure) {
  if (failure.code() != Code::kCancelled) return wait_for(cloud);
  return after_busy();
}

}  // namespace davit::cloud
