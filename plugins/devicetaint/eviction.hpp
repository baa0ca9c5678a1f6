/// When the taints of its devices end a pod, and why. Rules: docs/spec/dra.md, B3.
#pragma once

#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/taint.hpp>
#include <davit/time.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/devicetaint/views.hpp"

namespace davit::devicetaint {

/// The name and the UID of a rule.
using RuleId = std::pair<std::string, std::string>;

/// The end of a claim's or pod's time on its devices; `when` is nothing if there is none.
struct Eviction {
  std::optional<WallTime> when{};
  std::set<RuleId> rules{};  ///< Those among the reasons; slices may be others.
  bool is_undated = false;   ///< A taint has no time, so that `when` is counted from now.

  void add(const Eviction& other);
};

/// When a taint ends what `tolerations` tolerate: its time plus the shortest of their times.
/// Nothing: never. Pure.
[[nodiscard]] std::optional<WallTime> end_of(const Taint& taint,
                                             const std::vector<Toleration>& tolerations,
                                             WallTime now);

/// Handles of the caches, as long as the controller lives.
struct Caches {
  Informer<Pod> pods;
  Informer<Claim> claims;
  Informer<Slice> slices;
  std::optional<Informer<Rule>> rules;  ///< Nothing: rules do not count.
  Groups groups = Groups::kIgnored;
};

/// The index of slices by the name of their pool, and that of claims by the pools of their devices.
inline constexpr std::string_view kByPool = "pool";
/// The index of pods by their PodGroup.
inline constexpr std::string_view kByGroup = "group";

/// A device.
struct Device {
  std::string_view driver;
  std::string_view pool;
  std::string_view name;

  /// `result` is one of status.allocation.devices.results.
  [[nodiscard]] static Device of(Value result) {
    return {result["driver"].string(), result["pool"].string(), result["device"].string()};
  }
};

/// Calls `visit(Value)` for the device in the slices of its pool's newest generation.
template <typename Visit>
void each_published(const Caches& caches, const Device& device, const Visit& visit);

/// Judges by what the caches have now.
class Judge {
 public:
  /// With `preview`, that rule counts alone, as if its effect were NoExecute. All must outlive
  /// this.
  Judge(const Caches& caches, WallTime now, const Rule* preview = nullptr);

  [[nodiscard]] Eviction eviction_of(const Claim& claim) const;
  /// A pod without a node has none.
  [[nodiscard]] Eviction eviction_of(const Pod& pod) const;

 private:
  void add_slices(const Device& device, const std::vector<Toleration>& tolerations,
                  Eviction& out) const;
  void add_rules(const Device& device, const std::vector<Toleration>& tolerations,
                 Eviction& out) const;

  const Caches& caches_;
  const WallTime now_;
  const bool is_preview_;
  std::vector<Rule> rules_;  // Those that evict.
};

/// Calls `visit(Value)` for each allocated device of a claim.
template <typename Visit>
void each_result(const Claim& claim, const Visit& visit) {
  for (const Value each : claim.status()["allocation"]["devices"]["results"].elements()) {
    visit(each);
  }
}

/// Calls `visit(const Pod&)` for each cached pod that the claim is reserved for.
template <typename Visit>
void each_consumer(const Caches& caches, const Claim& claim, const Visit& visit) {
  for (const Value each : claim.reserved_for().elements()) {
    const std::string_view group = each["apiGroup"].string();
    const std::string_view resource = each["resource"].string();
    const std::string_view name = each[&Names::name].string();
    if (group.empty() && resource == Pod::kResource.resource) {
      const Lookup<Pod> pod = caches.pods.get(claim.ns(), name);
      if (pod && pod->uid() == each[&Names::uid].string()) visit(*pod);
    } else if (caches.groups == Groups::kCount && group == claims::kScheduling &&
               resource == PodGroup::kResource.resource) {
      for (const Pod& pod : caches.pods.by_index(kByGroup, name)) {
        if (pod.ns() == claim.ns()) visit(pod);
      }
    }
  }
}

/// Whether a device of the claim is one that the rule is about.
[[nodiscard]] bool uses_selected(const Claim& claim, const Rule& rule);

/// The newest generation of a pool.
[[nodiscard]] std::int64_t generation_of(const Caches& caches, std::string_view driver,
                                         std::string_view pool);

template <typename Visit>
void each_published(const Caches& caches, const Device& device, const Visit& visit) {
  const std::int64_t newest = generation_of(caches, device.driver, device.pool);
  for (const Slice& slice : caches.slices.by_index(kByPool, device.pool)) {
    if (slice.driver() != device.driver || slice.generation_of_pool() != newest) continue;
    for (const Value each : slice.spec()["devices"].elements()) {
      if (each[&Names::name].string() == device.name) visit(each);
    }
  }
}

}  // namespace davit::devicetaint
