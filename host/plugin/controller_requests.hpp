/// The API requests of one controller.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/api/rest_client.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_informers.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/intended_writes.hpp"
#include "host/plugin/simulated_server.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Checks requests against the declared rights, sends them, and notifies the write tracker of the
/// call what was written. A shadow's writes meet simulate(). Thread-safe.
class ControllerRequests {
 public:
  /// The references outlive this.
  ControllerRequests(const ControllerHostOptions& options, const HostServices& services,
                     const Logger& log, const ControllerInformers& informers,
                     IntendedWrites& intended);
  ControllerRequests(const ControllerRequests&) = delete;
  ControllerRequests& operator=(const ControllerRequests&) = delete;

  /// Sends one; streams it if it has a sink.
  void call(const davit_request& request, davit_response& response, CallFrame& frame);
  /// Sends all at once; responses[i] is filled for requests[i].
  void batch(std::span<const davit_request> requests, std::span<davit_response> responses,
             CallFrame& frame);
  /// See davit_client_v1.fan_out.
  [[nodiscard]] davit_code fan_out(const davit_fan_out& plugin, CallFrame& frame);

  /// Cancels unsent requests until release(); sent requests finish.
  void hold() { client_.hold(); }
  void release() { client_.release(); }
  /// See RestClient.
  [[nodiscard]] std::size_t waiting_for_rate() const { return client_.waiting_for_rate(); }

 private:
  class FanOut;
  /// The parts of a response that it borrows.
  struct LentResponse {
    ObjectRef object;
    std::string reason;
    std::string message;
    std::string causes;
  };

  enum class Sink { kRefused, kAllowed };
  /// The request as it is sent; logs why it is not.
  [[nodiscard]] Result<ApiRequest> prepare(const davit_request& request, Sink sink,
                                           CallFrame& frame) const;
  [[nodiscard]] Status check_rights(const davit_request& request) const;
  /// Refuses a create for an owner with a dependant of that resource which the cache lacks because
  /// it cannot be read: controllers count what they see and would create replacements without end.
  [[nodiscard]] Status check_dependants(const davit_request& request) const;
  /// Collects a write if collecting is on; for a shadow, returns the host's own response.
  [[nodiscard]] std::optional<ApiResponse> intend(const ApiRequest& request);
  [[nodiscard]] CacheView look(const ResourcePath& path, std::string_view name) const;
  void stream(const ApiRequest& request, const davit_sink& to, davit_response& response,
              CallFrame& frame);
  /// Fills `to`, which borrows from the result.
  [[nodiscard]] std::shared_ptr<const LentResponse> respond(const ApiRequest& request,
                                                            ApiResponse from, davit_response& to,
                                                            CallFrame& frame);
  void note_write(const ApiRequest& request, const ObjectRef& answer, const CallFrame& frame);
  /// Records a write, which `response` is the answer to, in the journal. `answer` is the object in
  /// it; may be empty.
  void record(const ApiRequest& request, const ApiResponse& response, ObjectRef answer,
              const CallFrame& frame) const;
  void note_lost(const ApiRequest& request, const CallFrame& frame);

  const ControllerHostOptions& options_;
  const HostServices& services_;
  const Logger& log_;
  const ControllerInformers& informers_;
  IntendedWrites& intended_;
  RestClient client_;
  Mask metadata_mask_ = kFullMask;
};

}  // namespace davit::host
