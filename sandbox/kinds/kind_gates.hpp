/// The settings of a server that change the rules of kinds: feature gates, families of addresses.
#pragma once

#include <memory>
#include <vector>

#include "sandbox/kinds/resource.hpp"
#include "sandbox/kinds/service_families.hpp"

namespace davit::sandbox {

struct KindFacts;

/// The defaults are those of v1.36. Rules: docs/spec/hpa.md and docs/spec/statefulset.md, both in
/// section 20, and docs/spec/dra.md.
struct KindGates {
  bool scale_to_zero = false;          ///< HPAScaleToZero: minReplicas may be 0.
  bool configurable_tolerance = true;  ///< HPAConfigurableTolerance: tolerances are kept.
  /// MaxUnavailableStatefulSet: maxUnavailable of StatefulSets is kept, and 1 if missing.
  bool max_unavailable_stateful_set = false;
  bool device_taint_rules = false;  ///< DRADeviceTaintRules: DeviceTaintRules are served.
};

/// The rules of kinds under gates.
[[nodiscard]] std::shared_ptr<const KindRules> gated_autoscaler_rules(const KindFacts& facts,
                                                                      const KindGates& gates);
[[nodiscard]] std::shared_ptr<const KindRules> gated_autoscaler_v1_rules(const KindFacts& facts,
                                                                         const KindGates& gates);
[[nodiscard]] std::shared_ptr<const KindRules> gated_stateful_set_rules(const KindFacts& facts,
                                                                        const KindGates& gates);

/// Gives the kinds among `resources` that have gates, in all versions, their rules under these.
void apply_gates(std::vector<ResourcePtr>& resources, const KindGates& gates);
/// Gives Services the rules of a server that has addresses of `served`.
void apply_families(std::vector<ResourcePtr>& resources, const ServiceFamilies& served);

}  // namespace davit::sandbox
