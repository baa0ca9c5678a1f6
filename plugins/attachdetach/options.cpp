#include "plugins/attachdetach/options.hpp"

#include <davit/kube/signed_duration.hpp>
#include <davit/options.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::attachdetach {
namespace {

constexpr std::string_view kPeriod = "reconcilerSyncLoopPeriod";
constexpr std::string_view kNoVerification = "disableAttachDetachReconcilerSync";
constexpr std::string_view kNoForce = "disableForceDetachOnTimeout";
/// davit's own: upstream's six minutes are fixed.
constexpr std::string_view kForceAfter = "forceDetachAfter";

Status read_duration(Value config, std::string_view name, Duration& out) {
  const Value value = config[name];
  if (value.is_absent()) return {};
  const std::optional<Duration> read = parse_signed_duration(value.string());
  if (!read) return {Code::kInvalid, std::string(name) + " must be a duration such as 1m"};
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
  bool forces = true;
  for (const Status& each :
       {check_options(config, {kPeriod, kNoVerification, kNoForce, kForceAfter}),
        read_duration(config, kPeriod, out.verify_period),
        read_duration(config, kForceAfter, *out.force_after),
        read_off(config, kNoVerification, out.verifies), read_off(config, kNoForce, forces)}) {
    if (!each.ok()) return each;
  }
  constexpr std::chrono::hours kForceAfterMax{365 * 24};  // Times that end later could overflow.
  if (*out.force_after < std::chrono::seconds(1) || *out.force_after > kForceAfterMax) {
    return Status(Code::kInvalid, std::string(kForceAfter) + " must be from 1s to 8760h");
  }
  if (!forces) out.force_after.reset();
  if (out.verify_period < std::chrono::seconds(1)) {
    return Status(Code::kInvalid,
                  "duration time must be greater than one second as set via command line option "
                  "reconcile-sync-loop-period");
  }
  return out;
}

}  // namespace davit::attachdetach
