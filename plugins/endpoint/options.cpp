#include "plugins/endpoint/options.hpp"

#include <davit/options.hpp>
#include <davit/write_window.hpp>
#include <string_view>

#include "plugins/shared/endpoint/option_values.hpp"

namespace davit::endpoint {

namespace {

constexpr std::string_view kBatchPeriod = "endpointUpdatesBatchPeriod";
constexpr std::string_view kEndpointsMax = "maxEndpointsPerSlice";

}  // namespace

Result<EndpointsOptions> read_endpoints_options(Value config) {
  if (Status s = check_options(config, {kBatchPeriod, kWriteWindowOption}); !s.ok()) return s;
  EndpointsOptions options;
  Status read = read_period_option(config, kBatchPeriod, options.batch_period);
  if (!read.ok()) return read;
  const Result<Duration> window = read_write_window(config);
  if (!window) return window.error();
  options.write_window = *window;
  return options;
}

Result<SliceOptions> read_slice_options(Value config) {
  SliceOptions options;
  Status read = check_options(config, {kBatchPeriod, kEndpointsMax, kWriteWindowOption});
  if (read.ok()) read = read_period_option(config, kBatchPeriod, options.batch_period);
  if (read.ok()) read = read_endpoints_max_option(config, kEndpointsMax, options.endpoints_max);
  if (!read.ok()) return read;
  const Result<Duration> window = read_write_window(config);
  if (!window) return window.error();
  options.write_window = *window;
  return options;
}

}  // namespace davit::endpoint
