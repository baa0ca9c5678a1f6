#include "plugins/garbagecollector/text.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace davit::garbage {
namespace {

/// The number of blocks that hold a head and so many characters.
template <typename Block>
std::size_t blocks_for(std::size_t size) {
  return 1 + (size + sizeof(Block) - 1) / sizeof(Block);
}

}  // namespace

Text::Text(std::string_view text) {
  if (text.empty()) return;
  block_ = std::allocator<Block>().allocate(blocks_for<Block>(text.size()));
  std::construct_at(block_, Block{1, static_cast<std::uint32_t>(text.size())});
  std::memcpy(static_cast<void*>(block_ + 1), text.data(), text.size());
}

Text::~Text() {
  if (block_ == nullptr || --block_->users > 0) return;
  std::allocator<Block>().deallocate(block_, blocks_for<Block>(block_->size));
}

std::string_view Text::view() const {
  if (block_ == nullptr) return {};
  return {static_cast<const char*>(static_cast<const void*>(block_ + 1)), block_->size};
}

Text TextPool::of(std::string_view text) {
  if (text.empty()) return {};
  if (const auto found = texts_.find(text); found != texts_.end()) return *found;
  if (texts_.size() >= look_at_) {
    std::erase_if(texts_, [](const Text& each) { return !each.is_shared(); });
    look_at_ = std::max(kLookMin, 2 * texts_.size());
  }
  return *texts_.emplace(text).first;
}

}  // namespace davit::garbage
