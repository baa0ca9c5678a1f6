/// The seam to the servers of aggregated APIs.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

#include "lib/net/byte_connection.hpp"
#include "lib/net/transport.hpp"

namespace davit::sandbox {

/// The server of an APIService.
struct BackendServer {
  std::string url;          ///< "https://127.0.0.1:9443", without a path.
  std::string server_name;  ///< The name in its certificate.
  std::string roots;        ///< The certificates that vouch for it, PEM; empty: the system's.
  enum class Verify : bool { kNo, kYes } verify = Verify::kYes;
};

/// Makes connections to the servers of aggregated APIs. Thread-safe.
class BackendConnector {
 public:
  BackendConnector() = default;
  BackendConnector(const BackendConnector&) = delete;
  BackendConnector& operator=(const BackendConnector&) = delete;
  virtual ~BackendConnector() = default;

  /// The transport to a server, which the caller holds as long as a call lasts. The error is one
  /// line for the user. Must not block.
  [[nodiscard]] virtual Result<std::shared_ptr<Transport>> connect(const BackendServer& server) = 0;

  /// A connection that sends `first` and then carries any protocol. Presents `certificate` unless
  /// it is null. The error is one line for the user. Must not block.
  [[nodiscard]] virtual Result<std::unique_ptr<ByteConnection>> open(
      const BackendServer& server, const std::shared_ptr<const ClientCertificate>& certificate,
      std::string first) = 0;
};

}  // namespace davit::sandbox
