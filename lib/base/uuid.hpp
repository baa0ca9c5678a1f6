/// Random names.
#pragma once

#include <string>

#include "lib/base/random.hpp"

namespace davit {

/// A version 4 UUID: "6ba7b810-9dad-41d1-80b4-00c04fd430c8". Unlikely to meet itself; no secret.
[[nodiscard]] std::string random_uuid(Random& random);

}  // namespace davit
