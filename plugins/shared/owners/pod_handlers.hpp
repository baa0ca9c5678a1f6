/// Maps changes of pods to the keys of the objects that own them.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/expectations.hpp>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/selector.hpp>
#include <davit/queue.hpp>
#include <optional>

#include "plugins/shared/owners/owners.hpp"

namespace davit::owners {

/// The handlers addPod, updatePod and deletePod of ReplicaSets, ReplicationControllers, DaemonSets
/// and StatefulSets. Those of Jobs differ: they batch keys and track a finalizer.
/// Called by the controller's dispatcher only, one change at a time. Lowers the expectations that a
/// change fulfils before it queues the key, so that the sync finds them lowered.
template <typename Owner>
class PodHandlers {
 public:
  /// The meaning of a pod that is being deleted, in an update.
  enum class Terminating : std::uint8_t {
    kIsGone,   ///< A deletion: its replacement should not wait for the kubelet.
    kIsThere,  ///< Like every other pod: a StatefulSet waits until the name is free.
  };
  struct Options {
    /// Those of the owners, or null for a controller that keeps none. Outlive the handlers.
    TrackingExpectations* expectations = nullptr;
    /// An error or an empty selector matches no pod.
    Result<Selector> (*selector_of)(const Owner&) = nullptr;
    /// Added to minReadySeconds when a pod becomes ready. The server rounds that time down.
    std::chrono::seconds slack{0};
    Terminating terminating = Terminating::kIsGone;
  };

  PodHandlers(Informer<Owner> owners, Queue queue, const Options& options)
      : owners_(owners), queue_(queue), options_(options) {}

  void added(const Pod& pod) const {
    // After a restart a pod can show up for the first time while it is being deleted already.
    if (pod.is_being_deleted()) return deleted(pod);
    if (!pod.controller()) return queue_matching(pod);
    const Lookup<Owner> owner = controller_of(owners_, pod);
    if (!owner) return;
    if (options_.expectations != nullptr) options_.expectations->creation_observed(owner->key());
    queue_.add(*owner);
  }

  void updated(const Pod& old, const Pod& current) const {
    if (old.resource_version() == current.resource_version()) return;  // A resync.
    const bool labels_changed = !same_labels(old, current);
    if (current.is_being_deleted() && options_.terminating == Terminating::kIsGone) {
      deleted(current);
      if (labels_changed) deleted(old);
      return;
    }
    const std::optional<OwnerReference> before = old.controller();
    const std::optional<OwnerReference> reference = current.controller();
    const bool owner_changed = before != reference;
    if (owner_changed && before) {
      if (const auto owner = resolve(owners_, old.ns(), *before)) queue_.add(*owner);
    }
    if (!reference) {
      if (labels_changed || owner_changed) queue_matching(current);
      return;
    }
    const Lookup<Owner> owner = resolve(owners_, current.ns(), *reference);
    if (!owner) return;
    queue_.add(*owner);
    if (owner->min_ready().count() > 0 && !old.is_ready() && current.is_ready()) {
      queue_.add_after(owner->key(), owner->min_ready() + options_.slack);
    }
  }

  void deleted(const Pod& pod) const {
    const Lookup<Owner> owner = controller_of(owners_, pod);
    if (!owner) return;
    if (options_.expectations != nullptr) {
      options_.expectations->deletion_observed(owner->key(), pod.key());
    }
    queue_.add(*owner);
  }

 private:
  /// Queues every owner that would adopt the pod.
  void queue_matching(const Pod& pod) const {
    for (const Owner& owner : matching(owners_, pod, options_.selector_of)) queue_.add(owner);
  }

  Informer<Owner> owners_;
  Queue queue_;
  Options options_;
};

}  // namespace davit::owners
