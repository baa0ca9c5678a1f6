#include "plugins/ttlafterfinished/expiry_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace davit::ttlafterfinished {

std::optional<std::chrono::seconds> Job::ttl() const {
  // The field has 32 bits. A larger number, which only corrupt data has, must not overflow a time.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::optional<std::int64_t> seconds = spec()["ttlSecondsAfterFinished"].integer();
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(std::clamp<std::int64_t>(*seconds, 0, kMost));
}

bool needs_cleanup(const Job& job) {
  return !job.is_being_deleted() && job.ttl().has_value() && job.is_finished();
}

Result<WallTime> expiry_of(const Job& job) {
  const std::optional<ConditionView> finish = job.finish();
  const std::optional<WallTime> since =
      finish ? finish->last_transition_time() : std::optional<WallTime>();
  if (!since) {
    return Status(Code::kInternal,
                  "unable to find the time when the Job " + job.key().text() + " finished");
  }
  return *since + job.ttl().value_or(std::chrono::seconds(0));
}

}  // namespace davit::ttlafterfinished
