#include "plugins/endpointslicemirroring/options.hpp"

#include <string>
#include <string_view>

#include "plugins/shared/endpoint/option_values.hpp"

namespace davit::endpointslicemirroring {

Result<Options> read_options(Value config) {
  constexpr std::string_view kBatchPeriod = "mirroringEndpointsliceUpdatesBatchPeriod";
  constexpr std::string_view kEndpointsMax = "mirroringMaxEndpointsPerSubset";
  Options options;
  for (const Member& each : config.members()) {
    Status read;
    if (each.key == kBatchPeriod) {
      read = endpoint::read_period_option(each, options.batch_period);
    } else if (each.key == kEndpointsMax) {
      read = endpoint::read_endpoints_max_option(each, options.endpoints_max);
    } else {
      read = endpoint::unknown_option(
          each, std::string(kBatchPeriod) + ", " + std::string(kEndpointsMax));
    }
    if (!read.ok()) return read;
  }
  return options;
}

}  // namespace davit::endpointslicemirroring
