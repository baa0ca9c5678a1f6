/// The host side of "davit.object/1": the reads of abi.h over our objects.
#pragma once

#include <davit/abi.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "host/object/object_space.hpp"

namespace davit::host {

/// Fills every function of the table that needs no call, that is all but name, parse, retain,
/// retained and release, which are left alone. Does not touch `size`. The functions are
/// thread-safe; equal, hash and json throw std::bad_alloc, so a plugin gets them wrapped.
void fill_object_table(davit_object_v1& table);

/// A read that a projection does not allow.
struct UndeclaredRead {
  Mask at = kNothingMask;       ///< The place of the value that was read; not kFullMask.
  std::array<char, 128> key{};  ///< The member that was asked for, possibly cut.
  std::size_t key_size = 0;     ///< 0: the value as a whole.
  [[nodiscard]] std::string_view member() const { return {key.data(), key_size}; }
};

/// The first one on this thread since forget_undeclared_read(). The functions of the table get no
/// call, so only the thread connects a read to the call that it belongs to.
[[nodiscard]] const std::optional<UndeclaredRead>& undeclared_read() noexcept;
void forget_undeclared_read() noexcept;

}  // namespace davit::host
