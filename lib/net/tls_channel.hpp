/// The server's side of TLS without a socket: bytes of the wire on one side, plain ones on the
/// other. OpenSSL stays in the .cpp.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/net/http_server.hpp"

namespace davit {

class TlsChannel;

/// TLS settings that all connections of a server share. Thread-safe once made.
class TlsContext {
 public:
  /// kInvalid when a certificate, its key or the CA cannot be read or do not belong together, or a
  /// cipher suite is unknown.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> open(const TlsIdentity& identity);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// For a connection that was just accepted at `address`, an address of this machine, for clients
  /// that ask for no name. Must not outlive the context.
  [[nodiscard]] std::unique_ptr<TlsChannel> accept(const std::string& address = "") const;

  struct State;  ///< OpenSSL's; only open() can make one.
  explicit TlsContext(std::unique_ptr<State> state);

 private:
  const std::unique_ptr<State> state_;
};

/// One connection. Not thread-safe.
class TlsChannel {
 public:
  enum class State {
    kHandshake,
    kOpen,
    kEnded,   ///< The peer said that he will send no more.
    kFailed,  ///< No TLS, or broken: send what wire_output() has and close.
  };

  ~TlsChannel();
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  /// Takes in what arrived and appends what it says to `plain`.
  State receive(std::string_view wire, std::string& plain);
  /// Only when kOpen or kEnded.
  void send(std::string_view plain);
  /// Says that nothing follows.
  void end();
  /// The bytes to send since the last call.
  [[nodiscard]] std::string wire_output();

  [[nodiscard]] State state() const { return state_; }
  /// After the handshake: the certificate that the peer showed, if any.
  [[nodiscard]] std::optional<PeerCertificate> peer() const;

  struct Session;  ///< OpenSSL's; only TlsContext::accept() can make one.
  explicit TlsChannel(std::unique_ptr<Session> session);

 private:
  void fail(std::string_view wire);

  const std::unique_ptr<Session> session_;
  State state_ = State::kHandshake;
  std::string refusal_;  // In plain, for a client that does not speak TLS.
};

}  // namespace davit
