#include "sandbox/kinds/qos.hpp"

#include <array>
#include <cstdint>

#include "lib/kube/schema/schema.hpp"

namespace davit::sandbox {

namespace {

constexpr std::array<std::string_view, 2> kCounted = {"cpu", "memory"};

struct Sums {
  std::array<std::int64_t, 2> requests{};  ///< In thousandths, by kCounted.
  std::array<std::int64_t, 2> limits{};
  bool all_limited = true;
};

std::int64_t milli(const Json& list, std::string_view name) {
  const Json& quantity = list.get(name);
  return quantity.is_null() ? 0 : quantity_milli(quantity.text()).value_or(0);
}

void add(const Json& resources, Sums& sums) {
  for (std::size_t i = 0; i < kCounted.size(); ++i) {
    const std::int64_t limit = milli(resources.get("limits"), kCounted[i]);
    sums.requests[i] += milli(resources.get("requests"), kCounted[i]);
    sums.limits[i] += limit;
    if (limit <= 0) sums.all_limited = false;
  }
}

}  // namespace

const char* qos_class(const Json& spec) {
  Sums sums;
  const Json& of_pod = spec.get("resources");
  if (of_pod.get("requests").size() + of_pod.get("limits").size() != 0) {
    add(of_pod, sums);
  } else {
    for (const std::string_view list : {"containers", "initContainers"}) {
      for (const Json& each : spec.get(list).items()) add(each.get("resources"), sums);
    }
  }
  const std::array<std::int64_t, 2> nothing{};
  if (sums.requests == nothing && sums.limits == nothing) return "BestEffort";
  return sums.all_limited && sums.requests == sums.limits ? "Guaranteed" : "Burstable";
}

}  // namespace davit::sandbox
