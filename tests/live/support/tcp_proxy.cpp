#include "tests/live/support/tcp_proxy.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/unique_fd.hpp"
#include "tests/live/support/loopback.hpp"

namespace davit::live {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStall = 1;
constexpr int kFreeze = 2;
constexpr int kReset = 4;
constexpr int kHangUp = 8;
constexpr int kEnd = 16;
/// As much as is on its way in one direction.
constexpr std::size_t kPieceBytes = 64 * 1024;
/// The shortest time after which Linux sends a lost segment again.
constexpr std::chrono::milliseconds kRetransmission{200};
/// A client that has something to say on a connection says it within less.
constexpr std::chrono::milliseconds kIdleTime{20};
/// The interval at which pauses are checked.
constexpr int kPollMilliseconds = 20;

UniqueFd stream_socket() {
  return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

}  // namespace

/// The thread's work. Only the thread touches it, except for its construction.
class TcpProxy::Loop {
 public:
  Loop(TcpProxy& proxy, int server_port)
      : proxy_(proxy),
        server_port_(server_port),
        bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        listener_(stream_socket()) {
    proxy_.port_ = listen_on_loopback(listener_.get());
  }

  void ring() const {
    const std::uint64_t one = 1;
    static_cast<void>(::write(bell_.get(), &one, sizeof(one)));
  }

  void run() {
    for (;;) {
      wait();
      const int orders = proxy_.ordered_.exchange(0);
      if ((orders & kEnd) != 0) return;
      if ((orders & kReset) != 0) reset_all();
      if ((orders & kHangUp) != 0) links_.remove_if(is_idle);
      for (Link& each : links_) {
        if ((orders & kStall) != 0) each.is_stalled = true;
        if ((orders & kFreeze) != 0) each.is_frozen = true;
      }
      accept_all();
      links_.remove_if([this](Link& each) { return !pass(each); });
      proxy_.impaired_.store(static_cast<std::size_t>(
          std::count_if(links_.begin(), links_.end(),
                        [](const Link& each) { return each.is_stalled || each.is_frozen; })));
    }
  }

 private:
  struct Direction {
    std::string piece{};  // Read and not yet written.
    Clock::time_point not_before{};
    bool has_ended = false;  // Nothing more to read.
  };
  struct Link {
    UniqueFd client;
    UniqueFd server;
    Direction up{};
    Direction down{};
    bool is_stalled = false;
    bool is_frozen = false;
    bool has_lost = false;  // A part of what the server said.
    bool server_spoke_last = false;
    Clock::time_point last_passed = Clock::now();
  };

  void wait() const {
    std::vector<pollfd> all = {{bell_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const Link& each : links_) {
      // A piece under way is looked at again soon; nothing more is read meanwhile.
      if (each.up.piece.empty() && !each.up.has_ended)
        all.push_back({each.client.get(), POLLIN, 0});
      if (each.down.piece.empty() && !each.down.has_ended) {
        all.push_back({each.server.get(), POLLIN, 0});
      }
    }
    static_cast<void>(::poll(all.data(), all.size(), kPollMilliseconds));
    std::uint64_t rings = 0;
    static_cast<void>(::read(bell_.get(), &rings, sizeof(rings)));
  }

  void accept_all() {
    for (;;) {
      UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (client.get() < 0) return;
      ++proxy_.accepted_;
      UniqueFd server = stream_socket();
      const sockaddr_in to = loopback(server_port_);
      // On loopback this ends at once or will not succeed; a refusal shows at the first read.
      static_cast<void>(
          ::connect(server.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)));
      links_.push_back({std::move(client), std::move(server)});
    }
  }

  /// False: the connection is over.
  bool pass(Link& link) {
    if (!read_from(link.client.get(), link.up)) return false;
    if (!read_from(link.server.get(), link.down) && !link.is_stalled && !link.is_frozen)
      return false;
    if (!link.up.piece.empty() || !link.down.piece.empty()) {
      link.server_spoke_last = link.up.piece.empty();
      link.last_passed = Clock::now();
    }
    if (link.is_stalled && !link.up.piece.empty() && !link.has_lost) link.is_stalled = false;
    if (link.is_stalled || link.is_frozen) {
      link.has_lost = link.has_lost || !link.down.piece.empty();
      link.down.piece.clear();
    }
    if (link.is_frozen) link.up.piece.clear();
    return write_to(link.server.get(), link.up) && write_to(link.client.get(), link.down);
  }

  /// False: the other side has reset or closed the connection, and all that it said is passed on.
  bool read_from(int from, Direction& way) {
    if (!way.piece.empty()) return true;
    if (way.has_ended) return false;
    std::array<char, kPieceBytes> bytes{};
    const ssize_t count = ::recv(from, bytes.data(), bytes.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
    if (count == 0) {
      way.has_ended = true;
      return false;
    }
    way.piece.assign(bytes.data(), static_cast<std::size_t>(count));
    while (chance_(random_) < proxy_.lost_share_.load()) {
      way.not_before = std::max(way.not_before, Clock::now()) + kRetransmission;
    }
    return true;
  }

  static bool write_to(int to, Direction& way) {
    if (way.piece.empty() || Clock::now() < way.not_before) return true;
    const ssize_t count = ::send(to, way.piece.data(), way.piece.size(), MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
    way.piece.erase(0, static_cast<std::size_t>(count));
    return true;
  }

  static bool is_idle(const Link& link) {
    return link.server_spoke_last && link.down.piece.empty() &&
           Clock::now() - link.last_passed > kIdleTime && is_silent(link.client.get()) &&
           is_silent(link.server.get());
  }

  /// On a busy machine this thread comes late, and what was said meanwhile waits in the kernel: a
  /// server that has a request does not end its connection as an idle one.
  static bool is_silent(const int fd) {
    char byte = 0;
    return ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

  void reset_all() {
    const linger at_once{1, 0};
    for (const Link& each : links_) {
      for (const int fd : {each.client.get(), each.server.get()}) {
        static_cast<void>(::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)));
      }
    }
    links_.clear();
  }

  TcpProxy& proxy_;
  const int server_port_;
  const UniqueFd bell_;
  const UniqueFd listener_;
  std::list<Link> links_;
  std::minstd_rand random_{1};  // NOLINT: the same losses in each run.
  std::uniform_real_distribution<double> chance_{0, 1};
};

TcpProxy::TcpProxy(int server_port)
    : loop_(std::make_unique<Loop>(*this, server_port)), thread_([this] { loop_->run(); }) {}

TcpProxy::~TcpProxy() { order(kEnd); }

void TcpProxy::stall() { order(kStall); }
void TcpProxy::freeze() { order(kFreeze); }
void TcpProxy::reset() { order(kReset); }
void TcpProxy::hang_up() { order(kHangUp); }

void TcpProxy::order(int what) {
  ordered_.fetch_or(what);
  loop_->ring();
}

}  // namespace davit::live
