#include "plugins/nodelifecycle/tolerance.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace davit::nodelifecycle {

Tolerance tolerance_of(std::span<const Toleration> tolerations, std::span<const Taint> taints) {
  // A century is as good as no end; more would overflow the clock's nanoseconds.
  constexpr std::int64_t kSecondsMax = std::int64_t{100} * 365 * 24 * 3600;
  std::optional<std::int64_t> shortest;
  for (const Taint& taint : taints) {
    const auto used =
        std::find_if(tolerations.begin(), tolerations.end(),
                     [&taint](const Toleration& each) { return each.tolerates(taint); });
    if (used == tolerations.end()) return {.kind = Tolerance::Kind::kUntolerated};
    if (!used->seconds) continue;
    const std::int64_t seconds = std::clamp(*used->seconds, std::int64_t{0}, kSecondsMax);
    shortest = shortest ? std::min(*shortest, seconds) : seconds;
  }
  if (!shortest) return {.kind = Tolerance::Kind::kUnlimited};
  return {.kind = Tolerance::Kind::kFor, .time = std::chrono::seconds(*shortest)};
}

}  // namespace davit::nodelifecycle
