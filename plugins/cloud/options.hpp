/// The configuration of the loops.
#pragma once

#include <davit/object.hpp>
#include <davit/result.hpp>
#include <string>

namespace davit::cloud {

struct Options {
  std::string cluster = "kubernetes";  ///< The name of the cluster, which each call has.
};

/// kInvalid names the member. Rule: docs/spec/cloud.md, 0.2.
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::cloud
