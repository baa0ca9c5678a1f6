/// The seam to the servers of webhooks.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

#include "lib/net/transport.hpp"

namespace davit::sandbox {

/// The server of a webhook.
struct HookServer {
  std::string url;          ///< "https://127.0.0.1:9443", without a path.
  std::string server_name;  ///< The name in its certificate; empty: the host of `url`.
  std::string roots;        ///< The certificates that vouch for it, PEM; empty: the system's.
};

/// Makes connections to the servers of webhooks. Thread-safe.
class HookConnector {
 public:
  HookConnector() = default;
  HookConnector(const HookConnector&) = delete;
  HookConnector& operator=(const HookConnector&) = delete;
  virtual ~HookConnector() = default;

  /// The transport to a server, which the caller holds as long as a call lasts. The error is one
  /// line for the user. Must not block.
  [[nodiscard]] virtual Result<std::shared_ptr<Transport>> connect(const HookServer& server) = 0;
};

}  // namespace davit::sandbox
