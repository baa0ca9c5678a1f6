/// Operations on a whole subtree: equality, hash and JSON text, as abi.h defines them. Internal to
/// host/object. Recursion is bounded by ParseOptions::depth_max.
#pragma once

#include <davit/abi.h>

#include <cstdint>

#include "host/object/tape.hpp"

namespace davit::host {

/// A value on its tape, without a mask.
struct Place {
  const Object* object;
  const tape::Byte* at;
};

[[nodiscard]] bool deep_equal(Place a, Place b);

/// FNV-1a, 64 bits, over the canonical text. Beyond what abi.h says of that text: strings escape
/// only the quote, the backslash (\" \\) and control characters (\b \f \n \r \t, else \u00xx in
/// lower case); an integer is a number without fraction and exponent, and -0 is written 0.
[[nodiscard]] std::uint64_t stable_hash(Place value);

/// Writes compact JSON, members in document order, in pieces of up to about 1 KiB. Returns
/// DAVIT_OK, or the code with which the sink ended it.
[[nodiscard]] davit_code write_json(Place value, const davit_sink& sink);

}  // namespace davit::host
