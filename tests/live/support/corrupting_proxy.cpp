#include "tests/live/support/corrupting_proxy.hpp"

#include <signal.h>

#include <string_view>
#include <utility>

#include "lib/base/lower_case.hpp"
#include "lib/base/openssl_owners.hpp"
#include "lib/base/write_all.hpp"
#include "tests/live/support/loopback.hpp"

namespace davit::live {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// The size of the body that a head announces.
std::size_t body_size(const std::string& text) {
  const std::string head = lower_case(text);
  constexpr std::string_view kLength = "\r\ncontent-length:";
  const std::size_t at = head.find(kLength);
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + kLength.size()));
}

/// Takes the next request, head and body, from the connection; "" at its end. What comes behind it
/// stays in `buffer`.
std::string next_request(int client, std::string& buffer) {
  for (;;) {
    if (const std::size_t end = buffer.find(kHeadEnd); end != std::string::npos) {
      const std::size_t size = end + kHeadEnd.size() + body_size(buffer.substr(0, end));
      if (buffer.size() >= size) {
        std::string request = buffer.substr(0, size);
        buffer.erase(0, size);
        return request;
      }
    }
    char piece[4096];
    const ssize_t got = ::recv(client, piece, sizeof piece, 0);
    if (got <= 0) return {};
    buffer.append(piece, static_cast<std::size_t>(got));
  }
}

/// Sends the request as the only one of its connection, and passes on its response until the server
/// closes.
void exchange(int server, const std::string& request, int client) {
  const ContextPtr context(SSL_CTX_new(TLS_client_method()));
  const SessionPtr ssl(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), server);
  if (SSL_connect(ssl.get()) != 1) return;
  if (SSL_write(ssl.get(), request.data(), static_cast<int>(request.size())) <= 0) return;
  std::string piece(kPieceBytes, '\0');
  for (int got = 0; (got = SSL_read(ssl.get(), piece.data(), static_cast<int>(kPieceBytes))) > 0;) {
    if (!write_all(client, std::string_view(piece).substr(0, static_cast<std::size_t>(got))))
      return;
  }
}

}  // namespace

CorruptingProxy::CorruptingProxy(int server_port, std::string token)
    : server_port_(server_port),
      token_(std::move(token)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  port_ = listen_on_loopback(listener_.get());
  thread_ = std::jthread([this] { take_connections(); });
}

CorruptingProxy::~CorruptingProxy() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    for (const Connection& each : connections_) {
      ::shutdown(each.client.get(), SHUT_RDWR);
      if (each.server.valid()) ::shutdown(each.server.get(), SHUT_RDWR);
    }
  }
  connections_.clear();  // Waits for their threads, which may need the lock.
}

void CorruptingProxy::corrupt(const std::string& path, const std::string& body) {
  const std::lock_guard lock(mutex_);
  bodies_[path] = body;
}

void CorruptingProxy::relent() {
  const std::lock_guard lock(mutex_);
  bodies_.clear();
}

int CorruptingProxy::corrupted(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = corrupted_.find(path);
  return found == corrupted_.end() ? 0 : found->second;
}

void CorruptingProxy::take_connections() {
  for (;;) {
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client.valid()) return;
    const std::lock_guard lock(mutex_);
    // A thread that is done needs the lock no more.
    connections_.remove_if([](const Connection& each) { return each.is_done.load(); });
    Connection& made = connections_.emplace_back();
    made.client = std::move(client);
    made.thread = std::jthread([this, &made] { serve(made); });
  }
}

void CorruptingProxy::serve(Connection& at) {
  // A write to a client or server that is gone would end the test program.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  std::string buffer;
  for (;;) {
    const std::string request = next_request(at.client.get(), buffer);
    if (request.empty()) break;
    if (const std::string wrong = wrong_response(request); !wrong.empty()) {
      if (!write_all(at.client.get(), wrong)) break;
      continue;
    }
    pass_on(at, request);
    break;
  }
  ::shutdown(at.client.get(), SHUT_RDWR);
  at.is_done = true;
}

std::string CorruptingProxy::wrong_response(const std::string& request) {
  constexpr std::string_view kGet = "GET ";
  if (!request.starts_with(kGet)) return {};
  const std::string path =
      request.substr(kGet.size(), request.find_first_of(" ?", kGet.size()) - kGet.size());
  const std::lock_guard lock(mutex_);
  const auto found = bodies_.find(path);
  if (found == bodies_.end()) return {};
  ++corrupted_[path];
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(found->second.size()) + std::string(kHeadEnd) + found->second;
}

void CorruptingProxy::pass_on(Connection& at, const std::string& request) {
  {
    // Connected under the lock: the destructor finds either no connection or one to shut down.
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    at.server = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in server = loopback(server_port_);
    if (::connect(at.server.get(), reinterpret_cast<const sockaddr*>(&server), sizeof(server)) !=
        0) {
      return;
    }
  }
  std::string last = request;
  last.insert(last.find("\r\n"), "\r\nConnection: close\r\nAuthorization: Bearer " + token_);
  exchange(at.server.get(), last, at.client.get());
}

}  // namespace davit::live
