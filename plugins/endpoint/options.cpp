#include "plugins/endpoint/options.hpp"

#include <davit/kube/duration.hpp>
#include <string>

namespace davit::endpoint {

Result<Duration> read_batch_period(Value config, std::string_view option) {
  const std::string known(option);
  for (const Member& each : config.members()) {
    if (each.key == option) continue;
    return Status(Code::kInvalid,
                  "unknown configuration \"" + std::string(each.key) + "\"; known is " + known);
  }
  const Value value = config[option];
  if (value.is_absent()) return Duration::zero();
  const std::optional<Duration> period = parse_duration(value.string());
  if (!period) return Status(Code::kInvalid, known + " must be a duration such as \"500ms\"");
  return *period;
}

}  // namespace davit::endpoint
