#include "cli/demo_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/local_cluster.hpp"
#include "cli/options.hpp"
#include "cli/rollout_view.hpp"
#include "host/process/exit_codes.hpp"
#include "host/process/host_plan.hpp"
#include "host/process/host_process.hpp"
#include "host/process/interruptions.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/reflector.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kDeployments[] = "/apis/apps/v1/namespaces/default/deployments";
constexpr char kFirstImage[] = "web:1.0";
constexpr char kSecondImage[] = "web:2.0";
/// A rollout takes some seconds; a longer wait would be in vain.
constexpr Duration kTimeLimit = seconds(60);
/// Ten pictures a second look alive.
constexpr milliseconds kFrame{100};
/// The time for which the end of a step stays on screen before the next step begins.
constexpr Duration kPause = milliseconds(1200);

/// Keeps the last warnings and errors, for when something goes wrong; the rest would spoil the
/// picture.
class RecentLog final : public LogSink {
 public:
  [[nodiscard]] int verbosity() const override { return -1; }
  void write(Severity severity, int, std::string_view logger, std::string_view message,
             std::span<const LogPair> fields) override EXCLUDES(mutex_) {
    if (severity == Severity::kInfo) return;
    std::string line = std::string(logger) + (logger.empty() ? "" : ": ") + std::string(message);
    for (const LogPair& each : fields) {
      line += " " + std::string(each.key) + "=" + std::string(each.text());
    }
    MutexLock lock(mutex_);
    lines_.push_back(std::move(line));
    if (lines_.size() > kLinesMax) lines_.pop_front();
  }
  void flush() override {}

  [[nodiscard]] std::string text() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::string out;
    for (const std::string& line : lines_) out += "  " + line + "\n";
    return out;
  }

 private:
  static constexpr std::size_t kLinesMax = 20;
  Mutex mutex_;
  std::deque<std::string> lines_ GUARDED_BY(mutex_);
};

/// The picture: drawn over the last one in a terminal, a new line for each change elsewhere.
class Screen {
 public:
  explicit Screen(std::ostream& out) : out_(out), terminal_(isatty(STDOUT_FILENO) == 1) {}

  void say(const std::string& text) {
    out_ << text << "\n" << std::flush;
    height_ = 0;  // The next picture begins below.
  }

  void show(const RolloutState& state) {
    if (!terminal_) {
      std::string line = draw_line(state);
      if (line != last_line_ && !line.empty()) out_ << "  " << line << "\n" << std::flush;
      last_line_ = std::move(line);
      return;
    }
    const std::vector<std::string> lines = draw_tree(state, Colour::kAnsi);
    if (lines == last_) return;
    // Up to the picture's first line, and clear all below.
    if (height_ > 0) out_ << "\x1b[" << height_ << "A\x1b[J";
    for (const std::string& line : lines) out_ << line << "\n";
    out_ << std::flush;
    height_ = lines.size();
    last_ = lines;
  }

  /// The picture as it is in the end, for both.
  void show_tree(const RolloutState& state) {
    if (terminal_) return show(state);
    for (const std::string& line : draw_tree(state, Colour::kOff)) out_ << "  " << line << "\n";
    out_ << std::flush;
  }

 private:
  std::ostream& out_;
  const bool terminal_;
  std::size_t height_ = 0;
  std::vector<std::string> last_;
  std::string last_line_;
};

/// The demo's own client: follows what there is, and writes the Deployment.
class Viewer {
 public:
  Viewer(Transport& transport, Clock& clock, Random& random, const Logger& log)
      : clock_(clock),
        api_(transport, loop_, "davit-demo"),
        deployments_({api_, clock, random, log}, kDeployments,
                     {[this](Json object) { state_.deployment = std::move(object); },
                      [this](const std::string&) { state_.deployment = Json(); }}),
        sets_({api_, clock, random, log}, "/apis/apps/v1/namespaces/default/replicasets",
              into(state_.sets)),
        pods_({api_, clock, random, log}, "/api/v1/namespaces/default/pods", into(state_.pods)) {}

  void step() {
    static_cast<void>(loop_.wait(clock_, clock_.now(), 1));
    (void)api_.deliver();
    (void)deployments_.step();
    (void)sets_.step();
    (void)pods_.step();
  }
  [[nodiscard]] const RolloutState& state() const { return state_; }
  /// The error of a failed write; "": none.
  [[nodiscard]] const std::string& write_error() const { return write_error_; }

  void create(int replicas) {
    const Json labels = Json::object({{"app", "web"}});
    const Json container = Json::object({{"name", "web"}, {"image", kFirstImage}});
    const Json deployment = Json::object(
        {{"apiVersion", "apps/v1"},
         {"kind", "Deployment"},
         {"metadata", Json::object({{"name", "web"}})},
         {"spec",
          Json::object({{"replicas", replicas},
                        {"selector", Json::object({{"matchLabels", labels}})},
                        {"template",
                         Json::object({{"metadata", Json::object({{"labels", labels}})},
                                       {"spec", Json::object({{"containers",
                                                               Json::array({container})}})}})}})}});
    send({"POST", kDeployments, to_text(deployment), "application/json"});
  }

  void set_image(const char* image) {
    send({"PATCH", std::string(kDeployments) + "/web",
          R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":")" +
              std::string(image) + R"("}]}}}})",
          "application/strategic-merge-patch+json"});
    state_.deployment["metadata"].set("generation", INT64_MAX);  // Until the response is seen.
  }

 private:
  static sandbox::Reflector::Handlers into(std::map<std::string, Json>& objects) {
    return {[&objects](Json object) {
              const std::string key = sandbox::key_of(object);
              objects[key] = std::move(object);
            },
            [&objects](const std::string& key) { objects.erase(key); }};
  }

  void send(sandbox::ApiCall call) {
    api_.send(std::move(call), [this](const sandbox::ApiResponse& response) {
      if (!response.ok()) write_error_ = response.text();
    });
  }

  RolloutState state_;
  std::string write_error_;
  Clock& clock_;
  RequestLoop loop_;
  sandbox::ApiCalls api_;
  sandbox::Reflector deployments_;
  sandbox::Reflector sets_;
  sandbox::Reflector pods_;
};

/// Slow enough to be seen, quick enough not to bore.
sandbox::SimulationOptions demo_nodes() {
  sandbox::SimulationOptions options;
  options.nodes.plans = sandbox::plan_nodes("node", 3, 3);
  options.pods.start = milliseconds(500);
  options.pods.ready = milliseconds(700);
  options.pods.stop = milliseconds(900);
  options.pods.jitter = 0.6;
  return options;
}

RunOptions demo_settings(const DemoOptions& options) {
  RunOptions out;
  out.plugin_directories = options.plugin_directories;
  out.controllers = {{"deployment-controller", "replicaset-controller"}};
  out.leader_elect = false;
  out.port = 0;
  out.controller_start_interval = Duration{0};
  return out;
}

/// One run, from an empty cluster to the end.
class Demo {
 public:
  Demo(const DemoOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), err_(err), screen_(out) {}

  int run() {
    const SettingsResult merged = merge_settings(demo_settings(options_));
    for (const Mistake& each : merged.mistakes) err_ << "davit: " << each.str() << "\n";
    if (!merged.ok()) return kExitMistakes;
    std::optional<HostPlan> plan = HostPlan::make(merged.settings, err_);
    if (!plan) return kExitMistakes;
    auto cluster = LocalCluster::open({*clock_, *random_, Logger(sink_)}, demo_nodes());
    if (!cluster) return fail(cluster.error().message());
    const Result<std::unique_ptr<HostProcess>> host = HostProcess::open(
        merged.settings.manifest, ConnectionConfig{}, std::move(plan->controllers()),
        HostSeams{*clock_, *random_, sink_, &(*cluster)->transport()}, [] {});
    if (!host) return fail(host.error().message());
    if (Status s = (*host)->start({}); !s.ok()) return fail(s.message());
    const int code = play((*cluster)->transport());
    return (*host)->stop() ? code : kExitFailed;
  }

 private:
  int play(Transport& transport) {
    screen_.say(
        "A cluster in this process: an API server, three nodes with a scheduler, and davit with\n"
        "deployment-controller and replicaset-controller.\n");
    Viewer viewer(transport, *clock_, *random_, Logger(sink_));
    screen_.say("==> a Deployment of " + std::to_string(options_.replicas) + " replicas, image " +
                kFirstImage);
    viewer.create(options_.replicas);
    if (!watch(viewer)) return fail("the Deployment did not become available");
    screen_.say(std::string("\n==> image ") + kSecondImage + ": pods are replaced a few at a time");
    viewer.set_image(kSecondImage);
    if (!watch(viewer)) return fail("the rollout did not finish");
    if (!viewer.write_error().empty()) return fail(viewer.write_error());
    screen_.say("\n==> done: every pod runs " + std::string(kSecondImage));
    screen_.show_tree(viewer.state());
    screen_.say(
        "\nWhat to try next\n"
        "  davit sandbox                             such a cluster for kubectl, as long as you "
        "like\n"
        "  davit run --kubeconfig ~/.kube/config     the controllers on your own cluster\n"
        "  davit plugin list                         the installed controllers\n"
        "  davit rbac                                the rights that these controllers need");
    return kExitGood;
  }

  /// Shows what happens until the rollout is done; false when it is not in time, or on a signal.
  bool watch(Viewer& viewer) {
    const Time give_up = clock_->now() + kTimeLimit;
    Time leave_at = Time::max();
    for (;;) {
      viewer.step();
      screen_.show(viewer.state());
      const Time now = clock_->now();
      leave_at = rolled_out(viewer.state()) ? std::min(leave_at, now + kPause) : Time::max();
      if (now >= leave_at) return true;
      if (now >= give_up || !viewer.write_error().empty()) return false;
      if (interruptions_.wait(kFrame) == Interruptions::What::kSignal) return false;
    }
  }

  int fail(const std::string& what) {
    err_ << "davit: " << what << "\n" << sink_.text();
    return kExitFailed;
  }

  const DemoOptions options_;
  std::ostream& err_;
  Screen screen_;
  const Interruptions interruptions_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_system_random();
  RecentLog sink_;
};

}  // namespace

int run_demo(const DemoOptions& options, std::ostream& out, std::ostream& err) {
  return Demo(options, out, err).run();
}

}  // namespace davit::host
