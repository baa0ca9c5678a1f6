#include "plugins/endpoint/options.hpp"

#include <davit/write_window.hpp>
#include <string>
#include <string_view>

#include "plugins/shared/endpoint/option_values.hpp"

namespace davit::endpoint {

namespace {

constexpr std::string_view kBatchPeriod = "endpointUpdatesBatchPeriod";
constexpr std::string_view kEndpointsMax = "maxEndpointsPerSlice";

}  // namespace

Result<EndpointsOptions> read_endpoints_options(Value config) {
  EndpointsOptions options;
  for (const Member& each : config.members()) {
    if (each.key == kWriteWindowOption) continue;
    const Status read = each.key == kBatchPeriod
                            ? read_period_option(each, options.batch_period)
                            : unknown_option(each, std::string(kBatchPeriod) + ", " +
                                                       std::string(kWriteWindowOption));
    if (!read.ok()) return read;
  }
  const Result<Duration> window = read_write_window(config);
  if (!window) return window.error();
  options.write_window = *window;
  return options;
}

Result<SliceOptions> read_slice_options(Value config) {
  SliceOptions options;
  for (const Member& each : config.members()) {
    if (each.key == kWriteWindowOption) continue;
    Status read;
    if (each.key == kBatchPeriod) {
      read = read_period_option(each, options.batch_period);
    } else if (each.key == kEndpointsMax) {
      read = read_endpoints_max_option(each, options.endpoints_max);
    } else {
      read = unknown_option(each, std::string(kBatchPeriod) + ", " + std::string(kEndpointsMax) +
                                      ", " + std::string(kWriteWindowOption));
    }
    if (!read.ok()) return read;
  }
  const Result<Duration> window = read_write_window(config);
  if (!window) return window.error();
  options.write_window = *window;
  return options;
}

}  // namespace davit::endpoint
