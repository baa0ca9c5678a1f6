#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "host/http/http_server.hpp"

namespace davit::host {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

/// A usual request in one read.
constexpr std::size_t kFirstRead = 2048;
constexpr auto kAcceptPause = std::chrono::seconds(1);

class Session;

/// What sessions need of their server. Everything here happens on the server's thread.
class SessionOwner {
 public:
  SessionOwner() = default;
  SessionOwner(const SessionOwner&) = delete;
  SessionOwner& operator=(const SessionOwner&) = delete;
  virtual ~SessionOwner() = default;

  [[nodiscard]] virtual HttpServerResponse handle(const HttpServerRequest& request) = 0;
  /// Destroys the session.
  virtual void ended(Session& session) = 0;
};

/// One connection: read a request, answer it, and again while the client keeps the connection. At
/// most one operation is under way, so that its completion may destroy the session.
class Session {
 public:
  Session(tcp::socket socket, const HttpServerOptions& options, SessionOwner& owner)
      : stream_(std::move(socket)), options_(options), owner_(owner) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(options_.header_bytes_max));
    parser_->body_limit(options_.body_bytes_max);
    if (buffer_.size() > 0) {
      read_rest();  // The client sent more than one request at once.
      return;
    }
    stream_.expires_after(options_.idle_time);
    stream_.async_read_some(buffer_.prepare(kFirstRead), [this](error_code error, std::size_t n) {
      if (error) return end();
      buffer_.commit(n);
      read_rest();
    });
  }

 private:
  void read_rest() {
    stream_.expires_after(options_.request_time);
    http::async_read(stream_, buffer_, *parser_,
                     [this](error_code error, std::size_t) { on_read(error); });
  }

  void on_read(error_code error) {
    if (error) {
      const int status = status_of(error);
      if (status == 0) return end();
      keep_alive_ = false;
      HttpServerResponse refusal;
      refusal.status = status;
      refusal.body = std::string(http::obsolete_reason(http::int_to_status(status))) + "\n";
      return write(std::move(refusal), "GET");
    }
    const auto& message = parser_->get();
    keep_alive_ = message.keep_alive();
    HttpServerRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message) {
      request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    request.body = std::move(parser_->get().body());
    write(owner_.handle(request), request.method);
  }

  /// What to tell the client about a request that cannot be read; 0: nothing, it is gone.
  static int status_of(error_code error) {
    if (error == http::error::end_of_stream || error == beast::error::timeout) return 0;
    if (error == http::error::header_limit) return 431;
    if (error == http::error::body_limit) return 413;
    // Errors of the parser are about the request, others about the connection.
    return error.category() == http::make_error_code(http::error::bad_method).category() &&
                   error != http::error::partial_message
               ? 400
               : 0;
  }

  void write(HttpServerResponse made, std::string_view method) {
    response_ = {};
    response_.version(11);
    response_.result(static_cast<unsigned>(made.status));
    response_.set(http::field::content_type, made.content_type);
    for (const auto& [key, value] : made.headers) response_.set(key, value);
    response_.keep_alive(keep_alive_);
    response_.content_length(made.body.size());
    if (method != "HEAD") response_.body() = std::move(made.body);
    stream_.expires_after(options_.request_time);
    http::async_write(stream_, response_,
                      [this](error_code error, std::size_t) { on_written(error); });
  }

  void on_written(error_code error) {
    if (error) return end();
    response_ = {};  // An exposition of metrics is large: not kept while idle.
    if (keep_alive_) return read();
    error_code ignored;  // The client may have closed already.
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    end();
  }

  void end() { owner_.ended(*this); }

  beast::tcp_stream stream_;
  const HttpServerOptions& options_;
  SessionOwner& owner_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  bool keep_alive_ = false;
};

class BeastServer final : public HttpServer, private SessionOwner {
 public:
  BeastServer(const HttpServerOptions& options, Handler handler, Log log)
      : options_(options), handler_(std::move(handler)), log_(std::move(log)) {}

  ~BeastServer() override {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status start() {
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options_.address, error);
    if (error) return {Code::kInvalid, "not an IP address: " + options_.address};
    const tcp::endpoint wanted(address, options_.port);
    acceptor_.open(wanted.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(wanted, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) endpoint_ = acceptor_.local_endpoint(error);
    if (error) {
      return {Code::kUnavailable, "cannot listen on " + options_.address + ":" +
                                      std::to_string(options_.port) + ": " + error.message()};
    }
    accept();
    thread_ = std::thread([this] { io_.run(); });
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
    if (accepting_) return;
    accepting_ = true;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      accepting_ = false;
      if (error) {
        // Out of file descriptors, most likely: others have to close some first.
        log_.warning("Cannot accept a connection", {{"err", error.message()}});
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](error_code) { accept(); });
        return;
      }
      sessions_.emplace_back(std::move(socket), options_, static_cast<SessionOwner&>(*this));
      sessions_.back().read();
      if (sessions_.size() < options_.connections_max) accept();
    });
  }

  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override {
    return handler_(request);
  }

  void ended(Session& session) override {
    sessions_.remove_if([&session](const Session& each) { return &each == &session; });
    if (sessions_.size() < options_.connections_max) accept();
  }

  const HttpServerOptions options_;
  const Handler handler_;
  const Log log_;

  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  tcp::endpoint endpoint_;
  std::list<Session> sessions_;  // Of the server's thread.
  bool accepting_ = false;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HttpServerOptions& options,
                                                     Handler handler, Log log) {
  auto server = std::make_unique<BeastServer>(options, std::move(handler), std::move(log));
  if (Status s = server->start(); !s.ok()) return s;
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace davit::host
