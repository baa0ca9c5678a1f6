/// A way to a server on loopback that fails as networks do.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

namespace davit::live {

/// Takes connections on a free loopback port and passes their bytes on, unread: TLS goes through.
/// Thread-safe; a thread of its own does the work, and its end closes everything.
class TcpProxy {
 public:
  /// To 127.0.0.1:`server_port`. Ends the test program when there is no port.
  explicit TcpProxy(int server_port);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  [[nodiscard]] int port() const { return port_; }

  /// Connections that are open now turn stalled: what the server says on them is acknowledged and
  /// dropped, their ends included. One that carries a further request of the client is none that
  /// only listens, and works on; so with HTTP/1.1 just watches are hit. Later connections work.
  void stall();
  /// Connections that are open now become half-open: nothing passes in either direction any more,
  /// and neither side sees an end. Later connections work.
  void freeze();
  /// Resets all connections that are open now.
  void reset();
  /// Ends the connections on which nothing is under way now, as a server ends idle ones: it spoke
  /// last, and for 20 ms nothing has passed.
  void hang_up();
  /// From now on each piece that passes is lost with this probability, which TCP makes a pause of
  /// at least 200 ms; 0: none.
  void lose(double share) { lost_share_.store(share); }

  /// Connections that were taken so far.
  [[nodiscard]] int accepted() const { return accepted_.load(); }
  /// Those that are stalled or half-open and have not been closed by the client.
  [[nodiscard]] std::size_t impaired() const { return impaired_.load(); }

 private:
  class Loop;

  void order(int what);

  int port_ = 0;
  std::atomic<double> lost_share_{0};
  std::atomic<int> accepted_{0};
  std::atomic<std::size_t> impaired_{0};
  std::atomic<int> ordered_{0};  // Bits of what is to be done next.
  std::unique_ptr<Loop> loop_;
  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace davit::live
