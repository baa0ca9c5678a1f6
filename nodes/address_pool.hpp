/// The pod addresses of one node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace davit::sandbox {

/// Hands out the addresses of an IPv4 range, each to one holder at a time. Goes round, so that an
/// address stays unused as long as possible before it comes again. Not thread-safe.
class AddressPool {
 public:
  /// Nothing if `cidr` is not an IPv4 range such as "10.244.1.0/24".
  [[nodiscard]] static std::optional<AddressPool> make(std::string_view cidr);

  /// "" when all are taken. The range's first and last address and the gateway's are never given.
  [[nodiscard]] std::string take();
  /// Marks an address that is already in use. Ignores addresses of other ranges.
  void hold(std::string_view address);
  void give_back(std::string_view address);

 private:
  AddressPool(std::uint32_t first, std::uint32_t count) : first_(first), count_(count) {}

  std::uint32_t first_;  // The first that may be given.
  std::uint32_t count_;
  std::uint32_t next_ = 0;
  std::unordered_set<std::uint32_t> taken_;
};

}  // namespace davit::sandbox
