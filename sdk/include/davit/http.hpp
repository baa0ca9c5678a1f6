/// http::Client: requests to servers outside the cluster, in syncs and timers only.
///
///     const auto zone = context.http().send(http::Request::get(server + "/zone"));
///     if (!zone) return zone.error();                       // The server did not respond.
///     if (Status s = zone->as_status(); !s.ok()) return s;  // It responded with an error.
///
/// The plugin must declare the hosts: note.http({"dns.example.com"}).
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/api.hpp>
#include <davit/object.hpp>
#include <davit/percent_escape.hpp>
#include <davit/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::http {

/// Whether a request changes anything on the server. Changes are not sent after leadership is lost,
/// in a dry run, or by a shadow.
enum class Effect : std::int32_t {
  kByMethod = DAVIT_HTTP_EFFECT_BY_METHOD,  ///< GET, HEAD and OPTIONS change nothing.
  kReads = DAVIT_HTTP_READS,                ///< A query or a login by POST.
  kChanges = DAVIT_HTTP_CHANGES,
};

/// The requests that the host retries; see abi.h.
enum class Retry : std::int32_t {
  kByMethod = DAVIT_HTTP_RETRY_BY_METHOD,
  kNever = DAVIT_HTTP_RETRY_NEVER,
  kAlways = DAVIT_HTTP_RETRY_ALWAYS,
};

/// Names and values of headers, in their order.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// A request to a server outside the cluster. The note must declare the server's host.
struct Request {
  std::string method = "GET";
  std::string url{};  ///< Absolute; percent_escaped() makes parts of it.
  Headers headers{};
  std::string body{};
  Effect effect = Effect::kByMethod;
  Retry retry = Retry::kByMethod;
  std::uint32_t redirects_max = 0;       ///< GET and HEAD only.
  std::chrono::milliseconds timeout{0};  ///< For all attempts; 0: the host's default, 30 s.
  std::uint64_t body_bytes_max = 0;      ///< The response's limit; 0: the host's default, 8 MiB.

  [[nodiscard]] static Request get(std::string url);
  /// A request with a JSON body.
  [[nodiscard]] static Request json(std::string_view method, std::string url, std::string body);
  [[nodiscard]] static Request remove(std::string url);
};

/// A response with any status. Its views live until the sync returns.
class Response {
 public:
  Response(const Api& api, const davit_http_response& raw) : api_(&api), raw_(raw) {}

  [[nodiscard]] int http_status() const { return raw_.http_status; }
  [[nodiscard]] bool ok() const { return http_status() >= 200 && http_status() < 300; }
  [[nodiscard]] std::string_view body() const { return from_c(raw_.body); }
  /// The first header of this name, in lower case; empty: none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  /// The source of the response, after redirects.
  [[nodiscard]] std::string_view url() const { return from_c(raw_.url); }
  /// Whether davit sent nothing and made up this response (204, no body), in a dry run or a shadow.
  [[nodiscard]] bool is_simulated() const { return raw_.simulated != 0; }
  [[nodiscard]] std::chrono::milliseconds retry_after() const {
    return std::chrono::milliseconds(raw_.retry_after_ms);
  }
  /// The body as a value, which lives like a borrowed one.
  [[nodiscard]] Result<Value> json() const { return parse_json(*api_, body()); }

  /// Success for 2xx. Other statuses have the same codes as for the API server: kNotFound (404),
  /// kConflict (409), kExpired (410), kForbidden (401, 403), kThrottled (429), kUnavailable (5xx,
  /// 408), kInvalid (other 4xx), kUnsupported (3xx). The message contains neither query nor body,
  /// because the host logs the error of a sync, and both may contain secrets.
  [[nodiscard]] Status as_status() const;

 private:
  const Api* api_;
  davit_http_response raw_;
};

/// Waits for each response. Errors: kUndeclared, kMisuse and kCancelled (nothing was sent),
/// kInternal (the response exceeds its limit), kUnavailable (a change may or may not have been
/// made), kUnsupported (a host without "davit.http/1").
class Client {
 public:
  /// `api` must outlive the client.
  explicit Client(const Api& api) : api_(&api) {}

  [[nodiscard]] Result<Response> send(const Request& request) const;
  /// Sends all requests concurrently; the n-th result belongs to the n-th request.
  [[nodiscard]] std::vector<Result<Response>> batch(std::span<const Request> requests) const;

 private:
  const Api* api_;
};

}  // namespace davit::http
