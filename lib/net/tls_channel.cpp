#include "lib/net/tls_channel.hpp"

#include <openssl/err.h>

#include <array>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "lib/base/openssl_owners.hpp"
#include "lib/net/certificate_names.hpp"
#include "lib/net/tls_strength.hpp"

namespace davit {
namespace {

constexpr std::array<unsigned char, 9> kProtocol = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
/// A record's content at most.
constexpr std::size_t kRecord = 16384;

std::string why() {
  const char* const reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return reason == nullptr ? "it is not in PEM" : reason;
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

/// `what` names the pair in messages.
Status use_certificate(SSL_CTX* context, std::string_view certificate, std::string_view key_text,
                       const std::string& what) {
  const BioPtr in = reader_of(certificate);
  const CertificatePtr own = next_certificate(in.get());
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) {
    return {Code::kInvalid, "cannot read " + what + " certificate: " + why()};
  }
  while (CertificatePtr next = next_certificate(in.get())) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) break;
  }
  ERR_clear_error();  // The end of the file is one.
  const BioPtr key_in = reader_of(key_text);
  const KeyPtr key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return {Code::kInvalid, "cannot use " + what + " key: " + why()};
  }
  return {};
}

/// OpenSSL's list for IANA's names. Go has two suites under older names, too.
Result<std::string> cipher_list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const std::string whole = name.ends_with("_CHACHA20_POLY1305") ? name + "_SHA256" : name;
    const std::string known = OPENSSL_cipher_name(whole.c_str());
    if (known.empty() || known == "(NONE)") {
      return Status(Code::kInvalid, "unknown cipher suite " + name);
    }
    if (!known.starts_with("TLS_")) out += (out.empty() ? "" : ":") + known;  // Not of TLS 1.3.
  }
  return out;
}

Status choose_ciphers(SSL_CTX* context, const TlsIdentity& identity) {
  const Result<std::string> list = cipher_list(identity.cipher_suites);
  if (!list) return list.error();
  if (list->empty() || SSL_CTX_set_cipher_list(context, list->c_str()) == 1) return {};
  return {Code::kInvalid, "cannot use the cipher suites: " + why()};
}

Status choose_curves(SSL_CTX* context, const TlsIdentity& identity) {
  if (identity.curves.empty()) return {};
  std::string list;
  for (const std::string& name : identity.curves) {
    if (SSL_CTX_set1_groups_list(context, name.c_str()) != 1) continue;
    list += (list.empty() ? "" : ":") + name;
  }
  ERR_clear_error();
  if (list.empty())
    return {Code::kInvalid, "OpenSSL has none of the key exchanges that are allowed"};
  if (SSL_CTX_set1_groups_list(context, list.c_str()) == 1) return {};
  return {Code::kInvalid, "cannot use the key exchanges " + list + ": " + why()};
}

int wire_version(TlsVersion version) {
  switch (version) {
    case TlsVersion::k10:
      return TLS1_VERSION;
    case TlsVersion::k11:
      return TLS1_1_VERSION;
    case TlsVersion::k12:
      return TLS1_2_VERSION;
    case TlsVersion::k13:
      return TLS1_3_VERSION;
  }
  return TLS1_2_VERSION;
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

/// All but the certificates.
Result<ContextPtr> make_context(const TlsIdentity& identity) {
  ContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (!context) return Status(Code::kInternal, "no TLS: " + why());
  SSL_CTX_set_min_proto_version(context.get(), wire_version(identity.min_version));
  // OpenSSL's security levels rule out what is older than TLS 1.2.
  if (identity.min_version < TlsVersion::k12) SSL_CTX_set_security_level(context.get(), 0);
  // Thousands of idle watches hold no buffers, and no state is kept for clients that return.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  if (Status s = choose_ciphers(context.get(), identity); !s.ok()) return s;
  if (Status s = require_strength(context.get()); !s.ok()) return s;
  if (Status s = choose_curves(context.get(), identity); !s.ok()) return s;
  if (!identity.client_ca.empty()) {
    if (Status s = ask_clients(context.get(), identity.client_ca); !s.ok()) return s;
  } else if (identity.any_client == TlsIdentity::AnyClient::kAsked) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, take_any);
  }
  return context;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
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
  std::vector<ContextPtr> named = {};
  std::map<std::string, SSL_CTX*, std::less<>> by_name = {};  // In lower case; "*.example.org".
  bool gives_chain = false;

  /// The context for a server name or address; null: there is none of its own.
  [[nodiscard]] SSL_CTX* find(std::string_view asked) const {
    const std::string name = lower(asked);
    if (const auto exact = by_name.find(name); exact != by_name.end()) return exact->second;
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return nullptr;
    const auto pattern = by_name.find("*" + name.substr(dot));
    return pattern == by_name.end() ? nullptr : pattern->second;
  }
};

namespace {

int choose_identity(SSL* ssl, int*, void* state) {
  const char* const asked = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (asked == nullptr) return SSL_TLSEXT_ERR_OK;
  SSL_CTX* const found = static_cast<const TlsContext::State*>(state)->find(asked);
  if (found != nullptr) SSL_set_SSL_CTX(ssl, found);
  return SSL_TLSEXT_ERR_OK;
}

Status add_named(TlsContext::State& state, const TlsIdentity& identity) {
  std::vector<std::pair<std::string, SSL_CTX*>> of_certificates;
  for (const TlsNamedPair& pair : identity.named) {
    Result<ContextPtr> made = make_context(identity);
    if (!made) return made.error();
    SSL_CTX* const context = made->get();
    const std::string what = "the named pair " + std::to_string(state.named.size() + 1) + "'s";
    if (Status s = use_certificate(context, pair.certificate, pair.key, what); !s.ok()) return s;
    for (const std::string& name : pair.names) state.by_name.try_emplace(lower(name), context);
    if (pair.names.empty()) {
      for (const std::string& name : names_of(SSL_CTX_get0_certificate(context))) {
        of_certificates.emplace_back(lower(name), context);
      }
    }
    state.named.push_back(*std::move(made));
  }
  for (auto& [name, context] : of_certificates) state.by_name.try_emplace(name, context);
  return {};
}

}  // namespace

struct TlsChannel::Session {
  SessionPtr ssl;
  BIO* in = nullptr;  // Owned by `ssl`, as `out` is.
  BIO* out = nullptr;
  bool gives_chain = false;
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::open(const TlsIdentity& identity) {
  Result<ContextPtr> context = make_context(identity);
  if (!context) return context.error();
  const Status own =
      use_certificate(context->get(), identity.certificate, identity.key, "the server's");
  if (!own.ok()) return own;
  auto state = std::make_unique<State>(State{*std::move(context)});
  state->gives_chain = identity.any_client == TlsIdentity::AnyClient::kAsked;
  if (Status s = add_named(*state, identity); !s.ok()) return s;
  const auto choose = [&state](SSL_CTX* each) {
    SSL_CTX_set_tlsext_servername_callback(each, choose_identity);
    SSL_CTX_set_tlsext_servername_arg(each, state.get());
  };
  choose(state->context.get());
  for (const ContextPtr& each : state->named) choose(each.get());
  return std::shared_ptr<const TlsContext>(std::make_shared<TlsContext>(std::move(state)));
}

std::unique_ptr<TlsChannel> TlsContext::accept(const std::string& address) const {
  auto session = std::make_unique<TlsChannel::Session>();
  SSL_CTX* const of_address = state_->find(address);
  session->ssl.reset(SSL_new(of_address != nullptr ? of_address : state_->context.get()));
  session->gives_chain = state_->gives_chain;
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
  const std::vector<std::string> names = name_entries(name, NID_commonName);
  if (!names.empty()) peer.common_name = names.front();
  peer.organizations = name_entries(name, NID_organizationName);
  if (!session_->gives_chain) {
    peer.trusted = SSL_get_verify_result(session_->ssl.get()) == X509_V_OK;
    return peer;
  }
  // A server's chain of its peer does not include the peer's own certificate.
  std::vector<std::string> chain = {to_der(SSL_get0_peer_certificate(session_->ssl.get()))};
  STACK_OF(X509)* const sent = SSL_get_peer_cert_chain(session_->ssl.get());
  for (int i = 0; sent != nullptr && i < sk_X509_num(sent); ++i) {
    chain.push_back(to_der(sk_X509_value(sent, i)));
  }
  peer.chain = std::make_shared<const std::vector<std::string>>(std::move(chain));
  return peer;
}

}  // namespace davit
