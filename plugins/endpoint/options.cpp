#include "plugins/endpoint/options.hpp"

#include <cstdint>
#include <davit/kube/duration.hpp>
#include <davit/write_window.hpp>
#include <string>
#include <string_view>

namespace davit::endpoint {

namespace {

constexpr std::string_view kBatchPeriod = "endpointUpdatesBatchPeriod";
constexpr std::string_view kEndpointsMax = "maxEndpointsPerSlice";
/// The server's own limit (pkg/apis/discovery/validation).
constexpr std::int64_t kSliceCapacity = 1000;

Status read_period(const Member& member, Duration& out) {
  const std::optional<Duration> period = parse_duration(member.value.string());
  if (!period) {
    return Status(Code::kInvalid,
                  std::string(member.key) + " must be a duration such as \"500ms\"");
  }
  out = *period;
  return {};
}

Status read_endpoints_max(const Member& member, std::size_t& out) {
  const std::string name(member.key);
  const std::optional<std::int64_t> number = member.value.integer();
  if (!number) return Status(Code::kInvalid, name + " must be an integer");
  const std::string got = ", but got " + std::to_string(*number);
  if (*number < 1) return Status(Code::kInvalid, name + " must not be less than 1" + got);
  if (*number > kSliceCapacity) {
    return Status(Code::kInvalid,
                  name + " must not be more than " + std::to_string(kSliceCapacity) + got);
  }
  out = static_cast<std::size_t>(*number);
  return {};
}

Status unknown(const Member& member, std::string_view known) {
  return Status(Code::kInvalid, "unknown configuration \"" + std::string(member.key) +
                                    "\"; known: " + std::string(known));
}

}  // namespace

Result<EndpointsOptions> read_endpoints_options(Value config) {
  EndpointsOptions options;
  for (const Member& each : config.members()) {
    if (each.key == kWriteWindowOption) continue;
    const Status read =
        each.key == kBatchPeriod
            ? read_period(each, options.batch_period)
            : unknown(each, std::string(kBatchPeriod) + ", " + std::string(kWriteWindowOption));
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
      read = read_period(each, options.batch_period);
    } else if (each.key == kEndpointsMax) {
      read = read_endpoints_max(each, options.endpoints_max);
    } else {
      read = unknown(each, std::string(kBatchPeriod) + ", " + std::string(kEndpointsMax) + ", " +
                               std::string(kWriteWindowOption));
    }
    if (!read.ok()) return read;
  }
  const Result<Duration> window = read_write_window(config);
  if (!window) return window.error();
  options.write_window = *window;
  return options;
}

}  // namespace davit::endpoint
