/// A TCP server on a free loopback port whose connections run a script of the test.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// The server's side of one connection. Used by the connection's thread.
class Peer {
 public:
  explicit Peer(UniqueFd socket) : socket_(std::move(socket)) {}

  /// One request with its body (by Content-Length); "" when the client has closed.
  std::string read_request() {
    while (true) {
      const std::size_t head = buffer_.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t whole = head + 4 + body_size(buffer_.substr(0, head));
        if (buffer_.size() >= whole) {
          std::string request = buffer_.substr(0, whole);
          buffer_.erase(0, whole);
          return request;
        }
      }
      char piece[4096];
      const ssize_t got = ::recv(socket_.get(), piece, sizeof piece, 0);
      if (got <= 0) return "";
      buffer_.append(piece, static_cast<std::size_t>(got));
    }
  }

  /// False once the client has closed.
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void respond(std::string_view body, std::string_view status = "200 OK") {
    write("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\n\r\n" + std::string(body));
  }

  /// Closes with a TCP reset.
  void reset() {
    MutexLock lock(mutex_);
    const linger now{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    socket_.reset();
  }

  [[nodiscard]] int descriptor() const { return socket_.get(); }

  /// Ends a read or write that waits. Any thread.
  void shut_down() {
    MutexLock lock(mutex_);
    if (socket_.valid()) ::shutdown(socket_.get(), SHUT_RDWR);
  }

 private:
  static std::size_t body_size(std::string head) {
    std::transform(head.begin(), head.end(), head.begin(), ::tolower);
    const std::string key = "content-length: ";
    const std::size_t at = head.find(key);
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + key.size()));
  }

  Mutex mutex_;  // For closing; reads and writes belong to the connection's thread.
  UniqueFd socket_;
  std::string buffer_;
};

/// Serves every connection on a thread of its own until destroyed.
class TinyServer {
 public:
  using Script = std::function<void(Peer&)>;

  explicit TinyServer(Script script)
      : script_(std::move(script)), listener_(listen_on_free_port()) {
    acceptor_ = std::jthread([this] { accept_all(); });
  }
  TinyServer(const TinyServer&) = delete;
  TinyServer& operator=(const TinyServer&) = delete;
  ~TinyServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (Peer& peer : peers_) peer.shut_down();
    threads_.clear();
  }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::string url() const { return "http://" + address(); }
  [[nodiscard]] std::size_t connections() {
    MutexLock lock(mutex_);
    return connections_;
  }

 private:
  UniqueFd listen_on_free_port() {
    UniqueFd out(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = static_cast<sockaddr*>(static_cast<void*>(&address));
    EXPECT_EQ(::bind(out.get(), any, size), 0);
    // A shorter queue makes a burst of connections wait for repeated SYNs, or resets them.
    EXPECT_EQ(::listen(out.get(), SOMAXCONN), 0);
    EXPECT_EQ(::getsockname(out.get(), any, &size), 0);
    port_ = ntohs(address.sin_port);
    return out;
  }

  void accept_all() {
    // OpenSSL's server side writes without MSG_NOSIGNAL; the connections' threads inherit this.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    while (true) {
      UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.valid()) return;
      {
        MutexLock lock(mutex_);
        ++connections_;
      }
      Peer& peer = peers_.emplace_back(std::move(socket));
      threads_.emplace_back([this, &peer] {
        script_(peer);
        peer.shut_down();
      });
    }
  }

  const Script script_;
  int port_ = 0;
  UniqueFd listener_;
  std::list<Peer> peers_;              // The acceptor's thread, then the destructor.
  std::vector<std::jthread> threads_;  // Likewise.
  Mutex mutex_;
  std::size_t connections_ GUARDED_BY(mutex_) = 0;
  std::jthread acceptor_;
};

}  // namespace davit::host
