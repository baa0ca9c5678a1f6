/// Texts that are kept once and named by a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// Only grows. Not thread-safe; copies are independent.
class TextTable {
 public:
  /// The number of `text`: 0 for the empty one, then 1, 2, … in the order of their coming.
  std::uint32_t add(std::string_view text);
  /// Empty for a number that was never given. Valid until the next add().
  [[nodiscard]] std::string_view text(std::uint32_t number) const;
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// Memory that it holds, in bytes.
  [[nodiscard]] std::size_t bytes() const;
  /// No more texts come: gives up what only add() needs.
  void seal();

 private:
  [[nodiscard]] std::uint32_t& slot_of(std::string_view text);
  void grow();

  std::string pool_;                  // All texts, one after the other.
  std::vector<std::uint32_t> ends_;   // The end of each in the pool.
  std::vector<std::uint32_t> slots_;  // Numbers by hash; 0: free. A power of two, half full.
};

}  // namespace davit::host
