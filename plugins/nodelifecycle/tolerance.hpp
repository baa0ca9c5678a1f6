/// The time for which a pod's tolerations let it stay on a tainted node.
#pragma once

#include <chrono>
#include <davit/kube/taint.hpp>
#include <span>

namespace davit::nodelifecycle {

/// The verdict of tainteviction.processPodOnNode over a pod's tolerations.
struct Tolerance {
  enum class Kind {
    kUntolerated,  ///< Some taint has no toleration: out at once.
    kUnlimited,    ///< It may stay.
    kFor,          ///< It may stay for `time`, which may be none at all.
  };
  Kind kind = Kind::kUnlimited;
  std::chrono::seconds time{0};  ///< For kFor; never negative.

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

/// Each taint is met by the first toleration that fits; the shortest of those counts.
[[nodiscard]] Tolerance tolerance_of(std::span<const Toleration> tolerations,
                                     std::span<const Taint> taints);

}  // namespace davit::nodelifecycle
