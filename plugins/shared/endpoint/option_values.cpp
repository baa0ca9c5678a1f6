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

Status read_period_option(const Member& member, Duration& out) {
  const std::optional<Duration> period = parse_duration(member.value.string());
  if (!period) {
    return Status(Code::kInvalid,
                  std::string(member.key) + " must be a duration such as \"500ms\"");
  }
  out = *period;
  return {};
}

Status read_endpoints_max_option(const Member& member, std::size_t& out) {
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

Status unknown_option(const Member& member, std::string_view known) {
  return Status(Code::kInvalid, "unknown configuration \"" + std::string(member.key) +
                                    "\"; known: " + std::string(known));
}

}  // namespace davit::endpoint
