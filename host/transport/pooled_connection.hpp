/// One connection to the server, which libcurl makes and encrypts and which its user drives.
/// Internal to host/transport.
#pragma once

#include <poll.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/transport/curl_handles.hpp"
#include "host/transport/curl_options.hpp"
#include "host/transport/tls_material.hpp"
#include "host/transport/tls_session.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

///   kConnecting ──▶ kOpen ──▶ (destroyed, which closes it)
///        └────────▶ kFailed
///
/// libcurl resolves, connects and goes through proxies (CURLOPT_CONNECT_ONLY). Without a proxy the
/// socket is then taken from it, and TlsSession speaks TLS: libcurl's handles and its TLS context,
/// which no two connections share, take 100 KiB a connection. With a proxy libcurl also speaks TLS.
/// With a SocketSource, libcurl has no part. No call blocks, except that the constructor waits for
/// the source. Used by one thread at a time.
class PooledConnection {
 public:
  enum class State { kConnecting, kOpen, kFailed };

  /// Begins to connect. `settings` must outlive the connection.
  PooledConnection(const CurlSettings& settings, std::shared_ptr<const TlsMaterial> tls,
                   ClientTlsCache& cache, Time now);
  ~PooledConnection();
  PooledConnection(const PooledConnection&) = delete;
  PooledConnection& operator=(const PooledConnection&) = delete;

  /// The connection's state. send(), receive() and is_usable() detect that the peer has closed it.
  [[nodiscard]] State state() const { return state_; }
  /// The certificates that it was opened with.
  [[nodiscard]] const std::shared_ptr<const TlsMaterial>& tls() const { return tls_; }
  /// Why it is kFailed.
  [[nodiscard]] const TransportEnd& failure() const { return failure_; }

  /// While kConnecting: continues as far as possible; see DrivenRequest.
  void connect(std::span<const pollfd> ready, Time now);
  /// Appends the descriptors that connect() has to be called for.
  void poll_for_connect(std::vector<pollfd>& out) const;
  /// connect() has to be called then at the latest.
  [[nodiscard]] Time connect_due() const { return due_; }

  // While kOpen:
  /// The socket, for poll().
  [[nodiscard]] int descriptor() const { return descriptor_; }
  enum class Io {
    kSome,     ///< Bytes were sent or received.
    kBlocked,  ///< No connection is possible now.
    kClosed,   ///< The peer has closed, or the connection is broken; see why().
  };
  /// Takes what was sent off the front of `bytes`.
  Io send(std::string_view& bytes);
  /// Receives into `buffer`; `got` is what came.
  Io receive(std::span<char> buffer, std::string_view& got);
  /// Why it is kClosed; empty when the peer has closed properly.
  [[nodiscard]] const std::string& why() const { return why_; }
  /// Whether the idle connection can carry a request: the peer has neither closed it nor sent
  /// unexpected bytes.
  [[nodiscard]] bool is_usable();

 private:
  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*);
  static int on_timer(CURLM*, long ms, void* self);
  void act(curl_socket_t socket, int events);
  void take_result();
  void begin_with_curl();
  /// Takes the connected socket of the SocketSource.
  void begin_with_source();
  /// Takes the socket from libcurl, and begins the handshake.
  void take_socket(int socket);
  void begin_handshake();
  void handshake();
  void fail(Break kind, std::string why);
  /// Ends libcurl's part; must not be called in one of its callbacks.
  void release_curl();
  /// Without TLS, over the socket of a SocketSource.
  [[nodiscard]] Io send_plain(std::string_view& bytes);
  [[nodiscard]] Io receive_plain(std::span<char> buffer, std::string_view& got);
  [[nodiscard]] Io io_of(TlsSession::Progress progress);
  [[nodiscard]] std::string text_of(CURLcode code) const;

  const CurlSettings& settings_;
  const std::shared_ptr<const TlsMaterial> tls_;
  std::shared_ptr<const ClientTls> client_tls_;  // Null: libcurl speaks TLS.
  char error_[CURL_ERROR_SIZE] = {};
  CurlList connect_to_;
  // Null with a SocketSource. Each has its own: libcurl's handles are for one thread at a time.
  CurlMulti multi_;
  CurlEasy easy_;    // After the multi handle, which it must leave first.
  UniqueFd socket_;  // Once it was taken from libcurl, which both handles have then left, or of a
                     // SocketSource.
  std::optional<TlsSession> session_;  // Over socket_.
  State state_ = State::kConnecting;
  std::vector<pollfd> sockets_;  // The sockets to poll while it connects.
  const Time give_up_;           // The handshake has to be done by then.
  Time now_;                     // Passed to the connect() in progress.
  Time due_ = Time::max();
  int descriptor_ = -1;
  TransportEnd failure_;
  std::string why_;
};

}  // namespace davit::host
