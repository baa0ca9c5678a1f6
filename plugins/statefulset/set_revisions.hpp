/// The ControllerRevisions of a StatefulSet.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/selector.hpp>
#include <vector>

#include "plugins/shared/history/controller_revision.hpp"
#include "plugins/statefulset/stateful_set.hpp"

namespace davit::statefulset {

using history::ControllerRevision;

/// The revisions that a sync works with.
struct ChosenRevisions {
  ControllerRevision current;  ///< The pods below the partition, and those not yet updated.
  ControllerRevision update;   ///< Made from the present template.
  std::int64_t collision_count = 0;
};

/// Rules: docs/spec/statefulset.md, 8, 9 and 15. Thread-safe.
class SetRevisions {
 public:
  /// The context must outlive it.
  SetRevisions(Context& cluster, Informer<ControllerRevision> cache)
      : cluster_(cluster), cache_(cache) {}

  /// Those that match the selector and that no other object controls, in their order.
  [[nodiscard]] std::vector<ControllerRevision> list(const StatefulSet& set,
                                                     const Selector& selector) const;

  /// Adopts those of `revisions` that have no controller.
  [[nodiscard]] Status adopt_orphans(const StatefulSet& set, const Selector& selector,
                                     const std::vector<ControllerRevision>& revisions) const;

  /// Finds the revision of the present template among `sorted`, or creates it.
  [[nodiscard]] Result<ChosenRevisions> choose(const StatefulSet& set,
                                               const std::vector<ControllerRevision>& sorted) const;

  /// Deletes the oldest beyond the limit. `chosen`: null if there is none. Revisions that a pod of
  /// `pods` names also stay.
  [[nodiscard]] Status truncate(const StatefulSet& set,
                                const std::vector<ControllerRevision>& sorted,
                                const ChosenRevisions* chosen, const std::vector<Pod>& pods) const;

 private:
  [[nodiscard]] Result<ControllerRevision> find_or_create(
      const StatefulSet& set, const std::vector<ControllerRevision>& sorted,
      std::int64_t& collision_count) const;
  [[nodiscard]] Result<ControllerRevision> create(const StatefulSet& set, std::string_view data,
                                                  std::int64_t number,
                                                  std::int64_t& collision_count) const;

  Context& cluster_;
  Informer<ControllerRevision> cache_;
};

}  // namespace davit::statefulset
