/// The owner references of claims, by which the garbage collector carries out the retention policy.
/// Pure.
///
/// Rules: docs/spec/statefulset.md, 13.3 and 13.4.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <string>
#include <string_view>

namespace davit::statefulset {

/// spec.persistentVolumeClaimRetentionPolicy. An unknown value retains.
struct Retention {
  bool deletes_with_set = false;
  bool deletes_when_scaled = false;

  [[nodiscard]] bool retains_all() const { return !deletes_with_set && !deletes_when_scaled; }
};

[[nodiscard]] Retention read_retention(Value policy);

/// The two objects that may own a claim on behalf of the policy. The views must outlive it.
struct Identity {
  std::string_view name = {};
  std::string_view uid = {};  ///< Empty for a pod that is not created yet.
};
struct ClaimOwners {
  Identity set{};
  Identity pod{};
  bool pod_is_in_range = true;
};

/// Whether something else manages the claim, so that the policy does not apply to it.
[[nodiscard]] bool has_other_controller(Value owner_references, const Retention& policy,
                                        const ClaimOwners& owners);

/// Whether the references need no change.
[[nodiscard]] bool are_up_to_date(Value owner_references, const Retention& policy,
                                  const ClaimOwners& owners);

/// The references that the policy requires, as JSON text. References of others stay.
[[nodiscard]] std::string wanted_references(Value owner_references, const Retention& policy,
                                            const ClaimOwners& owners);

/// Whether the claim still belongs to an earlier pod of this name, with which it will be deleted.
[[nodiscard]] bool is_stale_claim(Value owner_references, const Retention& policy,
                                  std::string_view pod);

}  // namespace davit::statefulset
