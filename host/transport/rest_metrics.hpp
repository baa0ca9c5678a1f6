/// The metrics of the REST client. The names are those of docs/spec/runtime.md, 19.2.
#pragma once

#include <cstddef>
#include <string_view>

#include "lib/base/clock.hpp"

namespace davit::host {

/// Thread-safe; called often, must not block. `host` is "address:port" of the server, `verb` the
/// HTTP method.
class RestMetrics {
 public:
  RestMetrics() = default;
  RestMetrics(const RestMetrics&) = delete;
  RestMetrics& operator=(const RestMetrics&) = delete;
  virtual ~RestMetrics() = default;

  /// rest_client_requests_total: each HTTP attempt, watches too. `code` is "200" or "<error>".
  virtual void request_done(std::string_view code, std::string_view method,
                            std::string_view host) = 0;
  /// rest_client_request_retries_total: attempts after the first; `code` is that of the attempt
  /// before.
  virtual void request_retried(std::string_view code, std::string_view verb,
                               std::string_view host) = 0;
  /// rest_client_request_duration_seconds: unary calls, from the start of the call to its end,
  /// waits included.
  virtual void request_duration(std::string_view verb, std::string_view host, Duration time) = 0;
  /// rest_client_rate_limiter_duration_seconds.
  virtual void limiter_duration(std::string_view verb, std::string_view host, Duration time) = 0;
  /// rest_client_request_size_bytes and rest_client_response_size_bytes.
  virtual void request_size(std::string_view verb, std::string_view host, std::size_t bytes) = 0;
  virtual void response_size(std::string_view verb, std::string_view host, std::size_t bytes) = 0;

  /// rest_client_transport_ca_reload_total.
  virtual void ca_reloaded(std::string_view result, std::string_view reason) = 0;
  /// rest_client_exec_plugin_call_total.
  virtual void exec_plugin_called(int exit_code, std::string_view call_status) = 0;
  /// rest_client_exec_plugin_ttl_seconds: when the current credentials end; never for those without
  /// an end.
  virtual void exec_plugin_expires(WallTime when) = 0;
  /// rest_client_exec_plugin_certificate_rotation_age: the age of a certificate that another one of
  /// the exec plugin replaces.
  virtual void exec_plugin_rotated([[maybe_unused]] Duration age) {}
  /// rest_client_transport_create_calls_total: a client was given the connections that others use
  /// (kShared), or its own (kMade).
  enum class TransportUse { kMade, kShared };
  virtual void transport_used([[maybe_unused]] TransportUse use) {}
};

/// Counts nothing.
class NoRestMetrics final : public RestMetrics {
 public:
  void request_done(std::string_view, std::string_view, std::string_view) override {}
  void request_retried(std::string_view, std::string_view, std::string_view) override {}
  void request_duration(std::string_view, std::string_view, Duration) override {}
  void limiter_duration(std::string_view, std::string_view, Duration) override {}
  void request_size(std::string_view, std::string_view, std::size_t) override {}
  void response_size(std::string_view, std::string_view, std::size_t) override {}
  void ca_reloaded(std::string_view, std::string_view) override {}
  void exec_plugin_called(int, std::string_view) override {}
  void exec_plugin_expires(WallTime) override {}
};

}  // namespace davit::host
