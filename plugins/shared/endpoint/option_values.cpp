#include "plugins/shared/endpoint/option_values.hpp"

#include <cstdint>
#include <davit/kube/duration.hpp>
#include <optional>
#include <string>

namespace davit::endpoint {
namespace {

/// The server's own limit (pkg/apis/discovery/validation).
constexpr std::int64_t kSliceCapacity = 1000;

}  // namespace

Status read_period_option(Value config, std::string_view name, Duration& out) {
  const Value option = config[name];
  if (option.is_absent()) return {};
  const std::optional<Duration> period = parse_duration(option.string());
  if (!period) {
    return Status(Code::kInvalid, std::string(name) + " must be a duration such as \"500ms\"");
  }
  out = *period;
  return {};
}

Status read_endpoints_max_option(Value config, std::string_view name, std::size_t& out) {
  const Value option = config[name];
  if (option.is_absent()) return {};
  const std::optional<std::int64_t> number = option.integer();
  const std::string must = std::string(name) + " must ";
  if (!number) return Status(Code::kInvalid, must + "be an integer");
  const std::string got = ", but got " + std::to_string(*number);
  if (*number < 1) return Status(Code::kInvalid, must + "not be less than 1" + got);
  if (*number > kSliceCapacity) {
    return Status(Code::kInvalid,
                  must + "not be more than " + std::to_string(kSliceCapacity) + got);
  }
  out = static_cast<std::size_t>(*number);
  return {};
}

}  // namespace davit::endpoint
