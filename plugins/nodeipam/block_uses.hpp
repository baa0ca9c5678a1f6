/// The uses of the blocks of one range. Pure.
#pragma once

#include <cstdint>
#include <map>

namespace davit::nodeipam {

/// Blocks by their numbers, both included.
struct Blocks {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  friend bool operator==(const Blocks&, const Blocks&) = default;
};

/// Counts the uses of each block. Its memory follows the uses, not the number of blocks: it keeps
/// the places where the count changes.
class BlockUses {
 public:
  /// `size`: the number of blocks, at least 1.
  explicit BlockUses(std::uint64_t size) : size_(size) {}

  /// Adds a use to each block; the number of blocks that had none. `blocks` lie in the range.
  std::uint64_t add(const Blocks& blocks);
  /// Takes back a use that was added; the number of blocks that have none now.
  std::uint64_t remove(const Blocks& blocks);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The number of blocks that have a use.
  [[nodiscard]] std::uint64_t used() const { return used_; }
  /// The first block without a use from `start` on, and from 0 after the last one. Call it only if
  /// there is one.
  [[nodiscard]] std::uint64_t first_free(std::uint64_t start) const;

 private:
  using Changes = std::map<std::uint64_t, std::uint32_t>;

  /// The entry that begins at `index`, made if there is none; end() behind the last block.
  Changes::iterator split(std::uint64_t index);
  /// Drops the entry at `index` if it repeats the one before.
  void join(std::uint64_t index);

  std::uint64_t size_;
  std::uint64_t used_ = 0;
  Changes changes_{{0, 0}};  // The uses of each block from this number to that of the next entry.
};

}  // namespace davit::nodeipam
