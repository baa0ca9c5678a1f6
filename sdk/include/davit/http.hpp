/// http::Client: requests to servers outside the cluster, from a sync or timer only.
///
///     const Result<http::Response> zone = context.http().send(http::Request::get(server +
///     "/zone")); if (!zone) return zone.error();                            // It did not respond.
///     if (Status s = zone->as_status(); !s.ok()) return s;       // It responded with an error.
///
/// The note says to which hosts: "http":{"hosts":["dns.example.com"]}.
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

/// Whether a request changes something at the server. Changes are not sent by a controller that no
/// longer leads, in a dry run, and by a shadow.
enum class Effect : std::int32_t {
  kByMethod = DAVIT_HTTP_EFFECT_BY_METHOD,  ///< GET, HEAD and OPTIONS change nothing.
  kReads = DAVIT_HTTP_READS,                ///< A query or a login by POST.
  kChanges = DAVIT_HTTP_CHANGES,
};

/// The requests that the host repeats by itself; see abi.h.
enum class Retry : std::int32_t {
  kByMethod = DAVIT_HTTP_RETRY_BY_METHOD,
  kNever = DAVIT_HTTP_RETRY_NEVER,
  kAlways = DAVIT_HTTP_RETRY_ALWAYS,
};

using Headers = std::vector<std::pair<std::string, std::string>>;

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

  [[nodiscard]] static Request get(std::string url) {
    Request request;
    request.url = std::move(url);
    return request;
  }
  /// With a body of JSON.
  [[nodiscard]] static Request json(std::string_view method, std::string url, std::string body) {
    Request request = get(std::move(url));
    request.method = method;
    request.headers = {{"Content-Type", "application/json"}};
    request.body = std::move(body);
    return request;
  }
  [[nodiscard]] static Request remove(std::string url) {
    Request request = get(std::move(url));
    request.method = "DELETE";
    return request;
  }
};

/// A response, whatever its status. Its views live until the sync returns.
class Response {
 public:
  Response(const Api& api, const davit_http_response& raw) : api_(&api), raw_(raw) {}

  [[nodiscard]] int http_status() const { return raw_.http_status; }
  [[nodiscard]] bool ok() const { return http_status() >= 200 && http_status() < 300; }
  [[nodiscard]] std::string_view body() const { return from_c(raw_.body); }
  /// The first header of this name, in lower case; empty: none.
  [[nodiscard]] std::string_view header(std::string_view name) const {
    for (std::size_t i = 0; i < raw_.header_count; ++i) {
      if (from_c(raw_.headers[i].name) == name) return from_c(raw_.headers[i].value);
    }
    return {};
  }
  /// The source of the response, after redirects.
  [[nodiscard]] std::string_view url() const { return from_c(raw_.url); }
  /// The host responded itself (204, no body) and sent nothing: a dry run or a shadow.
  [[nodiscard]] bool is_simulated() const { return raw_.simulated != 0; }
  [[nodiscard]] std::chrono::milliseconds retry_after() const {
    return std::chrono::milliseconds(raw_.retry_after_ms);
  }
  /// The body as a value that lives as a borrowed one does.
  [[nodiscard]] Result<Value> json() const { return parse_json(*api_, body()); }

  /// Success for a 2xx. Else what the status asks a caller to do, as for the API server: kNotFound
  /// (404), kConflict (409), kExpired (410), kForbidden (401, 403), kThrottled (429), kUnavailable
  /// (5xx, 408), kInvalid (other 4xx), kUnsupported (3xx). The message contains neither query nor
  /// body: the host logs the error of a sync, and both may hold secrets.
  [[nodiscard]] Status as_status() const;

 private:
  const Api* api_;
  davit_http_response raw_;
};

/// Waits for each response. The error says why there is none: kUndeclared, kMisuse and kCancelled
/// (nothing was sent), kInternal (larger than its limit), kUnavailable (a change may or may not
/// have been made), kUnsupported (a host without "davit.http/1").
class Client {
 public:
  /// `api` must outlive the client.
  explicit Client(const Api& api) : api_(&api) {}

  [[nodiscard]] Result<Response> send(const Request& request) const {
    return std::move(batch({&request, 1}).front());
  }
  /// Sends all at once; the n-th result belongs to the n-th request.
  [[nodiscard]] std::vector<Result<Response>> batch(std::span<const Request> requests) const;

 private:
  const Api* api_;
};

inline Status Response::as_status() const {
  const int status = http_status();
  if (ok()) return {};
  Code code = Code::kInvalid;
  if (status < 400) code = Code::kUnsupported;
  if (status == 401 || status == 403) code = Code::kForbidden;
  if (status == 404) code = Code::kNotFound;
  if (status == 409) code = Code::kConflict;
  if (status == 410) code = Code::kExpired;
  if (status == 429) code = Code::kThrottled;
  if (status >= 500 || status == 408) code = Code::kUnavailable;
  const std::string_view address = url().substr(0, url().find('?'));
  return Status(code, std::string(address) + " responds with " + std::to_string(status),
                ApiDetail{.http_status = status,
                          .reason = {},
                          .causes = {},
                          .retry_after_ms = raw_.retry_after_ms});
}

inline std::vector<Result<Response>> Client::batch(std::span<const Request> requests) const {
  if (api_->http == nullptr) {
    const Status lacking(Code::kUnsupported, "the host has no davit.http/1");
    return std::vector<Result<Response>>(requests.size(), lacking);
  }
  std::vector<std::vector<davit_http_header>> headers(requests.size());
  std::vector<davit_http_request> raw(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& from = requests[i];
    for (const auto& [name, value] : from.headers) headers[i].push_back({to_c(name), to_c(value)});
    raw[i].size = sizeof(davit_http_request);
    raw[i].effect = static_cast<std::int32_t>(from.effect);
    raw[i].method = to_c(from.method);
    raw[i].url = to_c(from.url);
    raw[i].headers = headers[i].data();
    raw[i].header_count = headers[i].size();
    raw[i].body = to_c(from.body);
    raw[i].retry = static_cast<std::int32_t>(from.retry);
    raw[i].redirects_max = from.redirects_max;
    raw[i].timeout_ms = static_cast<std::uint64_t>(from.timeout.count());
    raw[i].body_bytes_max = from.body_bytes_max;
  }
  davit_http_response empty{};
  empty.size = sizeof(empty);
  empty.code = DAVIT_CANCELLED;  // Holds for a request that the host did not reach.
  std::vector<davit_http_response> responses(requests.size(), empty);
  static_cast<void>(api_->http->batch(api_->call(), raw.data(), sizeof(davit_http_request),
                                      responses.data(), sizeof(davit_http_response), raw.size()));
  std::vector<Result<Response>> results;
  results.reserve(responses.size());
  for (const davit_http_response& each : responses) {
    if (each.code == DAVIT_OK) {
      results.emplace_back(Response(*api_, each));
    } else {
      std::string message(from_c(each.message));
      if (message.empty()) message = "the request failed with code " + std::to_string(each.code);
      results.emplace_back(Status(from_c(each.code), std::move(message)));
    }
  }
  return results;
}

}  // namespace davit::http
