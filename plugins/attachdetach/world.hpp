/// The volumes that nodes need, and those that they have.
#pragma once

#include <cstdint>
#include <davit/time.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/attachdetach/volume_source.hpp"

namespace davit::attachdetach {

/// One volume on one node. Rule: docs/spec/attachdetach.md, 7.
struct Pair {
  enum class Phase : std::uint8_t {
    kAbsent,     ///< Wanted, and nothing more.
    kAttaching,  ///< Since `began`.
    kAttached,   ///< Confirmed.
    kUncertain,  ///< Attached or not: a step has failed, or a restart has forgotten it.
    kDetaching,  ///< Since `began`.
  };

  Phase phase = Phase::kAbsent;
  bool is_reported = false;  ///< The node's list shall have it.
  /// The node's list is without it: seen or written after the decision to detach.
  bool is_released = false;
  std::uint64_t decision = 0;      ///< The number of that decision; see World::decisions.
  bool is_suspect = false;         ///< Attached, but its attachment looks otherwise.
  bool was_seen = false;           ///< The attachment of this operation was in the cache.
  bool was_reported_busy = false;  ///< The Multi-Attach Event was sent.
  std::optional<Time> unwanted_since{};
  Time began{};
  Time next{};                         ///< No try before.
  Duration pause{0};                   ///< The one after the last failure.
  std::vector<std::string> waiting{};  ///< The pods that wanted it when the operation began.
};

/// A pod in Events.
struct PodName {
  std::string ns;
  std::string name;
  std::string uid;
};

struct VolumeState {
  Source source;
  bool is_known = false;                ///< `source` is more than the name says.
  std::map<std::string, Pair> pairs{};  ///< Keys: nodes.
  std::map<std::string, std::map<std::string, PodName>> wanted{};  ///< Keys: nodes, then pods.
  /// Attachments under names that davit does not give, and their nodes.
  std::map<std::string, std::string, std::less<>> strays{};

  [[nodiscard]] bool is_wanted(const std::string& node) const { return wanted.contains(node); }
};

struct NodeState {
  bool is_managed = false;
  bool has_come = false;    ///< Its pods have not been processed yet.
  bool must_write = false;  ///< The server's list differs from what the cache shows.
  std::set<std::string, std::less<>> in_use{};  ///< As last seen.
};

/// A pod that is scheduled and not terminated.
struct PodState {
  PodName name{};
  std::string node{};
  std::map<std::string, Source> wanted{};  ///< Keys: names of volumes.
  std::vector<std::string> plugins{};      ///< Those of its attachable volumes, for metrics.
};

/// For one thread at a time; the controller has the lock.
class World {
 public:
  [[nodiscard]] VolumeState& volume(const std::string& name);
  /// Null: there is none.
  [[nodiscard]] VolumeState* find(std::string_view name);
  /// The volume whose name has this hash; null: there is none.
  [[nodiscard]] VolumeState* find_hash(std::string_view hash);
  [[nodiscard]] const std::map<std::string, VolumeState, std::less<>>& volumes() const {
    return volumes_;
  }

  /// Makes the pair if there is none.
  [[nodiscard]] Pair& pair(VolumeState& volume, const std::string& node);
  void erase(VolumeState& volume, const std::string& node);
  /// Forgets the volume if nothing is left of it.
  void prune(const std::string& name);
  /// Says what the volume is, unless that is known.
  void learn(VolumeState& volume, const Source& source);
  /// The volume as the pods on the node name it; as it is known otherwise. Several
  /// PersistentVolumes may stand for one volume: the one of the first pod counts, but one that is
  /// for one node only comes before those for many.
  [[nodiscard]] const Source& source_on(const VolumeState& volume, const std::string& node) const;
  /// The volumes with a pair on the node.
  [[nodiscard]] const std::set<std::string>& volumes_on(const std::string& node) const;

  /// Puts a pod in place of the one with this key; nothing: it is gone. A volume that the same pod
  /// wanted before stays wanted if `keep(source)`. Returns the names of the volumes that changed.
  std::vector<std::string> set_pod(const std::string& key, std::optional<PodState> pod,
                                   const std::function<bool(const Source&)>& keep);
  [[nodiscard]] const std::map<std::string, PodState>& pods() const { return pods_; }

  /// Keys: names. The state of a node that is gone stays while the node has pairs.
  std::map<std::string, NodeState, std::less<>> nodes{};
  /// The volumes of attachments, by their names: davit's, and strays.
  std::map<std::string, std::string, std::less<>> by_attachment{};
  /// The decisions to detach so far.
  std::uint64_t decisions = 0;

 private:
  std::map<std::string, VolumeState, std::less<>> volumes_;
  std::map<std::string, std::string, std::less<>> hashes_;  // To names.
  std::map<std::string, std::set<std::string>> on_node_;
  std::map<std::string, PodState> pods_;
};

}  // namespace davit::attachdetach
