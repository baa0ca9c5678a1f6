/// The API server as a library, without socket and thread. Thousands fit in one process.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/net/http_message.hpp"
#include "sandbox/admission/admission.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/auth/tokens.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/kind_gates.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/rest/url_handler.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

class Aggregation;
class HookConnector;
class MetricBoard;

/// The content of /version.
struct ServerVersion {
  std::string major = "1";
  std::string minor = "36";
  std::string git_version = "v1.36.2";
};

/// Whether the chain of admission runs; without it objects are only checked by their own rules.
enum class AdmissionSwitch : std::uint8_t { kOn, kOff };

/// The objects that a new cluster begins with.
enum class BootstrapObjects : std::uint8_t {
  kAll,
  /// Namespaces and priority classes, which other objects need: for a server that has no address.
  kMinimal,
};

struct ApiServerOptions {
  /// Null: every request is system:admin's.
  const Authenticator* authenticator = nullptr;
  /// Null: every client has all rights.
  const Authorizer* authorizer = nullptr;
  /// Null: tokens of a key that ends with the server and is unknown to `authenticator`.
  const ServiceAccountTokens* tokens = nullptr;
  AdmissionSwitch admission_switch = AdmissionSwitch::kOn;
  AdmissionOptions admission;
  KindGates kind_gates;
  BootstrapObjects bootstrap = BootstrapObjects::kAll;
  /// Kinds by "resource.group" that nothing acts on: who creates an object of one gets a warning.
  std::vector<std::string> without_controller;
  /// Null: no metrics are served. Borrowed; must outlive the server.
  MetricBoard* metrics = nullptr;
  /// Null: webhooks are stored and not called. Borrowed; must outlive the server.
  HookConnector* webhooks = nullptr;
  /// The thread that waits for the webhooks of a write.
  enum class HookThread : std::uint8_t {
    kOwn,     ///< One for each such write: handle() responds with a deferred response.
    kCaller,  ///< handle() blocks.
  } hook_thread = HookThread::kOwn;
  /// Null: APIServices are stored, and no request is proxied. Borrowed; must outlive the server.
  Aggregation* aggregation = nullptr;
  /// Contents of the ConfigMap extension-apiserver-authentication, PEM; empty: none.
  std::string client_authority;       ///< Vouches for clients' certificates.
  std::string front_proxy_authority;  ///< Vouches for the certificate of `aggregation`.
  ServerVersion version;
  /// The address of the server for clients inside the cluster.
  std::string advertise_address = "10.0.2.15";
  int advertise_port = 6443;
};

/// The parts of the server. All borrowed; must outlive the server and every watch.
struct ApiServerParts {
  Store& store;
  Clock& clock;
  Random& random;
  Logger log;
};

/// Thread-safe. Open watches and deferred responses must end before the server does.
class ApiServer final : public UrlHandler {
 private:
  struct State;
  struct Private {};  // Only open() makes one.

 public:
  /// Writes the objects that every cluster has, where they are missing. kInvalid when the options
  /// make no sense.
  [[nodiscard]] static Result<std::unique_ptr<ApiServer>> open(ApiServerParts parts,
                                                               ApiServerOptions options = {});
  ApiServer(Private, std::unique_ptr<State> state);
  ~ApiServer() override;

  /// 400 if the request's target cannot be parsed.
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override;
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request,
                                          const Url& url) override;

  /// The resources served at the moment.
  [[nodiscard]] std::shared_ptr<const ResourceSet> resources() const;

 private:
  class Direct;

  class HookGate;

  /// The webhooks that may have to be asked about the request. It may turn out that others have to.
  [[nodiscard]] std::vector<std::string> waits(const HttpServerRequest& request,
                                               const Url& url) const;
  /// Responds on the calling thread. `repeats`: what repeats a request whose response is deferred.
  /// `gate`: notes a webhook that it would have to wait for, and the response is void then; null:
  /// it waits.
  [[nodiscard]] HttpServerResponse respond(const HttpServerRequest& request, const Url& url,
                                           UrlHandler& repeats, const std::stop_token& stop,
                                           HookGate* gate);
  /// The same, once the response is no longer deferred.
  [[nodiscard]] HttpServerResponse respond_in_full(const HttpServerRequest& request, const Url& url,
                                                   const std::stop_token& stop);

  const std::unique_ptr<State> state_;
};

}  // namespace davit::sandbox
