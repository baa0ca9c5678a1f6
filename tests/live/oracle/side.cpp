#include "tests/live/oracle/side.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <iterator>
#include <optional>
#include <thread>

#include "tests/live/oracle/groups.hpp"
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

/// A scenario mostly waits until all is idle; with more of them at once, a small machine would be
/// busy all the time, and idle late.
constexpr std::size_t kAtOnce = 12;
/// Those of the autoscaler wait for its periods, and have no workload controllers.
constexpr std::size_t kMetricsAtOnce = 25;
/// Those of volumes wait for the binder's passes, those of devices for ten seconds between two
/// statuses.
constexpr std::size_t kVolumesAtOnce = 40;
/// Events are written behind everything else.
constexpr milliseconds kEventsQuiet{6000};
constexpr seconds kEventsMax{60};
constexpr int kNodes = 6;
constexpr seconds kNodesMax{180};
constexpr char kIsReady[] = "status.conditions[type=Ready].status = \"True\"";
/// Services may have addresses of both families since this release.
constexpr int kMinorOfFamilies = 23;
/// DeviceTaintRules and StorageVersionMigrations have their versions since this release.
constexpr int kMinorOfKinds = 36;

/// The nodes beside those that scenarios make.
enum class Nodes { kSimulated, kNone };

/// Flags for the API server. Services get IPv4 unless they ask for more. StorageVersions and their
/// migrations are off by default, and so are DeviceTaintRules, whose scenarios play on the server
/// without nodes.
std::vector<std::string> server_flags(Nodes nodes) {
  std::vector<std::string> out;
  if (live::server_minor() >= kMinorOfFamilies)
    out.emplace_back("--service-cluster-ip-range=10.0.0.0/24,fd00:10::/112");
  if (live::server_minor() < kMinorOfKinds) return out;
  std::string kinds =
      "internal.apiserver.k8s.io/v1alpha1=true,storagemigration.k8s.io/v1beta1=true";
  std::string gates = kStorageGates;
  if (nodes == Nodes::kNone) {
    kinds += ",resource.k8s.io/v1beta2=true";
    gates += std::string(",") + kRulesGate;
  }
  out.push_back("--runtime-config=" + kinds);
  out.push_back("--feature-gates=" + gates);
  return out;
}

/// The same kinds, for the sandbox, which does not have them.
void define(host::RestClient& client, const std::string& group, const std::string& version,
            const std::string& plural, const std::string& kind) {
  const std::string names = R"({"plural":")" + plural + R"(","singular":")" +
                            plural.substr(0, plural.size() - 1) + R"(","kind":")" + kind +
                            R"(","listKind":")" + kind + R"(List"})";
  host::ApiRequest request;
  request.verb = host::Verb::kCreate;
  request.path = {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "", "", ""};
  request.body =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{
      "name":")" +
      plural + '.' + group +
      R"(","annotations":{"api-approved.kubernetes.io":"unapproved, a test"}},"spec":{"group":")" +
      group + R"(","scope":"Cluster","names":)" + names + R"(,"versions":[{"name":")" + version +
      R"(","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":
      {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
  const Status made = client.call(request).status;
  if (!made.ok()) live::give_up("no " + plural + ": " + made.message());
}

/// Flags of both servers' nodes: capacity for all scenarios at once.
std::vector<std::string> node_flags(Nodes nodes) {
  return {"--nodes=" + std::to_string(nodes == Nodes::kSimulated ? kNodes : 0), "--node-pods=250",
          "--node-cpu=1000", "--no-pod-events"};
}

/// Pods without ServiceAccounts, as on the real servers of these tests.
std::vector<std::string> sandbox_flags(Nodes nodes) {
  std::vector<std::string> flags = node_flags(nodes);
  flags.emplace_back("--controllers=*,-plugins,-accounts,-volumes");
  if (nodes == Nodes::kNone) flags.push_back(std::string("--feature-gates=") + kRulesGate);
  return flags;
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

/// Stops with SIGTERM, so that the next host finds the lease free.
void stop(std::unique_ptr<Process>& process) {
  if (process == nullptr) return;
  process->signal(SIGTERM);
  (void)process->wait(seconds(30));
  process.reset();
}

class Side {
 public:
  explicit Side(Cast cast) : cast_(cast) {}
  virtual ~Side() = default;
  [[nodiscard]] virtual host::RestClient& client() = 0;
  /// Starts the controllers for scenarios of this group, instead of those before.
  virtual void start_controllers(const Group& group) = 0;
  [[nodiscard]] virtual FaultSwitch faults() { return {}; }
  /// For scenarios of IsolationGroup::kMetrics.
  [[nodiscard]] virtual MetricSwitch metrics() = 0;
  void stop_controllers() { stop(controllers_); }
  [[nodiscard]] seconds silence() const {
    const bool is_original = cast_ == Cast::kOriginal || cast_ == Cast::kOriginalOnSandbox;
    return is_original ? kSilenceOfOriginal : kSilenceOfDavit;
  }
  /// Empty while the controllers run.
  [[nodiscard]] std::string why_ended() const {
    if (controllers_ == nullptr) return "no controllers run";
    return controllers_->running() ? "" : "the controllers have ended: " + controllers_->output();
  }

 protected:
  const Cast cast_;
  std::unique_ptr<Process> controllers_;
};

class RealSide final : public Side {
 public:
  RealSide(Cast cast, Nodes nodes) : Side(cast), cluster_({server_flags(nodes)}) {
    if (nodes == Nodes::kSimulated) nodes_ = cluster_.nodes(node_flags(nodes));
  }
  [[nodiscard]] host::RestClient& client() override { return cluster_.client(); }
  void start_controllers(const Group& group) override {
    stop(controllers_);
    if (group.isolation == IsolationGroup::kMetrics && !metrics_) {
      metrics_.emplace();
      metrics_->serve_for(client());
    }
    controllers_ = cast_ == Cast::kDavit
                       ? cluster_.davit(davit_flags(group, Deletion::kByControllers,
                                                    cluster_.scratch(), accounts_))
                       : cluster_.controller_manager(
                             original_controllers(group.isolation, Deletion::kByControllers),
                             original_flags(group, accounts_));
  }
  [[nodiscard]] MetricSwitch metrics() override {
    return [this](const Json& rule) {
      metrics_->set(rule.text_at({"path"}), static_cast<int>(rule.get("code").integer_or(0)),
                    to_text(rule.get("body")));
      return Status();
    };
  }

 private:
  live::ControlPlane cluster_;
  std::optional<live::MetricsServer> metrics_;  // Once scenarios need it.
  const AccountFiles accounts_{.key = cluster_.account_key_file()};
  std::unique_ptr<Process> nodes_;
};

class SandboxSide final : public Side {
 public:
  SandboxSide(Cast cast, Nodes nodes)
      : Side(cast),
        sandbox_(sandbox_flags(nodes)),
        admin_(sandbox_.kubeconfig()),
        http_(sandbox_.server(), sandbox_.ca_file(), [] {}) {
    live::write_key_pair(accounts_.key, scratch_.path() / "sa.pub");
    define(client(), "internal.apiserver.k8s.io", "v1alpha1", "storageversions", "StorageVersion");
    define(client(), "storagemigration.k8s.io", "v1beta1", "storageversionmigrations",
           "StorageVersionMigration");
  }
  [[nodiscard]] host::RestClient& client() override { return admin_.client(); }
  void start_controllers(const Group& group) override {
    stop(controllers_);
    if (group.isolation == IsolationGroup::kMetrics) name_metrics();
    controllers_ =
        cast_ == Cast::kSandbox
            ? sandbox_.davit(davit_flags(group, Deletion::kByServer, scratch_.path(), accounts_))
            : sandbox_.controller_manager(
                  original_controllers(group.isolation, Deletion::kByServer),
                  original_flags(group, accounts_));
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

  live::ScratchDir scratch_;
  const AccountFiles accounts_{.key = (scratch_.path() / "sa.key").string()};
  live::Sandbox sandbox_;
  live::AdminClient admin_;
  Mutex mutex_;
  live::HttpApi http_;
};

bool is_on_sandbox(Cast cast) { return cast == Cast::kSandbox || cast == Cast::kOriginalOnSandbox; }

std::unique_ptr<Side> open_side(Cast cast, Nodes nodes) {
  if (is_on_sandbox(cast)) return std::make_unique<SandboxSide>(cast, nodes);
  return std::make_unique<RealSide>(cast, nodes);
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

std::size_t at_once(IsolationGroup isolation) {
  if (isolation == IsolationGroup::kMetrics) return kMetricsAtOnce;
  const bool waits = isolation == IsolationGroup::kVolumes || isolation == IsolationGroup::kDevices;
  return waits ? kVolumesAtOnce : kAtOnce;
}

/// Plays these side by side.
void play_together(Side& side, const Group& group, const World& world,
                   const std::vector<const Scenario*>& scenarios, const KnownDifferences& known,
                   Transcripts& out) {
  for (const Scenario* each : scenarios) out[each->name];
  std::atomic<std::size_t> next{0};  // Hands out indexes; orders nothing else.
  std::vector<std::jthread> players;
  const std::size_t places = std::min(at_once(group.isolation), scenarios.size());
  for (std::size_t i = 0; i < places; ++i) {
    players.emplace_back([&] {
      Stage stage(side.client(), world, known,
                  {side.faults(), side.metrics(), [&] { side.start_controllers(group); },
                   [&side] { side.stop_controllers(); }, side.silence()});
      for (std::size_t at = next++; at < scenarios.size(); at = next++) {
        out.at(scenarios[at]->name) = stage.play(*scenarios[at]);
      }
    });
  }
}

/// Plays all of these at once, with controllers that begin when every scenario wants them.
void play_with_common_start(Side& side, const Group& group, const World& world,
                            const std::vector<const Scenario*>& scenarios,
                            const KnownDifferences& known, Transcripts& out) {
  for (const Scenario* each : scenarios) out[each->name];
  const auto start = [&side, &group]() noexcept { side.start_controllers(group); };
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

/// Blocks of a Node that is there would be the next scenario's, too.
/// Empty once they are gone, else what is wrong.
[[nodiscard]] std::string delete_nodes(host::RestClient& client, const World& world,
                                       const std::string& scenario) {
  const auto are_gone = [&] {
    bool out = true;
    for (const Life& each : world.lives(scenario)) {
      if (each.kind->name != "node" || each.gone) continue;
      host::ApiRequest request;
      request.verb = host::Verb::kDelete;
      request.path = {"", "v1", "nodes", "", "", each.name};
      (void)client.call(request).status.ok();
      out = false;
    }
    return out;
  };
  return live::eventually(kNodesMax, are_gone, milliseconds(100)) ? "" : "its nodes stay";
}

/// Plays one by itself, with its flags.
void play_with_own_flags(Side& side, const Scenario& scenario, const World& world,
                         const KnownDifferences& known, Transcripts& out) {
  const Group own{scenario.isolation, scenario.flags};
  side.start_controllers(own);
  await_controllers(side.client(), scenario.isolation);
  play_together(side, own, world, {&scenario}, known, out);
  std::vector<std::string>& failures = out.at(scenario.name).failures;
  const auto add = [&failures](std::string why) {
    if (!why.empty()) failures.push_back(std::move(why));
  };
  add(side.why_ended());
  if (scenario.isolation == IsolationGroup::kNodeIpam) {
    add(delete_nodes(side.client(), world, scenario.name));
  }
}

/// Plays the scenarios of one group.
void play_group(Side& side, IsolationGroup isolation, const World& world,
                const std::vector<const Scenario*>& scenarios, const KnownDifferences& known,
                Transcripts& out) {
  const Group group{isolation, {}};
  if (isolation == IsolationGroup::kAccounts) {
    side.stop_controllers();
    backdate_tracking(side.client());
    return play_with_common_start(side, group, world, scenarios, known, out);
  }
  const auto has_own = [isolation](const Scenario* each) {
    return isolation == IsolationGroup::kNodeIpam || !each->flags.empty();
  };
  std::vector<const Scenario*> shared;
  std::ranges::remove_copy_if(scenarios, std::back_inserter(shared), has_own);
  if (!shared.empty()) {
    side.start_controllers(group);
    await_controllers(side.client(), isolation);
  }
  if (isolation == IsolationGroup::kAlone) {
    for (const Scenario* each : shared) play_together(side, group, world, {each}, known, out);
  } else if (!shared.empty()) {
    play_together(side, group, world, shared, known, out);
  }
  for (const Scenario* each : scenarios) {
    if (has_own(each)) play_with_own_flags(side, *each, world, known, out);
  }
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

/// Plays these groups on a server of their own.
void play_groups(Cast cast, Nodes nodes, const std::vector<IsolationGroup>& groups,
                 const std::vector<Scenario>& scenarios, const KnownDifferences& known,
                 Transcripts& out) {
  const auto is_played = [&](const Scenario& each) {
    return plays(cast, each) && std::ranges::find(groups, each.isolation) != groups.end();
  };
  if (std::ranges::none_of(scenarios, is_played)) return;
  const std::unique_ptr<Side> side = open_side(cast, nodes);
  const bool has_slices = is_on_sandbox(cast) || live::server_minor() >= kMinorOfSlices;
  const World world(side->client(), has_slices ? Slices::kServed : Slices::kNone);
  if (nodes == Nodes::kSimulated) await_nodes(world);
  for (const IsolationGroup isolation : groups) {
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
  Transcripts without_nodes;
  {
    // These wait one after the other, on a server of their own.
    const std::jthread other([&] {
      play_groups(cast, Nodes::kNone,
                  {IsolationGroup::kDevices, IsolationGroup::kNodeIpam, IsolationGroup::kLost},
                  scenarios, known, without_nodes);
    });
    play_groups(cast, Nodes::kSimulated,
                {IsolationGroup::kShared, IsolationGroup::kNodes, IsolationGroup::kAlone,
                 IsolationGroup::kPodGc, IsolationGroup::kAccounts, IsolationGroup::kMetrics,
                 IsolationGroup::kVolumes},
                scenarios, known, out);
  }
  out.merge(without_nodes);
  return out;
}

}  // namespace davit::oracle
