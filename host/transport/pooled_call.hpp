/// One request that the calling thread drives over a pooled connection. Internal to host/transport.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/transport/connection_pool.hpp"
#include "host/transport/pooled_connection.hpp"
#include "lib/net/connection_quota.hpp"
#include "lib/net/http1.hpp"
#include "lib/net/request_loop.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// The route of a pooled call. Immutable except for the pool and the cache; outlives the calls.
struct PooledRoute {
  const CurlSettings& settings;
  ConnectionPool& pool;
  ClientTlsCache& tls;
  Clock& clock;
  Http1Route http;
};

///   kQueued ─share─▶ kConnecting ─open─▶ kSending ─▶ kReceiving ─▶ kEnded
///      │                ▲                   ▲  │       │  ▲  │
///      └─ idle one ─────┼───────────────────┘  │       │  │  └─the reader pauses─▶ kPaused
///                       └── a stale connection ┴───────┘  └───────resume()────────────┘
///
/// Runs on the loop's thread alone, callbacks included. A kept connection that the server has
/// closed is replaced once, if no byte of a response came and the request changes nothing or was
/// not sent. After the request's timeout it ends in any phase.
class PooledCall final : public Call, public DrivenRequest {
 public:
  /// `request.loop` must be set. It and `request.quota`, if there is one, outlive the call.
  PooledCall(const PooledRoute& route, HttpRequest request, std::shared_ptr<const TlsMaterial> tls,
             ResponseReader& reader);
  ~PooledCall() override;

  /// Starts the call and proceeds as far as possible without waiting; on_end() may be called during
  /// this. Call it once.
  void start() { drive({}, route_.clock.now()); }

  void resume() override;
  [[nodiscard]] bool is_sent() const override;

  /// Ends the request at the next step, as one that the peer has cut. Any thread.
  void drop();
  [[nodiscard]] const TlsMaterial& tls() const { return *tls_; }

  void drive(std::span<const pollfd> ready, Time now) override;
  void poll_for(std::vector<pollfd>& out) const override;
  [[nodiscard]] Time due() const override;
  [[nodiscard]] std::optional<SteadyWait> steady_wait() const override;

 private:
  enum class Phase { kQueued, kConnecting, kSending, kReceiving, kPaused, kEnded };
  enum class Reuse { kAllowed, kForbidden };

  /// One step of the phase; false when it must wait or has ended.
  bool step(std::span<const pollfd> ready, Time now);
  void take_connection(Reuse reuse, Time now);
  bool open_gate(Time now);
  bool send(Time now);
  bool receive(Time now);
  /// After the response has taken some bytes; whether it continues to receive.
  bool follow(Http1Response::State state, Time now);
  bool peer_closed(Time now);
  [[nodiscard]] bool may_repeat() const;
  bool complete(Time now);
  bool end(const TransportEnd& end);

  const PooledRoute& route_;
  const HttpRequest request_;
  const std::shared_ptr<const TlsMaterial> tls_;
  ResponseReader& reader_;
  const Time ends_at_;

  Phase phase_ = Phase::kQueued;
  std::optional<ConnectionQuota::Share> share_;
  ConnectionPool::Owned connection_;
  std::atomic<bool> dropped_ = false;
  std::atomic<bool> resumed_ = false;  // The loop's mutex orders both with what was done before.
  bool goes_on_ = false;               // It stopped receiving before the socket was empty.
  bool reused_ = false;                // The connection has carried other requests.
  bool replaced_ = false;              // A stale one was given up for it.
  std::uint64_t connections_ = 0;      // That it has had.
  std::string wire_;
  std::string_view unsent_;  // The rest of wire_.
  std::optional<Http1Response> response_;
};

}  // namespace davit::host
