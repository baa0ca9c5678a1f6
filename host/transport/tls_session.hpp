/// TLS of a client over a connected socket. Internal to host/transport; only its sources include
/// OpenSSL's headers.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "host/transport/tls_material.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

class TlsSession;

/// Whether the server's certificate is verified.
enum class TlsVerify { kServer, kNothing };

/// The roots, certificate and settings that sessions share, read once for all of them. Immutable
/// and thread-safe.
class ClientTls {
 public:
  /// kInvalid when a certificate or key cannot be used.
  [[nodiscard]] static Result<std::shared_ptr<const ClientTls>> open(const TlsMaterial& material,
                                                                     TlsVerify verify);
  ~ClientTls();
  ClientTls(const ClientTls&) = delete;
  ClientTls& operator=(const ClientTls&) = delete;

  struct State;  ///< OpenSSL's; only open() can make one.
  explicit ClientTls(std::unique_ptr<State> state);
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  const std::unique_ptr<State> state_;
};

/// The ClientTls of the present material: a new certificate replaces it. Thread-safe.
class ClientTlsCache {
 public:
  [[nodiscard]] Result<std::shared_ptr<const ClientTls>> of(
      const std::shared_ptr<const TlsMaterial>& material, TlsVerify verify) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::shared_ptr<const TlsMaterial> material_ GUARDED_BY(mutex_);
  TlsVerify verify_ GUARDED_BY(mutex_) = TlsVerify::kServer;
  std::shared_ptr<const ClientTls> tls_ GUARDED_BY(mutex_);
};

/// One TLS connection; no call blocks. An idle one keeps no buffer for records. Not thread-safe.
class TlsSession {
 public:
  /// `socket` is connected, does not block and outlives this. `name` is the host name or address
  /// that the server's certificate must have.
  TlsSession(std::shared_ptr<const ClientTls> tls, int socket, const std::string& name);
  ~TlsSession();  ///< Notifies the peer that nothing follows, if it can.
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class Progress {
    kDone,
    kReads,   ///< Call again once the socket can be read.
    kWrites,  ///< Call again once the socket can be written.
    kFailed,  ///< The peer has closed, or the connection is broken; see why().
  };
  /// Until it is done, or has failed.
  [[nodiscard]] Progress handshake();
  /// After the handshake. Takes what was sent off the front of `bytes`.
  [[nodiscard]] Progress send(std::string_view& bytes);
  /// After the handshake. `got` is what came into `buffer`. poll() does not show what OpenSSL has
  /// read ahead: receive until this is not kDone.
  [[nodiscard]] Progress receive(std::span<char> buffer, std::string_view& got);
  /// Why it is kFailed; empty when the peer has closed properly.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  struct State;
  Progress judge(int result, std::string_view act);

  const std::shared_ptr<const ClientTls> tls_;
  const std::unique_ptr<State> state_;
  std::string why_;
};

}  // namespace davit::host
