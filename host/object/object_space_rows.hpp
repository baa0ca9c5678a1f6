/// The rows of ObjectSpace's tables. Internal to host/object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "host/object/object_space.hpp"

namespace davit::host {

struct ObjectSpace::Name {
  const char* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t hash = 0;
};

/// Open addressing over name ids; 0 is an empty slot. Replaced by a larger one when half full, and
/// kept then, because readers may still be in it. All tables together are at most twice the last
/// one.
struct ObjectSpace::NameTable {
  explicit NameTable(std::size_t slot_count)
      : mask(slot_count - 1), slots(std::make_unique<std::atomic<std::uint32_t>[]>(slot_count)) {}
  std::size_t mask;  // Number of slots, a power of two, minus one.
  std::unique_ptr<std::atomic<std::uint32_t>[]> slots;
};

struct ObjectSpace::Edge {
  davit_name name = 0;
  Mask mask = kFullMask;
  std::string_view text;  // The name's text; lives as long as the space.
};

/// One place of a projection: what is visible below it.
struct ObjectSpace::Place {
  const Edge* edges = nullptr;
  std::uint32_t edge_count = 0;
  Mask every = kNothingMask;  // The mask of array elements.
};

}  // namespace davit::host
