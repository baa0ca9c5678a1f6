/// The `config` of this plugin's controller.
#pragma once

#include <cstddef>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>

namespace davit::endpointslicemirroring {

struct Options {
  Duration batch_period{0};          ///< The wait between a change of a slice and the sync.
  std::size_t endpoints_max = 1000;  ///< The most addresses of a subset that are mirrored.
};

/// kInvalid: a value out of its range, or an unknown member.
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::endpointslicemirroring
