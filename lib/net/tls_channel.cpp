#include "lib/net/tls_channel.hpp"

#include <openssl/err.h>

#include <array>
#include <utility>

#include "lib/base/openssl_owners.hpp"

namespace davit {
namespace {

constexpr std::array<unsigned char, 9> kProtocol = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
/// A record's content at most.
constexpr std::size_t kRecord = 16384;

std::string why() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

CertificatePtr next_certificate(BIO* in) {
  return CertificatePtr(PEM_read_bio_X509(in, nullptr, nullptr, nullptr));
}

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned in_size, void*) {
  unsigned char* chosen = nullptr;
  const int found =
      SSL_select_next_proto(&chosen, out_size, kProtocol.data(), kProtocol.size(), in, in_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// A certificate that we do not trust does not end the connection: the request gets a 401.
int take_any(int, X509_STORE_CTX*) { return 1; }

Status use_certificate(SSL_CTX* context, const TlsIdentity& identity) {
  const BioPtr in = reader_of(identity.certificate);
  const CertificatePtr own = next_certificate(in.get());
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) {
    return {Code::kInvalid, "cannot read the server's certificate: " + why()};
  }
  while (CertificatePtr next = next_certificate(in.get())) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) break;
  }
  ERR_clear_error();  // The end of the file is one.
  const BioPtr key_in = reader_of(identity.key);
  const KeyPtr key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return {Code::kInvalid, "cannot use the server's key: " + why()};
  }
  return {};
}

Status ask_clients(SSL_CTX* context, const std::string& client_ca) {
  const BioPtr in = reader_of(client_ca);
  int count = 0;
  while (CertificatePtr ca = next_certificate(in.get())) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca.get());
    SSL_CTX_add_client_CA(context, ca.get());
    ++count;
  }
  ERR_clear_error();
  if (count == 0) return {Code::kInvalid, "no certificate in the client CA"};
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, take_any);
  return {};
}

std::vector<std::string> entries(const X509_NAME* name, int nid) {
  std::vector<std::string> out;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(name, nid, at)) >= 0;) {
    const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, value);
    if (size < 0) continue;
    out.emplace_back(reinterpret_cast<char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);
  }
  return out;
}

/// The response of net/http on its TLS port.
constexpr std::string_view kPlainRefusal =
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

bool looks_like_http(std::string_view bytes) {
  for (const std::string_view method : {"GET ", "POST", "PUT ", "HEAD", "PATC", "DELE", "OPTI"}) {
    if (bytes.starts_with(method)) return true;
  }
  return false;
}

}  // namespace

struct TlsContext::State {
  ContextPtr context;
};

struct TlsChannel::Session {
  SessionPtr ssl;
  BIO* in = nullptr;  // Owned by `ssl`, as `out` is.
  BIO* out = nullptr;
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;

Result<std::unique_ptr<TlsContext>> TlsContext::open(const TlsIdentity& identity) {
  ContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (!context) return Status(Code::kInternal, "no TLS: " + why());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Thousands of idle watches hold no buffers, and no state is kept for clients that return.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  if (Status s = use_certificate(context.get(), identity); !s.ok()) return s;
  if (!identity.client_ca.empty()) {
    if (Status s = ask_clients(context.get(), identity.client_ca); !s.ok()) return s;
  }
  return std::unique_ptr<TlsContext>(
      std::make_unique<TlsContext>(std::make_unique<State>(State{std::move(context)})));
}

std::unique_ptr<TlsChannel> TlsContext::accept() const {
  auto session = std::make_unique<TlsChannel::Session>();
  session->ssl.reset(SSL_new(state_->context.get()));
  session->in = BIO_new(BIO_s_mem());
  session->out = BIO_new(BIO_s_mem());
  SSL_set_bio(session->ssl.get(), session->in, session->out);
  SSL_set_accept_state(session->ssl.get());
  return std::make_unique<TlsChannel>(std::move(session));
}

TlsChannel::TlsChannel(std::unique_ptr<Session> session) : session_(std::move(session)) {}
TlsChannel::~TlsChannel() = default;

void TlsChannel::fail(std::string_view wire) {
  if (state_ == State::kHandshake && looks_like_http(wire)) refusal_ = kPlainRefusal;
  state_ = State::kFailed;
  ERR_clear_error();
}

TlsChannel::State TlsChannel::receive(std::string_view wire, std::string& plain) {
  if (state_ == State::kFailed || state_ == State::kEnded) return state_;
  SSL* ssl = session_->ssl.get();
  BIO_write(session_->in, wire.data(), static_cast<int>(wire.size()));
  if (state_ == State::kHandshake) {
    const int done = SSL_do_handshake(ssl);
    if (done != 1) {
      if (SSL_get_error(ssl, done) != SSL_ERROR_WANT_READ) fail(wire);
      return state_;
    }
    state_ = State::kOpen;
  }
  std::array<char, kRecord> piece;  // NOLINT: filled by the read.
  for (;;) {
    const int got = SSL_read(ssl, piece.data(), piece.size());
    if (got > 0) {
      plain.append(piece.data(), static_cast<std::size_t>(got));
      continue;
    }
    const int error = SSL_get_error(ssl, got);
    if (error == SSL_ERROR_ZERO_RETURN) state_ = State::kEnded;
    if (error != SSL_ERROR_ZERO_RETURN && error != SSL_ERROR_WANT_READ) fail(wire);
    return state_;
  }
}

void TlsChannel::send(std::string_view plain) {
  while (!plain.empty() && (state_ == State::kOpen || state_ == State::kEnded)) {
    const std::size_t size = std::min(plain.size(), kRecord);
    if (SSL_write(session_->ssl.get(), plain.data(), static_cast<int>(size)) <= 0) return fail({});
    plain.remove_prefix(size);
  }
}

void TlsChannel::end() {
  if (state_ == State::kOpen || state_ == State::kEnded) SSL_shutdown(session_->ssl.get());
  ERR_clear_error();
}

std::string TlsChannel::wire_output() {
  if (!refusal_.empty()) return std::exchange(refusal_, {});
  std::string out(BIO_ctrl_pending(session_->out), '\0');
  if (!out.empty()) BIO_read(session_->out, out.data(), static_cast<int>(out.size()));
  return out;
}

std::optional<PeerCertificate> TlsChannel::peer() const {
  const X509* shown = SSL_get0_peer_certificate(session_->ssl.get());
  if (shown == nullptr) return std::nullopt;
  const X509_NAME* name = X509_get_subject_name(shown);
  PeerCertificate peer;
  const std::vector<std::string> names = entries(name, NID_commonName);
  if (!names.empty()) peer.common_name = names.front();
  peer.organizations = entries(name, NID_organizationName);
  peer.trusted = SSL_get_verify_result(session_->ssl.get()) == X509_V_OK;
  return peer;
}

}  // namespace davit
