#include "host/api/curl_transport.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "host/api/connection_pool.hpp"
#include "host/api/curl_pool.hpp"
#include "host/api/http1.hpp"
#include "host/api/pooled_call.hpp"
#include "host/api/server_url.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whether HTTPS may go through a proxy. libcurl decides when it connects, by its list of
// exceptions.
bool may_be_proxied(const CurlSettings& settings) {
  if (!settings.proxy.empty()) return true;
  if (settings.no_proxy == "*") return false;
  constexpr const char* kVariables[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  return std::any_of(std::begin(kVariables), std::end(kVariables),
                     [](const char* name) { return !environment(name).empty(); });
}

CurlSettings make_settings(const ConnectionConfig& config, const ServerUrl& url) {
  CurlSettings settings;
  settings.base_url = url.text();
  const bool https = url.scheme == ServerUrl::Scheme::kHttps;
  if (https && !config.tls_server_name.empty()) {
    // libcurl takes the name to verify from the URL, so the URL gets it, and the real address goes
    // aside.
    ServerUrl named = url;
    named.host = config.tls_server_name;
    settings.base_url = named.text();
    settings.connect_to = named.address() + ":" + url.address();
    settings.host_header = "Host: " + url.address();
  }
  if (!config.proxy_url.empty()) {
    settings.proxy = config.proxy_url;
    settings.no_proxy = "";  // Not even the environment's list of exceptions counts.
    // The proxy resolves names, as with Go's socks5.
    if (settings.proxy.compare(0, 9, "socks5://") == 0) settings.proxy.insert(6, "h");
  } else if (url.is_loopback()) {
    settings.no_proxy = "*";  // Same as net/http.
  } else if (!https && environment("http_proxy").empty()) {
    settings.proxy = environment("HTTP_PROXY");  // libcurl looks at the small letters only.
  }
  if (config.insecure) settings.verify = CurlSettings::Verify::kNothing;
  if (https && !may_be_proxied(settings)) {
    settings.socket_url = "http://" + url.address();
    settings.tls_name = config.tls_server_name.empty() ? url.host : config.tls_server_name;
    if (settings.tls_name.starts_with('[')) {
      settings.tls_name = settings.tls_name.substr(1, settings.tls_name.size() - 2);
    }
  }
  return settings;
}

// libcurl's form of the address: with a port only if it differs from the scheme's default.
std::string host_of(const ServerUrl& url) {
  const bool usual = url.port == (url.scheme == ServerUrl::Scheme::kHttps ? "443" : "80");
  return usual ? url.host : url.address();
}

// A proxy of plain HTTP gets another kind of request, with credentials of its own: libcurl's loop
// does that. HTTPS goes through a tunnel, which is libcurl's business in any case.
bool may_be_proxied_in_plain(const CurlSettings& settings, const ServerUrl& url) {
  if (url.scheme == ServerUrl::Scheme::kHttps || settings.no_proxy == "*") return false;
  return !settings.proxy.empty() || !environment("http_proxy").empty() ||
         !environment("all_proxy").empty() || !environment("ALL_PROXY").empty();
}

/// The TLS material of new connections, shared by all requests. A delayed request may bring
/// material that has been replaced since; it gets the present one, so nothing flaps.
/// Thread-safe.
class PresentTls {
 public:
  using Material = std::shared_ptr<const TlsMaterial>;

  /// Called under the lock, in order: another material counts from now on.
  using OnChange = std::function<void(const Material& from, const Material& to)>;

  /// For a request with `own` as certificate, or null for the connection's own one.
  [[nodiscard]] Material take(Material base, const std::shared_ptr<const ClientCertificate>& own,
                              const OnChange& on_change) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool new_base = base_ == nullptr || base->version > base_->version;
    const bool new_own = own != nullptr && (own_ == nullptr || own->version > own_->version);
    if (new_base) base_ = std::move(base);
    if (new_own) own_ = own;
    if (new_base || new_own) {
      const Material before = std::exchange(present_, combined());
      if (before != nullptr) on_change(before, present_);
    }
    return present_;
  }

 private:
  [[nodiscard]] Material combined() const REQUIRES(mutex_) {
    if (own_ == nullptr) return base_;
    auto both = std::make_shared<TlsMaterial>(*base_);
    both->cert = own_->cert;
    both->key = own_->key;
    return both;
  }

  Mutex mutex_;
  Material base_ GUARDED_BY(mutex_);
  std::shared_ptr<const ClientCertificate> own_ GUARDED_BY(mutex_);
  Material present_ GUARDED_BY(mutex_);
};

/// The lists and watches that their callers' threads drive. Thread-safe.
class OpenStreams {
 public:
  /// Ends every one that uses another client certificate than `cert`.
  void drop_other_certificates(const std::string& cert) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (PooledCall* each : calls_) {
      if (each->tls().cert != cert) each->drop();
    }
  }

  void add(PooledCall& call) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    calls_.push_back(&call);
  }
  void remove(PooledCall& call) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::erase(calls_, &call);
  }

 private:
  Mutex mutex_;
  std::vector<PooledCall*> calls_ GUARDED_BY(mutex_);
};

/// A list or watch among the open ones.
class StreamCall final : public Call {
 public:
  StreamCall(OpenStreams& open, std::unique_ptr<PooledCall> call)
      : open_(open), call_(std::move(call)) {
    open_.add(*call_);
  }
  ~StreamCall() override { open_.remove(*call_); }

  void start() { call_->start(); }
  void resume() override { call_->resume(); }
  [[nodiscard]] bool is_sent() const override { return call_->is_sent(); }

 private:
  OpenStreams& open_;
  const std::unique_ptr<PooledCall> call_;
};

class CurlTransport final : public Transport {
 public:
  CurlTransport(const ServerUrl& url, CurlSettings settings, std::unique_ptr<TlsSource> tls,
                Clock& clock)
      : server_(url.text()),
        settings_(std::move(settings)),
        is_direct_(!may_be_proxied_in_plain(settings_, url)),
        tls_(std::move(tls)),
        clock_(clock),
        routes_{route(url, ConnectionPurpose::kWatch), route(url, ConnectionPurpose::kLease),
                route(url, ConnectionPurpose::kWrite)},
        curl_pool_(settings_) {}

  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    const bool by_libcurl = request.loop == nullptr || !is_direct_;
    if (by_libcurl) {  // PooledCall checks what it writes.
      if (Status s = check_request_lines(request); !s.ok()) {
        reader.on_end({Break::kOther, s.message()});
        return std::make_unique<EndedCall>();
      }
    }
    std::vector<ConnectionPool::Owned> closed;  // After PresentTls has released its lock.
    PresentTls::Material tls =
        present_.take(tls_->current(clock_.now()), request.certificate,
                      [&](const PresentTls::Material& from, const PresentTls::Material& to) {
                        replace(from, to, closed);
                      });
    if (by_libcurl) {
      return curl_pool_.start(std::move(request), std::move(tls), reader);
    }
    const auto purpose = static_cast<std::size_t>(request.purpose);
    const bool is_stream = request.purpose == ConnectionPurpose::kWatch;
    auto call =
        std::make_unique<PooledCall>(routes_[purpose], std::move(request), std::move(tls), reader);
    if (is_stream) {
      auto stream = std::make_unique<StreamCall>(streams_, std::move(call));
      stream->start();
      return stream;
    }
    call->start();
    return call;
  }

  void close_idle() override {
    for (ConnectionPool& pool : pools_) pool.close_idle(clock_.now());
  }

  [[nodiscard]] std::string_view server() const override { return server_; }

 private:
  [[nodiscard]] PooledRoute route(const ServerUrl& url, ConnectionPurpose purpose) {
    return {settings_, pools_[static_cast<std::size_t>(purpose)], client_tls_, clock_, host_of(url),
            url.path};
  }

  // A new client certificate ends the watches that were opened with the old one. A unary request
  // continues to its end; its connection serves no other.
  void replace(const PresentTls::Material& from, const PresentTls::Material& to,
               std::vector<ConnectionPool::Owned>& closed) {
    for (ConnectionPool& pool : pools_) {
      for (ConnectionPool::Owned& each : pool.keep_only(to)) closed.push_back(std::move(each));
    }
    if (to->cert == from->cert || from->cert.empty()) return;
    curl_pool_.drop_other_certificates(to->cert);
    streams_.drop_other_certificates(to->cert);
  }

  const std::string server_;
  const CurlSettings settings_;
  const bool is_direct_;  // The calling thread may drive its requests.
  const std::unique_ptr<TlsSource> tls_;
  Clock& clock_;
  PresentTls present_;
  std::array<ConnectionPool, kPurposeCount> pools_;
  ClientTlsCache client_tls_;
  const std::array<PooledRoute, kPurposeCount> routes_;
  CurlPool curl_pool_;
  OpenStreams streams_;
};

}  // namespace

Result<std::unique_ptr<Transport>> make_curl_transport(const ConnectionConfig& config, Clock& clock,
                                                       RestMetrics& metrics, Logger log) {
  const bool tls_wanted = config.insecure || !config.ca_data.empty() || !config.ca_file.empty() ||
                          !config.cert_data.empty() || !config.cert_file.empty();
  Result<ServerUrl> url = ServerUrl::parse(
      config.server, tls_wanted ? ServerUrl::Scheme::kHttps : ServerUrl::Scheme::kHttp);
  if (!url) return url.error();
  Result<std::unique_ptr<TlsSource>> tls =
      TlsSource::open(config, clock.now(), metrics, std::move(log));
  if (!tls) return tls.error();
  return std::unique_ptr<Transport>(
      std::make_unique<CurlTransport>(*url, make_settings(config, *url), *std::move(tls), clock));
}

}  // namespace davit::host
