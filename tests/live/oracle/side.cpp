#include "tests/live/oracle/side.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <optional>

#include "tests/live/support/admin_client.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/live/support/metrics_server.hpp"
#include "tests/live/support/sandbox.hpp"
#include "tests/support/api_checks/api_checks.hpp"

namespace davit::oracle {

using live::Process;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Most of a scenario is waiting for rest; with more of them at once, a small machine would be busy
/// all the time and rest would come late.
constexpr std::size_t kAtOnce = 12;
/// Those of the autoscaler wait for its periods, and have no workload controllers.
constexpr std::size_t kMetricsAtOnce = 25;
/// Events are written behind everything else.
constexpr milliseconds kEventsQuiet{6000};
constexpr seconds kEventsMax{60};
constexpr int kNodes = 6;
constexpr seconds kNodesMax{180};
constexpr char kIsReady[] = "status.conditions[type=Ready].status = \"True\"";
/// Three times as long as nodes take between two heartbeats.
constexpr char kNodeGrace[] = "30s";
/// From this release on a controller of its own evicts pods from tainted nodes.
constexpr int kMinorOfTaintEviction = 29;
/// EndpointSlices, CronJobs and PodDisruptionBudgets in version v1, which is the one that davit
/// writes, came with this release.
constexpr int kMinorOfSlices = 21;

/// Services may have addresses of both families since this release.
constexpr int kMinorOfFamilies = 23;

/// Flags for the API server. Services get IPv4 unless they ask for more.
std::vector<std::string> families() {
  if (live::server_minor() < kMinorOfFamilies) return {};
  return {"--service-cluster-ip-range=10.0.0.0/24,fd00:10::/112"};
}

/// With the default rate events trail minutes behind.
std::vector<std::string> controller_flags() {
  return {"--kube-api-qps=500", "--kube-api-burst=1000"};
}

/// Flags of both servers' nodes: capacity for all scenarios at once.
std::vector<std::string> node_flags() {
  return {"--nodes=" + std::to_string(kNodes), "--node-pods=250", "--node-cpu=1000",
          "--no-pod-events"};
}

/// Pods without ServiceAccounts, as on the real servers of these tests.
std::vector<std::string> sandbox_flags() {
  std::vector<std::string> flags = node_flags();
  flags.emplace_back("--controllers=*,-plugins,-accounts,-volumes");
  return flags;
}

/// The node lifecycle controller as in original_flags().
std::string manifest() {
  return "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugins:\n- name: statefulset\n"
         "- name: cronjob\n- name: endpointslicemirroring\n- name: daemonset\n- name: "
         "deployment\n- name: replicaset\n- name: "
         "endpoint\n- name: "
         "garbagecollector\n"
         "- name: namespace\n- name: disruption\n- name: resourcequota\n- name: ttl\n- name: "
         "clusterroleaggregation\n"
         "- name: job\n- name: podgc\n- name: replicationcontroller\n- name: ttlafterfinished\n- "
         "name: "
         "nodelifecycle\n"
         "  controllers:\n    node-lifecycle-controller:\n      config:\n"
         "        nodeMonitorPeriod: 1s\n        nodeEvictionRate: 10\n"
         "        largeClusterSizeThreshold: 5\n        secondaryNodeEvictionRate: 0.001\n"
         "        nodeMonitorGracePeriod: " +
         std::string(kNodeGrace) + '\n';
}

/// Whether the node lifecycle controller runs for scenarios of this group.
bool has_node_life(IsolationGroup isolation) {
  return isolation != IsolationGroup::kShared && isolation != IsolationGroup::kAccounts &&
         isolation != IsolationGroup::kMetrics;
}

/// The autoscaler is this quick: no scenario waits for the defaults.
constexpr char kAutoscalerPeriod[] = "2s";
constexpr char kAutoscalerWindow[] = "1s";

std::string autoscaler_manifest() {
  return std::string(
             "- name: podautoscaler\n  controllers:\n"
             "    horizontal-pod-autoscaler-controller:\n      config:\n"
             "        horizontalPodAutoscalerSyncPeriod: ") +
         kAutoscalerPeriod +
         "\n        horizontalPodAutoscalerDownscaleStabilizationWindow: " + kAutoscalerWindow +
         '\n';
}

/// The files of the controllers of ServiceAccounts.
struct AccountFiles {
  std::string key;                                    ///< A private key.
  std::string root_ca = DAVIT_ORACLE "/root_ca.crt";  ///< In a Secret of a scenario, too.
};
/// Unused tokens are cleaned up whatever their age.
constexpr char kCleanUpPeriod[] = "1ms";

std::string accounts_manifest(const AccountFiles& files) {
  return "- name: serviceaccount\n  controllers:\n    serviceaccount-token-controller:\n"
         "      config:\n        serviceAccountKeyFile: " +
         files.key + "\n        rootCAFile: " + files.root_ca +
         "\n    root-ca-certificate-publisher-controller:\n      config:\n        rootCAFile: " +
         files.root_ca +
         "\n    legacy-serviceaccount-token-cleaner-controller:\n      config:\n"
         "        cleanUpPeriod: " +
         kCleanUpPeriod + '\n';
}

/// The day since which the server records the use of tokens becomes one of long ago.
void backdate_tracking(host::RestClient& client) {
  host::ApiRequest request;
  request.verb = host::Verb::kPatch;
  request.path = {"", "v1",          "configmaps",
                  "", "kube-system", "kube-apiserver-legacy-service-account-token-tracking"};
  request.patch_type = host::PatchType::kMerge;
  request.body = R"({"data":{"since":"2020-01-01"}})";
  if (client.call(request).status.ok()) return;
  // A real server makes it a while after its start.
  request.verb = host::Verb::kCreate;
  request.body = R"({"metadata":{"name":")" + request.path.name + R"("},)" + request.body.substr(1);
  request.path.name.clear();
  const Status created = client.call(request).status;
  if (!created.ok()) live::give_up("no tracking of tokens: " + created.message());
}

/// The deleter of objects whose owner or namespace is gone. The sandbox does so itself.
enum class Deletion { kByControllers, kByServer };

/// Busy machines delay heartbeats, so nodes are looked at in rooms of their own only.
std::vector<std::string> davit_flags(IsolationGroup isolation, Deletion deletion,
                                     const std::filesystem::path& scratch,
                                     const AccountFiles& accounts) {
  std::vector<std::string> out = controller_flags();
  // On a busy machine a server may be silent for longer than the default, ten seconds.
  out.insert(out.end(),
             {"--leader-elect-lease-duration=120s", "--leader-elect-renew-deadline=100s"});
  const std::filesystem::path file = scratch / "davit.yaml";
  const bool has_accounts = isolation == IsolationGroup::kAccounts;
  const bool has_metrics = isolation == IsolationGroup::kMetrics;
  live::write_file(file, manifest() + (has_accounts  ? accounts_manifest(accounts)
                                       : has_metrics ? autoscaler_manifest()
                                                     : ""));
  out.push_back("--manifest=" + file.string());
  if (has_metrics) {
    out.push_back("--controllers=horizontal-pod-autoscaler-controller,resourcequota-controller" +
                  std::string(deletion == Deletion::kByServer
                                  ? ""
                                  : ",garbage-collector-controller,namespace-controller"));
    return out;
  }
  std::string controllers = "--controllers=*";
  if (!has_node_life(isolation)) controllers += ",-node-lifecycle-controller";
  if (isolation != IsolationGroup::kPodGc) controllers += ",-pod-garbage-collector-controller";
  if (deletion == Deletion::kByServer) {
    controllers += ",-garbage-collector-controller,-namespace-controller";
  } else if (live::server_minor() < kMinorOfSlices) {
    controllers += ",-disruption-controller";
  }
  out.push_back(std::move(controllers));
  return out;
}

/// kube-controller-manager's controllers for scenarios of this group.
std::string original_controllers(IsolationGroup isolation, Deletion deletion) {
  if (isolation == IsolationGroup::kMetrics) {
    return std::string("horizontalpodautoscaling,resourcequota") +
           (deletion == Deletion::kByControllers ? ",garbagecollector,namespace" : "");
  }
  std::string names =
      "daemonset,deployment,job,replicaset,replicationcontroller,resourcequota,statefulset,"
      "endpoint,ttl,"
      "clusterrole-aggregation,ttl-after-finished";
  if (deletion == Deletion::kByControllers) names += ",garbagecollector,namespace";
  if (live::server_minor() >= kMinorOfSlices)
    names += ",endpointslice,endpointslicemirroring,disruption,cronjob";
  if (isolation == IsolationGroup::kAccounts) {
    return names + ",serviceaccount,root-ca-cert-publisher,legacy-service-account-token-cleaner";
  }
  if (isolation == IsolationGroup::kShared) return names;
  names += ",nodelifecycle";
  if (isolation == IsolationGroup::kPodGc) names += ",podgc";
  if (live::server_minor() >= kMinorOfTaintEviction) names += ",taint-eviction-controller";
  return names;
}

/// The node lifecycle controller as in manifest().
std::vector<std::string> original_flags(IsolationGroup isolation, const AccountFiles& accounts) {
  std::vector<std::string> flags = controller_flags();
  if (isolation == IsolationGroup::kAccounts) {
    flags.insert(
        flags.end(),
        {"--service-account-private-key-file=" + accounts.key, "--root-ca-file=" + accounts.root_ca,
         std::string("--legacy-service-account-token-clean-up-period=") + kCleanUpPeriod});
    return flags;
  }
  if (isolation == IsolationGroup::kMetrics) {
    flags.push_back(std::string("--horizontal-pod-autoscaler-sync-period=") + kAutoscalerPeriod);
    flags.push_back(std::string("--horizontal-pod-autoscaler-downscale-stabilization=") +
                    kAutoscalerWindow);
    return flags;
  }
  if (isolation == IsolationGroup::kShared) return flags;
  flags.insert(flags.end(),
               {"--node-monitor-period=1s", "--node-eviction-rate=10",
                "--large-cluster-size-threshold=5", "--secondary-node-eviction-rate=0.001",
                std::string("--node-monitor-grace-period=") + kNodeGrace});
  return flags;
}

/// As operators do, so that the next host finds the lease free.
void stop(std::unique_ptr<Process>& process) {
  if (process == nullptr) return;
  process->signal(SIGTERM);
  (void)process->wait(seconds(30));
  process.reset();
}

class Side {
 public:
  virtual ~Side() = default;
  [[nodiscard]] virtual host::RestClient& client() = 0;
  /// Starts the controllers for scenarios of this group, instead of those before.
  virtual void start_controllers(IsolationGroup isolation) = 0;
  [[nodiscard]] virtual FaultSwitch faults() { return {}; }
  /// For scenarios of IsolationGroup::kMetrics.
  [[nodiscard]] virtual MetricSwitch metrics() = 0;
  void stop_controllers() { stop(controllers_); }
  /// Empty while the controllers run.
  [[nodiscard]] std::string why_ended() const {
    return controllers_ != nullptr && controllers_->running()
               ? ""
               : "the controllers have ended: " + controllers_->output();
  }

 protected:
  std::unique_ptr<Process> controllers_;
};

class RealSide final : public Side {
 public:
  explicit RealSide(Cast cast)
      : cast_(cast), cluster_({families()}), nodes_(cluster_.nodes(node_flags())) {}
  [[nodiscard]] host::RestClient& client() override { return cluster_.client(); }
  void start_controllers(IsolationGroup isolation) override {
    stop(controllers_);
    if (isolation == IsolationGroup::kMetrics && !metrics_) {
      metrics_.emplace();
      metrics_->serve_for(client());
    }
    controllers_ =
        cast_ == Cast::kDavit
            ? cluster_.davit(
                  davit_flags(isolation, Deletion::kByControllers, cluster_.scratch(), accounts_))
            : cluster_.controller_manager(original_controllers(isolation, Deletion::kByControllers),
                                          original_flags(isolation, accounts_));
  }
  [[nodiscard]] MetricSwitch metrics() override {
    return [this](const Json& rule) {
      metrics_->set(rule.text_at({"path"}), static_cast<int>(rule.get("code").integer_or(0)),
                    to_text(rule.get("body")));
      return Status();
    };
  }

 private:
  const Cast cast_;
  live::ControlPlane cluster_;
  std::optional<live::MetricsServer> metrics_;  // Once scenarios need it.
  const AccountFiles accounts_{.key = cluster_.account_key_file()};
  std::unique_ptr<Process> nodes_;
};

class SandboxSide final : public Side {
 public:
  explicit SandboxSide(Cast cast)
      : cast_(cast),
        sandbox_(sandbox_flags()),
        admin_(sandbox_.kubeconfig()),
        http_(sandbox_.server(), sandbox_.ca_file(), [] {}) {
    live::write_key_pair(accounts_.key, scratch_.path() / "sa.pub");
  }
  [[nodiscard]] host::RestClient& client() override { return admin_.client(); }
  void start_controllers(IsolationGroup isolation) override {
    stop(controllers_);
    if (isolation == IsolationGroup::kMetrics) name_metrics();
    controllers_ =
        cast_ == Cast::kSandbox
            ? sandbox_.davit(
                  davit_flags(isolation, Deletion::kByServer, scratch_.path(), accounts_))
            : sandbox_.controller_manager(original_controllers(isolation, Deletion::kByServer),
                                          original_flags(isolation, accounts_));
  }
  [[nodiscard]] FaultSwitch faults() override {
    return [this](const Json& rule) { return send_rule("/sandbox/faults", rule); };
  }
  [[nodiscard]] MetricSwitch metrics() override {
    return [this](const Json& rule) { return send_rule("/sandbox/metrics", rule); };
  }

 private:
  /// Discovery names the metrics of such rules only, and the scenarios have rules of paths.
  void name_metrics() {
    for (const char* each : {"pods", "services"}) {
      const Status named = send_rule("/sandbox/metrics", Json::object({{"type", "custom"},
                                                                       {"namespace", "default"},
                                                                       {"resource", each},
                                                                       {"name", "none"},
                                                                       {"metric", "hits"},
                                                                       {"value", 0}}));
      if (!named.ok()) live::give_up("no metrics: " + named.message());
    }
  }
  /// A null takes all rules back.
  [[nodiscard]] Status send_rule(const std::string& path, const Json& rule) {
    MutexLock lock(mutex_);
    const checks::Reply response =
        http_.send(rule.is_null() ? "DELETE" : "POST", path,
                   {{"Authorization", "Bearer admin-token"}, {"Content-Type", "application/json"}},
                   rule.is_null() ? "" : to_text(rule));
    return response.status / 100 == 2 ? Status() : Status(Code::kInvalid, response.body);
  }

  const Cast cast_;
  live::ScratchDir scratch_;
  const AccountFiles accounts_{.key = (scratch_.path() / "sa.key").string()};
  live::Sandbox sandbox_;
  live::AdminClient admin_;
  Mutex mutex_;
  live::HttpApi http_;
};

bool is_on_sandbox(Cast cast) { return cast == Cast::kSandbox || cast == Cast::kOriginalOnSandbox; }

std::unique_ptr<Side> open_side(Cast cast) {
  if (is_on_sandbox(cast)) return std::make_unique<SandboxSide>(cast);
  return std::make_unique<RealSide>(cast);
}

/// The message of a pod that fits on no node counts the nodes' taints, too.
void await_nodes(const World& world) {
  const bool are_ready = live::eventually(
      kNodesMax,
      [&] {
        const std::vector<Life> lives = world.lives("");
        return std::count_if(lives.begin(), lives.end(), [](const Life& each) {
                 return each.kind->name == "node" && each.now().get("spec").get("taints").empty() &&
                        checks::why_not(each.now(), kIsReady).empty();
               }) == kNodes;
      },
      milliseconds(100));
  if (!are_ready) live::give_up("the nodes do not become ready");
}

/// Waits until the controllers of a group work. Scenarios that begin while a controller still fills
/// its caches see its first syncs late, in an order that no idle machine shows. The quotas'
/// controller is the last: it follows every resource.
void await_controllers(host::RestClient& client, IsolationGroup isolation) {
  const std::string name = "started-" + std::to_string(static_cast<int>(isolation));
  const auto call = [&](host::Verb verb, const std::string& of, const std::string& body) {
    host::ApiRequest request;
    request.verb = verb;
    request.path = {"", "v1", "resourcequotas", "", "default", of};
    request.body = body;
    return client.call(request);
  };
  Status failed = call(host::Verb::kCreate, "",
                       R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":")" + name +
                           R"("},"spec":{"hard":{"secrets":"1000"}}})")
                      .status;
  const auto is_counted = [&] {
    const host::ApiResponse quota = call(host::Verb::kGet, name, "");
    failed = quota.status;
    return failed.ok() && !json_literal(quota.body).get("status").get("hard").empty();
  };
  if (failed.ok() && !live::eventually(kNodesMax, is_counted, milliseconds(100)))
    live::give_up("the controllers do not begin to work: " + failed.message());
  if (failed.ok()) failed = call(host::Verb::kDelete, name, "").status;
  if (!failed.ok()) live::give_up("no quota to wait for the controllers: " + failed.message());
}

/// Plays these side by side.
void play_together(Side& side, IsolationGroup isolation, const World& world,
                   const std::vector<const Scenario*>& scenarios, const KnownDifferences& known,
                   Transcripts& out) {
  for (const Scenario* each : scenarios) out[each->name];
  std::atomic<std::size_t> next{0};  // Hands out indexes; orders nothing else.
  std::vector<std::jthread> players;
  const std::size_t at_once = isolation == IsolationGroup::kMetrics ? kMetricsAtOnce : kAtOnce;
  for (std::size_t i = 0; i < std::min(at_once, scenarios.size()); ++i) {
    players.emplace_back([&] {
      Stage stage(
          side.client(), world, known,
          {side.faults(), side.metrics(), [&side, isolation] { side.start_controllers(isolation); },
           [&side] { side.stop_controllers(); }});
      for (std::size_t at = next++; at < scenarios.size(); at = next++) {
        out.at(scenarios[at]->name) = stage.play(*scenarios[at]);
      }
    });
  }
}

/// Plays all of these at once, with controllers that begin when every scenario wants them.
void play_with_common_start(Side& side, IsolationGroup isolation, const World& world,
                            const std::vector<const Scenario*>& scenarios,
                            const KnownDifferences& known, Transcripts& out) {
  for (const Scenario* each : scenarios) out[each->name];
  const auto start = [&side, isolation]() noexcept { side.start_controllers(isolation); };
  std::barrier common_start(static_cast<std::ptrdiff_t>(scenarios.size()), start);
  std::vector<std::jthread> players;
  for (const Scenario* scenario : scenarios) {
    players.emplace_back([&, scenario] {
      bool is_there = false;
      Stage stage(side.client(), world, known,
                  {side.faults(), side.metrics(),
                   [&] {
                     is_there = true;
                     common_start.arrive_and_wait();
                   },
                   [] {}});
      out.at(scenario->name) = stage.play(*scenario);
      if (!is_there) common_start.arrive_and_drop();  // It has failed before.
    });
  }
}

/// Plays the scenarios of one group.
void play_group(Side& side, IsolationGroup isolation, const World& world,
                const std::vector<const Scenario*>& scenarios, const KnownDifferences& known,
                Transcripts& out) {
  if (isolation == IsolationGroup::kAccounts) {
    side.stop_controllers();
    backdate_tracking(side.client());
    return play_with_common_start(side, isolation, world, scenarios, known, out);
  }
  side.start_controllers(isolation);
  await_controllers(side.client(), isolation);
  if (isolation != IsolationGroup::kAlone) {
    return play_together(side, isolation, world, scenarios, known, out);
  }
  for (const Scenario* each : scenarios) play_together(side, isolation, world, {each}, known, out);
}

void await_events(const World& world) {
  std::uint64_t seen = 0;
  auto since = std::chrono::steady_clock::now();
  static_cast<void>(live::eventually(
      kEventsMax,
      [&] {
        if (world.changes() != seen) since = std::chrono::steady_clock::now();
        seen = world.changes();
        return std::chrono::steady_clock::now() - since >= kEventsQuiet;
      },
      milliseconds(100)));
}

}  // namespace

const char* name_of(Cast cast) {
  switch (cast) {
    case Cast::kOriginal:
      return "kube-controller-manager";
    case Cast::kOriginalOnSandbox:
      return "kube-controller-manager on the sandbox";
    case Cast::kDavit:
      return "davit";
    case Cast::kSandbox:
      return "davit on the sandbox";
  }
  return "";
}

bool is_original(Cast cast) { return cast == Cast::kOriginal || cast == Cast::kOriginalOnSandbox; }

bool plays(Cast cast, const Scenario& scenario) {
  switch (cast) {
    case Cast::kOriginal:
    case Cast::kDavit:
      return !scenario.has_faults;
    case Cast::kOriginalOnSandbox:
      return scenario.has_faults;
    case Cast::kSandbox:
      return !scenario.needs_real_server;
  }
  return false;
}

Transcripts play_all(Cast cast, const std::vector<Scenario>& scenarios,
                     const KnownDifferences& known) {
  Transcripts out;
  const auto is_played = [cast](const Scenario& each) { return plays(cast, each); };
  if (std::ranges::none_of(scenarios, is_played)) return out;
  const std::unique_ptr<Side> side = open_side(cast);
  const bool has_slices = is_on_sandbox(cast) || live::server_minor() >= kMinorOfSlices;
  const World world(side->client(), has_slices ? Slices::kServed : Slices::kNone);
  await_nodes(world);
  for (const IsolationGroup isolation :
       {IsolationGroup::kShared, IsolationGroup::kNodes, IsolationGroup::kAlone,
        IsolationGroup::kPodGc, IsolationGroup::kAccounts, IsolationGroup::kMetrics}) {
    std::vector<const Scenario*> mine;
    for (const Scenario& each : scenarios) {
      if (each.isolation == isolation && is_played(each)) mine.push_back(&each);
    }
    if (mine.empty()) continue;
    play_group(*side, isolation, world, mine, known, out);
    await_events(world);
    std::vector<std::string> failures = world.losses();
    if (std::string why = side->why_ended(); !why.empty()) failures.push_back(std::move(why));
    for (const Scenario* each : mine) {
      Transcript& transcript = out.at(each->name);
      // Before other controllers look at what these leave behind.
      transcript.lives = world.lives(each->name);
      transcript.failures.insert(transcript.failures.end(), failures.begin(), failures.end());
    }
  }
  return out;
}

}  // namespace davit::oracle
