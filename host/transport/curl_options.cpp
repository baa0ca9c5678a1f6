#include "host/transport/curl_options.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <davit/mutant.hpp>
#include <string_view>
#include <utility>

#include "lib/net/tls_strength.hpp"

namespace davit::host {
namespace {

// k8s.io/client-go: 30 s to connect plus 10 s for the handshake.
constexpr long kConnectMs = 40'000;

int on_socket(void*, curl_socket_t socket, curlsocktype) {
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof kUserTimeoutMs);
  // A request that its caller gave up, or whose process has ended, must not arrive later: another
  // host may lead by then. The kernel drops what it has not sent and resets the connection.
  constexpr linger kNothing{.l_onoff = 1, .l_linger = 0};
  if (!mutant("reset-on-close")) {
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &kNothing, sizeof kNothing);
  }
  return CURL_SOCKOPT_OK;  // Without it a dead connection is found later; no reason to fail.
}

/// Prepares the context of each TLS connection that libcurl makes, to a server or a proxy.
/// `read_ahead` is null or not.
CURLcode prepare(CURL*, void* context, void* read_ahead) {
  auto* const tls = static_cast<SSL_CTX*>(context);
  // OpenSSL reads the five bytes before each record by themselves, unless it may read ahead.
  if (read_ahead != nullptr) SSL_CTX_set_read_ahead(tls, 1);
  return require_strength(tls).ok() ? CURLE_OK : CURLE_SSL_CIPHER;
}

/// With another library the context is another one.
bool tls_is_openssl() {
  const char* const tls = curl_version_info(CURLVERSION_NOW)->ssl_version;
  return tls != nullptr && std::string_view(tls).substr(0, 8) == "OpenSSL/";
}

void set_tls(CURL* handle, const CurlSettings& settings, const TlsMaterial& tls) {
  set_option(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (tls_is_openssl()) set_option(handle, CURLOPT_SSL_CTX_FUNCTION, &prepare);
  if (settings.verify == CurlSettings::Verify::kNothing) {
    set_option(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    set_option(handle, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  const auto blob = [handle](CURLoption option, const std::string& pem) {
    curl_blob view{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
    set_option(handle, option, &view);
  };
  if (tls.roots == TlsMaterial::Roots::kGiven) {
    blob(CURLOPT_CAINFO_BLOB, tls.ca);
    // Only the given roots, not the system's too.
    set_option<const char*>(handle, CURLOPT_CAPATH, nullptr);
  }
  if (!tls.cert.empty()) {
    blob(CURLOPT_SSLCERT_BLOB, tls.cert);
    blob(CURLOPT_SSLKEY_BLOB, tls.key);
  }
}

}  // namespace

Result<CurlSettings> connection_settings(const ConnectionConfig& config, const ServerUrl& url) {
  Result<Proxy> proxy = proxy_of(config, url);
  if (!proxy) return proxy.error();
  CurlSettings settings;
  settings.base_url = url.text();
  settings.proxy = *std::move(proxy);
  const bool https = url.scheme == ServerUrl::Scheme::kHttps;
  if (https && !config.tls_server_name.empty()) {
    // libcurl takes the name to verify from the URL, so the URL gets it, and the real address goes
    // aside.
    ServerUrl named = url;
    named.host = config.tls_server_name;
    settings.base_url = named.text();
    settings.connect_to = named.address() + ":" + url.address();
  }
  if (config.insecure) settings.verify = CurlSettings::Verify::kNothing;
  if (https && settings.proxy.url.empty()) {
    settings.socket_url = "http://" + url.address();
    settings.tls_name = config.tls_server_name.empty() ? url.host : config.tls_server_name;
    if (settings.tls_name.starts_with('[')) {
      settings.tls_name = settings.tls_name.substr(1, settings.tls_name.size() - 2);
    }
  }
  return settings;
}

void append_line(CurlList& list, const std::string& line) {
  curl_slist* grown = curl_slist_append(list.get(), line.c_str());
  DAVIT_ASSERT(grown != nullptr);
  list.release();
  list.reset(grown);
}

void set_connection_options(CURL* handle, const CurlSettings& settings, const TlsMaterial& tls,
                            CurlList& connect_to) {
  set_option(handle, CURLOPT_NOSIGNAL, 1L);
  set_option(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  // Also when empty: then the environment has no say.
  set_option(handle, CURLOPT_PROXY, settings.proxy.url.c_str());
  set_option(handle, CURLOPT_NOPROXY, "");
  set_option(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!settings.connect_to.empty()) {
    append_line(connect_to, settings.connect_to);
    set_option(handle, CURLOPT_CONNECT_TO, connect_to.get());
  }
  set_option(handle, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  set_option(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  set_option(handle, CURLOPT_TCP_KEEPIDLE, kKeepIdleSeconds);
  set_option(handle, CURLOPT_TCP_KEEPINTVL, kKeepIntervalSeconds);
  set_option(handle, CURLOPT_SOCKOPTFUNCTION, &on_socket);
  set_tls(handle, settings, tls);
}

void set_socket_options(int socket) {
  const auto set = [socket](int level, int option, int value) {
    setsockopt(socket, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, static_cast<int>(kKeepIdleSeconds));
  set(IPPROTO_TCP, TCP_KEEPINTVL, static_cast<int>(kKeepIntervalSeconds));
  (void)on_socket(nullptr, socket, CURLSOCKTYPE_IPCXN);
}

void let_read_ahead(CURL* handle) {
  set_option(handle, CURLOPT_SSL_CTX_DATA, static_cast<void*>(handle));
}

Break break_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return Break::kNone;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Break::kResolve;
    case CURLE_COULDNT_CONNECT:
      return Break::kRefused;
    case CURLE_OPERATION_TIMEDOUT:
      return Break::kTimeout;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return Break::kTls;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return Break::kReset;
    default:
      return Break::kOther;
  }
}

}  // namespace davit::host
