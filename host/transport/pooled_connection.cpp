#include "host/transport/pooled_connection.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace davit::host {
namespace {

// Two addresses at once and the resolver's: kept free, so that the callback allocates nothing.
constexpr std::size_t kSocketsMax = 8;
// From the first packet to the end of the handshake: client-go's 30 s to connect plus 10 s.
constexpr Duration kOpenMax = std::chrono::seconds(40);

short poll_events(int what) {
  switch (what) {
    case CURL_POLL_IN:
      return POLLIN;
    case CURL_POLL_OUT:
      return POLLOUT;
    case CURL_POLL_INOUT:
      return POLLIN | POLLOUT;
    default:
      return 0;
  }
}

int select_events(short revents) {
  int events = 0;
  if ((revents & (POLLIN | POLLHUP)) != 0) events |= CURL_CSELECT_IN;
  if ((revents & POLLOUT) != 0) events |= CURL_CSELECT_OUT;
  if ((revents & (POLLERR | POLLNVAL)) != 0) events |= CURL_CSELECT_ERR;
  return events;
}

}  // namespace

PooledConnection::PooledConnection(const CurlSettings& settings,
                                   std::shared_ptr<const TlsMaterial> tls, ClientTlsCache& cache,
                                   Time now)
    : settings_(settings), tls_(std::move(tls)), give_up_(now + kOpenMax), now_(now) {
  if (!settings.socket_url.empty()) {
    const TlsVerify verify = settings.verify == CurlSettings::Verify::kNothing ? TlsVerify::kNothing
                                                                               : TlsVerify::kServer;
    Result<std::shared_ptr<const ClientTls>> made = cache.of(tls_, verify);
    if (!made) {
      fail(Break::kTls, made.error().message());
      return;
    }
    client_tls_ = *std::move(made);
  }
  if (settings.sockets) {
    begin_with_source();
  } else {
    begin_with_curl();
  }
}

void PooledConnection::begin_with_curl() {
  multi_.reset(curl_multi_init());
  easy_.reset(curl_easy_init());
  DAVIT_ASSERT(multi_ != nullptr && easy_ != nullptr);
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &PooledConnection::on_socket);
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &PooledConnection::on_timer);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
  sockets_.reserve(kSocketsMax);
  CURL* const easy = easy_.get();
  set_connection_options(easy, settings_, *tls_, connect_to_);
  set_option(easy, CURLOPT_ERRORBUFFER, error_);
  if (client_tls_ == nullptr) {
    set_option(easy, CURLOPT_URL, settings_.base_url.c_str());
  } else {
    set_option(easy, CURLOPT_URL, settings_.socket_url.c_str());
    set_option<const char*>(easy, CURLOPT_CONNECT_TO, nullptr);
  }
  set_option(easy, CURLOPT_CONNECT_ONLY, 1L);
  set_option(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  let_read_ahead(easy);
  curl_multi_add_handle(multi_.get(), easy);
  act(CURL_SOCKET_TIMEOUT, 0);
  take_result();
}

void PooledConnection::begin_with_source() {
  Result<UniqueFd> socket = settings_.sockets(settings_.server);
  if (!socket) return fail(Break::kRefused, socket.error().message());
  socket_ = *std::move(socket);
  set_socket_options(socket_.get());
  if (fcntl(socket_.get(), F_SETFL, O_NONBLOCK) != 0) {
    return fail(Break::kOther, "the connected socket always blocks");
  }
  if (client_tls_ != nullptr) return begin_handshake();
  state_ = State::kOpen;
  descriptor_ = socket_.get();
}

PooledConnection::~PooledConnection() { release_curl(); }

void PooledConnection::release_curl() {
  if (multi_ == nullptr) return;
  // Closing must not call back into members that are gone.
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, nullptr);
  curl_multi_remove_handle(multi_.get(), easy_.get());
  easy_.reset();
  multi_.reset();
}

int PooledConnection::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  std::vector<pollfd>& sockets = static_cast<PooledConnection*>(self)->sockets_;
  std::erase_if(sockets, [socket](const pollfd& each) { return each.fd == socket; });
  if (what != CURL_POLL_REMOVE) sockets.push_back({socket, poll_events(what), 0});
  return 0;
}

int PooledConnection::on_timer(CURLM*, long ms, void* self) {
  auto& connection = *static_cast<PooledConnection*>(self);
  connection.due_ = ms < 0 ? Time::max() : connection.now_ + std::chrono::milliseconds(ms);
  return 0;
}

void PooledConnection::act(curl_socket_t socket, int events) {
  int running = 0;
  curl_multi_socket_action(multi_.get(), socket, events, &running);
}

void PooledConnection::connect(std::span<const pollfd> ready, Time now) {
  now_ = now;
  if (session_) {
    if (now < give_up_) return handshake();
    return fail(Break::kTimeout, "the TLS handshake takes too long");
  }
  if (due_ <= now) {
    due_ = Time::max();  // Unless the call below sets it again.
    act(CURL_SOCKET_TIMEOUT, 0);
  }
  for (const pollfd& each : ready) {
    if (each.revents != 0) act(each.fd, select_events(each.revents));
  }
  take_result();
}

void PooledConnection::poll_for_connect(std::vector<pollfd>& out) const {
  out.insert(out.end(), sockets_.begin(), sockets_.end());
}

void PooledConnection::take_result() {
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(multi_.get(), &left);
  if (message == nullptr || message->msg != CURLMSG_DONE) return;
  const CURLcode code = message->data.result;
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy_.get(), CURLINFO_ACTIVESOCKET, &socket);
  if (code == CURLE_OK && socket != CURL_SOCKET_BAD) {
    if (client_tls_ != nullptr) return take_socket(socket);
    state_ = State::kOpen;
    descriptor_ = socket;
    return;
  }
  long tunnel = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_CONNECTCODE, &tunnel);
  if (code != CURLE_OK && tunnel >= 300) {  // Nothing has reached the server.
    return fail(Break::kRefused, "the proxy " + settings_.proxy.shown +
                                     " refuses the connection: HTTP " + std::to_string(tunnel));
  }
  fail(code == CURLE_OK ? Break::kOther : break_of(code), text_of(code));
}

void PooledConnection::fail(Break kind, std::string why) {
  state_ = State::kFailed;
  failure_ = {kind, std::move(why)};
}

void PooledConnection::take_socket(int socket) {
  // libcurl closes its own descriptor.
  socket_ = UniqueFd(fcntl(socket, F_DUPFD_CLOEXEC, 0));
  if (!socket_.valid()) return fail(Break::kOther, "no descriptor is left for the connection");
  release_curl();
  begin_handshake();
}

void PooledConnection::begin_handshake() {
  session_.emplace(client_tls_, socket_.get(), settings_.tls_name);
  due_ = give_up_;
  handshake();
}

void PooledConnection::handshake() {
  sockets_.clear();
  switch (session_->handshake()) {
    case TlsSession::Progress::kReads:
      sockets_.push_back({socket_.get(), POLLIN, 0});
      return;
    case TlsSession::Progress::kWrites:
      sockets_.push_back({socket_.get(), POLLOUT, 0});
      return;
    case TlsSession::Progress::kFailed:
      return fail(Break::kTls, session_->why());
    case TlsSession::Progress::kDone:
      sockets_ = {};
      state_ = State::kOpen;
      descriptor_ = socket_.get();
  }
}

PooledConnection::Io PooledConnection::io_of(TlsSession::Progress progress) {
  if (progress == TlsSession::Progress::kDone) return Io::kSome;
  if (progress != TlsSession::Progress::kFailed) return Io::kBlocked;
  why_ = session_->why();
  return Io::kClosed;
}

std::string PooledConnection::text_of(CURLcode code) const {
  return error_[0] != '\0' ? error_ : curl_easy_strerror(code);
}

PooledConnection::Io PooledConnection::send_plain(std::string_view& bytes) {
  const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) {
    bytes.remove_prefix(static_cast<std::size_t>(sent));
    return Io::kSome;
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return Io::kBlocked;
  why_ = std::generic_category().message(errno);
  return Io::kClosed;
}

PooledConnection::Io PooledConnection::receive_plain(std::span<char> buffer,
                                                     std::string_view& got) {
  const ssize_t received = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (received > 0) {
    got = {buffer.data(), static_cast<std::size_t>(received)};
    return Io::kSome;
  }
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return Io::kBlocked;
  }
  why_ = received == 0 ? std::string() : std::generic_category().message(errno);
  return Io::kClosed;
}

PooledConnection::Io PooledConnection::send(std::string_view& bytes) {
  if (session_) return io_of(session_->send(bytes));
  if (settings_.sockets) return send_plain(bytes);
  std::size_t sent = 0;
  error_[0] = '\0';
  const CURLcode code = curl_easy_send(easy_.get(), bytes.data(), bytes.size(), &sent);
  if (code == CURLE_AGAIN || (code == CURLE_OK && sent == 0)) return Io::kBlocked;
  if (code == CURLE_OK) {
    bytes.remove_prefix(sent);
    return Io::kSome;
  }
  why_ = text_of(code);
  return Io::kClosed;
}

PooledConnection::Io PooledConnection::receive(std::span<char> buffer, std::string_view& got) {
  if (session_) return io_of(session_->receive(buffer, got));
  if (settings_.sockets) return receive_plain(buffer, got);
  std::size_t received = 0;
  error_[0] = '\0';
  const CURLcode code = curl_easy_recv(easy_.get(), buffer.data(), buffer.size(), &received);
  if (code == CURLE_AGAIN) return Io::kBlocked;
  if (code == CURLE_OK && received > 0) {
    got = {buffer.data(), received};
    return Io::kSome;
  }
  why_ = code == CURLE_OK ? std::string() : text_of(code);
  return Io::kClosed;
}

bool PooledConnection::is_usable() {
  char byte = 0;
  std::string_view got;
  return state_ == State::kOpen && receive({&byte, 1}, got) == Io::kBlocked;
}

}  // namespace davit::host
