/// The holders of blocks: Services, Nodes that have CIDRs, and Nodes with a reservation.
/// Pure. Rules: docs/spec/nodeipam.md, sections 3, 6 and 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/kube/ip.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/nodeipam/cidr_set.hpp"
#include "plugins/nodeipam/options.hpp"

namespace davit::nodeipam {

/// A Node as the ledger reads it.
struct NodeFacts {
  std::string name;
  std::string uid;
  std::vector<std::string> cidrs;  ///< spec.podCIDRs.
};

/// Each holder counts as one use of each block that its CIDRs overlap, so a block is free only if
/// the last holder has left it (D5). Handlers keep the Nodes as the cache has them, syncs reserve.
/// For one thread at a time.
class CidrLedger {
 public:
  explicit CidrLedger(const Options& options);

  /// A Node as it is now; one of that name with another UID is gone. Whether a sync has something
  /// to do: the Node has no CIDRs, or one that report_misplaced() names.
  bool see(const NodeFacts& node);
  /// A Node is gone.
  void forget(const NodeFacts& node);

  /// The outcome of reserve().
  struct Reserved {
    std::vector<ip::Prefix> blocks;    ///< One from each set; empty: the Node has CIDRs already.
    std::vector<std::uint64_t> tries;  ///< For each set; empty if the blocks were reserved before.
  };
  /// Reserves blocks for a Node without CIDRs, or returns those that it has reserved. They stay
  /// reserved until the Node has CIDRs or is gone, or cancel(). kUnavailable: a set is full; the
  /// Node is then among those that take_waiting() names.
  [[nodiscard]] Result<Reserved> reserve(const std::string& name, const std::string& uid);
  /// The Node is gone: what is reserved for it is free.
  void cancel(const std::string& name);
  /// A write of what is reserved for the Node may have been carried out, or may still be.
  void keep(const std::string& name);
  /// The server has refused to write what is reserved for the Node: it is free, unless keep() was
  /// called for it (D8).
  void refuse(const std::string& name);
  /// The Nodes that found no block, if one has become free since the last call. They count as
  /// waiting no more.
  [[nodiscard]] std::vector<std::string> take_waiting();

  /// The first CIDR of the Node that is not of the set at its place; nothing if all are, or if this
  /// was asked of this Node before.
  [[nodiscard]] std::optional<std::string> report_misplaced(const std::string& name);

  [[nodiscard]] const std::vector<CidrSet>& sets() const { return sets_; }
  /// "10.244.0.0/16,fd00::/56".
  [[nodiscard]] std::string cluster_text() const;

  /// Writes what no cache has: the reservations, and where each set searches.
  void write(JsonWriter& out) const;
  /// Takes it over from another ledger. kInvalid: it is no such text, and nothing has changed.
  [[nodiscard]] Status read(Value state);

 private:
  /// Some blocks of one set.
  struct Held {
    std::size_t set;
    Blocks blocks;
  };
  struct Known {
    std::string uid;
    std::vector<std::string> cidrs;
    std::vector<Held> held;
    bool is_reported = false;
  };
  struct Reservation {
    std::string uid;
    std::vector<ip::Prefix> blocks;
    std::vector<Held> held;
    bool may_be_written = false;
  };

  /// The first CIDR that is not of the set at its place.
  [[nodiscard]] std::optional<std::string> misplaced(const std::vector<std::string>& cidrs) const;
  [[nodiscard]] std::vector<Held> hold(const ip::Prefix& prefix);
  void release(std::vector<Held>& held);
  void release_all(std::map<std::string, Reservation>::iterator reservation);
  /// Whether each block is of the set at its place, and there is one for each set.
  [[nodiscard]] bool fits(const std::vector<ip::Prefix>& blocks) const;
  [[nodiscard]] std::uint64_t freed() const;

  std::vector<CidrSet> sets_;
  std::map<std::string, Known> nodes_;
  std::map<std::string, Reservation> reservations_;
  std::set<std::string> waiting_;
  std::uint64_t freed_before_ = 0;  // As of the last take_waiting().
};

}  // namespace davit::nodeipam
