/// Finds the Services that a change of a pod affects; shared by both controllers of this plugin
/// (staging/src/k8s.io/endpointslice/util.GetServicesToUpdateOnPodChange).
#pragma once

#include <davit/informer.hpp>
#include <davit/key.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/queue.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::endpoint {

using Labels = std::map<std::string, std::string, std::less<>>;

/// A pod's change as a handler notes it, so that a worker looks through the Services.
struct PodChange {
  std::string ns;
  Labels labels;
  std::optional<Labels> old_labels;  ///< Set: only what the pod joined or left may be concerned.
  bool pod_changed = false;

  /// Converts to a queue's key and back. Equal changes have equal keys, and so become one.
  [[nodiscard]] Key key() const;
  [[nodiscard]] static std::optional<PodChange> parse(const Key& key);

  friend bool operator==(const PodChange&, const PodChange&) = default;
};

/// A pod that appeared or went.
[[nodiscard]] PodChange whole_change(const Pod& pod);
/// Nothing when no endpoint depends on what changed.
[[nodiscard]] std::optional<PodChange> change_between(const Pod& old, const Pod& current);

class ServiceSelectors;

/// The Services of the pod's namespace that the change concerns.
[[nodiscard]] std::vector<Key> services_of(const PodChange& change,
                                           const ServiceSelectors& selectors,
                                           const Informer<Service>& services);

}  // namespace davit::endpoint
