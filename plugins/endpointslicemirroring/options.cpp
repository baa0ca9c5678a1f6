#include "plugins/endpointslicemirroring/options.hpp"

#include <davit/options.hpp>
#include <string_view>

#include "plugins/shared/endpoint/option_values.hpp"

namespace davit::endpointslicemirroring {

Result<Options> read_options(Value config) {
  constexpr std::string_view kBatchPeriod = "mirroringEndpointsliceUpdatesBatchPeriod";
  constexpr std::string_view kEndpointsMax = "mirroringMaxEndpointsPerSubset";
  Options options;
  Status read = check_options(config, {kBatchPeriod, kEndpointsMax});
  if (read.ok()) read = endpoint::read_period_option(config, kBatchPeriod, options.batch_period);
  if (read.ok()) {
    read = endpoint::read_endpoints_max_option(config, kEndpointsMax, options.endpoints_max);
  }
  if (!read.ok()) return read;
  return options;
}

}  // namespace davit::endpointslicemirroring
