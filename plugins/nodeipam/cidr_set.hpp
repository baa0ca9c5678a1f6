/// The blocks of one cluster CIDR. Pure. Rule: docs/spec/nodeipam.md, section 5.
#pragma once

#include <cstdint>
#include <davit/kube/ip.hpp>
#include <optional>

#include "plugins/nodeipam/block_uses.hpp"

namespace davit::nodeipam {

/// One entry of --cluster-cidr and the length of its blocks, which is from that of the CIDR to the
/// number of bits of an address.
struct ClusterRange {
  ip::Prefix cidr;
  int node_mask;
};

/// The blocks of a cluster CIDR and their uses. For one thread at a time.
class CidrSet {
 public:
  explicit CidrSet(const ClusterRange& range);

  [[nodiscard]] const ip::Prefix& cidr() const { return range_.cidr; }
  [[nodiscard]] std::uint64_t size() const { return uses_.size(); }
  [[nodiscard]] std::uint64_t used() const { return uses_.used(); }

  /// The blocks that share addresses with `prefix`; nothing if none does.
  [[nodiscard]] std::optional<Blocks> blocks_of(const ip::Prefix& prefix) const;
  /// Whether `prefix` is one of the blocks.
  [[nodiscard]] bool has_block(const ip::Prefix& prefix) const {
    return prefix.length() == range_.node_mask && range_.cidr.covers(prefix);
  }

  void hold(const Blocks& blocks) { came_into_use_ += uses_.add(blocks); }
  void release(const Blocks& blocks) { became_free_ += uses_.remove(blocks); }

  /// A block that take() has given.
  struct Taken {
    ip::Prefix block;
    std::uint64_t tries = 0;  ///< The used blocks that were stepped over.
  };
  [[nodiscard]] bool is_full() const { return used() == size(); }
  /// Takes the next free block of a set that is not full.
  [[nodiscard]] Taken take();

  /// The index at which the search begins.
  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// An index outside of the set means its beginning.
  void set_next(std::uint64_t index) { next_ = index < size() ? index : 0; }

  /// The number of times that a block has come into use, or has become free, so far.
  [[nodiscard]] std::uint64_t came_into_use() const { return came_into_use_; }
  [[nodiscard]] std::uint64_t became_free() const { return became_free_; }

 private:
  [[nodiscard]] std::uint64_t index_of(const ip::Address& address) const;
  [[nodiscard]] ip::Prefix block(std::uint64_t index) const;

  ClusterRange range_;
  BlockUses uses_;
  std::uint64_t next_ = 0;
  std::uint64_t came_into_use_ = 0;
  std::uint64_t became_free_ = 0;
};

}  // namespace davit::nodeipam
