/// A small HTTP/1.1 server, plain or behind TLS. Beast, Asio and OpenSSL stay in the .cpp files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/log.hpp"
#include "lib/net/http_message.hpp"

namespace davit {

/// A further certificate of a server, for clients that ask for certain names. PEM.
struct TlsNamedPair {
  std::string certificate;  ///< The chain, its own first.
  std::string key;
  /// Host names, those with a first label "*" included, and addresses of this machine; empty: those
  /// in the certificate. A whole name goes before a pattern, and a name in this list before one of
  /// a certificate (k8s.io/apiserver/pkg/server/dynamiccertificates).
  std::vector<std::string> names = {};
};

enum class TlsVersion { k10, k11, k12, k13 };

/// Who the server is, and whose certificates it believes. All PEM.
struct TlsIdentity {
  std::string certificate;  ///< The chain, its own first.
  std::string key;
  std::string client_ca = {};  ///< Clients are asked for a certificate that it vouches for.
  /// Whether clients are asked for a certificate without a `client_ca`. The handler judges it then
  /// (PeerCertificate::chain).
  enum class AnyClient { kNotAsked, kAsked };
  AnyClient any_client = AnyClient::kNotAsked;
  std::vector<TlsNamedPair> named = {};
  TlsVersion min_version = TlsVersion::k12;
  /// IANA's names of those that TLS 1.2 and earlier may choose; empty: OpenSSL's selection. Those
  /// without forward secrecy are left out of either.
  std::vector<std::string> cipher_suites = {};
  /// OpenSSL's names of the key exchanges that may be chosen, the first ones rather than the last.
  /// Those that this OpenSSL does not have are left out. Empty: OpenSSL's selection.
  std::vector<std::string> curves = {};
};

/// The handling of a body beyond the limit; either way the connection ends with the response.
enum class LargeBody { kRefuse, kPassToHandler };

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any free one.
  std::optional<TlsIdentity> tls = std::nullopt;
  /// Whether other processes may listen on the same port (SO_REUSEPORT).
  enum class PortSharing { kNo, kYes };
  PortSharing port_sharing = PortSharing::kNo;
  /// Enough for a scraper, a probe and a few people. A further client replaces the one that has
  /// been connected longest without a request in progress; while all are being served, it waits in
  /// the kernel's backlog.
  std::size_t connections_max = 64;
  /// Recognizes probes, which are served regardless of other clients; empty: none. Responses to
  /// probes must be short and quick: if the server is full, it drops a client that has not received
  /// its response.
  std::function<bool(const HttpServerRequest&)> is_probe = {};
  /// Recognizes requests of clients that have reserved places; empty: none. Called on the server's
  /// thread.
  std::function<bool(const HttpServerRequest&)> is_known = {};
  /// If there are probes: the limits of other requests that are served at once, together less than
  /// connections_max. Further ones get 503. A known client may take either place.
  std::size_t others_max = 32;
  std::size_t known_max = 16;
  /// A head beyond one of these is refused with 431; trailers have the same limits. A token of a
  /// user with hundreds of groups takes a few KiB.
  std::size_t header_bytes_max = kHttpHeadBytesMax;
  std::size_t header_fields_max = kHttpFieldsMax;
  /// Nothing that we serve has a large body.
  std::size_t body_bytes_max = std::size_t{1} << 20U;
  LargeBody large_body = LargeBody::kRefuse;
  /// Sent with each response that has no header of the same name, refusals included.
  HttpHeaders common_headers = {};
  std::chrono::seconds idle_time{90};  ///< A kept connection without a request is closed.
  /// From its first byte a request has so long to arrive, and each piece of its response to leave.
  std::chrono::seconds request_time{32};
  /// The time that a stopping server allows for responses in progress.
  std::chrono::milliseconds drain_time{500};
};

/// The common headers of servers whose pages people open in a browser: it takes no page for another
/// type, and runs, loads and frames nothing of it. Styles within a page work.
[[nodiscard]] HttpHeaders browser_limits();

/// Handles requests on one separate thread, regardless of the number of connections and streams: a
/// handler that blocks delays every other request.
class HttpServer {
 public:
  /// Called on the server's thread. Must not throw; if it does, the request's connection is reset.
  using Handler = std::function<HttpServerResponse(const HttpServerRequest&)>;

  /// Binds, listens and serves. kUnavailable when the address or a thread cannot be had, with the
  /// reason.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> open(const HttpServerOptions& options,
                                                                Handler handler, Logger log);
  HttpServer() = default;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Stops listening, ends every stream and response, cuts what is left after drain_time, and
  /// ends the thread; a handler that runs is waited for.
  virtual ~HttpServer() = default;

  /// Serves new connections with another identity; those that exist keep theirs. Any thread. On
  /// failure (see TlsContext::open) nothing changes. kMisuse for a server without TLS.
  virtual Status change_tls(const TlsIdentity& identity) = 0;

  /// The port that was bound.
  [[nodiscard]] virtual std::uint16_t port() const = 0;
  /// "127.0.0.1:10257"
  [[nodiscard]] virtual std::string endpoint() const = 0;
};

}  // namespace davit
