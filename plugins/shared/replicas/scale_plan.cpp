#include "plugins/shared/replicas/scale_plan.hpp"

#include <algorithm>

namespace davit::replicas {

ScalePlan plan_scale(std::int64_t wanted, std::size_t active) {
  const std::size_t target = wanted > 0 ? static_cast<std::size_t>(wanted) : 0;
  if (active < target) return {.create = std::min(target - active, kBurstReplicas)};
  return {.remove = std::min(active - target, kBurstReplicas)};
}

}  // namespace davit::replicas
