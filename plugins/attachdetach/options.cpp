#include "plugins/attachdetach/options.hpp"

#include <davit/options.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/options/signed_duration.hpp"

namespace davit::attachdetach {
namespace {

constexpr std::string_view kPeriod = "reconcilerSyncLoopPeriod";
constexpr std::string_view kNoVerification = "disableAttachDetachReconcilerSync";
constexpr std::string_view kNoForce = "disableForceDetachOnTimeout";

Status read_period(Value config, Duration& out) {
  const Value value = config[kPeriod];
  if (value.is_absent()) return {};
  const std::optional<Duration> read = options::parse_signed_duration(value.string());
  if (!read) return {Code::kInvalid, std::string(kPeriod) + " must be a duration such as 1m"};
  out = *read;
  return {};
}

/// `out` is the opposite of the member.
Status read_off(Value config, std::string_view name, bool& out) {
  const Value value = config[name];
  if (value.is_absent()) return {};
  if (!value.boolean()) return {Code::kInvalid, std::string(name) + " must be true or false"};
  out = !value.is_true();
  return {};
}

}  // namespace

Result<Options> read_options(Value config) {
  Options out;
  for (const Status& each :
       {check_options(config, {kPeriod, kNoVerification, kNoForce}),
        read_period(config, out.verify_period), read_off(config, kNoVerification, out.verifies),
        read_off(config, kNoForce, out.forces_on_timeout)}) {
    if (!each.ok()) return each;
  }
  if (out.verify_period < std::chrono::seconds(1)) {
    return Status(Code::kInvalid,
                  "duration time must be greater than one second as set via command line option "
                  "reconcile-sync-loop-period");
  }
  return out;
}

}  // namespace davit::attachdetach
