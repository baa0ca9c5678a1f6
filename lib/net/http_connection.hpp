/// One connection's conversation without the socket: bytes in, bytes out, and times.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lib/base/clock.hpp"
#include "lib/net/http_server.hpp"
#include "lib/net/http_tunnel.hpp"
#include "lib/net/request_reader.hpp"

namespace davit {

/// Reads a request, responds, and starts again while the client keeps the connection.
///
///   Idle ──▶ Reading ──▶ Delayed ──▶ Responding or Streaming ──▶ Idle, or
///                                    or Tunnelling             Lingering ──▶ Closed
///
/// Pipelined requests get their responses in order: the next request is read when the response
/// before it has left.
///
/// Pure: the owner of the socket passes in what arrived and the time, sends what output()
/// returns, and calls tick() at deadline(). Not thread-safe.
class HttpConnection {
 public:
  using Handler = std::function<HttpServerResponse(const HttpServerRequest&)>;

  /// The action for the owner of the socket once output() returns nothing.
  enum class SocketAction {
    kOpen,       ///< Keep it open.
    kHalfClose,  ///< Shut down the sending side; keep reading.
    kClose,
    kReset,
  };

  /// `handler` and `options` must outlive it. `wake` is handed to streams: thread-safe, and leads
  /// to a call of wake() later.
  HttpConnection(const HttpServerOptions& options, const Handler& handler,
                 std::function<void()> wake, Time now);

  /// The certificate of a TLS peer, for requests from now on.
  void set_peer(PeerCertificate peer) { peer_ = std::move(peer); }
  /// The peer's IP address, which handlers see at the end of the header X-Forwarded-For, as behind
  /// any proxy. None: they see that header as the client sends it.
  void set_client(std::string address) { client_ = std::move(address); }

  void receive(std::string_view bytes, Time now);
  /// The peer will send no more.
  void receive_end();
  /// Bytes to send; empty if there are none now. Called again once they are sent.
  [[nodiscard]] std::string output(Time now);
  /// The last output has left.
  void sent(Time now);
  /// A stream may have something.
  void wake();
  void tick(Time now);
  /// Finishes the response in progress, and then ends the connection.
  void drain();

  /// False while enough unread input is waiting.
  [[nodiscard]] bool wants_input() const;
  [[nodiscard]] Time deadline() const;
  [[nodiscard]] SocketAction action() const;
  /// Whether no response is in progress: no request, or only a part of one, has arrived, or the
  /// client has not left.
  [[nodiscard]] bool is_waiting() const { return !send_deadline_ && waits_for_client(); }

 private:
  /// The connection's next step after the response.
  enum class After { kNextRequest, kLinger, kClose };
  /// The next step after the bytes in out_; kCut: the connection is cut without a proper end.
  enum class Tail { kStream, kNothing, kCut };

  /// The response to one request.
  struct Reply {
    HttpServerResponse response;
    After after = After::kNextRequest;
    bool head_only = false;    ///< The request was a HEAD.
    bool old_version = false;  ///< It was HTTP/1.0: a stream ends with the connection.
  };

  /// No byte of a request is there.
  struct Idle {
    Time deadline;
  };
  /// A request has begun to arrive.
  struct Reading {
    Reading(const HttpServerOptions& options, Time until) : reader(options), deadline(until) {}

    RequestReader reader;
    Time deadline;
    std::size_t seen = 0;  ///< Bytes of in_ that the reader left there: it waits for more.
  };
  /// The response is not known yet.
  struct Delayed {
    Reply reply;
    Time deadline;  ///< Then it is asked for.
  };
  /// The response leaves; all of it is in or beyond out_.
  struct Responding {
    Reply reply;
  };
  /// The response leaves, and its stream brings more of it.
  struct Streaming {
    Reply reply;
    Tail tail = Tail::kStream;
    bool readable = true;  ///< The stream may have something.
  };
  /// The connection has changed its protocol: its bytes are the tunnel's, in both directions.
  struct Tunnelling {
    std::unique_ptr<HttpBodyStream> stream;
    HttpTunnel* tunnel = nullptr;  ///< `stream`.
    bool readable = true;          ///< The tunnel may have something.
    bool ended = false;            ///< It will have nothing more.
    bool knows_end = false;        ///< It knows that the client sends no more.
  };
  /// The last response has left. What the client still sends is discarded for a moment: closing on
  /// unread input would reset the connection, and the client would lose the response.
  struct Lingering {
    Time deadline;
  };
  struct Closed {
    SocketAction action;
  };

  /// Changes the state as often as possible at `now`.
  void step(Time now);
  /// One change of state; false when there is none now.
  bool advance(const Idle& state, Time now);
  bool advance(Reading& state, Time now);
  bool advance(Delayed& state, Time now);
  bool advance(const Responding& state, Time now);
  bool advance(const Streaming& state, Time now);
  bool advance(Tunnelling& state, Time now);
  bool advance(const Lingering&, Time) { return false; }
  bool advance(const Closed&, Time) { return false; }

  [[nodiscard]] Reply respond(RequestReader& reader);
  void add_client(HttpHeaders& headers) const;
  [[nodiscard]] static Reply refusal(int status);
  void begin_response(Reply reply);
  void begin_tunnel(Reply reply);
  void write_head(Reply& reply);
  void pull(Streaming& state);
  void pull(Tunnelling& state);
  void append_chunk(const Reply& reply, std::string_view piece);
  /// Ends the response once all of it has left; false until then.
  bool finish(Tail tail, After after, Time now);
  void close(SocketAction action);

  template <typename S>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<S>(state_);
  }
  [[nodiscard]] bool waits_for_client() const {
    return is<Idle>() || is<Reading>() || is<Lingering>();
  }
  [[nodiscard]] Time state_deadline() const;

  const HttpServerOptions& options_;
  const Handler& handler_;
  const std::function<void()> wake_;
  std::optional<PeerCertificate> peer_;
  std::string client_;

  std::variant<Idle, Reading, Delayed, Responding, Streaming, Tunnelling, Lingering, Closed> state_;
  std::string in_;                     // Not yet read.
  std::string out_;                    // Not yet handed out.
  std::optional<Time> send_deadline_;  // Between output() and sent().
  bool peer_ended_ = false;
};

}  // namespace davit
