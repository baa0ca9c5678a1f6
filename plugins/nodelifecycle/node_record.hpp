/// The node lifecycle controller's record of each node between passes.
#pragma once

#include <cstdint>
#include <davit/kube/lease.hpp>
#include <davit/kube/node.hpp>
#include <davit/time.hpp>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plugins/nodelifecycle/node_health.hpp"
#include "plugins/nodelifecycle/pod_eviction.hpp"

namespace davit::nodelifecycle {

/// The facts are read again when the object's version has changed, so a pass over an idle cluster
/// reads only two versions a node.
struct NodeRecord {
  // ---- Facts of the Node ----
  std::string name{};
  std::string uid{};
  std::string version{};
  std::string zone{};
  Time created{};
  std::optional<ReadyFacts> ready{};
  bool is_excluded = false;     ///< From the judgement on its zone.
  bool is_not_ready = false;    ///< Has the NoExecute taint not-ready.
  bool is_unreachable = false;  ///< Has the NoExecute taint unreachable.
  std::string_view defect{};    ///< The malformed part, a constant; empty: none.
  // ---- Facts of the Lease ----
  std::string lease_version{};
  std::optional<LeaseFacts> lease{};
  std::string_view lease_defect{};
  std::uint64_t lease_pass = 0;  ///< The last one that saw a Lease.
  // ---- The controller's own ----
  std::optional<NodeHealth> health{};
  std::uint64_t last_pass = 0;          ///< 0: the node is not known (any more).
  bool is_queued = false;               ///< May be in the taint queue of its zone.
  Eviction eviction = Eviction::kNone;  ///< The eviction of its pods; only without taints.
  bool marks_again = false;             ///< Its pods may lack their marks.
  bool is_published = false;            ///< Whether it is one of the UnreadyNodes.

  /// `now` and `wall_now` are the same instant. Another machine under the name has no health yet.
  void read(const Node& node, Time now, WallTime wall_now);
  void read(const std::optional<Lease>& lease);
};

/// The records by node name. References stay valid until erase().
class NodeRecords {
 public:
  /// The records of a list's objects in the order of its last pass. Lists hardly change between two
  /// passes, so that a comparison of names usually replaces a search.
  using Order = std::vector<NodeRecord*>;

  /// The record of a node, made when there is none.
  NodeRecord& of(std::string_view node);
  /// The same for the object at `place` of a list.
  NodeRecord& of(std::string_view node, std::size_t place, Order& order);

  /// Puts in a record that is known already.
  void put(NodeRecord record) {
    std::string name = record.name;
    records_.insert_or_assign(std::move(name), std::move(record));
  }

  auto begin() { return records_.begin(); }
  auto end() { return records_.end(); }
  [[nodiscard]] auto begin() const { return records_.begin(); }
  [[nodiscard]] auto end() const { return records_.end(); }
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// Calls `is_over` for each, and drops those for which it is true. Whether there were any: no
  /// Order may be used any more then.
  template <typename IsOver>
  bool erase(const IsOver& is_over) {
    const std::size_t before = records_.size();
    for (auto each = records_.begin(); each != records_.end();) {
      each = is_over(each->second) ? records_.erase(each) : std::next(each);
    }
    return records_.size() != before;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, NodeRecord, Hash, std::equal_to<>> records_;
};

/// The nodes whose Ready, as health knows it, is there and not True. Thread-safe.
class UnreadyNodes {
 public:
  enum class State : std::uint8_t { kReady, kUnready };

  void set(const std::string& node, State state) {
    const std::lock_guard lock(mutex_);
    if (state == State::kUnready) {
      names_.insert(node);
    } else {
      names_.erase(node);
    }
  }
  [[nodiscard]] bool contains(const std::string& node) const {
    const std::lock_guard lock(mutex_);
    return names_.contains(node);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> names_;  // Guarded by mutex_.
};

}  // namespace davit::nodelifecycle
