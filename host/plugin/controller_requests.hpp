/// The API requests of one controller.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "host/api/rest_client.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_informers.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/intended_writes.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Checks requests against the declared rights, sends them, and notifies the write tracker of the
/// call what was written. Answers the writes of a shadow itself, as the server would. Thread-safe.
class ControllerRequests {
 public:
  /// The references outlive this.
  ControllerRequests(const ControllerHostOptions& options, const HostServices& services,
                     const Logger& log, const ControllerInformers& informers,
                     IntendedWrites& intended);
  ControllerRequests(const ControllerRequests&) = delete;
  ControllerRequests& operator=(const ControllerRequests&) = delete;

  /// Sends all at once; responses[i] is filled for requests[i].
  void send(std::span<const davit_request> requests, std::span<davit_response> responses,
            CallFrame& frame);

  /// Cancels requests that are not on the wire yet, until release(); those on the wire finish.
  void hold() { client_.hold(); }
  void release() { client_.release(); }

 private:
  [[nodiscard]] Status check_rights(const davit_request& request) const;
  /// Refuses a create for an owner with a dependant of that resource which the cache lacks because
  /// it cannot be read: controllers count what they see and would create replacements without end.
  [[nodiscard]] Status check_dependants(const davit_request& request) const;
  /// Collects a write if collecting is on; for a shadow, returns the host's own response.
  [[nodiscard]] std::optional<ApiResponse> intend(const ApiRequest& request);
  struct CacheView;
  [[nodiscard]] CacheView look(const ResourcePath& path, std::string_view name) const;
  void respond(const davit_request& request, ApiResponse from, davit_response& to,
               CallFrame& frame);
  void note_write(const davit_request& request, const ObjectRef& answer, const CallFrame& frame);
  void note_lost(const davit_request& request, const CallFrame& frame);

  const ControllerHostOptions& options_;
  const HostServices& services_;
  const Logger& log_;
  const ControllerInformers& informers_;
  IntendedWrites& intended_;
  RestClient client_;
  Mask metadata_mask_ = kFullMask;
};

}  // namespace davit::host
