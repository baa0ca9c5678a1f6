/// Creating, correcting and deleting the pods of a set, with their claims and Events.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/statefulset/bodies.hpp"
#include "plugins/statefulset/claims.hpp"
#include "plugins/statefulset/stateful_set.hpp"

namespace davit::statefulset {

/// A pod to create.
struct NewPod {
  std::int64_t ordinal = 0;
  Version version{};
};

/// Rules: docs/spec/statefulset.md, 12. Functions on several pods make their requests at once and
/// return one Status for each pod. Thread-safe.
class PodControl {
 public:
  /// The context must outlive it.
  PodControl(Context& cluster, Informer<Pod> pods, Informer<PersistentVolumeClaim> claims)
      : cluster_(cluster), pods_(pods), claims_(cluster, claims) {}

  /// Creates missing claims, then the pods.
  [[nodiscard]] std::vector<Status> create(const StatefulSet& set,
                                           std::span<const NewPod> pods) const;
  /// A pod that is gone is deleted.
  [[nodiscard]] std::vector<Status> remove(const StatefulSet& set,
                                           std::span<const std::string> pods) const;
  /// Creates the claims that pending pods lack, and sets the owners of all.
  [[nodiscard]] std::vector<Status> complete_claims(const StatefulSet& set,
                                                    std::span<const Pod> pods) const;
  /// Sets the owners of the pods' claims if they are not those that the policy requires.
  [[nodiscard]] std::vector<Status> fix_claims(const StatefulSet& set,
                                               std::span<const Pod> pods) const;
  /// Corrects the identity, the storage and the owners of claims of a pod where they are wrong.
  [[nodiscard]] Status refresh(const StatefulSet& set, const Pod& pod) const;

  /// Whether a pod must not be created yet, because a claim goes with an earlier pod of its name.
  [[nodiscard]] bool has_stale_claims(const StatefulSet& set, std::string_view pod) const {
    return claims_.are_stale(set, pod);
  }

 private:
  /// The outcome of attempts to correct a pod.
  struct Correction;
  [[nodiscard]] Status correct(const StatefulSet& set, const Pod& pod, Correction& done) const;

  Context& cluster_;
  Informer<Pod> pods_;
  Claims claims_;
};

}  // namespace davit::statefulset
