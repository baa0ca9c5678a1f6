#include "plugins/nodeipam/block_uses.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <iterator>

namespace davit::nodeipam {

BlockUses::Changes::iterator BlockUses::split(std::uint64_t index) {
  if (index >= size_) return changes_.end();
  const auto next = changes_.upper_bound(index);
  const auto at = std::prev(next);
  return at->first == index ? at : changes_.emplace_hint(next, index, at->second);
}

void BlockUses::join(std::uint64_t index) {
  const auto at = changes_.find(index);
  if (index == 0 || at == changes_.end()) return;
  if (std::prev(at)->second == at->second) changes_.erase(at);
}

std::uint64_t BlockUses::add(const Blocks& blocks) {
  const auto end = split(blocks.last + 1);
  std::uint64_t changed = 0;
  for (auto at = split(blocks.first); at != end; ++at) {
    const auto next = std::next(at);
    if (at->second++ == 0) changed += (next == changes_.end() ? size_ : next->first) - at->first;
  }
  join(blocks.first);
  join(blocks.last + 1);
  used_ += changed;
  return changed;
}

std::uint64_t BlockUses::remove(const Blocks& blocks) {
  const auto end = split(blocks.last + 1);
  std::uint64_t changed = 0;
  for (auto at = split(blocks.first); at != end; ++at) {
    const auto next = std::next(at);
    at->second = mutant("uses-of-a-block") ? 0 : at->second - 1;
    if (at->second == 0) changed += (next == changes_.end() ? size_ : next->first) - at->first;
  }
  join(blocks.first);
  join(blocks.last + 1);
  used_ -= changed;
  return changed;
}

std::uint64_t BlockUses::first_free(std::uint64_t start) const {
  const auto is_free = [](const Changes::value_type& each) { return each.second == 0; };
  const auto from = std::prev(changes_.upper_bound(start));
  const auto found = std::find_if(from, changes_.end(), is_free);
  if (found != changes_.end()) return std::max(start, found->first);
  return std::find_if(changes_.begin(), from, is_free)->first;
}

}  // namespace davit::nodeipam
