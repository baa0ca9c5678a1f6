#include "plugins/podgc/selection_plan.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

namespace davit::podgc {
namespace {

constexpr std::string_view kOutOfServiceTaint = "node.kubernetes.io/out-of-service";

bool is_evicted(const Pod& pod) {
  return pod.phase() == "Failed" && pod.status()[&Names::reason].string() == "Evicted";
}

/// A pod without a time is older than any other, as Go's zero time is.
auto deletion_rank(const Pod& pod) {
  return std::tuple(!is_evicted(pod), pod.creation_time().value_or(WallTime::min()), pod.name());
}

}  // namespace

bool is_terminated(const Pod& pod) {
  const std::string_view phase = pod.phase();
  return phase != "Pending" && phase != "Running" && phase != "Unknown";
}

void sort_for_deletion(std::vector<Pod>& pods) {
  std::stable_sort(pods.begin(), pods.end(),
                   [](const Pod& a, const Pod& b) { return deletion_rank(a) < deletion_rank(b); });
}

std::vector<Pod> surplus(std::vector<Pod> terminated, std::size_t kept) {
  if (terminated.size() <= kept) return {};
  sort_for_deletion(terminated);
  terminated.erase(terminated.end() - static_cast<std::ptrdiff_t>(kept), terminated.end());
  return terminated;
}

bool is_out_of_service(const Node& node) {
  const std::optional<ConditionView> ready = node.condition("Ready");
  if (ready && ready->is_true()) return false;
  for (const Value each : node.taints().elements()) {
    if (each[&Names::key].string() == kOutOfServiceTaint) return true;
  }
  return false;
}

}  // namespace davit::podgc
