#include "cli/sandbox_command.hpp"

#include <optional>
#include <ostream>
#include <span>
#include <utility>

#include "cli/options.hpp"
#include "cli/sandbox_process.hpp"
#include "host/config/kubeconfig.hpp"
#include "host/crash/crash_handler.hpp"
#include "host/process/desired_state.hpp"
#include "host/process/exit_codes.hpp"
#include "host/process/host_life.hpp"
#include "host/process/host_plan.hpp"
#include "host/process/interruptions.hpp"
#include "host/upstream/service_account_rules.hpp"
#include "lib/base/open_files.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/spdlog_sink.hpp"
#include "lib/base/version.hpp"
#include "sandbox/http/credentials.hpp"

namespace davit::host {
namespace {

int refuse(std::ostream& err, const Status& status) {
  err << "davit: " << status.message() << "\n";
  return status.code() == Code::kInvalid ? kExitMistakes : kExitFailed;
}

/// For a shell: quoted where it has to be.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string nodes_text(const SandboxSettings& settings) {
  const NodeFlags& nodes = settings.options.nodes;
  std::string out = "no nodes";
  if (settings.controllers.nodes && nodes.count > 0) {
    out = std::to_string(nodes.count) + (nodes.count == 1 ? " node" : " nodes");
    if (nodes.zones > 0) {
      const int zones = std::min(nodes.zones, nodes.count);
      out += " in " + std::to_string(zones) + (zones == 1 ? " zone" : " zones");
    }
  }
  if (settings.controllers.cloud) out += " in a simulated cloud";
  return out + (settings.controllers.scheduler ? ", scheduler" : ", no scheduler");
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& each : names) out += (out.empty() ? "" : ", ") + each;
  return out.empty() ? "none" : out;
}

/// Leaves out what is less than a warning: a person at a terminal asks for it with -v.
class WarningsOnly final : public LogSink {
 public:
  explicit WarningsOnly(std::unique_ptr<LogSink> to) : to_(std::move(to)) {}

  [[nodiscard]] int verbosity() const override { return -1; }
  void write(Severity severity, int verbosity, std::string_view logger, std::string_view message,
             std::span<const LogPair> fields) override {
    if (severity != Severity::kInfo) to_->write(severity, verbosity, logger, message, fields);
  }
  void flush() override { to_->flush(); }

 private:
  const std::unique_ptr<LogSink> to_;
};

std::unique_ptr<LogSink> make_sink(int verbosity) {
  std::unique_ptr<LogSink> sink = make_log_sink(LogFormat::kText, verbosity);
  return verbosity > 0 ? std::move(sink) : std::make_unique<WarningsOnly>(std::move(sink));
}

/// `page_url`: the status page of the host that runs plugins; empty without such a host.
void introduce(const SandboxSettings& settings, const SandboxProcess& process,
               const std::string& page_url, std::ostream& out) {
  const SandboxOptions& options = settings.options;
  out << "davit " << kVersion << " sandbox on " << process.url() << ": " << nodes_text(settings)
      << ", " << (options.data_file.empty() ? "in memory" : "data in " + options.data_file) << ", "
      << (options.authorization == SandboxAuthorization::kRbac ? "RBAC" : "everything allowed")
      << "\n";
  if (options.access == SandboxAccess::kAnyAddress) {
    out << "Other machines can reach it. Do not use it for secrets.\n";
  }
  out << "Controllers of plugins: " << listed(settings.controllers.plugins) << "\n";
  if (!page_url.empty()) out << "Status page: " << page_url << "\n";
  out << "\n  export KUBECONFIG=" << shell_word(process.kubeconfig()) << "\n\n"
      << "Ctrl-C stops it.\n"
      << std::flush;
}

/// The settings, with the plugins' files read where --controllers may mean one of them.
Result<SandboxSettings> merge_with_plugins(const SandboxOptions& options) {
  std::vector<KnownController> known;
  if (may_run_plugins(options)) {
    Manifest manifest;
    manifest.plugin_directories = options.plugin_directories;
    const Catalog catalog = resolve_plugins(manifest, "", Trust::kRequired);
    if (!catalog.ok()) {
      return Status(Code::kInvalid, catalog.mistakes.front().str() + "; --controllers='*,-" +
                                        std::string(kPluginControllers) + "' runs without plugins");
    }
    known = known_controllers(catalog);
  }
  return merge_sandbox_settings(options, process_environment().variable, known);
}

/// The options of the host beside the sandbox: no election, because it has no competitor, and no
/// rate limit, because the server has no other client to protect.
RunOptions host_options(const SandboxSettings& settings) {
  RunOptions out;
  out.plugin_directories = settings.options.plugin_directories;
  out.controllers = settings.controllers.plugins;
  out.feature_gates = settings.feature_gates;
  out.leader_elect = false;
  out.qps = -1;
  out.port = 0;
  return out;
}

/// One run, from an empty or kept cluster to a signal.
class SandboxRun {
 public:
  SandboxRun(const SandboxSettings& settings, std::ostream& out, std::ostream& err)
      : settings_(settings), out_(out), err_(err), sink_(make_sink(settings.options.verbosity)) {}

  int run() {
    const RunOptions options = host_options(settings_);
    std::optional<HostPlan> plan;
    if (!settings_.controllers.plugins.empty()) {
      plan = HostPlan::make({.manifest = merge({}, options), .manifest_path = "", .workers = {}},
                            err_);
      if (!plan) return kExitMistakes;
    }
    Result<std::unique_ptr<SandboxProcess>> process =
        SandboxProcess::open(settings_, {*clock_, *random_, *sink_});
    if (!process) return refuse(err_, process.error());
    if (plan) return run_controllers(**process, merge({}, options), *plan);
    introduce(settings_, **process, "", out_);
    constexpr std::chrono::hours kWaitPeriod{1};  // Only bounds a wait that nothing ends.
    while (interruptions_.wait(kWaitPeriod) != Interruptions::What::kSignal) {
    }
    return kExitGood;
  }

 private:
  /// Gives the controllers what they need in a sandbox: the token controller and the signers of
  /// certificates their files, those of the cloud its ranges.
  [[nodiscard]] Status configure(HostPlan& plan, const KeyPair& authority) const {
    for (PlannedController& each : plan.controllers()) {
      Status kept;
      if (std::string config = sandbox_config_of(each.declared.name, settings_); !config.empty()) {
        each.config = std::move(config);
      }
      if (each.declared.name == kTokenController) {
        kept = sandbox::keep_private_key(settings_.account_key_file);
      }
      if (each.declared.name == kSigningController) kept = keep_authority(authority);
      if (!kept.ok()) return kept;
    }
    return {};
  }

  /// Signers read the authority from files.
  [[nodiscard]] Status keep_authority(const KeyPair& authority) const {
    Status kept = replace_file(settings_.authority_key_file, authority.key, Readable::kByOwner);
    if (!kept.ok()) return kept;
    return replace_file(settings_.authority_file, authority.certificate, Readable::kByOwner);
  }

  int run_controllers(SandboxProcess& process, const Manifest& manifest, HostPlan& plan) {
    if (const Status s = configure(plan, process.authority()); !s.ok()) return refuse(err_, s);
    const CrashHandler handler("");
    Result<std::unique_ptr<StartWatch>> watch = StartWatch::open(interruptions_, *sink_);
    if (!watch) return refuse(err_, watch.error());
    ConnectionConfig connection;
    connection.ca_data = process.authority().certificate;  // Pods trust it, too.
    const Result<std::unique_ptr<Transport>> way = process.connect();
    if (!way) return refuse(err_, way.error());
    const Result<std::unique_ptr<HostProcess>> host =
        HostProcess::open(manifest, connection, std::move(plan.controllers()),
                          HostSeams{*clock_, *random_, *sink_, way->get()}, [] {});
    if (!host) return refuse(err_, host.error());
    if (const std::optional<int> code = start_host(**host, *std::move(watch), *sink_)) return *code;
    introduce(settings_, process, (*host)->page_url(), out_);
    return serve(**host, interruptions_, *sink_);
  }

  const SandboxSettings& settings_;
  std::ostream& out_;
  std::ostream& err_;
  const Interruptions interruptions_;  // Before all that may have threads.
  const std::unique_ptr<LogSink> sink_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_system_random();
};

}  // namespace

int run_sandbox(const SandboxOptions& options, std::ostream& out, std::ostream& err) {
  const Result<SandboxSettings> settings = merge_with_plugins(options);
  if (!settings) return refuse(err, settings.error());
  allow_many_connections();
  return SandboxRun(*settings, out, err).run();
}

}  // namespace davit::host
