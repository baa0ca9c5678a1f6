#include "host/serving/secure_serving.hpp"

#include <algorithm>
#include <utility>

#include "host/api/connect.hpp"
#include "host/config/connection_files.hpp"
#include "host/transport/tls_material.hpp"
#include "lib/kube/json.hpp"
#include "lib/net/tls_strength.hpp"

namespace davit::host {
namespace {

/// Upstream's rate of these clients (k8s.io/apiserver/pkg/server/options).
constexpr TokenBucket::Rate kReviewRate{200, 400};
/// Upstream is notified of a change by the kernel and looks every minute besides.
constexpr Duration kFilesPeriod = std::chrono::seconds(5);
/// Upstream watches the ConfigMap; a change counts within a minute at the latest.
constexpr Duration kConfigMapPeriod = std::chrono::seconds(30);
constexpr Duration kConfigMapTime = std::chrono::seconds(10);

RestOptions client_options(std::string_view name) {
  RestOptions options;
  options.rate = kReviewRate;
  options.user_agent = user_agent(name);
  return options;
}

}  // namespace

SecureServing::SecureServing(const Manifest& manifest, Seams seams, const Logger& log)
    : authentication_(manifest.authentication),
      authorization_(manifest.authorization),
      serving_(manifest.serving),
      seams_(std::move(seams)),
      log_(log) {}

SecureServing::~SecureServing() { server_.reset(); }

Result<std::unique_ptr<SecureServing>> SecureServing::open(const Manifest& manifest, Seams seams,
                                                           const Logger& log) {
  auto made = std::make_unique<SecureServing>(manifest, std::move(seams), log);
  if (Status s = made->serve(manifest); !s.ok()) return s;
  return made;
}

Result<Transport*> SecureServing::way_to(const std::string& kubeconfig, const char* flag,
                                         std::unique_ptr<Transport>& made) {
  if (kubeconfig.empty()) return &seams_.transport;
  KubeconfigOptions lookup;
  lookup.kubeconfig = kubeconfig;
  lookup.environment = process_environment();
  const Result<ConnectionConfig> config = load_connection(lookup);
  if (!config) return config.error().with_context(flag);
  if (Status s = check_connection_files(*config, log_); !s.ok()) return s.with_context(flag);
  own_kubeconfigs_.push_back(*config);
  Result<std::unique_ptr<Transport>> transport =
      connect(*config, seams_.clock, seams_.rest_metrics, log_.named("transport"));
  if (!transport) return transport.error().with_context(flag);
  made = *std::move(transport);
  return made.get();
}

std::optional<WallTime> SecureServing::client_certificate_end(const ConnectionConfig& own) const {
  std::optional<WallTime> first = host::client_certificate_end(own);
  for (const ConnectionConfig& each : own_kubeconfigs_) {
    const std::optional<WallTime> end = host::client_certificate_end(each);
    if (end) first = std::min(first.value_or(*end), *end);
  }
  return first;
}

void SecureServing::warn_of_cipher_suites() const {
  std::string names;
  for (const std::string& each : without_forward_secrecy(serving_.cipher_suites)) {
    names += (names.empty() ? "" : ", ") + each;
  }
  if (names.empty()) return;
  log_.warning("Cipher suites without forward secrecy are left out", {{"suites", names}});
}

Status SecureServing::serve(const Manifest& manifest) {
  warn_of_cipher_suites();
  const Result<Transport*> authentication =
      way_to(authentication_.kubeconfig, "--authentication-kubeconfig", authentication_way_);
  if (!authentication) return authentication.error();
  const Result<Transport*> authorization =
      way_to(authorization_.kubeconfig, "--authorization-kubeconfig", authorization_way_);
  if (!authorization) return authorization.error();
  authentication_client_ = std::make_unique<RestClient>(
      **authentication, seams_.clock, seams_.rest_metrics, log_, client_options("authentication"));
  authorization_client_ = std::make_unique<RestClient>(
      **authorization, seams_.clock, seams_.rest_metrics, log_, client_options("authorization"));
  Result<std::unique_ptr<TrustSource>> trust = TrustSource::open(authentication_);
  if (!trust) return trust.error();
  trust_ = *std::move(trust);
  Result<ServingCertificate> certificate =
      ServingCertificate::open(serving_, {seams_.clock, seams_.metrics}, log_);
  if (!certificate) return certificate.error();
  certificate_ = std::make_unique<ServingCertificate>(*std::move(certificate));
  reviews_ = std::make_unique<AccessReviews>(
      *authentication_client_, *authorization_client_,
      AccessReviews::Seams{seams_.clock, seams_.random, seams_.metrics});
  access_ = std::make_unique<AccessControl>(
      authentication_, authorization_,
      AccessControl::Seams{*trust_, *reviews_, threads_, seams_.clock, seams_.metrics,
                           seams_.pages},
      log_);
  HttpServerOptions options;
  options.address = serving_.bind_address;
  options.port = static_cast<std::uint16_t>(secure_port(manifest));
  options.tls = certificate_->identity();
  options.port_sharing = serving_.port_sharing ? HttpServerOptions::PortSharing::kYes
                                               : HttpServerOptions::PortSharing::kNo;
  options.is_probe = seams_.is_probe;
  options.is_known = [this](const HttpServerRequest& request) {
    return access_->is_known(request);
  };
  options.common_headers = browser_limits();
  Result<std::unique_ptr<HttpServer>> server = HttpServer::open(
      options, [this](const HttpServerRequest& request) { return access_->handle(request); }, log_);
  if (!server) return server.error().with_context("cannot serve HTTPS");
  server_ = *std::move(server);
  files_due_ = seams_.clock.now() + kFilesPeriod;
  log_.info(0, "Serving securely", {{"address", endpoint()}});
  return {};
}

Status SecureServing::read_config_map(const std::stop_token& stop) {
  ApiRequest request;
  request.path.version = "v1";
  request.path.resource = "configmaps";
  request.path.ns = kTrustNamespace;
  request.path.name = kTrustConfigMap;
  request.timeout = kConfigMapTime;
  const ApiResponse response = authentication_client_->call(request, stop);
  if (response.status.code() == Code::kNotFound) return {};
  if (!response.status.ok()) return response.status;
  const Result<Json> object = parse_json(response.body);
  if (!object) return object.error();
  return trust_->apply(object->get("data"));
}

Status SecureServing::look_up_trust(const std::stop_token& stop) {
  if (authentication_.skip_lookup) return {};
  config_map_due_ = seams_.clock.now() + kConfigMapPeriod;
  const Status read = read_config_map(stop);
  if (read.ok()) return {};
  if (read.code() == Code::kForbidden) {
    log_.warning(
        "Cannot read the ConfigMap extension-apiserver-authentication: apply what davit rbac "
        "prints, or bind the Role extension-apiserver-authentication-reader in kube-system");
  }
  if (!authentication_.tolerate_lookup_failure) {
    return read.with_context(
        "unable to load the authorities of clients from the ConfigMap "
        "kube-system/extension-apiserver-authentication "
        "(--authentication-tolerate-lookup-failure starts without)");
  }
  log_.warning(
      "Client certificates are not accepted until the ConfigMap "
      "extension-apiserver-authentication can be read",
      {{"err", read.message()}});
  return {};
}

void SecureServing::tick() {
  const Time now = seams_.clock.now();
  if (authentication_way_) authentication_way_->close_idle();
  if (authorization_way_) authorization_way_->close_idle();
  if (now >= files_due_) {
    files_due_ = now + kFilesPeriod;
    if (const std::optional<TlsIdentity> changed = certificate_->reread()) {
      if (Status s = server_->change_tls(*changed); !s.ok()) log_.error(s.message());
    }
    if (Status s = trust_->reread(); !s.ok()) {
      log_.error("Cannot read the client certificate authorities, keeping the old ones",
                 {{"err", s.message()}});
    }
  }
  if (now < config_map_due_) return;
  config_map_due_ = now + kConfigMapPeriod;
  const auto read = [this](std::stop_token stop) {
    const Status done = read_config_map(stop);
    if (done.ok() || stop.stop_requested()) return;
    log_.info(2, "Cannot reread the client certificate authorities", {{"err", done.message()}});
  };
  const bool posted = threads_.post(read, RequestThreads::Line::kFirst);
  if (!posted)
    log_.info(2, "Cannot start a thread that rereads the client certificate authorities");
}

}  // namespace davit::host
