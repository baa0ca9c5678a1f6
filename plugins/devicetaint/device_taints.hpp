/// The device taint eviction controller: pods whose devices have a taint that they do not tolerate.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <string_view>

#include "plugins/devicetaint/evicted_counts.hpp"
#include "plugins/devicetaint/eviction.hpp"
#include "plugins/devicetaint/pod_eviction.hpp"

namespace davit::devicetaint {

/// Changes of claims, slices and rules add the pods that they may concern; the sync of a pod judges
/// by what the caches have then.
///
/// Invariants:
/// - A pod is deleted only if caches that were compared with the server since its time was over
///   show that it is.
/// - A pod that is being deleted or has ended is left alone.
///
/// Rule: docs/spec/dra.md, part B.
class DeviceTaints final : public Controller {
 public:
  enum class Rules { kCount, kIgnored };

  [[nodiscard]] static InitResult open(Context& cluster);
  DeviceTaints(Context& cluster, Rules rules, Groups groups);

  [[nodiscard]] HandedState* state() override { return &evicted_; }

 private:
  void on_pod(const Event<Pod>& event);
  void on_claim(const Event<Claim>& event) const;
  void on_slice(const Event<Slice>& event) const;
  void on_rule(const Event<Rule>& event);
  void add(const Pod& pod) const;
  void add_consumers(const Claim& claim) const;
  void add_users_of_pool(const Slice& slice) const;
  void add_users_of(const Rule& rule) const;

  [[nodiscard]] Result<Again> sync(const Key& key);
  [[nodiscard]] Result<Again> sync_pod(const Key& key);
  [[nodiscard]] Result<Again> sync_rule(const Key& key) const;
  [[nodiscard]] Result<Again> evict(const Pod& pod, const Eviction& eviction);
  /// The pod has to go no more.
  void call_off(const Pod& pod);
  void add_rules_later(const std::set<RuleId>& rules) const;
  /// The pause until caches as new as `since` can judge; nothing: they can.
  [[nodiscard]] std::optional<Duration> wait_for_caches(Time since) const;

  Context& cluster_;
  EvictedCounts evicted_;
  Queue queue_;
  const Caches caches_;
  const PodEviction eviction_;
};

}  // namespace davit::devicetaint
