/// The evaluators: what is counted, and where its objects are.
#pragma once

#include <davit/dynamic_informer.hpp>
#include <davit/kube/device_quota.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/resourcequota/resource_plan.hpp"

namespace davit::resourcequota {

enum class Counting { kObjects, kPods, kServices, kVolumeClaims, kDeviceClaims };

/// The way of counting a resource, by its qualified name.
[[nodiscard]] Counting counting_of(std::string_view qualified);

struct Evaluator {
  ResourceId id;  ///< That it was made for.
  std::optional<DynamicInformer> informer = std::nullopt;
  /// The informer has had its content once. What it has now counts, also while the server refuses
  /// the resource or does not offer it: that is the last known usage.
  bool is_filled = false;
  /// The server served the resource once and does so no more, and there were no objects left.
  bool is_gone = false;
};

/// The state of what is counted; a copy is cheap enough for a sync.
struct Registry {
  std::map<std::string, Evaluator> evaluators;  ///< The keys are qualified names.
  std::optional<DynamicInformer> device_classes;
  bool are_classes_filled = false;  ///< As Evaluator::is_filled.

  /// Empty if there are none or they are not known yet.
  [[nodiscard]] quota::DeviceClasses read_device_classes() const;
};

/// The objects of a list, which must outlive the values.
[[nodiscard]] std::vector<Value> values_of(const List<ObjectView>& objects);

/// The evaluators that exist before the server is asked. Rule: docs/spec/resourcequota.md,
/// section 2.
[[nodiscard]] Registry initial_registry();

/// Whether objects of a resource count for a name of a quota.
[[nodiscard]] bool counts_for(std::string_view qualified, std::string_view name,
                              const quota::DeviceClasses& classes);

}  // namespace davit::resourcequota
