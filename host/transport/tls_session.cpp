#include "host/transport/tls_session.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <davit/kube/ip.hpp>
#include <system_error>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/openssl_owners.hpp"
#include "lib/net/tls_strength.hpp"

namespace davit::host {
namespace {

constexpr std::array<unsigned char, 9> kHttp1 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

using ResumptionPtr = std::unique_ptr<SSL_SESSION, OpenSslFree<SSL_SESSION_free>>;
using SocketMethod = std::unique_ptr<BIO_METHOD, OpenSslFree<BIO_meth_free>>;

std::string first_error() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_peek_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

int socket_of(BIO* bio) { return *static_cast<const int*>(BIO_get_data(bio)); }

bool must_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/// OpenSSL's own socket BIO would raise SIGPIPE on a connection that the peer has closed.
int send_to_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto sent = ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && must_wait()) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int receive_from_socket(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto got = ::recv(socket_of(bio), bytes, static_cast<std::size_t>(size), 0);
  if (got == 0) errno = 0;
  if (got < 0 && must_wait()) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long control_socket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

SocketMethod make_method() {
  SocketMethod method(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket"));
  DAVIT_ASSERT(method != nullptr);
  BIO_meth_set_write(method.get(), &send_to_socket);
  BIO_meth_set_read(method.get(), &receive_from_socket);
  BIO_meth_set_ctrl(method.get(), &control_socket);
  return method;
}

/// The next certificate of a PEM text, or null.
CertificatePtr next_in_pem(BIO* in) {
  return CertificatePtr(PEM_read_bio_X509(in, nullptr, nullptr, nullptr));
}

void trust(SSL_CTX* context, const TlsMaterial& material) {
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  // A given certificate may be that of the server itself, or of an authority in the middle.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
  if (material.roots == TlsMaterial::Roots::kSystem) {
    SSL_CTX_set_default_verify_paths(context);
    return;
  }
  const BioPtr in = reader_of(material.ca);
  while (const CertificatePtr root = next_in_pem(in.get())) {
    X509_STORE_add_cert(store, root.get());
  }
  ERR_clear_error();  // The end of the text is one.
}

Status present(SSL_CTX* context, const TlsMaterial& material) {
  if (material.cert.empty()) return {};
  const BioPtr in = reader_of(material.cert);
  const CertificatePtr own = next_in_pem(in.get());
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) {
    return {Code::kInvalid, "cannot use the client certificate: " + first_error()};
  }
  while (const CertificatePtr next = next_in_pem(in.get())) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) break;
  }
  ERR_clear_error();
  const BioPtr key_in = reader_of(material.key);
  const KeyPtr key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return {Code::kInvalid, "cannot use the client key: " + first_error()};
  }
  return {};
}

/// The session that the next connection to the same server resumes. It keeps the server's verified
/// certificates once for all connections, and spares both sides a signature each.
class Resumable {
 public:
  /// The server's last ticket.
  void keep(const std::string& name, ResumptionPtr session) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    name_ = name;
    session_ = std::move(session);
  }

  /// A copy, since OpenSSL writes to the one that a connection uses; null without a ticket of this
  /// server. A certificate that is out of date by now is verified again, and refused.
  [[nodiscard]] ResumptionPtr of(const std::string& name) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (session_ == nullptr || name_ != name) return nullptr;
    const X509* const peer = SSL_SESSION_get0_peer(session_.get());
    if (peer == nullptr || X509_cmp_current_time(X509_get0_notAfter(peer)) <= 0) return nullptr;
    return ResumptionPtr(SSL_SESSION_dup(session_.get()));
  }

 private:
  Mutex mutex_;
  std::string name_ GUARDED_BY(mutex_);
  ResumptionPtr session_ GUARDED_BY(mutex_);
};

/// OpenSSL calls it for each ticket; 1: the session is ours now.
int keep_session(SSL* ssl, SSL_SESSION* session) {
  auto* const resumable = static_cast<Resumable*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  resumable->keep(*static_cast<const std::string*>(SSL_get_app_data(ssl)), ResumptionPtr(session));
  return 1;
}

}  // namespace

struct ClientTls::State {
  ContextPtr context;
  SocketMethod method = make_method();
  TlsVerify verify = TlsVerify::kServer;
  const std::unique_ptr<Resumable> resumable = std::make_unique<Resumable>();
};

ClientTls::ClientTls(std::unique_ptr<State> state) : state_(std::move(state)) {}
ClientTls::~ClientTls() = default;

Result<std::shared_ptr<const ClientTls>> ClientTls::open(const TlsMaterial& material,
                                                         TlsVerify verify) {
  auto state = std::make_unique<State>();
  state->verify = verify;
  state->context.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = state->context.get();
  DAVIT_ASSERT(context != nullptr);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (Status s = require_strength(context); !s.ok()) return s;
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_set_app_data(context, state->resumable.get());
  SSL_CTX_sess_set_new_cb(context, &keep_session);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_alpn_protos(context, kHttp1.data(), kHttp1.size());
  if (verify == TlsVerify::kServer) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    trust(context, material);
  }
  if (Status s = present(context, material); !s.ok()) return s;
  return std::make_shared<const ClientTls>(std::move(state));
}

Result<std::shared_ptr<const ClientTls>> ClientTlsCache::of(
    const std::shared_ptr<const TlsMaterial>& material, TlsVerify verify) {
  {
    MutexLock lock(mutex_);
    if (tls_ != nullptr && material_ == material && verify_ == verify) return tls_;
  }
  Result<std::shared_ptr<const ClientTls>> made = ClientTls::open(*material, verify);
  if (!made) return made;
  MutexLock lock(mutex_);
  material_ = material;
  verify_ = verify;
  tls_ = *made;
  return made;
}

struct TlsSession::State {
  int socket;
  std::string name;  // The server's.
  SessionPtr ssl;
  bool is_open = false;  // The handshake is done, and nothing has failed since.
};

TlsSession::TlsSession(std::shared_ptr<const ClientTls> tls, int socket, const std::string& name)
    : tls_(std::move(tls)), state_(std::make_unique<State>()) {
  state_->socket = socket;
  state_->ssl.reset(SSL_new(tls_->state().context.get()));
  SSL* const ssl = state_->ssl.get();
  BIO* const bio = BIO_new(tls_->state().method.get());
  DAVIT_ASSERT(ssl != nullptr && bio != nullptr);
  BIO_set_data(bio, &state_->socket);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  std::string& host = state_->name;
  host = name;
  if (host.ends_with('.')) host.pop_back();
  SSL_set_app_data(ssl, &host);
  if (const ResumptionPtr session = tls_->state().resumable->of(host)) {
    SSL_set_session(ssl, session.get());
  }
  const bool by_address = ip::Address::parse(host).has_value();
  if (!by_address) SSL_set_tlsext_host_name(ssl, host.c_str());
  if (tls_->state().verify == TlsVerify::kNothing) return;
  if (by_address) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
  } else {
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_set1_host(ssl, host.c_str());
  }
}

TlsSession::~TlsSession() {
  if (state_->is_open) SSL_shutdown(state_->ssl.get());
  ERR_clear_error();
}

TlsSession::Progress TlsSession::judge(int result, std::string_view act) {
  const int saved = errno;
  const int error = SSL_get_error(state_->ssl.get(), result);
  if (error == SSL_ERROR_WANT_READ) return Progress::kReads;
  if (error == SSL_ERROR_WANT_WRITE) return Progress::kWrites;
  state_->is_open = false;
  why_.clear();
  if (error == SSL_ERROR_ZERO_RETURN) return Progress::kFailed;
  why_ = "TLS " + std::string(act) + ": ";
  if (error != SSL_ERROR_SYSCALL) {
    const long verified = SSL_get_verify_result(state_->ssl.get());
    if (verified != X509_V_OK && tls_->state().verify == TlsVerify::kServer) {
      why_ = std::string("SSL certificate problem: ") + X509_verify_cert_error_string(verified);
    } else {
      why_ += first_error();
    }
  } else {
    why_ +=
        saved == 0 ? "the peer has closed the connection" : std::generic_category().message(saved);
  }
  ERR_clear_error();
  return Progress::kFailed;
}

TlsSession::Progress TlsSession::handshake() {
  ERR_clear_error();
  const int result = SSL_connect(state_->ssl.get());
  if (result != 1) return judge(result, "handshake");
  state_->is_open = true;
  return Progress::kDone;
}

TlsSession::Progress TlsSession::send(std::string_view& bytes) {
  ERR_clear_error();
  std::size_t sent = 0;
  const int result = SSL_write_ex(state_->ssl.get(), bytes.data(), bytes.size(), &sent);
  if (result != 1) return judge(result, "write");
  bytes.remove_prefix(sent);
  return Progress::kDone;
}

TlsSession::Progress TlsSession::receive(std::span<char> buffer, std::string_view& got) {
  ERR_clear_error();
  std::size_t received = 0;
  const int result = SSL_read_ex(state_->ssl.get(), buffer.data(), buffer.size(), &received);
  if (result != 1) {
    const Progress progress = judge(result, "read");
    // SSL_MODE_RELEASE_BUFFERS leaves one here: an idle watch would keep 16 KiB.
    if (progress == Progress::kReads) SSL_free_buffers(state_->ssl.get());
    return progress;
  }
  got = {buffer.data(), received};
  return Progress::kDone;
}

}  // namespace davit::host
