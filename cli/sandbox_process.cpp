#include "cli/sandbox_process.hpp"

#include <optional>
#include <thread>
#include <utility>

#include "cli/backend_transports.hpp"
#include "cli/gated_kinds.hpp"
#include "cli/hook_transports.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/start_thread.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "nodes/simulation.hpp"
#include "sandbox/aggregation/aggregation.hpp"
#include "sandbox/auth/authenticator.hpp"
#include "sandbox/auth/rbac.hpp"
#include "sandbox/auth/tokens.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/controllers/controllers.hpp"
#include "sandbox/faults/fault_layer.hpp"
#include "sandbox/http/browser_guard.hpp"
#include "sandbox/http/credentials.hpp"
#include "sandbox/http/front.hpp"
#include "sandbox/server/api_server.hpp"
#include "sandbox/store/file_journal.hpp"
#include "sandbox/store/store.hpp"

namespace davit::host {
namespace {

constexpr int kUsualPort = 6443;
constexpr const char* kContext = "davit-sandbox";

Result<std::string> read_file(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (!text) return Status(Code::kInvalid, "cannot read " + path + ": " + text.error().message());
  return text;
}

/// YAML or JSON.
Result<sandbox::FaultScript> read_fault_script(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  const YamlDocument document = parse_yaml(*text, path);
  if (!document.mistakes.empty()) return Status(Code::kInvalid, document.mistakes.front().str());
  const Result<std::string> as_json = to_json(document.root);
  if (!as_json) return as_json.error().with_context(path);
  const Result<Json> json = parse_json(*as_json);
  if (!json) return json.error().with_context(path);
  Result<sandbox::FaultScript> script = sandbox::parse_fault_script(*json);
  if (!script) return script.error().with_context(path);
  return script;
}

/// Authenticates the requests of the cluster's own controllers.
class Insider final : public HttpHandler {
 public:
  Insider(HttpHandler& server, std::string token)
      : server_(server), authorization_("Bearer " + std::move(token)) {}

  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override {
    HttpServerRequest own = request;
    own.headers.emplace_back("Authorization", authorization_);
    return server_.handle(own);
  }

 private:
  HttpHandler& server_;
  const std::string authorization_;
};

sandbox::Switch to_switch(bool on) { return on ? sandbox::Switch::kOn : sandbox::Switch::kOff; }

class Wired final : public SandboxProcess {
 public:
  Wired(const SandboxSettings& settings, const SandboxSeams& seams)
      : settings_(settings),
        seams_(seams),
        log_(seams.sink, "sandbox"),
        metrics_(settings.metrics),
        hooks_(seams.clock, log_),
        backends_(seams.clock, log_) {}

  Status start() {
    if (Status s = load_credentials(); !s.ok()) return s;
    if (Status s = open_store(); !s.ok()) return s;
    if (Status s = open_access(); !s.ok()) return s;
    if (Status s = open_aggregation(); !s.ok()) return s;
    if (Status s = open_server(); !s.ok()) return s;
    if (Status s = open_front(); !s.ok()) return s;
    if (Status s = start_controllers(); !s.ok()) return s;
    if (Status s = start_nodes(); !s.ok()) return s;
    return write_kubeconfig();
  }

  [[nodiscard]] std::string url() const override { return sandbox_url(settings_, front_->port()); }
  [[nodiscard]] Result<std::unique_ptr<Transport>> connect() override {
    Result<std::unique_ptr<sandbox::InProcessTransport>> client = make_client();
    if (!client) return client.error();
    return std::unique_ptr<Transport>(std::move(*client));
  }
  [[nodiscard]] const KeyPair& authority() const override { return credentials_.authority; }
  [[nodiscard]] std::string kubeconfig() const override {
    return kubeconfig_path(settings_, front_->port());
  }

 private:
  [[nodiscard]] const SandboxOptions& options() const { return settings_.options; }

  Status load_credentials() {
    Result<sandbox::Credentials> kept = sandbox::keep_credentials(
        settings_.credentials_file, settings_.certificate_for, seams_.clock.wall_now());
    if (kept) credentials_ = std::move(*kept);
    return kept.error();
  }

  Status open_store() {
    if (!options().data_file.empty()) {
      Result<std::unique_ptr<sandbox::FileJournal>> opened =
          sandbox::FileJournal::open(options().data_file, log_);
      if (!opened) return opened.error();
      journal_ = std::move(*opened);
    }
    store_.emplace(seams_.clock, sandbox::StoreLimits(), journal_.get());
    if (journal_) journal_->restore_into(*store_);
    return {};
  }

  Status open_access() {
    sandbox::AuthenticatorOptions known;
    if (options().security == SandboxSecurity::kPlain) {
      known.anonymous = sandbox::Anonymous::kAdministrator;
    }
    known.tokens.push_back({credentials_.admin_token,
                            {.name = sandbox::kAdminUser, .groups = {std::string(kMastersGroup)}}});
    if (!options().token_file.empty()) {
      const Result<std::string> text = read_file(options().token_file);
      if (!text) return text.error();
      Result<std::vector<sandbox::StaticToken>> given = sandbox::parse_token_file(*text);
      if (!given) return given.error().with_context(options().token_file);
      for (sandbox::StaticToken& each : *given) known.tokens.push_back(std::move(each));
    }
    tokens_.emplace(*store_, seams_.clock, credentials_.token_key);
    bootstrap_tokens_.emplace(*store_, seams_.clock);
    authenticator_ = sandbox::make_authenticator(std::move(known), &*tokens_, &*bootstrap_tokens_);
    authorizer_ = options().authorization == SandboxAuthorization::kRbac
                      ? sandbox::make_rbac_authorizer(*store_)
                      : sandbox::make_permissive_authorizer();
    return {};
  }

  Status open_aggregation() {
    Result<FrontProxyIdentity> made = make_front_proxy_identity(seams_.clock.wall_now());
    if (!made) return made.error();
    front_proxy_authority_ = std::move(made->authority);
    aggregation_.emplace(sandbox::Aggregation::Parts{*store_, seams_.clock, backends_,
                                                     std::move(made->certificate)});
    return {};
  }

  Status open_server() {
    sandbox::ApiServerOptions served;
    served.authenticator = authenticator_.get();
    served.authorizer = authorizer_.get();
    served.tokens = &*tokens_;
    if (settings_.controllers.accounts) {
      served.admission.service_accounts = sandbox::AdmissionOptions::ServiceAccounts::kOn;
    }
    served.admission.service_range = settings_.options.service_ranges;
    served.kind_gates = {
        .scale_to_zero = is_gate_on("HPAScaleToZero", settings_.feature_gates),
        .configurable_tolerance = is_gate_on("HPAConfigurableTolerance", settings_.feature_gates),
        .max_unavailable_stateful_set =
            is_gate_on("MaxUnavailableStatefulSet", settings_.feature_gates),
        .device_taint_rules = is_gate_on("DRADeviceTaintRules", settings_.feature_gates)};
    served.metrics = &metrics_;
    served.webhooks = &hooks_;
    served.aggregation = &*aggregation_;
    served.client_authority = credentials_.authority.certificate;
    served.front_proxy_authority = front_proxy_authority_;
    served.without_controller = kinds_without_controller(settings_.controllers);
    Result<std::unique_ptr<sandbox::ApiServer>> server =
        sandbox::ApiServer::open({*store_, seams_.clock, seams_.random, log_}, served);
    if (!server) return server.error();
    server_ = std::move(*server);
    const Status defined =
        define_gated_kinds(*server_, credentials_.admin_token, settings_.feature_gates);
    return defined.ok() ? open_faults() : defined;
  }

  /// Faults apply to all requests, those of nodes and plugins too.
  Status open_faults() {
    sandbox::FaultScript script;
    if (!options().faults_file.empty()) {
      Result<sandbox::FaultScript> read = read_fault_script(options().faults_file);
      if (!read) return read.error();
      script = std::move(*read);
    }
    const std::uint64_t seed = script.seed.value_or(seams_.random.next());
    faults_.emplace(sandbox::FaultParts{*server_, *store_, seams_.clock, authenticator_.get(),
                                        authorizer_.get()},
                    seed);
    if (script.rules.empty()) return {};
    log_.warning("Injecting faults", {{"rules", script.rules.size()}, {"seed", seed}});
    static_cast<void>(faults_->add(std::move(script)));
    return {};
  }

  Status open_front() {
    sandbox::FrontOptions front;
    front.address = options().address;
    front.port = static_cast<std::uint16_t>(options().port.value_or(kUsualPort));
    if (options().security == SandboxSecurity::kTls) {
      front.tls = TlsIdentity{credentials_.server.certificate, credentials_.server.key,
                              credentials_.authority.certificate};
    }
    HttpHandler* served = &*faults_;
    if (options().security == SandboxSecurity::kPlain) {
      served = &guard_.emplace(*faults_, options().address);
    }
    Result<std::unique_ptr<HttpServer>> opened = sandbox::open_front(front, *served, log_);
    if (!opened && !options().port && opened.error().code() == Code::kUnavailable) {
      front.port = 0;  // The user did not choose the usual one.
      opened = sandbox::open_front(front, *served, log_);
    }
    if (opened) front_ = std::move(*opened);
    return opened.error();
  }

  Status start_controllers() {
    const SandboxControllers& on = settings_.controllers;
    sandbox::ControllerOptions chosen;
    chosen.garbage_collector = to_switch(on.garbage_collector);
    chosen.namespaces = to_switch(on.namespaces);
    chosen.event_expiry = to_switch(on.events);
    chosen.volumes = to_switch(on.volumes);
    chosen.default_accounts = to_switch(on.default_accounts);
    if (on.root_ca) chosen.root_ca = credentials_.authority.certificate;
    chosen.aggregation = &*aggregation_;
    insider_.emplace(*server_, credentials_.admin_token);
    controllers_.emplace(sandbox::ControllerParts{*store_, *insider_, seams_.clock,
                                                  [this] { return server_->resources(); }},
                         chosen);
    const auto control = [this](const std::stop_token& stop) { controllers_->run(stop); };
    if (start_thread(controlling_, "cluster", control)) return {};
    return {Code::kUnavailable, "cannot run the sandbox's controllers: cannot start a thread"};
  }

  Status start_nodes() {
    const SandboxControllers& on = settings_.controllers;
    if (!on.nodes && !on.scheduler && !on.storage && !on.devices) return {};
    sandbox::SimulationOptions simulated = simulation_options(options().nodes);
    if (!on.nodes) simulated.nodes.plans.clear();
    if (!on.scheduler) simulated.scheduling = sandbox::Scheduling::kOff;
    if (on.storage) simulated.storage = sandbox::StorageSwitch::kOn;
    if (on.cloud) simulated.nodes.cloud = sandbox::CloudSwitch::kOn;
    simulated.devices = on.devices ? sandbox::DeviceSwitch::kOn : sandbox::DeviceSwitch::kOff;
    Result<std::unique_ptr<sandbox::InProcessTransport>> client = make_client();
    if (!client) return client.error();
    client_ = std::move(*client);
    Result<std::unique_ptr<sandbox::SimulationThread>> nodes =
        sandbox::SimulationThread::open({*client_, seams_.clock, seams_.random, log_}, simulated);
    if (!nodes) return nodes.error();
    nodes_ = std::move(*nodes);
    return {};
  }

  Result<std::unique_ptr<sandbox::InProcessTransport>> make_client() {
    auto client = sandbox::InProcessTransport::open(*faults_, seams_.clock);
    if (client) (*client)->set_bearer_token(credentials_.admin_token);
    return client;
  }

  Status write_kubeconfig() {
    return replace_file(kubeconfig(), sandbox::admin_kubeconfig(credentials_, {url(), kContext}),
                        Readable::kByOwner);
  }

  const SandboxSettings settings_;
  const SandboxSeams seams_;
  const Logger log_;
  sandbox::MetricBoard metrics_;
  HookTransports hooks_;
  BackendTransports backends_;
  std::string front_proxy_authority_;
  sandbox::Credentials credentials_;
  // In the order in which they are made; each uses those before it.
  std::unique_ptr<sandbox::FileJournal> journal_;
  std::optional<sandbox::Store> store_;
  std::optional<sandbox::ServiceAccountTokens> tokens_;
  std::optional<sandbox::BootstrapTokens> bootstrap_tokens_;
  std::unique_ptr<sandbox::Authenticator> authenticator_;
  std::unique_ptr<sandbox::Authorizer> authorizer_;
  std::optional<sandbox::Aggregation> aggregation_;
  std::unique_ptr<sandbox::ApiServer> server_;
  std::optional<sandbox::FaultLayer> faults_;
  std::optional<sandbox::BrowserGuard> guard_;  // Over plain HTTP.
  std::optional<Insider> insider_;
  std::optional<sandbox::Controllers> controllers_;
  std::jthread controlling_;
  std::unique_ptr<sandbox::InProcessTransport> client_;
  std::unique_ptr<sandbox::SimulationThread> nodes_;
  std::unique_ptr<HttpServer> front_;
};

}  // namespace

Result<std::unique_ptr<SandboxProcess>> SandboxProcess::open(const SandboxSettings& settings,
                                                             const SandboxSeams& seams) {
  auto process = std::make_unique<Wired>(settings, seams);
  if (Status s = process->start(); !s.ok()) return s;
  return std::unique_ptr<SandboxProcess>(std::move(process));
}

}  // namespace davit::host
