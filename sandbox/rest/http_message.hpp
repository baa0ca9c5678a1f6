/// A request and its response, without a socket: what the HTTP front and the in-process transport
/// both carry.
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

namespace davit::sandbox {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The identity in a verified client certificate.
struct CertificateIdentity {
  std::string common_name;
  std::vector<std::string> organizations;
};

struct Request {
  std::string method;  ///< "GET"
  std::string target;  ///< Path and query as sent: "/api/v1/pods?watch=1".
  Headers headers;
  std::string body;
  std::optional<CertificateIdentity> certificate;
  bool certificate_refused = false;  ///< The peer showed one that our CA does not vouch for.
  bool body_too_large = false;       ///< The front stopped reading; `body` is empty.

  /// The first header of that name, any case; "" when absent.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// A body that goes on: a watch. Pulled, never pushed, so a slow reader costs no memory.
/// One reader; read() and on_ready() from one thread at a time.
class BodyStream {
 public:
  enum class State {
    kOpen,   ///< More will come: wait for `ready` or for next_read().
    kEnded,  ///< The body ends properly.
    kCut,    ///< The connection is to be closed without a proper end (a fault).
  };

  BodyStream() = default;
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;
  virtual ~BodyStream() = default;

  /// Appends what there is to `out`, whole events only and at least one when there is any, and
  /// stops when `out` has grown by `bytes_max`. kOpen with nothing appended: nothing to read now.
  [[nodiscard]] virtual State read(std::string& out, std::size_t bytes_max) = 0;
  /// `ready` is called, on any thread and outside every lock, when read() may have something that
  /// it did not have before. Replaces the earlier one.
  virtual void on_ready(std::function<void()> ready) = 0;
  /// When read() has something to do although nothing arrives: a bookmark, the end. Time::max():
  /// never.
  [[nodiscard]] virtual host::Time next_read() const = 0;
};

/// The injected fault of a response. The front carries it out.
struct ResponseFault {
  host::Duration delay{0};  ///< Before the first byte.
  /// The connection is closed after so many bytes of the body. 0 with `reset`: no byte at all.
  std::optional<std::size_t> cut_after;
  bool reset = false;  ///< The connection is reset instead of a response.
  /// The body trickles: 0 for as fast as possible.
  std::size_t bytes_per_second = 0;
};

struct Response;

/// A response that waits for something that may still happen. Polled by one thread at a time.
class DeferredResponse {
 public:
  DeferredResponse() = default;
  DeferredResponse(const DeferredResponse&) = delete;
  DeferredResponse& operator=(const DeferredResponse&) = delete;
  virtual ~DeferredResponse() = default;

  /// Returns the final response once ready, never deferred or streaming; nothing until then: ask
  /// again at next_take().
  [[nodiscard]] virtual std::optional<Response> take() = 0;
  /// Later than the last take().
  [[nodiscard]] virtual host::Time next_take() const = 0;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  Headers headers;  ///< Beside Content-Type and the framing.
  std::string body;
  std::unique_ptr<BodyStream> stream;  ///< Set: the body is its, chunked, and `body` goes first.
  ResponseFault fault;
  /// If set, callers that can wait take the response from here, with the `fault` above; others use
  /// the fields above.
  std::unique_ptr<DeferredResponse> deferred;
};

/// Handles requests: the server itself, or a layer around it. Thread-safe.
class Handler {
 public:
  Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  virtual ~Handler() = default;

  /// Never blocks, never throws.
  [[nodiscard]] virtual Response handle(const Request& request) = 0;
};

}  // namespace davit::sandbox
