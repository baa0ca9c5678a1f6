/// Structs that begin with their size, as they cross the boundary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace davit::host {

/// A struct as a plugin passed it, with members that its version lacks taken as zero.
template <typename T>
[[nodiscard]] T received(const void* from, std::size_t size) {
  T out{};
  std::memcpy(&out, from, std::min(size, sizeof(T)));
  out.size = sizeof(T);
  return out;
}
template <typename T>
[[nodiscard]] T received(const T* from) {
  return received<T>(from, from->size);
}

/// Writes as much of `from` as the caller knows.
template <typename T>
void put(T from, T* to) {
  from.size = std::min<std::uint32_t>(to->size, sizeof(T));
  std::memcpy(to, &from, from.size);
}

}  // namespace davit::host
