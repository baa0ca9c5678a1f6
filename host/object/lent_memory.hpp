/// Memory that becomes unreadable when it is given back: for a host that looks for plugins which
/// keep what was lent to a call.
#pragma once

#include <atomic>
#include <cstddef>
#include <davit/result.hpp>
#include <memory>

namespace davit::host {

/// Pages of one range of addresses, each used once. Thread-safe.
class LentMemory {
 private:
  struct Private {};  // Only open() makes one.

 public:
  /// kUnavailable: the system has no such range.
  [[nodiscard]] static Result<std::unique_ptr<LentMemory>> open();
  LentMemory(Private, void* begin) : begin_(static_cast<std::byte*>(begin)) {}
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;
  ~LentMemory();

  /// Memory at the begin of a page. Null: all pages have been used.
  [[nodiscard]] void* take(std::size_t bytes);
  /// Ends its life: each touch from now on is a SIGSEGV.
  void give_back(void* memory, std::size_t bytes);

  /// Whether the address is in the range. May be called in signal handlers.
  [[nodiscard]] bool owns(const void* address) const noexcept {
    const auto* const at = static_cast<const std::byte*>(address);
    return at >= begin_ && at < begin_ + kBytes;
  }

 private:
  /// Some 100,000 objects: more than a trial lends.
  static constexpr std::size_t kBytes = std::size_t{512} << 20;

  std::byte* const begin_;
  std::atomic<std::size_t> used_{0};  // Relaxed: each caller gets a range of its own.
};

}  // namespace davit::host
