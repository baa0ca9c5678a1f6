#include "plugins/serviceaccount/configuration.hpp"

#include <chrono>
#include <davit/kube/duration.hpp>
#include <optional>
#include <string>

namespace davit::serviceaccount {
namespace {

constexpr std::chrono::hours kDefaultPeriod{8760};  // A year.

}  // namespace

Result<Duration> read_cleanup_period(Value config) {
  const Value option = config[kPeriodOption];
  if (option.is_absent()) return Duration(kDefaultPeriod);
  const std::optional<Duration> period = parse_duration(option.string());
  if (period && *period > Duration::zero()) return *period;
  return Status(Code::kInvalid, "invalid CleanUpPeriod: " + std::string(kPeriodOption) +
                                    " must be a positive duration such as 8760h, not \"" +
                                    std::string(option.string()) + "\"");
}

}  // namespace davit::serviceaccount
