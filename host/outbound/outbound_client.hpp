/// Requests to servers outside the cluster: time limits, retries, redirects, limits of size, over
/// the same connections as requests to the API server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/outbound/outbound_url.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

struct OutboundParts;

struct OutboundRequest {
  std::string method = "GET";
  OutboundUrl url;
  HttpHeaders headers;  ///< None of those that belong to the connection: Host, Content-Length, …
  std::string body;
  Duration timeout = std::chrono::seconds(30);            ///< For all attempts together.
  std::size_t response_bytes_max = std::size_t{8} << 20;  ///< DAVIT_HTTP_BODY_BYTES_DEFAULT.
  /// Whether it changes something at the server. Then it is sent only while the write gate is open.
  enum class Effect { kReads, kChanges } effect = Effect::kReads;
  /// kByMethod: what may be repeated without harm is: a GET after a broken connection, a POST after
  /// a 429 only. kAlways: everything may.
  enum class Retry { kByMethod, kNever, kAlways } retry = Retry::kByMethod;
  std::uint32_t redirects_max = 0;  ///< Only GET and HEAD follow redirects.
};

struct OutboundResponse {
  /// kOk: the response is complete, with any http_status. kMisuse: malformed, not sent.
  /// kUndeclared: a redirect to an undeclared host. kCancelled: not sent (stop, hold, gate).
  /// kInternal: larger than the limit. kUnavailable: no response; a change may or may not have been
  /// made.
  Status status;
  int http_status = 0;  ///< 0: no response.
  HttpHeaders headers;  ///< Names in lower case.
  std::string body;
  std::uint32_t retry_after_ms = 0;  ///< As the server asked; 0: nothing.
  bool is_simulated = false;         ///< The host responded itself, and sent nothing.
  std::string url;                   ///< The source of the response, after redirects.
  Time began{};                      ///< When the request was taken on; zero: it was refused.
  Time ended{};
  int attempts = 0;  ///< Sent, with retries and redirects.
};

/// Whether a method by itself changes nothing (RFC 9110, 9.2.1).
[[nodiscard]] bool is_safe_method(std::string_view method);

/// Checks the parts of a request that can be judged without sending it: kMisuse.
[[nodiscard]] Status check_outbound(const OutboundRequest& request);

/// A server outside the cluster.
struct OutboundServer {
  std::string url;    ///< "https://dns.example.com:443"
  std::string roots;  ///< PEM text or the path of a file; empty: the system's.
};

/// Makes the transport to a server; any thread. The error is one line for the user.
using OutboundConnector =
    std::function<Result<std::unique_ptr<Transport>>(const OutboundServer& server)>;

/// davit_plugin_http_*. Thread-safe, must not block.
class OutboundMetrics {
 public:
  OutboundMetrics() = default;
  OutboundMetrics(const OutboundMetrics&) = delete;
  OutboundMetrics& operator=(const OutboundMetrics&) = delete;
  virtual ~OutboundMetrics() = default;

  /// One attempt is over. `host` is the declared one, so that a wildcard is one series; `code` is
  /// "200" or "<error>".
  virtual void outbound_request(std::string_view controller, std::string_view host,
                                std::string_view code, Duration took) = 0;
};

struct OutboundOptions {
  std::string controller;
  std::string user_agent;
  std::vector<DeclaredHost> hosts;
  std::string roots;            ///< As OutboundServer::roots.
  WriteGate write_gate{};       ///< As RestOptions::write_gate, for Effect::kChanges.
  OutboundConnector connect{};  ///< Empty: over sockets.
};

/// The client of one controller. Its requests share 25 connections; servers keep theirs for the
/// next request. Thread-safe; calls block the calling thread. The references must outlive it.
class OutboundClient {
 public:
  OutboundClient(Clock& clock, OutboundMetrics& metrics, Logger log, OutboundOptions options);
  ~OutboundClient();
  OutboundClient(const OutboundClient&) = delete;
  OutboundClient& operator=(const OutboundClient&) = delete;

  /// The declared host that allows a request to `url`; null when none does.
  [[nodiscard]] const DeclaredHost* host_of(const OutboundUrl& url) const;

  /// Whether the roots can be used; one line for the user otherwise. Reads a file.
  [[nodiscard]] Status check_roots() const;

  /// Sends all at once; result i belongs to request i. Uses no further thread.
  [[nodiscard]] std::vector<OutboundResponse> batch(std::vector<OutboundRequest> requests,
                                                    const std::stop_token& stop = {});

  /// As RestClient::hold() and release().
  void hold();
  void release();

  /// Closes connections that were idle for long. To be called every few seconds.
  void close_idle();

 private:
  const std::unique_ptr<OutboundParts> parts_;
};

}  // namespace davit::host
