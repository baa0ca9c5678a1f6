/// The end of one pod. Rule: docs/spec/dra.md, B5.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>

namespace davit::devicetaint {

/// Whether the pod was deleted by this.
enum class Evicted { kYes, kNo };

/// Deletes pods, by UID: another pod of the name stays.
class PodEviction {
 public:
  explicit PodEviction(Context& cluster);

  /// `when`: since when it had to go. kNo: it is gone or going without this.
  [[nodiscard]] Result<Evicted> evict(const Pod& pod, WallTime when) const;

 private:
  Context& cluster_;
  const Metric deletions_;
  const Metric seconds_;
};

}  // namespace davit::devicetaint
