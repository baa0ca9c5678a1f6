/// The log of a reflector. Internal to host/cache.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "host/cache/reflector_state.hpp"
#include "host/cache/resource_id.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Logs the reports of one reflector; a failure that repeats itself only once. Not thread-safe.
class ReflectorLog {
 public:
  ReflectorLog(Logger log, ResourceId resource)
      : log_(std::move(log)), resource_(std::move(resource)) {}

  /// `known_version`: up to which changes are known.
  void report(const ReflectorReport& report, const ReflectorRequest& request,
              const std::string& known_version);
  void fell_back_to_json(const Status& why);

 private:
  void failure(std::string_view message, const ReflectorReport& report,
               const ReflectorRequest& request);

  const Logger log_;
  const ResourceId resource_;
  std::string failure_;  // The last one that was logged.
};

/// Whether a request failed, so that nothing is known of the present state.
[[nodiscard]] bool is_failure(ReflectorReport::Note note);

}  // namespace davit::host
