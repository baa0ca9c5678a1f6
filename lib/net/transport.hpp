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

/// The purpose of a request. Each purpose has its own connection pool, because watch events on a
/// busy shared connection arrive up to a second late.
enum class ConnectionPurpose { kWatch, kLease, kWrite };
inline constexpr std::size_t kPurposeCount = 3;

/// Whether a request may be multiplexed with others. A long response that its reader may pause
/// needs its own connection, because a paused stream blocks the others.
enum class Sharing { kShared, kAlone };

/// A client certificate and its key, PEM.
struct ClientCertificate {
  std::string cert;
  std::string key;
  /// Increases with each certificate of one source, so that a delayed request does not restore an
  /// old one.
  std::uint64_t version = 0;
};

/// Decides whether a write may be sent; a failure prevents it. Must not block; called on any
/// thread.
using WriteGate = std::function<Status()>;

struct HttpRequest {
  std::string method;  ///< "GET"
  std::string target;  ///< Path and query below the server's URL: "/api/v1/pods?limit=500".
  HttpHeaders headers;
  std::string body;
  Duration timeout{0};  ///< From start to the last byte; 0: none.
  ConnectionPurpose purpose = ConnectionPurpose::kWrite;
  Sharing sharing = Sharing::kShared;
  /// If set, presented instead of the connection's own certificate.
  std::shared_ptr<const ClientCertificate> certificate;
  /// Called immediately before the first byte is sent, when credentials have been fetched and the
  /// connection is established. Empty: always open.
  WriteGate gate;
  /// The loop of the calling thread, which must outlive the call; none: the transport's own threads
  /// drive the request. A transport over sockets lets the loop's thread drive it: callbacks run
  /// only inside start() and RequestLoop::wait(), and the Call belongs to that thread. Other
  /// transports ignore it.
  RequestLoop* loop = nullptr;
  /// With a loop: the client's share of connections, which must outlive the call. None: no limit.
  ConnectionQuota* quota = nullptr;
};

/// The reason why a request ended without a complete response.
enum class Break {
  kNone,     ///< None: the response is complete.
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

/// Receives one response. Called on the pool's thread, one call at a time; must not block, because
/// everything else in the pool waits. on_end() is called exactly once and last, unless the Call is
/// destroyed first; this may happen while start() runs.
class ResponseReader {
 public:
  enum class Flow {
    kMore,    ///< Taken; continue.
    kPause,   ///< Not taken: the same bytes are passed again after Call::resume(). Until then TCP
              ///< makes the sender wait.
    kEnough,  ///< Nothing more is needed: the request ends with Break::kReader, and its connection
              ///< is closed with the rest unread. Transports without sockets treat it as kMore.
  };

  ResponseReader() = default;
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;
  virtual ~ResponseReader() = default;

  /// The final response's status and headers; header names are in lower case. The views live for
  /// the call.
  virtual void on_head(int status, const HttpHeaders& headers) = 0;
  /// The next piece of the body, of any size; lives for the call.
  virtual Flow on_body(std::string_view chunk) = 0;
  virtual void on_end(const TransportEnd& end) = 0;
};

/// A request in progress. Destroying it cancels the request; no callback runs afterwards. Must not
/// be destroyed in a callback on its pool's thread.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;

  /// Ends a pause. May be called on any thread.
  virtual void resume() = 0;

  /// False only while certainly no byte of the request has been sent.
  [[nodiscard]] virtual bool is_sent() const { return true; }
};

/// A request that ended before it was sent.
class EndedCall final : public Call {
 public:
  void resume() override {}
  [[nodiscard]] bool is_sent() const override { return false; }
};

/// Sends requests. Thread-safe; must outlive its calls.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Sends `request`; `reader` must live until on_end() or the end of the Call. Blocks only if
  /// credentials must be fetched first.
  [[nodiscard]] virtual std::unique_ptr<Call> start(HttpRequest request,
                                                    ResponseReader& reader) = 0;

  /// Whether start() returns at once now. A thread that must not wait calls it before start(), and
  /// leaves prepare() to another thread if it is false.
  [[nodiscard]] virtual bool is_ready() { return true; }
  /// Fetches what start() would wait for; blocks. A failure is the one that start() would report.
  [[nodiscard]] virtual Status prepare() { return {}; }

  /// Closes connections that have been idle for long. Call it every few seconds.
  virtual void close_idle() {}

  /// The server's URL for messages: "https://10.0.0.1:6443". Lives as long as the transport.
  [[nodiscard]] virtual std::string_view server() const = 0;
};

}  // namespace davit
