#include "host/transport/curl_transport.hpp"

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "host/transport/connection_pool.hpp"
#include "host/transport/pooled_call.hpp"
#include "host/transport/request_thread.hpp"
#include "host/transport/server_url.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/http1.hpp"

namespace davit::host {
namespace {

std::string without_brackets(const std::string& host) {
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

// The usual form of the address: with a port only if it differs from the scheme's default.
std::string host_of(const ServerUrl& url) {
  const bool usual = url.port == (url.scheme == ServerUrl::Scheme::kHttps ? "443" : "80");
  return usual ? url.host : url.address();
}

// A proxy reads requests for plain HTTP. It passes on those for HTTPS in a tunnel, which libcurl
// makes.
Http1Route make_route(const Proxy& proxy, const ServerUrl& url) {
  Http1Route route{host_of(url), url.path, "", ""};
  if (url.scheme == ServerUrl::Scheme::kHttps || !proxy.takes_requests()) return route;
  route.prefix = "http://" + route.host + url.path;
  if (!mutant("proxy-credentials")) route.proxy = proxy.shown;
  route.proxy_authorization = proxy.authorization;
  return route;
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

/// The open lists and watches. Thread-safe.
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
        tls_(std::move(tls)),
        clock_(clock),
        routes_{route(url, ConnectionPurpose::kWatch), route(url, ConnectionPurpose::kLease),
                route(url, ConnectionPurpose::kWrite)},
        thread_(clock) {}

  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    if (request.loop != nullptr) return drive(std::move(request), reader);
    auto begin = [this, request = std::move(request), &reader](RequestLoop& loop) mutable {
      request.loop = &loop;
      return drive(std::move(request), reader);
    };
    return thread_.start(std::move(begin), reader);
  }

  void close_idle() override {
    for (ConnectionPool& pool : pools_) pool.close_idle(clock_.now());
  }

  [[nodiscard]] std::string_view server() const override { return server_; }

 private:
  // On the thread of the request's loop.
  std::unique_ptr<Call> drive(HttpRequest request, ResponseReader& reader) {
    std::vector<ConnectionPool::Owned> closed;  // After PresentTls has released its lock.
    PresentTls::Material tls =
        present_.take(tls_->current(clock_.now()), request.certificate,
                      [&](const PresentTls::Material& from, const PresentTls::Material& to) {
                        replace(from, to, closed);
                      });
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

  [[nodiscard]] PooledRoute route(const ServerUrl& url, ConnectionPurpose purpose) {
    return {settings_, pools_[static_cast<std::size_t>(purpose)], client_tls_, clock_,
            make_route(settings_.proxy, url)};
  }

  // A new client certificate ends the watches that were opened with the old one. A unary request
  // continues to its end; its connection serves no other.
  void replace(const PresentTls::Material& from, const PresentTls::Material& to,
               std::vector<ConnectionPool::Owned>& closed) {
    for (ConnectionPool& pool : pools_) {
      for (ConnectionPool::Owned& each : pool.keep_only(to)) closed.push_back(std::move(each));
    }
    if (to->cert == from->cert || from->cert.empty()) return;
    streams_.drop_other_certificates(to->cert);
  }

  const std::string server_;
  const CurlSettings settings_;
  const std::unique_ptr<TlsSource> tls_;
  Clock& clock_;
  PresentTls present_;
  std::array<ConnectionPool, kPurposeCount> pools_;
  ClientTlsCache client_tls_;
  const std::array<PooledRoute, kPurposeCount> routes_;
  OpenStreams streams_;
  RequestThread thread_;  // Last: its requests use all of the above.
};

}  // namespace

Result<std::unique_ptr<Transport>> make_curl_transport(const ConnectionConfig& config, Clock& clock,
                                                       RestMetrics& metrics, Logger log,
                                                       SocketSource sockets) {
  const bool tls_wanted = config.insecure || !config.ca_data.empty() || !config.ca_file.empty() ||
                          !config.cert_data.empty() || !config.cert_file.empty();
  Result<ServerUrl> url = ServerUrl::parse(
      config.server, tls_wanted ? ServerUrl::Scheme::kHttps : ServerUrl::Scheme::kHttp);
  if (!url) return url.error();
  Result<std::unique_ptr<TlsSource>> tls =
      TlsSource::open(config, clock.now(), metrics, std::move(log));
  if (!tls) return tls.error();
  Result<CurlSettings> settings = connection_settings(config, *url);
  if (!settings) return settings.error();
  if (sockets && !settings->proxy.url.empty()) {
    return Status(Code::kUnsupported,
                  "an isolated plugin cannot use the proxy " + settings->proxy.shown);
  }
  settings->sockets = std::move(sockets);
  settings->server = {without_brackets(url->host), url->port};
  return std::unique_ptr<Transport>(
      std::make_unique<CurlTransport>(*url, *std::move(settings), *std::move(tls), clock));
}

}  // namespace davit::host
