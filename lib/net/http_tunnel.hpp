/// The stream of a response that changes the protocol of its connection.
#pragma once

#include <string_view>

#include "lib/net/http_message.hpp"

namespace davit {

/// The status of a response that changes the protocol.
inline constexpr int kSwitchingProtocols = 101;

/// The stream of a response with status 101: what follows the head is not HTTP, but bytes in both
/// directions. Called on the thread of its reader. When read() ends, so does the connection.
class HttpTunnel : public HttpBodyStream {
 public:
  /// Takes what the client has sent.
  virtual void receive(std::string_view bytes) = 0;
  /// Whether the client may send more now. `ready` is called when that changes.
  [[nodiscard]] virtual bool wants_input() const = 0;
  /// The client sends no more: read() ends once everything has been passed on.
  virtual void receive_end() = 0;
};

}  // namespace davit
