/// The rules of the TTL-after-finished controller: when a Job expires.
#pragma once

#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>

#include "plugins/shared/jobs/job.hpp"

namespace davit::ttlafterfinished {

/// A view of a Job.
class Job : public jobs::Job {
 public:
  using jobs::Job::Job;

  /// The time that it stays after its end; nothing: forever.
  [[nodiscard]] std::optional<std::chrono::seconds> ttl() const;
};

/// Whether the Job is to be deleted some time: finished, with a TTL, not being deleted.
[[nodiscard]] bool needs_cleanup(const Job& job);

/// The instant at which a Job that needs clean-up expires. kInternal, with upstream's message, if
/// the Job does not say when it finished.
[[nodiscard]] Result<WallTime> expiry_of(const Job& job);

}  // namespace davit::ttlafterfinished
