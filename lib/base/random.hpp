/// Randomness as an injected seam.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

namespace davit {

/// Thread-safe. Not for secrets.
class Random {
 public:
  Random() = default;
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  virtual ~Random() = default;

  /// 64 uniformly distributed bits.
  [[nodiscard]] virtual std::uint64_t next() = 0;

  /// Uniform in [0, 1).
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// `base` plus up to `factor` times `base` (k8s.io/apimachinery/pkg/util/wait.Jitter).
  [[nodiscard]] std::chrono::nanoseconds jitter(std::chrono::nanoseconds base, double factor) {
    return base + std::chrono::nanoseconds(static_cast<std::int64_t>(
                      unit() * factor * static_cast<double>(base.count())));
  }
};

/// A generator seeded by the system.
[[nodiscard]] std::unique_ptr<Random> make_system_random();
/// A generator that produces the same numbers for the same seed.
[[nodiscard]] std::unique_ptr<Random> make_seeded_random(std::uint64_t seed);

}  // namespace davit
