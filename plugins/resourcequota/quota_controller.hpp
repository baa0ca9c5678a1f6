/// The resource quota controller: keeps the usage in the status of ResourceQuotas, by which the
/// server decides whether an object may be created.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/resourcequota/monitors.hpp"
#include "plugins/resourcequota/quota.hpp"
#include "plugins/resourcequota/resource_plan.hpp"

namespace davit::resourcequota {

/// Read, decide, act: the rules are in counting, quota_plan, scopes and the usages, which are pure.
/// Keeps nothing that the informers would not show again.
class QuotaController final : public Controller {
 public:
  /// Reads the configuration and what the server offers; fails if that is nothing.
  [[nodiscard]] static InitResult open(Context& cluster);
  /// The same with another source of what the server offers, for tests.
  [[nodiscard]] static InitResult open_with(Context& cluster, Discover discover);

  /// `first`: what the server offers now. `sync_period`: of the recalculation; 0: none.
  QuotaController(Context& cluster, Discover discover, const Offer& first,
                  std::chrono::milliseconds sync_period);

 private:
  /// Adds a quota whose status the server waits for to the other queue, before all others.
  void enqueue(const ResourceQuota& quota) const;
  void recalculate_all() const;
  /// Adds the quotas that a change in their namespace is about.
  [[nodiscard]] Result<Again> replenish(const Key& change) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  const Queue primary_;
  const Queue priority_;
  const Queue changes_;
  const Queue rounds_;
  const Informer<ResourceQuota> quotas_;
  Monitors monitors_;
};

}  // namespace davit::resourcequota
