#include "host/journal/text_table.hpp"

#include <functional>

namespace davit::host {
namespace {

constexpr std::size_t kSlotsFirst = 32;

}  // namespace

std::string_view TextTable::text(std::uint32_t number) const {
  if (number == 0 || number > ends_.size()) return {};
  const std::uint32_t begin = number == 1 ? 0 : ends_[number - 2];
  return std::string_view(pool_).substr(begin, ends_[number - 1] - begin);
}

std::uint32_t& TextTable::slot_of(std::string_view text) {
  std::size_t at = std::hash<std::string_view>{}(text);
  for (;; ++at) {
    std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
    if (slot == 0 || this->text(slot) == text) return slot;
  }
}

void TextTable::grow() {
  slots_.assign(slots_.empty() ? kSlotsFirst : slots_.size() * 2, 0);
  for (std::uint32_t number = 1; number <= ends_.size(); ++number) slot_of(text(number)) = number;
}

std::uint32_t TextTable::add(std::string_view text) {
  if (text.empty()) return 0;
  if ((ends_.size() + 1) * 2 > slots_.size()) grow();
  std::uint32_t& slot = slot_of(text);
  if (slot != 0) return slot;
  pool_.append(text);
  ends_.push_back(static_cast<std::uint32_t>(pool_.size()));
  return slot = static_cast<std::uint32_t>(ends_.size());
}

std::size_t TextTable::bytes() const {
  return pool_.capacity() + (ends_.capacity() + slots_.capacity()) * sizeof(std::uint32_t);
}

void TextTable::seal() {
  slots_ = {};
  pool_.shrink_to_fit();
  ends_.shrink_to_fit();
}

}  // namespace davit::host
