/// A request and its response without a socket: what a server handles, whether it arrived over a
/// socket or in the same process.
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

/// The most bytes and headers of one head that davit reads, as a server and as a client: 64
/// connections hold 4 MiB at most, and API servers and their clients send less than 1 % of it.
inline constexpr std::size_t kHttpHeadBytesMax = std::size_t{64} << 10U;
inline constexpr std::size_t kHttpFieldsMax = 100;

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// The subject of a client's certificate.
struct PeerCertificate {
  std::string common_name;
  std::vector<std::string> organizations;
  /// Whether the client CA vouches for it. Only then is the certificate trusted.
  bool trusted = false;
  /// The certificate and those that the client sent with it, in DER; for a handler that judges it
  /// (TlsIdentity::AnyClient), null elsewhere.
  std::shared_ptr<const std::vector<std::string>> chain = nullptr;
};

struct HttpServerRequest {
  std::string method;  ///< "GET"
  std::string target;  ///< "/readyz?verbose": path and query as sent.
  HttpHeaders headers;
  std::string body;
  std::optional<PeerCertificate> peer;  ///< Set if the client showed a certificate.
  bool body_too_large = false;          ///< The server stopped reading; `body` is empty.

  /// The first header of that name, any case; "" when absent.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  [[nodiscard]] std::string_view path() const;
  /// After the question mark; "" when absent.
  [[nodiscard]] std::string_view query() const;
};

/// A body without an end, such as a watch. Pulled, never pushed, so that a slow client costs no
/// memory. One reader; read() and on_ready() from one thread at a time.
class HttpBodyStream {
 public:
  enum class State {
    kOpen,   ///< More will come: wait for `ready` or for next_read().
    kEnded,  ///< The body ends properly.
    kCut,    ///< The connection is to be closed without a proper end.
  };

  HttpBodyStream() = default;
  HttpBodyStream(const HttpBodyStream&) = delete;
  HttpBodyStream& operator=(const HttpBodyStream&) = delete;
  virtual ~HttpBodyStream() = default;

  /// Appends what there is to `out`, whole events only and at least one when there is any, and
  /// stops when `out` has grown by `bytes_max`. kOpen with nothing appended: nothing to read now.
  [[nodiscard]] virtual State read(std::string& out, std::size_t bytes_max) = 0;
  /// `ready` is called, on any thread and outside every lock, when read() may have something that
  /// it did not have before; not any more once the stream is destroyed. Replaces the earlier one.
  virtual void on_ready(std::function<void()> ready) = 0;
  /// When read() has something to do although nothing arrives: a bookmark, the end. Time::max():
  /// never.
  [[nodiscard]] virtual Time next_read() const = 0;
};

struct HttpServerResponse;

/// A response that waits for something that may still happen. Polled and destroyed by one thread at
/// a time.
class HttpDeferredResponse {
 public:
  HttpDeferredResponse() = default;
  HttpDeferredResponse(const HttpDeferredResponse&) = delete;
  HttpDeferredResponse& operator=(const HttpDeferredResponse&) = delete;
  virtual ~HttpDeferredResponse() = default;

  /// Returns the final response once ready, never deferred; nothing until then: ask again at
  /// next_take().
  [[nodiscard]] virtual std::optional<HttpServerResponse> take() = 0;
  /// Later than the last take().
  [[nodiscard]] virtual Time next_take() const = 0;
};

inline constexpr char kPlainText[] = "text/plain; charset=utf-8";
inline constexpr char kJsonText[] = "application/json";

struct HttpServerResponse {
  int status = 200;
  std::string content_type = kPlainText;
  HttpHeaders headers;  ///< Beside Content-Type and the framing.
  std::string body;
  std::unique_ptr<HttpBodyStream> stream;  ///< Follows `body`, as chunks.
  /// No response: the connection is reset instead, as after a panic in a handler of net/http.
  bool aborted = false;
  /// If set, callers that can wait take the response from here; others use the fields above.
  std::unique_ptr<HttpDeferredResponse> deferred;
};

/// A page that no cache keeps and no browser takes for another type.
[[nodiscard]] HttpServerResponse page_response(int status, std::string content_type,
                                               std::string body);
/// `json` and a line feed after it.
[[nodiscard]] HttpServerResponse json_response(int status, std::string json);
/// See HttpServerResponse::aborted.
[[nodiscard]] HttpServerResponse aborted_response();

/// Handles requests: a server itself, or a layer around it. Thread-safe.
class HttpHandler {
 public:
  HttpHandler() = default;
  HttpHandler(const HttpHandler&) = delete;
  HttpHandler& operator=(const HttpHandler&) = delete;
  virtual ~HttpHandler() = default;

  /// Never blocks, never throws.
  [[nodiscard]] virtual HttpServerResponse handle(const HttpServerRequest& request) = 0;
};

}  // namespace davit
