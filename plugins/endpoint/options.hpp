/// The `config` of this plugin's controllers.
#pragma once

#include <cstddef>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>

namespace davit::endpoint {

struct EndpointsOptions {
  Duration batch_period{0};  ///< The wait for further changes of a Service's pods.
  Duration write_window{0};  ///< The wait of a Service after a write.
};

struct SliceOptions {
  Duration batch_period{0};         ///< As above.
  Duration write_window{0};         ///< As above.
  std::size_t endpoints_max = 100;  ///< The most endpoints of a slice.
};

/// kInvalid: a value out of its range, or an unknown member.
[[nodiscard]] Result<EndpointsOptions> read_endpoints_options(Value config);
[[nodiscard]] Result<SliceOptions> read_slice_options(Value config);

}  // namespace davit::endpoint
