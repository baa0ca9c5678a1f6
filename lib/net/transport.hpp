/// HTTP as an injected seam: a request is sent, and its response arrives in pieces.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/net/http_message.hpp"

namespace davit {

class ConnectionQuota;
class RequestLoop;

/// The purpose of a request. Each purpose has a connection pool of its own: watch events on a busy
/// shared connection arrive up to a second late.
enum class ConnectionPurpose { kWatch, kLease, kWrite };
inline constexpr std::size_t kPurposeCount = 3;

/// Whether a request may be multiplexed with others. A long response that its reader may pause
/// needs a connection of its own, because a paused stream blocks others on it.
enum class Sharing { kShared, kAlone };

/// A client certificate and its key, PEM.
struct ClientCertificate {
  std::string cert;
  std::string key;
  /// Grows with each certificate of one source, so that a delayed request does not bring
  /// an old one back.
  std::uint64_t version = 0;
};

/// Asked whether a write may go on the wire. A failure keeps it off the wire. Must not block;
/// called on any thread.
using WriteGate = std::function<Status()>;

struct HttpRequest {
  std::string method;  ///< "GET"
  std::string target;  ///< Path and query below the server's URL: "/api/v1/pods?limit=500".
  HttpHeaders headers;
  std::string body;
  Duration timeout{0};  ///< From start to the last byte; 0: none.
  ConnectionPurpose purpose = ConnectionPurpose::kWrite;
  Sharing sharing = Sharing::kShared;
  /// Presented instead of the connection's own one when set.
  std::shared_ptr<const ClientCertificate> certificate;
  /// Asked immediately before the first byte is sent: after credentials were fetched, a connection
  /// was free and the connection was made. Empty: always open.
  WriteGate gate;
  /// The loop of the calling thread; none: the transport's own threads drive. It outlives the
  /// call. A transport over sockets lets that thread drive the request: callbacks run
  /// inside start() and RequestLoop::wait() only, and the Call belongs to that thread. Other
  /// transports take no notice.
  RequestLoop* loop = nullptr;
  /// With a loop: the client's share of connections, which outlives the call, too. None: no limit.
  ConnectionQuota* quota = nullptr;
};

/// Why a request ended without a complete response.
enum class Break {
  kNone,     ///< It did not: the response is complete.
  kRefused,  ///< No connection: refused, no route, or no thread to make it on.
  kReset,    ///< The peer closed or reset before or during the response; GOAWAY; a dead connection
             ///< was found.
  kTimeout,  ///< The request's timeout, or the limit for connecting.
  kResolve,  ///< The server's host name has no address.
  kTls,      ///< The server's certificate was not accepted, or the handshake failed.
  kCredentials,  ///< No credentials could be had; nothing was sent.
  kGate,         ///< HttpRequest::gate refused; nothing was sent. The message is the gate's.
  kReader,       ///< The reader took no more; see ResponseReader::Flow::kEnough.
  kOther,
};

/// The end of a request. `message` is empty for kNone.
struct TransportEnd {
  Break kind = Break::kNone;
  std::string message;
};

/// Receives one response. Called on the pool's thread, one call at a time, and must not block:
/// everything else in the pool waits. on_end() is called exactly once and last, unless the Call is
/// destroyed first; it may already come while start() runs.
class ResponseReader {
 public:
  enum class Flow {
    kMore,    ///< Taken; continue.
    kPause,   ///< Not taken: the same bytes come again after Call::resume(). TCP makes the sender
              ///< wait meanwhile.
    kEnough,  ///< No more of it is wanted: the request ends with Break::kReader, and its connection
              ///< is closed with the rest unread. Sockets only; other transports take it as kMore.
  };

  ResponseReader() = default;
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;
  virtual ~ResponseReader() = default;

  /// The final response's status and headers; header names are in lower case. The views live for
  /// the call.
  virtual void on_head(int status, const HttpHeaders& headers) = 0;
  /// Any piece of the body; lives for the call.
  virtual Flow on_body(std::string_view chunk) = 0;
  virtual void on_end(const TransportEnd& end) = 0;
};

/// A request under way. Destroying it cancels; afterwards no callback runs any more. Not to be
/// destroyed from within a callback of its own pool's thread.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;

  /// Ends a pause. Any thread.
  virtual void resume() = 0;

  /// False as long as certainly no byte of the request is on the wire.
  [[nodiscard]] virtual bool is_sent() const { return true; }
};

/// A request that was over before it was sent.
class EndedCall final : public Call {
 public:
  void resume() override {}
  [[nodiscard]] bool is_sent() const override { return false; }
};

/// Thread-safe. Outlives its calls.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Sends `request`; `reader` must live until on_end() or the end of the Call. Blocks only where
  /// credentials must be fetched first.
  [[nodiscard]] virtual std::unique_ptr<Call> start(HttpRequest request,
                                                    ResponseReader& reader) = 0;

  /// Closes connections that were idle for long. To be called every few seconds.
  virtual void close_idle() {}

  /// The server's URL for messages: "https://10.0.0.1:6443". Lives as long as the transport.
  [[nodiscard]] virtual std::string_view server() const = 0;
};

}  // namespace davit
