/// The ControllerRevisions of a DaemonSet: one for each template that it has had.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/informer.hpp>
#include <davit/kube/selector.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/daemonset/claimed_pods.hpp"
#include "plugins/daemonset/daemon_set.hpp"
#include "plugins/shared/history/controller_revision.hpp"

namespace davit::daemonset {

using history::ControllerRevision;

/// The revisions as a sync found or made them.
struct Revisions {
  ControllerRevision current;
  std::vector<ControllerRevision> old;  ///< Oldest first.

  /// The hash that pods of the present template carry; empty only for a revision made by hand.
  [[nodiscard]] std::string_view hash() const { return current.label(kHashLabel).value_or(""); }
};

/// Keeps the revisions; the bytes and numbers are those of plugins/shared/history. Thread-safe: one
/// call a DaemonSet, several at once. Rule: docs/spec/daemonset.md, 14.
class RevisionHistory {
 public:
  /// `cluster` must outlive it.
  RevisionHistory(Context& cluster, Informer<ControllerRevision> revisions)
      : cluster_(cluster), revisions_(revisions) {}

  /// Adopts and releases revisions, and finds or creates the one of the present template. `pods`
  /// are claimed only if two revisions have that template. Blocks for the requests.
  [[nodiscard]] Result<Revisions> construct(const DaemonSet& set, const Selector& selector,
                                            ClaimedPods& pods) const;

  /// Deletes the oldest revisions beyond the limit of the set, but none that a pod carries.
  [[nodiscard]] Status clean_up(const DaemonSet& set, const Revisions& revisions,
                                std::span<const Pod> pods) const;

 private:
  [[nodiscard]] Result<std::vector<ControllerRevision>> claim(const DaemonSet& set,
                                                              const Selector& selector) const;
  /// Gives a revision that lacks the hash label its own name as hash.
  [[nodiscard]] Result<ControllerRevision> label(const ControllerRevision& revision) const;
  [[nodiscard]] Result<ControllerRevision> snapshot(const DaemonSet& set, std::string_view data,
                                                    std::int64_t number) const;
  /// Another template has the hash already: counts that in the status, so that the next try has
  /// another hash. Always an error.
  [[nodiscard]] Status count_collision(const DaemonSet& set, std::string_view name) const;
  /// Makes one revision out of several with the present template: the newest one stays, and pods of
  /// the others become its own.
  [[nodiscard]] Result<ControllerRevision> merge(const std::vector<ControllerRevision>& duplicates,
                                                 ClaimedPods& pods) const;
  [[nodiscard]] Result<Revisions> find_or_make(const DaemonSet& set, const Selector& selector,
                                               ClaimedPods& pods) const;

  Context& cluster_;
  Informer<ControllerRevision> revisions_;
};

}  // namespace davit::daemonset
