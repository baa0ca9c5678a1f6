/// One connection's conversation without the socket: bytes in, bytes out, and times.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/net/http_server.hpp"
#include "lib/net/request_reader.hpp"

namespace davit {

/// Reads a request, answers it, and again while the client keeps the connection.
///
///   Idle ──▶ Reading ──▶ Delayed ──▶ Answering ──▶ Streaming ──▶ Idle, or
///                                                               Lingering ──▶ Closed
///
/// Requests that came together are answered in order: the next is read when the response before it
/// has left. Delayed: the response is not known yet. Lingering: everything
/// is said, and what the client still sends is thrown away for a moment, because closing on it
/// would take the response from him.
///
/// Pure: whoever owns the socket calls in with what arrived and the time, sends what output()
/// returns, and calls tick() at deadline(). Not thread-safe.
class HttpConnection {
 public:
  using Handler = std::function<HttpServerResponse(const HttpServerRequest&)>;

  /// What the owner of the socket is to do, once output() returns nothing.
  enum class Fate {
    kOpen,       ///< Go on.
    kHalfClose,  ///< Tell the peer that nothing follows; go on reading.
    kClose,
    kReset,
  };

  /// `handler` and `options` must outlive it. `wake` is handed to streams: thread-safe, and leads
  /// to a call of wake() later.
  HttpConnection(const HttpServerOptions& options, const Handler& handler,
                 std::function<void()> wake, Time now);

  /// The certificate of a TLS peer, for requests from now on.
  void set_peer(PeerCertificate peer) { peer_ = std::move(peer); }

  void receive(std::string_view bytes, Time now);
  /// The peer will send no more.
  void receive_end();
  /// What to send; nothing when there is nothing now. Asked for again when it has left.
  [[nodiscard]] std::string output(Time now);
  /// The last output has left.
  void sent(Time now);
  /// A stream may have something.
  void wake();
  void tick(Time now);
  /// Ends what is under way in good order, and the connection.
  void drain();

  /// False while enough is waiting that nobody reads yet.
  [[nodiscard]] bool wants_input() const;
  [[nodiscard]] Time deadline() const;
  [[nodiscard]] Fate fate() const { return fate_; }
  /// Nothing is being answered: the client has not asked, not asked to the end, or not gone yet.
  [[nodiscard]] bool is_waiting() const {
    return !sending_ &&
           (state_ == State::kIdle || state_ == State::kReading || state_ == State::kLingering);
  }

 private:
  enum class State { kIdle, kReading, kDelayed, kAnswering, kStreaming, kLingering, kClosed };
  enum class Framing { kChunked, kUntilClose };

  void start_reading(Time now);
  void read_request();
  void answer_request();
  void refuse(int status);
  void begin_response();
  /// Whether the response is known by now.
  bool settle();
  void write_head();
  void pull_stream();
  void append_chunk(std::string_view piece);
  void finish_response(Time now);
  void abandon();
  void end(Time now);
  void close(Fate fate);

  const HttpServerOptions& options_;
  const Handler& handler_;
  const std::function<void()> wake_;
  std::optional<PeerCertificate> peer_;

  State state_ = State::kIdle;
  Fate fate_ = Fate::kOpen;
  std::string in_;   // Not yet read.
  std::string out_;  // Not yet handed out.
  std::optional<RequestReader> reader_;
  HttpServerResponse response_;  // From kDelayed on; its body moves to out_.
  bool head_only_ = false;
  bool keep_alive_ = true;
  bool old_version_ = false;
  bool peer_ended_ = false;
  bool sending_ = false;   // Between output() and sent().
  bool readable_ = false;  // The stream may have something.
  bool ending_ = false;    // out_ is the last of this response.
  bool cutting_ = false;   // out_ is the last, and the connection does not end properly.
  bool draining_ = false;
  Framing framing_ = Framing::kChunked;
  Time state_deadline_;  // Of kIdle, kReading, kDelayed and kLingering.
  Time send_deadline_;   // While sending_.
};

}  // namespace davit
