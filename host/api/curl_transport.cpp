#include "host/api/curl_transport.hpp"

#include <array>
#include <cstdlib>
#include <utility>

#include "host/api/curl_lane.hpp"
#include "host/api/server_url.hpp"
#include "host/base/mutex.hpp"

namespace davit::host {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
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
    settings.no_proxy = "*";  // As net/http does.
  } else if (!https && environment("http_proxy").empty()) {
    settings.proxy = environment("HTTP_PROXY");  // libcurl looks at the small letters only.
  }
  if (!environment("DISABLE_HTTP2").empty()) settings.protocol = CurlSettings::Protocol::kHttp1;
  if (config.insecure) settings.verify = CurlSettings::Verify::kNothing;
  return settings;
}

class CurlTransport final : public Transport {
 public:
  CurlTransport(std::string server, CurlSettings settings, std::unique_ptr<TlsSource> tls,
                Clock& clock)
      : server_(std::move(server)),
        settings_(std::move(settings)),
        tls_(std::move(tls)),
        clock_(clock),
        lanes_{{{settings_, Lane::kWatch}, {settings_, Lane::kLease}, {settings_, Lane::kWrite}}} {}

  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    std::shared_ptr<const TlsMaterial> tls = tls_->current(clock_.now());
    if (request.certificate != nullptr) {
      auto own = std::make_shared<TlsMaterial>(*tls);
      own->cert = request.certificate->cert;
      own->key = request.certificate->key;
      tls = std::move(own);
    }
    drop_if_replaced(tls->cert);
    CurlLane& lane = lanes_[static_cast<std::size_t>(request.lane)];
    return lane.start(std::move(request), std::move(tls), reader);
  }

  [[nodiscard]] std::string_view server() const override { return server_; }

 private:
  // A new client certificate ends what was opened with the old one.
  void drop_if_replaced(const std::string& cert) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (cert == last_cert_) return;
      const bool first = last_cert_.empty();
      last_cert_ = cert;
      if (first) return;
    }
    for (CurlLane& lane : lanes_) lane.drop_other_certificates(cert);
  }

  const std::string server_;
  const CurlSettings settings_;
  const std::unique_ptr<TlsSource> tls_;
  Clock& clock_;
  Mutex mutex_;
  std::string last_cert_ GUARDED_BY(mutex_);
  std::array<CurlLane, kLaneCount> lanes_;
};

}  // namespace

Result<std::unique_ptr<Transport>> make_curl_transport(const ConnectionConfig& config, Clock& clock,
                                                       RestMetrics& metrics, Log log) {
  const bool tls_wanted = config.insecure || !config.ca_data.empty() || !config.ca_file.empty() ||
                          !config.cert_data.empty() || !config.cert_file.empty();
  Result<ServerUrl> url = ServerUrl::parse(
      config.server, tls_wanted ? ServerUrl::Scheme::kHttps : ServerUrl::Scheme::kHttp);
  if (!url) return url.error();
  Result<std::unique_ptr<TlsSource>> tls =
      TlsSource::open(config, clock.now(), metrics, std::move(log));
  if (!tls) return tls.error();
  return std::unique_ptr<Transport>(std::make_unique<CurlTransport>(
      url->text(), make_settings(config, *url), *std::move(tls), clock));
}

}  // namespace davit::host
