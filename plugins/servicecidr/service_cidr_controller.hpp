/// The ServiceCIDR controller: gives each ServiceCIDR a finalizer and the condition Ready, and lets
/// a deleted one go only when no Service's address would lose its range.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/time.hpp>
#include <optional>

#include "plugins/servicecidr/ranges.hpp"
#include "plugins/servicecidr/ready_condition.hpp"
#include "plugins/servicecidr/views.hpp"

namespace davit::servicecidr {

/// Read, decide, act: the rules are in ranges and ready_condition, which are pure. Keeps nothing
/// between syncs. Rule: docs/spec/cluster-controllers.md, part A.
class ServiceCidrController final : public Controller {
 public:
  explicit ServiceCidrController(Context& cluster);

 private:
  void add_overlapping(const ServiceCidr& object) const;
  void add_changed(const ServiceCidr& old, const ServiceCidr& object) const;
  void add_holding(const IpAddress& object) const;
  void add_given_up(const IpAddress& old, const IpAddress& object) const;

  [[nodiscard]] Result<Again> sync(const Key& key) const;
  [[nodiscard]] Result<Again> let_go(const ServiceCidr& object) const;
  /// Whether no address would lose its range with it (A4).
  [[nodiscard]] bool is_deletable(const ServiceCidr& object) const;
  /// The time until both caches have what the server had `since`; nothing: they have it.
  [[nodiscard]] std::optional<Duration> wait_for_caches(Time since) const;
  [[nodiscard]] Status set_finalizer(const ServiceCidr& object, std::string_view directive) const;
  [[nodiscard]] Status set_condition(const ServiceCidr& object, const ReadyCondition& wanted) const;

  Context& cluster_;
  Queue queue_;
  Informer<ServiceCidr> ranges_;
  Informer<IpAddress> addresses_;
};

}  // namespace davit::servicecidr
