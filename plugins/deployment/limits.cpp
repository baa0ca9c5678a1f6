#include "plugins/deployment/limits.hpp"

namespace davit::deployment {

Limits resolve_limits(const WantedLimits& wanted, std::int64_t replicas) {
  Limits limits{wanted.surge.resolve(replicas, Rounding::kUp),
                wanted.unavailable.resolve(replicas, Rounding::kDown)};
  if (limits.surge == 0 && limits.unavailable == 0) limits.unavailable = 1;
  return limits;
}

Result<IntOrPercent> read_limit(const Value& value) {
  if (value.is_absent() || value.kind() == Kind::kNull) return IntOrPercent::of(0);
  return IntOrPercent::parse(value);
}

}  // namespace davit::deployment
