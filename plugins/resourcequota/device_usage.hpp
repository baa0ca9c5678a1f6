/// The usage of ResourceClaims. Pure; kubernetes:pkg/quota/v1/evaluator/core claimEvaluator.
#pragma once

#include <cstdint>
#include <davit/kube/amount.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/kube/pod.hpp>
#include <davit/lookup.hpp>
#include <map>
#include <string>
#include <string_view>

namespace davit::resourcequota {

/// The DeviceClasses, and the extended resources that they stand for.
/// Rule: docs/spec/resourcequota.md, section 9.4.
class DeviceClasses {
 public:
  DeviceClasses() = default;
  explicit DeviceClasses(const List<ObjectView>& classes);

  [[nodiscard]] bool is_known(std::string_view name) const { return resource_of_.contains(name); }
  /// The extended resource that a class names; empty if it names none.
  [[nodiscard]] std::string_view resource_of(std::string_view name) const;
  /// Whether an extended resource leads to a class.
  [[nodiscard]] bool has_class(std::string_view resource) const;

 private:
  std::map<std::string, std::string, std::less<>> resource_of_;
  std::map<std::string, std::string, std::less<>> class_of_;  // The keys are extended resources.
};

/// The names of quotas that ResourceClaims count for.
[[nodiscard]] bool is_claim_name(std::string_view name, const DeviceClasses& classes);

/// The number of devices of each class that a claim may get. Rule: docs/spec/resourcequota.md,
/// section 9.3.
[[nodiscard]] std::map<std::string, std::int64_t> devices_of(const ObjectView& claim);

/// The usage of a claim; `of_owner` is the usage of its pod, if the claim was made for the extended
/// resources of that pod, and else empty.
[[nodiscard]] Amounts claim_usage(const ObjectView& claim, const DeviceClasses& classes,
                                  const Amounts& of_owner);

/// Whether a claim was made for the extended resources of its pod. `claims`: those of its
/// namespace; a pod has one of this kind at most.
[[nodiscard]] bool is_extended_claim_of(const ObjectView& claim, const Pod& pod,
                                        const List<ObjectView>& claims);

/// The name of the pod that a claim for extended resources was made for; empty for other claims.
[[nodiscard]] std::string_view extended_owner(const ObjectView& claim);

}  // namespace davit::resourcequota
