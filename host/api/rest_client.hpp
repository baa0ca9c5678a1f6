/// Requests to the API server with the rules of k8s.io/client-go/rest: client-side limit, retries,
/// errors as values.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/api_request.hpp"
#include "host/api/rate_limiter.hpp"
#include "host/api/rest_metrics.hpp"
#include "host/config/connection_config.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

struct RestParts;

struct RestOptions {
  TokenBucket::Rate rate;
  std::string user_agent{};  ///< See user_agent() below.
  /// The owner of what is written, in managedFields; empty: the server takes the user agent's first
  /// word. A request that names one keeps it.
  std::string field_manager{};
  ConnectionPurpose purpose = ConnectionPurpose::kWrite;  ///< For unary calls; streams are always
                                                          ///< on ConnectionPurpose::kWatch.
  /// Asked for each attempt of a write, at hand-over to the transport and again immediately before
  /// its first byte is sent. If it fails, the call ends with kCancelled and its message. Empty:
  /// always open.
  WriteGate write_gate{};
  DryRun dry_run = DryRun::kOff;  ///< kServer: every write is sent with dryRun=All and logged.
  /// Limit for unary calls that name none: longer than any server lets one run (60 s), so that none
  /// hangs without end.
  Duration default_timeout = std::chrono::seconds(90);
  /// Called after each attempt that succeeded on the server; any thread, must not block. May be
  /// empty.
  std::function<void()> on_success{};
  /// The back-off of the connection; nothing: attempts are never delayed for a failing server.
  std::optional<FailureBackoffLimits> failure_backoff{};
};

/// "davit/0.1.0 (linux/amd64) kubernetes/abc1234", in the form of client-go's programs: the last
/// word has the commit of this program, or "unknown".
[[nodiscard]] std::string default_user_agent();
/// default_user_agent() with "/deployment-controller", as client-go's AddUserAgent does it.
[[nodiscard]] std::string user_agent(std::string_view client_name);

/// The requests of a fan-out and their responses. Called on the thread of the fan-out, one call at
/// a time; may use the client.
class RequestSource {
 public:
  RequestSource() = default;
  RequestSource(const RequestSource&) = delete;
  RequestSource& operator=(const RequestSource&) = delete;
  virtual ~RequestSource() = default;

  /// The next request; nothing: there is none now. Asked again after the next done(), and if no
  /// request is under way, the fan-out ends.
  [[nodiscard]] virtual std::optional<ApiRequest> next() = 0;
  /// The response to the `index`-th request that next() returned, from 0. In any order.
  virtual void done(std::size_t index, ApiResponse response) = 0;
};

/// One client with a rate limit of its own; cheap, one a controller. Thread-safe; calls block the
/// calling thread. Every reference must outlive it.
///
/// Codes of failures, beside those in abi.h: kMisuse for a request that is malformed and was not
/// sent; kCancelled when nothing was sent (stop, deadline, gate); kUnavailable when a write may or
/// may not have been applied.
class RestClient {
 public:
  RestClient(Transport& transport, Clock& clock, RestMetrics& metrics, Logger log,
             RestOptions options);
  ~RestClient();
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  /// One request and its whole response.
  [[nodiscard]] ApiResponse call(const ApiRequest& request, std::stop_token stop = {});

  /// Sends all requests concurrently, as the rate limiter admits them, without a further thread.
  /// Result i belongs to request i.
  [[nodiscard]] std::vector<ApiResponse> batch(std::span<const ApiRequest> requests,
                                               std::stop_token stop = {});

  /// Sends what the source has, at most `at_once_max` (and 50) at once; otherwise as batch(). When
  /// `stop` is requested, what is left in the source ends as kCancelled, too.
  void fan_out(RequestSource& source, std::size_t at_once_max, std::stop_token stop = {});

  /// Takes a piece of a body, cut anywhere; before the first one comes an empty piece, when the
  /// server has accepted the request. A failure ends the stream, which then returns it.
  using ChunkSink = std::function<Status(std::string_view chunk)>;

  /// Reads the body of a list or watch (kList, kWatch, kGet) as it arrives; `sink` runs on the
  /// calling thread, and a slow one delays the server. A watch does not wait for the rate
  /// limiter. Success: the server ended the response properly (or a watch could not be opened for
  /// lack of a connection, after the retries: an empty watch). kUnavailable: the body was cut.
  /// kCancelled: `stop`, or hold() unless it is a watch.
  [[nodiscard]] Status stream(const ApiRequest& request, std::stop_token stop,
                              const ChunkSink& sink);

  /// Ends every call() and batch() request that is not on the wire with kCancelled, now and until
  /// release(); those on the wire continue to their end.
  void hold();
  void release();

  /// Requests that wait for the rate limiter.
  [[nodiscard]] std::size_t waiting_for_rate() const;

  /// The server's URL, for messages.
  [[nodiscard]] std::string_view server() const;
  [[nodiscard]] Clock& clock() const;

 private:
  const std::unique_ptr<RestParts> parts_;
};

}  // namespace davit::host
