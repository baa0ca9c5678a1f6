/// The controller that warns of volumes which pods use with different SELinux labels.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/selinuxwarning/conflicts.hpp"
#include "plugins/shared/volumes/views.hpp"
#include "plugins/shared/volumes/volume_source.hpp"

namespace davit::selinuxwarning {

/// Writes Events and a metric only. Keeps the uses of those volumes that can be mounted with a
/// label; others never conflict. The uses follow from the caches, so a new build needs nothing of
/// the one before. Rule: docs/spec/cluster-controllers.md, part E.
class SelinuxWarningController final : public Controller {
 public:
  explicit SelinuxWarningController(Context& cluster);

 private:
  /// The volumes of a pod that count, as far as they are known by now.
  struct PodVolumes {
    std::vector<Use> uses;
    std::vector<std::string> mixed;  ///< Mounted with several labels.
    bool is_waiting = false;         ///< For a claim to be bound.
  };

  void on_driver(const Event<volumes::CsiDriver>& event) const;
  void add_pods_of_claim(std::string_view ns, std::string_view name) const;
  void add_pods_of_volume(const volumes::Volume& volume) const;

  [[nodiscard]] Result<Again> sync(const Key& key);
  [[nodiscard]] PodVolumes volumes_of(const Pod& pod) const;
  /// The PersistentVolume behind a claim of the pod; nothing while that is not known.
  [[nodiscard]] std::optional<volumes::Volume> bound_volume(const Pod& pod, Value volume) const;
  [[nodiscard]] bool supports_labels(const volumes::Source& source) const;
  void show(const Changes& changes) const;

  Context& cluster_;
  ConflictLedger ledger_;  // Only the one worker uses it.
  Metric conflicts_;
  Queue queue_;
  Informer<Pod> pods_;
  Informer<volumes::Claim> claims_;
  Informer<volumes::Volume> volumes_;
  Informer<volumes::CsiDriver> drivers_;
};

}  // namespace davit::selinuxwarning
