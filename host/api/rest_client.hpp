/// Requests to the API server with the rules of k8s.io/client-go/rest: client-side rate limit and
/// retries; errors are values.
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
#include "host/api/driven_stream.hpp"
#include "host/api/rate_limiter.hpp"
#include "host/config/connection_config.hpp"
#include "host/transport/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

struct RestParts;

struct RestOptions {
  TokenBucket::Rate rate;
  std::string user_agent{};  ///< See user_agent() below.
  /// The field manager of writes that do not name one; empty: the server takes the user agent's
  /// first word.
  std::string field_manager{};
  ConnectionPurpose purpose = ConnectionPurpose::kWrite;  ///< For unary calls; streams always
                                                          ///< use ConnectionPurpose::kWatch.
  /// Called for each attempt of a write, when it is passed to the transport and again immediately
  /// before its first byte is sent. If it fails, the call ends with kCancelled and its message.
  /// Empty: always open.
  WriteGate write_gate{};
  DryRun dry_run = DryRun::kOff;  ///< kServer: every write is sent with dryRun=All and logged.
  /// The timeout of unary calls that do not set one, so that none hangs forever. Longer than the
  /// server's own limit (60 s).
  Duration default_timeout = std::chrono::seconds(90);
  /// Called after each attempt that succeeded on the server, on any thread; must not block. May be
  /// empty.
  std::function<void()> on_success{};
  /// The connection's back-off; nothing: attempts are not delayed if the server fails.
  std::optional<FailureBackoffLimits> failure_backoff{};
};

/// "davit/0.1.0 (linux/amd64) kubernetes/abc1234", in the format of client-go: the last word has
/// the commit of this program, or "unknown".
[[nodiscard]] std::string default_user_agent();
/// default_user_agent() followed by "/deployment-controller", like client-go's AddUserAgent.
[[nodiscard]] std::string user_agent(std::string_view client_name);

/// Provides the requests of a fan-out and receives their responses. Called on the thread of the
/// fan-out, one call at a time; may use the client.
class RequestSource {
 public:
  RequestSource() = default;
  RequestSource(const RequestSource&) = delete;
  RequestSource& operator=(const RequestSource&) = delete;
  virtual ~RequestSource() = default;

  /// The next request; nothing: there is none now. Called again after the next done(); the fan-out
  /// ends if no request is in progress.
  [[nodiscard]] virtual std::optional<ApiRequest> next() = 0;
  /// The response to the request that next() returned as number `index`, from 0. Called in any
  /// order.
  virtual void done(std::size_t index, ApiResponse response) = 0;
};

/// A client with its own rate limit; cheap, one per controller. Thread-safe; calls block the
/// calling thread. Every reference passed to it must outlive it.
///
/// Error codes, in addition to those in abi.h: kMisuse for a malformed request, which was not sent;
/// kCancelled if nothing was sent (stop, deadline, gate); kUnavailable if a write may or may not
/// have been applied.
class RestClient {
 public:
  RestClient(Transport& transport, Clock& clock, RestMetrics& metrics, Logger log,
             RestOptions options);
  ~RestClient();
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  /// Sends one request and returns its whole response.
  [[nodiscard]] ApiResponse call(const ApiRequest& request, std::stop_token stop = {});

  /// Sends all requests concurrently, as the rate limiter admits them, without another thread.
  /// Result i belongs to request i.
  [[nodiscard]] std::vector<ApiResponse> batch(std::span<const ApiRequest> requests,
                                               std::stop_token stop = {});

  /// Sends the requests of `source`, at most `at_once_max` (up to 50) concurrently; otherwise like
  /// batch(). If `stop` is requested, the remaining requests of the source also end with
  /// kCancelled.
  void fan_out(RequestSource& source, std::size_t at_once_max, std::stop_token stop = {});

  /// Takes a piece of a body, of any size. The first piece is empty and shows that the server has
  /// accepted the request. A failure ends the stream, which returns it.
  using ChunkSink = std::function<Status(std::string_view chunk)>;

  /// Reads the body of a list or watch (kList, kWatch, kGet) as it arrives; `sink` runs on the
  /// calling thread, and a slow sink delays the server. A watch does not wait for the rate limiter.
  /// Success: the server ended the response properly, or a watch got no connection even after the
  /// retries, which counts as an empty watch. kUnavailable: the body was cut off. kCancelled:
  /// `stop`, or hold() unless it is a watch.
  [[nodiscard]] Status stream(const ApiRequest& request, std::stop_token stop,
                              const ChunkSink& sink);

  /// The same for a thread that reads several: the result is driven by the loop of `place`. This
  /// client outlives it.
  [[nodiscard]] std::unique_ptr<DrivenStream> open(const ApiRequest& request, std::stop_token stop,
                                                   LoopPlace place, ChunkSink sink);
  /// See Transport.
  [[nodiscard]] bool is_ready() const;
  [[nodiscard]] Status prepare();

  /// From now until release(), ends every call() and batch() request that has not been sent with
  /// kCancelled; requests that have been sent continue.
  void hold();
  void release();

  /// The number of requests that wait for the rate limiter.
  [[nodiscard]] std::size_t waiting_for_rate() const;

  /// The server's URL, for messages.
  [[nodiscard]] std::string_view server() const;
  [[nodiscard]] Clock& clock() const;

 private:
  const std::unique_ptr<RestParts> parts_;
};

}  // namespace davit::host
