/// A small HTTP/1.1 server. Boost.Beast stays in the .cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/log.hpp"

namespace davit::host {

struct HttpServerRequest {
  std::string method;  ///< "GET"
  std::string target;  ///< "/readyz?verbose": path and query as sent.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  /// The first header of that name, any case; "" when absent.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  [[nodiscard]] std::string_view path() const;
  /// After the question mark; "" when absent.
  [[nodiscard]] std::string_view query() const;
};

struct HttpServerResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>>
      headers;  ///< Beside Content-Type and Content-Length.
  std::string body;
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any free one.
  /// A scraper, a probe and a few people; more wait in the kernel's backlog.
  std::size_t connections_max = 64;
  /// As much as the usual Go server accepts.
  std::size_t header_bytes_max = std::size_t{1} << 20U;
  /// Nothing that we serve has a large body.
  std::size_t body_bytes_max = std::size_t{1} << 20U;
  std::chrono::seconds idle_time{90};  ///< A kept connection without a request is closed.
  std::chrono::seconds request_time{
      32};  ///< From its first byte a request has so long to arrive, and its answer to leave.
};

/// Answers requests on one thread of its own: a handler that blocks holds up every other request.
class HttpServer {
 public:
  /// Must not throw. Called on the server's thread.
  using Handler = std::function<HttpServerResponse(const HttpServerRequest&)>;

  /// Binds, listens and serves. kUnavailable when the address cannot be had, with the reason.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> open(const HttpServerOptions& options,
                                                                Handler handler, Log log);
  HttpServer() = default;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Stops listening, cuts every connection and ends the thread; a handler that runs is waited for.
  virtual ~HttpServer() = default;

  /// The port that was bound.
  [[nodiscard]] virtual std::uint16_t port() const = 0;
  /// "127.0.0.1:10257"
  [[nodiscard]] virtual std::string endpoint() const = 0;
};

}  // namespace davit::host
