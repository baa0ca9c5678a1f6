/// The requests of one controller to servers outside the cluster.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <span>
#include <string>
#include <vector>

#include "host/outbound/outbound_client.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/intended_writes.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Checks requests against the declared hosts and sends them; responds itself to the changes of a
/// dry run and of a shadow. Thread-safe.
class ControllerHttp {
 public:
  /// The references outlive this.
  ControllerHttp(const ControllerHostOptions& options, const HostServices& services,
                 const Logger& log, IntendedWrites& intended);
  ControllerHttp(const ControllerHttp&) = delete;
  ControllerHttp& operator=(const ControllerHttp&) = delete;

  /// See OutboundClient::check_roots().
  [[nodiscard]] Status check_roots() const { return client_.check_roots(); }

  /// Sends all at once; responses[i] is filled for requests[i].
  void send(std::span<const davit_http_request> requests, std::span<davit_http_response> responses,
            CallFrame& frame);

  /// Cancels unsent requests until release(); sent requests finish.
  void hold() { client_.hold(); }
  void release() { client_.release(); }
  /// See OutboundClient::close_idle().
  void close_idle() { client_.close_idle(); }

 private:
  [[nodiscard]] Status check_host(const OutboundUrl& url) const;
  [[nodiscard]] Result<OutboundRequest> check(const davit_http_request& request) const;
  /// Whether a change is sent; collects it if collecting is on.
  [[nodiscard]] bool is_sent(const OutboundRequest& request);

  const ControllerHostOptions& options_;
  const HostServices& services_;
  const Logger& log_;
  IntendedWrites& intended_;
  OutboundClient client_;
};

}  // namespace davit::host
