/// One sandbox with its socket: where `davit sandbox` and `davit demo` are wired.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string>

#include "cli/sandbox_options.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/net/certificates.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// The dependencies of a sandbox; each outlives it.
struct SandboxSeams {
  Clock& clock;
  Random& random;
  LogSink& sink;
};

/// A running API server with simulated nodes. Its destructor stops everything: streams end
/// properly, and the data file keeps all writes.
class SandboxProcess {
 public:
  /// Starts it and writes the kubeconfig. kInvalid for files that cannot be used, kUnavailable and
  /// kConflict for an address or a data file that is in use.
  [[nodiscard]] static Result<std::unique_ptr<SandboxProcess>> open(const SandboxSettings& settings,
                                                                    const SandboxSeams& seams);
  SandboxProcess() = default;
  SandboxProcess(const SandboxProcess&) = delete;
  SandboxProcess& operator=(const SandboxProcess&) = delete;
  virtual ~SandboxProcess() = default;

  /// "https://127.0.0.1:6443"
  [[nodiscard]] virtual std::string url() const = 0;
  /// A way to it for clients in this process, with the administrator's rights; it must go first.
  /// kUnavailable: the system has no thread for it.
  [[nodiscard]] virtual Result<std::unique_ptr<Transport>> connect() = 0;
  /// The authority that clients trust, and whose client certificates the server accepts.
  [[nodiscard]] virtual const KeyPair& authority() const = 0;
  /// The path of the administrator's kubeconfig.
  [[nodiscard]] virtual std::string kubeconfig() const = 0;
};

}  // namespace davit::host
