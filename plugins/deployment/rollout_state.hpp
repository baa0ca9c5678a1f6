/// The state of a Deployment and its ReplicaSets as one sync reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <vector>

#include "plugins/deployment/cluster.hpp"
#include "plugins/deployment/facts.hpp"

namespace davit::deployment {

/// A ReplicaSet and what this sync made of it. `SetFacts` stays as the snapshot had it.
struct OwnedSet {
  ReplicaSet snapshot;
  std::string version;  ///< The resourceVersion, own writes included.
  std::int64_t size = 0;
  bool is_marked = false;  ///< Its two size annotations say what they should.
};

/// The same instant on both clocks.
struct Instant {
  WallTime wall{};
  Time steady{};
};

/// The snapshot that a sync works on. What the sync writes to ReplicaSets is noted here and never
/// read back. Lives within one sync, on its thread.
struct RolloutState {
  /// `owned` are the ReplicaSets of the Deployment, in any order. `of` must outlive this.
  RolloutState(const Cluster& of, const Deployment& snapshot, std::vector<ReplicaSet> owned,
               const Instant& at);

  /// The sum of the wanted pods of all sets.
  [[nodiscard]] std::int64_t wanted() const;
  [[nodiscard]] SetList list() const { return {facts, has_new}; }
  /// The index of the new set; only with `has_new`.
  [[nodiscard]] std::size_t new_set() const { return sets.size() - 1; }
  /// `set` before this sync changed anything of it.
  [[nodiscard]] OwnedSet own(const ReplicaSet& set) const;

  const Cluster& cluster;
  const Deployment deployment;
  const WallTime now;
  const Time began;  ///< The same instant, for intervals.
  const RolloutFacts rollout;
  const Status limits;  ///< Why maxSurge or maxUnavailable cannot be read.

  std::vector<OwnedSet> sets;   ///< In SetList's order.
  std::vector<SetFacts> facts;  ///< One each, in the same order.
  bool has_new = false;

 private:
  void find_new_set(std::vector<ReplicaSet> owned);
};

}  // namespace davit::deployment
