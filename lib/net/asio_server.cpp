#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "lib/base/start_thread.hpp"
#include "lib/net/http_connection.hpp"
#include "lib/net/http_server.hpp"
#include "lib/net/tls_channel.hpp"

namespace davit {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr auto kAcceptPause = std::chrono::seconds(1);
/// One buffer for all connections: idle ones hold none.
using ReadBuffer = std::array<char, std::size_t{64} << 10U>;

class Session;

/// A place that a request occupies while it is served. Probes occupy none.
enum class Place { kNone, kAnybodys, kKnownClients };

/// The part of the server that sessions use. All calls except wake() are on the server's thread.
class SessionOwner {
 public:
  SessionOwner() = default;
  SessionOwner(const SessionOwner&) = delete;
  SessionOwner& operator=(const SessionOwner&) = delete;
  virtual ~SessionOwner() = default;

  [[nodiscard]] virtual Time now() const = 0;
  [[nodiscard]] virtual ReadBuffer& read_buffer() = 0;
  /// Any thread: calls the session's wake() soon, if it is still there.
  virtual void wake(std::uint64_t id) = 0;
  /// Destroys the session.
  virtual void ended(std::uint64_t id) = 0;
  /// Logs what ended a connection.
  virtual void failed(const char* what) = 0;
  /// A session waits for its client, so another client may take its place.
  virtual void on_idle() = 0;
  /// Whether one more request may take such a place.
  [[nodiscard]] virtual bool has(Place place) const = 0;
};

/// One connection's socket, timer and, with TLS, channel around an HttpConnection.
class Session {
 public:
  Session(std::uint64_t id, tcp::socket socket, const HttpServerOptions& options,
          const HttpServer::Handler& handler, std::shared_ptr<const TlsContext> tls,
          SessionOwner& owner)
      : id_(id),
        options_(options),
        server_handler_(handler),
        owner_(owner),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        context_(std::move(tls)),
        tls_(context_ == nullptr ? nullptr : context_->accept(local_address())),
        handler_([this](const HttpServerRequest& request) { return respond(request); }),
        http_(
            options, handler_, [this] { wake_soon(); }, owner.now()) {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
    const tcp::endpoint client = socket_.remote_endpoint(ignored);
    if (!ignored) http_.set_client(client.address().to_string());
  }

  /// Carries out whatever is to be done now. May destroy the session.
  void pump() {
    guard([this] { step(); });
    if (closing_ && pending_ == 0) {
      owner_.ended(id_);
    } else if (is_waiting()) {
      owner_.on_idle();
    }
  }

  [[nodiscard]] bool is_waiting() const { return !closing_ && http_.is_waiting(); }

  /// Counts against the limit of these places.
  [[nodiscard]] bool holds(Place place) const {
    return place_ == place && !closing_ && !http_.is_waiting();
  }
  /// May be closed for another client where there are probes.
  [[nodiscard]] bool may_give_way() const {
    return !closing_ && (place_ == Place::kNone || http_.is_waiting());
  }

  /// Closes the connection at once. May destroy the session.
  void drop() {
    close();
    pump();
  }

  void wake() {
    // Before reading, so that what comes later wakes again; nothing else is passed through it.
    woken_.store(false, std::memory_order_seq_cst);
    guard([this] { http_.wake(); });
    pump();
  }

  void drain() {
    guard([this] { http_.drain(); });
    pump();
  }

 private:
  [[nodiscard]] std::string local_address() const {
    error_code error;
    const tcp::endpoint here = socket_.local_endpoint(error);
    return error ? std::string() : here.address().to_string(error);
  }

  /// Carries out `work` unless the connection is closed. What it throws, such as a lack of memory
  /// or what a library makes of foreign bytes, ends this connection alone.
  template <typename Work>
  void guard(Work work) {
    if (closing_) return;
    try {
      work();
    } catch (const std::exception& thrown) {
      abandon(thrown.what());
    } catch (...) {
      abandon("unknown exception");
    }
  }

  void abandon(const char* what) {
    owner_.failed(what);
    error_code ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    close();
  }

  enum class CloseNotify { kNone, kAlert, kSent };  // TLS sends close_notify first.

  HttpServerResponse respond(const HttpServerRequest& request) {
    place_ = Place::kNone;
    if (!options_.is_probe || options_.is_probe(request)) return server_handler_(request);
    place_ = find_place(request);
    if (place_ == Place::kNone) {
      HttpServerResponse busy;
      busy.status = 503;
      busy.headers = {{"Retry-After", "1"}};
      busy.body = "too many requests at once\n";
      return busy;
    }
    return server_handler_(request);
  }

  /// kNone: all are taken.
  [[nodiscard]] Place find_place(const HttpServerRequest& request) const {
    const bool is_known = options_.is_known && options_.is_known(request);
    if (is_known && owner_.has(Place::kKnownClients)) return Place::kKnownClients;
    return owner_.has(Place::kAnybodys) ? Place::kAnybodys : Place::kNone;
  }

  /// Any thread. Many changes at once are one call.
  void wake_soon() {
    if (!woken_.exchange(true, std::memory_order_seq_cst)) owner_.wake(id_);
  }

  void step() {
    write();
    switch (http_.action()) {
      case HttpConnection::SocketAction::kReset: {
        error_code ignored;
        socket_.set_option(asio::socket_base::linger(true, 0), ignored);
        return close();
      }
      case HttpConnection::SocketAction::kClose:
        return close();  // Also while bytes wait for a client that does not read.
      case HttpConnection::SocketAction::kHalfClose:
        if (!writing_) half_close();
        break;
      case HttpConnection::SocketAction::kOpen:
        break;
    }
    if (!reading_ && http_.wants_input()) read();
    set_timer();
  }

  void read() {
    socket_.async_wait(tcp::socket::wait_read, [this](error_code error) {
      reading_ = false;
      --pending_;
      if (!error) guard([this] { take_input(); });
      pump();
    });
    reading_ = true;
    ++pending_;
  }

  void take_input() {
    ReadBuffer& buffer = owner_.read_buffer();
    error_code error;
    const std::size_t got = socket_.read_some(asio::buffer(buffer), error);
    if (error == asio::error::would_block) return;
    if (error && error != asio::error::eof) return close();
    if (error) return http_.receive_end();
    if (!tls_) return http_.receive({buffer.data(), got}, owner_.now());
    std::string plain;
    const bool handshaking = tls_->state() == TlsChannel::State::kHandshake;
    const TlsChannel::State state = tls_->receive({buffer.data(), got}, plain);
    if (handshaking && state == TlsChannel::State::kOpen) {
      if (std::optional<PeerCertificate> peer = tls_->peer()) http_.set_peer(std::move(*peer));
    }
    if (!plain.empty()) http_.receive(plain, owner_.now());
    if (state == TlsChannel::State::kEnded) http_.receive_end();
    if (state == TlsChannel::State::kFailed) refused_ = true;
  }

  void write() {
    if (writing_) return;
    std::string piece = http_.output(owner_.now());
    if (tls_) {
      if (!piece.empty()) tls_->send(piece);
      wire_is_http_ = !piece.empty();
      piece = tls_->wire_output();
    } else {
      wire_is_http_ = true;
    }
    if (piece.empty()) {
      if (refused_) close();
      return;
    }
    out_ = std::move(piece);
    asio::async_write(socket_, asio::buffer(out_), [this](error_code error, std::size_t) {
      writing_ = false;
      --pending_;
      out_ = std::string();  // With its memory, which {} would keep.
      if (error || refused_) close();
      guard([this] {
        if (wire_is_http_) http_.sent(owner_.now());
      });
      pump();
    });
    writing_ = true;
    ++pending_;
  }

  void half_close() {
    if (close_notify_ == CloseNotify::kNone && tls_) {
      close_notify_ = CloseNotify::kAlert;
      tls_->end();
      write();
    }
    if (writing_ || close_notify_ == CloseNotify::kSent) return;
    close_notify_ = CloseNotify::kSent;
    error_code ignored;  // The client may have closed already.
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
  }

  void set_timer() {
    const Time deadline = http_.deadline();
    // A deadline that moves away leaves its timer, which then finds nothing due.
    if (deadline >= timer_due_) return;
    timer_.expires_after(deadline - owner_.now());
    timer_.async_wait([this, deadline](error_code) {
      --pending_;
      if (timer_due_ == deadline) timer_due_ = Time::max();
      guard([this] { http_.tick(owner_.now()); });
      pump();
    });
    timer_due_ = deadline;
    ++pending_;
  }

  void close() {
    if (closing_) return;
    closing_ = true;
    error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
  }

  const std::uint64_t id_;
  const HttpServerOptions& options_;
  const HttpServer::Handler& server_handler_;
  SessionOwner& owner_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  const std::shared_ptr<const TlsContext> context_;  // Null without TLS.
  const std::unique_ptr<TlsChannel> tls_;
  std::string out_;  // On its way.
  Time timer_due_ = Time::max();
  int pending_ = 0;  // Completions that will still come: they need the session.
  bool reading_ = false;
  bool writing_ = false;
  bool wire_is_http_ = false;  // The bytes being sent include some of output().
  CloseNotify close_notify_ = CloseNotify::kNone;
  bool refused_ = false;  // The peer speaks no TLS.
  bool closing_ = false;
  Place place_ = Place::kNone;  // That of the last request.
  std::atomic<bool> woken_ = false;
  const HttpServer::Handler handler_;
  HttpConnection http_;  // Last: a stream that ends may still call wake_soon().
};

class AsioServer final : public HttpServer, private SessionOwner {
 public:
  AsioServer(const HttpServerOptions& options, Handler handler, Logger log)
      : options_(options), handler_(std::move(handler)), log_(std::move(log)) {}

  ~AsioServer() override {
    if (!thread_.joinable()) return;
    asio::post(io_, [this] { drain(); });
    thread_.join();
  }

  Status start() {
    if (options_.tls) {
      Result<std::shared_ptr<const TlsContext>> tls = TlsContext::open(*options_.tls);
      if (!tls) return tls.error();
      tls_ = *std::move(tls);
    }
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options_.address, error);
    if (error) return {Code::kInvalid, "not an IP address: " + options_.address};
    const tcp::endpoint wanted(address, options_.port);
    acceptor_.open(wanted.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error && options_.port_sharing == HttpServerOptions::PortSharing::kYes) {
      acceptor_.set_option(ReusePort(true), error);
    }
    if (!error) acceptor_.bind(wanted, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) endpoint_ = acceptor_.local_endpoint(error);
    if (error) {
      return {Code::kUnavailable, "cannot listen on " + options_.address + ":" +
                                      std::to_string(options_.port) + ": " + error.message()};
    }
    accept();
    if (start_thread(thread_, "http", [this] { io_.run(); })) return {};
    return {Code::kUnavailable, "cannot serve on " + endpoint() + ": cannot start a thread"};
  }

  Status change_tls(const TlsIdentity& identity) override {
    if (!options_.tls) return {Code::kMisuse, "the server does not speak TLS"};
    Result<std::shared_ptr<const TlsContext>> tls = TlsContext::open(identity);
    if (!tls) return tls.error();
    asio::post(io_, [this, next = *std::move(tls)] { tls_ = next; });
    return {};
  }

  [[nodiscard]] std::uint16_t port() const override { return endpoint_.port(); }

  [[nodiscard]] std::string endpoint() const override {
    const std::string address = endpoint_.address().to_string();
    const std::string host = endpoint_.address().is_v6() ? "[" + address + "]" : address;
    return host + ":" + std::to_string(endpoint_.port());
  }

 private:
  void accept() {
    if (accepting_ || draining_ || (is_full() && droppable() == nullptr)) return;
    accepting_ = true;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      accepting_ = false;
      if (draining_) return;
      if (error) {
        // Out of file descriptors, most likely: others have to close some first.
        log_.warning("Cannot accept a connection", {{"err", error.message()}});
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](error_code) { accept(); });
        return;
      }
      // The connection of an idle client is closed for the new one.
      if (Session* const oldest = is_full() ? droppable() : nullptr) oldest->drop();
      if (Session* const added = add(std::move(socket))) added->pump();
      accept();
    });
  }

  /// Null if there is no memory for another connection, which is closed then.
  Session* add(tcp::socket socket) {
    try {
      const std::uint64_t id = ++last_id_;
      auto session = std::make_unique<Session>(id, std::move(socket), options_, handler_, tls_,
                                               static_cast<SessionOwner&>(*this));
      return sessions_.emplace(id, std::move(session)).first->second.get();
    } catch (const std::exception& thrown) {
      failed(thrown.what());
      return nullptr;
    }
  }

  void failed(const char* what) override {
    log_.error("A connection was closed because of an error", {{"err", what}});
  }

  [[nodiscard]] bool is_full() const { return sessions_.size() >= options_.connections_max; }

  /// The client whose connection may be closed for another one; null: none.
  [[nodiscard]] Session* droppable() const {
    Session* const idle = oldest([](const Session& each) { return each.is_waiting(); });
    if (idle != nullptr || !options_.is_probe) return idle;
    // A probe's response leaves soon, or its client does not read it.
    return oldest([](const Session& each) { return each.may_give_way(); });
  }

  /// The one that connected first of those that `matches`; null when there is none.
  template <typename Matches>
  [[nodiscard]] Session* oldest(Matches matches) const {
    const std::pair<const std::uint64_t, std::unique_ptr<Session>>* oldest = nullptr;
    for (const auto& each : sessions_) {
      if (!matches(*each.second)) continue;
      if (oldest == nullptr || each.first < oldest->first) oldest = &each;
    }
    return oldest == nullptr ? nullptr : oldest->second.get();
  }

  [[nodiscard]] bool has(Place place) const override {
    const auto taken = std::count_if(sessions_.begin(), sessions_.end(), [place](const auto& each) {
      return each.second->holds(place);
    });
    const bool known = place == Place::kKnownClients;
    return static_cast<std::size_t>(taken) < (known ? options_.known_max : options_.others_max);
  }

  void on_idle() override {
    if (!accepting_) accept();
  }

  void drain() {
    draining_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    std::vector<std::uint64_t> ids;
    for (const auto& [id, session] : sessions_) ids.push_back(id);
    for (const std::uint64_t id : ids) {
      const auto found = sessions_.find(id);
      if (found != sessions_.end()) found->second->drain();
    }
    if (sessions_.empty()) return io_.stop();
    pause_.expires_after(options_.drain_time);
    pause_.async_wait([this](error_code) { io_.stop(); });
  }

  [[nodiscard]] Time now() const override { return clock_->now(); }
  [[nodiscard]] ReadBuffer& read_buffer() override { return read_buffer_; }

  void wake(std::uint64_t id) override {
    asio::post(io_, [this, id] {
      const auto found = sessions_.find(id);
      if (found != sessions_.end()) found->second->wake();
    });
  }

  void ended(std::uint64_t id) override {
    sessions_.erase(id);
    if (draining_ && sessions_.empty()) io_.stop();
    accept();
  }

  const HttpServerOptions options_;
  const Handler handler_;
  const Logger log_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();  // Sockets offer no other clock.

  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  tcp::endpoint endpoint_;
  ReadBuffer read_buffer_{};
  // From here on of the server's thread.
  std::shared_ptr<const TlsContext> tls_;  // For new connections; null without TLS.
  std::uint64_t last_id_ = 0;
  bool accepting_ = false;
  bool draining_ = false;
  std::unordered_map<std::uint64_t, std::unique_ptr<Session>> sessions_;
  std::jthread thread_;
};

}  // namespace

HttpHeaders browser_limits() {
  return {{"X-Content-Type-Options", "nosniff"},
          {"Content-Security-Policy",
           "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'"}};
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HttpServerOptions& options,
                                                     Handler handler, Logger log) {
  auto server = std::make_unique<AsioServer>(options, std::move(handler), std::move(log));
  if (Status s = server->start(); !s.ok()) return s;
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace davit
