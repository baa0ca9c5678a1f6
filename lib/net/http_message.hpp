/// The requests and responses of a server, independent of whether they travel over a socket or stay
/// in the process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"

namespace davit {

/// Limits for the head of a message, as a server and as a client: 64 connections hold 4 MiB at
/// most, and API servers and their clients send less than 1 % of the limit.
inline constexpr std::size_t kHttpHeadBytesMax = std::size_t{64} << 10U;
inline constexpr std::size_t kHttpFieldsMax = 100;

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// The subject of a client's certificate.
struct PeerCertificate {
  std::string common_name;
  std::vector<std::string> organizations;
  /// Whether the client CA signed it. Otherwise the certificate proves nothing.
  bool trusted = false;
  /// The certificate and those that the client sent with it, in DER, for handlers that verify it
  /// themselves (TlsIdentity::AnyClient); otherwise null.
  std::shared_ptr<const std::vector<std::string>> chain = nullptr;
};

struct HttpServerRequest {
  std::string method;  ///< "GET"
  std::string target;  ///< "/readyz?verbose": path and query as sent.
  HttpHeaders headers;
  std::string body;
  std::optional<PeerCertificate> peer;  ///< Set if the client sent a certificate.
  bool body_too_large = false;          ///< The server stopped reading; `body` is empty.

  /// The first header of that name, in any case; "" if absent.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  [[nodiscard]] std::string_view path() const;
  /// The text after the question mark; "" if absent.
  [[nodiscard]] std::string_view query() const;
};

/// A body without a known end, such as a watch. The reader pulls it, so a slow client costs no
/// memory. Has one reader; read() and on_ready() may be called on one thread at a time.
class HttpBodyStream {
 public:
  enum class State {
    kOpen,   ///< More follows: wait for `ready` or next_read().
    kEnded,  ///< The body ends properly.
    kCut,    ///< The connection must be closed without a proper end.
  };

  HttpBodyStream() = default;
  HttpBodyStream(const HttpBodyStream&) = delete;
  HttpBodyStream& operator=(const HttpBodyStream&) = delete;
  virtual ~HttpBodyStream() = default;

  /// Appends the available data to `out`: only whole events, at least one if there is any, until
  /// `out` has grown by `bytes_max`. kOpen with nothing appended: there is no data now.
  [[nodiscard]] virtual State read(std::string& out, std::size_t bytes_max) = 0;
  /// Sets the function that is called, on any thread and outside every lock, when read() may have
  /// new data; never after the stream is destroyed. Replaces the previous function.
  virtual void on_ready(std::function<void()> ready) = 0;
  /// When to call read() even if `ready` was not called, for a bookmark or the end. Time::max():
  /// never.
  [[nodiscard]] virtual Time next_read() const = 0;
};

struct HttpServerResponse;

/// A response that is not ready yet. Polled and destroyed by one thread at a time.
class HttpDeferredResponse {
 public:
  HttpDeferredResponse() = default;
  HttpDeferredResponse(const HttpDeferredResponse&) = delete;
  HttpDeferredResponse& operator=(const HttpDeferredResponse&) = delete;
  virtual ~HttpDeferredResponse() = default;

  /// Returns the final response once ready, never a deferred one; nothing until then: call it again
  /// at next_take().
  [[nodiscard]] virtual std::optional<HttpServerResponse> take() = 0;
  /// Later than the last take().
  [[nodiscard]] virtual Time next_take() const = 0;
};

inline constexpr char kPlainText[] = "text/plain; charset=utf-8";
inline constexpr char kJsonText[] = "application/json";

struct HttpServerResponse {
  int status = 200;
  std::string content_type = kPlainText;
  HttpHeaders headers;  ///< Except Content-Type and the framing.
  std::string body;
  std::unique_ptr<HttpBodyStream> stream;  ///< Sent after `body`, as chunks.
  /// Resets the connection instead of responding, as after a panic in a handler of net/http.
  bool aborted = false;
  /// If set, callers that can wait take the response from here; others use the fields above.
  std::unique_ptr<HttpDeferredResponse> deferred;
};

/// A page with headers that prevent caching and content sniffing.
[[nodiscard]] HttpServerResponse page_response(int status, std::string content_type,
                                               std::string body);
/// A response with `json` and a line feed.
[[nodiscard]] HttpServerResponse json_response(int status, std::string json);
/// A response with HttpServerResponse::aborted set.
[[nodiscard]] HttpServerResponse aborted_response();

/// Handles requests: a server, or a layer around one. Thread-safe.
class HttpHandler {
 public:
  HttpHandler() = default;
  HttpHandler(const HttpHandler&) = delete;
  HttpHandler& operator=(const HttpHandler&) = delete;
  virtual ~HttpHandler() = default;

  /// Must not block or throw.
  [[nodiscard]] virtual HttpServerResponse handle(const HttpServerRequest& request) = 0;
};

}  // namespace davit
