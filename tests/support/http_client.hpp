/// A blocking HTTP client of few words for tests of the server: raw bytes out, raw bytes in.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/unique_fd.hpp"

namespace davit::test {

/// One connection to a port on the loopback.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Sends no more, and still reads.
  void end_sending() { ::shutdown(fd_.get(), SHUT_WR); }

  /// Everything until the server closes.
  std::string read_all() {
    while (more()) {
    }
    return std::exchange(buffer_, {});
  }

  /// Everything up to the first `text`; what came when the server closes before.
  std::string read_until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos && more()) {
    }
    return std::exchange(buffer_, {});
  }

  /// One response with a Content-Length; what came of it when the server closes before.
  std::string read_response() {
    for (;;) {
      const std::size_t head = buffer_.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t length = buffer_.find("Content-Length: ");
        const std::size_t body =
            length < head ? std::stoul(buffer_.substr(length + 16, 20)) : std::size_t{0};
        if (buffer_.size() >= head + 4 + body) {
          std::string reply = buffer_.substr(0, head + 4 + body);
          buffer_.erase(0, head + 4 + body);
          return reply;
        }
      }
      if (!more()) return std::exchange(buffer_, {});
    }
  }

 private:
  bool more() {
    char piece[4096];
    const ssize_t got = ::recv(fd_.get(), piece, sizeof piece, 0);
    if (got <= 0) return false;
    buffer_.append(piece, static_cast<std::size_t>(got));
    return true;
  }

  const UniqueFd fd_;
  bool connected_ = false;
  std::string buffer_;
};

/// GETs `target` on a connection of its own and returns the whole response.
inline std::string http_get(std::uint16_t port, std::string_view target) {
  HttpClient client(port);
  client.send("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  return client.read_all();
}

}  // namespace davit::test
