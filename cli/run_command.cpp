#include "cli/run_command.hpp"

#include <malloc.h>

#include <cstdio>
#include <davit/kube/time.hpp>
#include <iostream>
#include <optional>
#include <stop_token>

#include "cli/server_connection.hpp"
#include "host/control/control_service.hpp"
#include "host/control/control_socket.hpp"
#include "host/crash/core_dumps.hpp"
#include "host/crash/crash_handler.hpp"
#include "host/crash/life_file.hpp"
#include "host/crash/quarantine.hpp"
#include "host/oci/plugin_sources.hpp"
#include "host/process/exit_codes.hpp"
#include "host/process/host_life.hpp"
#include "host/process/host_plan.hpp"
#include "host/process/host_process.hpp"
#include "host/process/host_settings.hpp"
#include "host/process/interruptions.hpp"
#include "host/process/manifest_follower.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/open_files.hpp"
#include "lib/base/spdlog_sink.hpp"
#include "lib/base/version.hpp"

namespace davit::host {
namespace {

/// Keeps glibc's heap small for a process that runs for months; call it before the first thread.
///
/// - Large blocks: the limits stay as documented. Otherwise glibc raises both for good as soon as
///   one large block is freed, and each arena may keep tens of MiB that malloc_trim() does not
///   reach (mallopt(3), M_MMAP_THRESHOLD). Measured with one object of 8 MiB: 4 instead of 26 MiB.
/// - Arenas: by default up to eight per core, and each keeps its own free chunks. Most of the 50
///   threads wait nearly all of the time, so a few arenas serve them without contention.
void keep_heap_small() {
  constexpr int kLimitBytes = 128 * 1024;
  constexpr int kArenasMax = 4;
  mallopt(M_MMAP_THRESHOLD, kLimitBytes);
  mallopt(M_TRIM_THRESHOLD, kLimitBytes);
  mallopt(M_ARENA_MAX, kArenasMax);
}

int print_mistakes(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) std::cerr << "davit: " << mistake.str() << "\n";
  return kExitMistakes;
}

int print_mistake(const std::string& text) {
  std::cerr << "davit: " << text << "\n";
  return kExitMistakes;
}

int fail_command(const Logger& log, const Status& why) {
  log.error("command failed", {{"err", why.message()}});
  return kExitFailed;
}

Result<CrashJournal> open_journal(const Manifest& manifest) {
  const std::string directory =
      manifest.state_directory.empty() ? default_state_directory() : manifest.state_directory;
  if (!directory.empty()) return CrashJournal::open(directory);
  return Status(Code::kNotFound, "neither XDG_STATE_HOME nor HOME is set: pass --state-dir");
}

Quarantine judge_past(const Result<CrashJournal>& journal, const Manifest& manifest,
                      const Clock& clock) {
  return Quarantine(journal ? std::optional(*journal) : std::nullopt,
                    {.crashes = static_cast<std::uint32_t>(manifest.quarantine.crashes),
                     .window = manifest.quarantine.window},
                    clock.wall_now());
}

/// Says at the start what a crash would otherwise be the first to show.
void warn_of_lost_crashes(const Result<CrashJournal>& journal, const Logger& log) {
  const Status room = journal ? journal->keep_room() : journal.error();
  if (room.ok()) return;
  log.warning(journal ? "There is no room to record crashes, so no plugin will be quarantined"
                      : "Crashes cannot be recorded, so no plugin will be quarantined",
              {{"reason", room.message()}});
}

/// Makes this process known to those after it, which learn that it was killed, and records those
/// before it that were. Nothing without a journal.
std::optional<LifeFile> begin_life(const Result<CrashJournal>& journal,
                                   const ConnectionEnvironment& environment, const Clock& clock,
                                   const Logger& log) {
  if (!journal) return std::nullopt;
  Result<LifeFile> life = LifeFile::begin(
      journal->path().parent_path(), boot_id(environment.variable("DAVIT_BOOT_ID").value_or("")),
      clock.wall_now());
  if (!life) {
    log.info(0, "Warning: the next start will not know if this process is killed",
             {{"reason", life.error().message()}});
    return std::nullopt;
  }
  for (const WallTime start : life->killed()) {
    log.warning(
        "An earlier process was killed: by the kernel because memory ran out, by SIGKILL, or by a "
        "plugin that called _exit(), or exit() on a thread of its making",
        {{"started", format_time(start)}});
    CrashRecord record;
    record.time = clock.wall_now();
    record.signal = "killed";
    (void)journal->add(record);
  }
  return *std::move(life);
}

/// Makes this process known to those after it, which need not wait for its lease if it crashes.
std::optional<LeaseHolders> open_holders(const Result<CrashJournal>& journal,
                                         const LeaderElectionSettings& election,
                                         const ConnectionEnvironment& environment,
                                         const Logger& log) {
  if (!election.enabled) return std::nullopt;
  Result<LeaseHolders> holders =
      journal ? LeaseHolders::open(journal->path().parent_path(), election.ns + "." + election.name,
                                   boot_id(environment.variable("DAVIT_BOOT_ID").value_or("")))
              : journal.error();
  if (holders) return *std::move(holders);
  log.info(0, "Warning: after a crash, the next process waits until the lease expires",
           {{"reason", holders.error().message()}});
  return std::nullopt;
}

/// Opens the socket for `davit ctl`. One that was asked for must be had; the default one may belong
/// to another host of the same user, or its folder to another user.
Result<std::unique_ptr<ControlServer>> open_control(const RunOptions& options,
                                                    ControlService& service, const Logger& log) {
  const std::string path =
      options.control_socket.value_or(default_control_socket(runtime_directory()));
  if (path.empty()) return std::unique_ptr<ControlServer>();
  const auto listen = [&]() -> Result<std::unique_ptr<ControlServer>> {
    const Status folder = options.control_socket ? Status() : make_socket_folder(path);
    if (!folder.ok()) return folder;
    return ControlServer::open(
        path, [&service](std::string_view line) { return service.respond(line); }, log);
  };
  Result<std::unique_ptr<ControlServer>> server = listen();
  if (server) {
    log.info(1, "Listening for davit ctl", {{"socket", path}});
    return server;
  }
  if (options.control_socket) return server.error();
  log.info(0, "Warning: davit ctl cannot reach this host", {{"reason", server.error().message()}});
  return std::unique_ptr<ControlServer>();
}

/// Pulls what `settings` name by source, unless they have mistakes; adds those of pulling.
void pull_sources(SettingsResult& settings, const PullTerms& terms) {
  if (!settings.ok()) return;
  settings.mistakes =
      pull_plugins(settings.settings.manifest, settings.settings.manifest_path, terms);
}

/// The settings of a start, and what runs because of them.
struct Applied {
  const RunSettings& settings;
  const DesiredState& desired;
};

/// Serves `davit ctl` and follows files until something happens; returns the exit code.
int serve_orders(HostProcess& host, const RunOptions& options, const Applied& applied,
                 const Interruptions& interruptions, LogSink& sink) {
  const Logger log(sink);
  const std::unique_ptr<Clock> clock = make_system_clock();
  std::stop_source pulls;
  ManifestFollower follower(
      host,
      [&, options] {
        SettingsResult now = merge_settings(options);
        pull_sources(now, {*clock, log, pulls.get_token()});
        return now;
      },
      applied.settings, applied.desired, log);
  ControlService control(host.plugins(), control_hooks(host));
  const Result<std::unique_ptr<ControlServer>> server = open_control(options, control, log);
  Result<std::unique_ptr<PluginWatch>> watch = std::unique_ptr<PluginWatch>();
  if (options.watch == RunOptions::Watch::kYes) watch = watch_files(follower);
  if (const Status failed = server ? watch.error() : server.error(); !failed.ok()) {
    const int code = fail_command(log, failed);
    if (!host.stop()) leave(sink);
    return code;
  }
  const int code = serve(host, interruptions, sink);
  pulls.request_stop();  // The watch waits for its thread.
  return code;
}

void warn_of_no_effect(const std::vector<std::string>& settings, const Logger& log) {
  for (const std::string& each : settings) {
    log.warning("A setting has no effect", {{"setting", each}});
  }
}

void log_plan(const HostPlan& plan, const std::vector<std::string>& without_effect,
              const Logger& log) {
  warn_of_no_effect(without_effect, log);
  warn_of_no_effect(plan.desired().warnings, log);
  for (const std::string& name : plan.disabled()) {
    log.info(0, "Warning: controller is disabled", {{"controller", name}});
  }
}

void protect_memory(const RunOptions& options, const Logger& log) {
  if (options.core_dumps == RunOptions::CoreDumps::kAllowed) return;
  if (Status s = forbid_core_dumps(); !s.ok()) log.info(0, "Warning: " + s.message());
}

Status protect(const RunOptions& options, const Manifest& manifest,
               const ConnectionConfig& connection, const Logger& log) {
  protect_memory(options, log);
  return check_files(connection, manifest, log);
}

NeighbourTerms::Beside beside_of(const RunOptions& options) {
  return options.allow_kube_controller_manager ? NeighbourTerms::Beside::kWarn
                                               : NeighbourTerms::Beside::kRefuse;
}

void prepare_process() {
  keep_heap_small();
  allow_many_connections();
}

/// The exit code of a start that ends because of its sources.
std::optional<int> pull_at_start(SettingsResult& settings, const PullTerms& terms) {
  pull_sources(settings, terms);
  if (terms.stop.stop_requested()) return kExitGood;
  if (settings.ok()) return std::nullopt;
  return print_mistakes(settings.mistakes);
}

}  // namespace

ControlHooks control_hooks(HostProcess& host) {
  return {.load = [&host](const std::filesystem::path& file) { return host.load(file); },
          .why = [&host](const WhyRequest& request) { return host.why().respond(request); },
          .notes =
              [&host] {
                std::vector<std::string> lines;
                for (const auto& each : host.checks().notes()) lines.push_back(each.text);
                return lines;
              },
          .host = [&host] { return host.status().json(); }};
}

int run_host(const RunOptions& options) {
  SettingsResult merged = merge_settings(options);
  if (!merged.ok()) return print_mistakes(merged.mistakes);
  const Manifest& manifest = merged.settings.manifest;
  const KubeconfigOptions lookup = lookup_of(manifest.client);
  const Result<ConnectionConfig> connection = load_connection(lookup);
  if (!connection) return print_mistake(connection.error().message());

  prepare_process();
  const Interruptions interruptions;
  LogVerbosity verbosity = verbosity_of(manifest.logging);
  const std::unique_ptr<LogSink> sink = make_log_sink(manifest.logging.format, verbosity);
  const Logger log(*sink);
  const Status protection = protect(options, manifest, *connection, log);
  if (!protection.ok()) return print_mistake(protection.message());
  Result<std::unique_ptr<StartWatch>> watch = StartWatch::open(interruptions, *sink);
  if (!watch) return fail_command(log, watch.error());
  const std::unique_ptr<Clock> clock = make_system_clock();
  if (const auto code = pull_at_start(merged, {*clock, log, (*watch)->stopping()})) return *code;
  const Result<CrashJournal> journal = open_journal(manifest);
  const std::optional<LifeFile> life = begin_life(journal, lookup.environment, *clock, log);
  const CrashHandler handler(journal ? journal->path().string() : "", manifest.logging.format,
                             life ? life->path().string() : "");
  Quarantine quarantine = judge_past(journal, manifest, *clock);
  std::optional<HostPlan> plan = HostPlan::make(merged.settings, std::cerr, &quarantine);
  if (!plan) return kExitMistakes;

  log.info(0, "Starting", {{"version", kVersion}, {"controllers", plan->controllers().size()}});
  log_plan(*plan, merged.settings.warnings, log);
  warn_of_lost_crashes(journal, log);
  // A host whose plugins are all left out stays: `davit ctl load` can load one. A host that follows
  // its files stays, too: a plugin may come.
  if (plan->controllers().empty() && quarantine.quarantined().empty() &&
      options.watch == RunOptions::Watch::kNo) {
    return print_mistake("no controller is enabled: nothing to run");
  }

  std::optional<LeaseHolders> holders =
      open_holders(journal, manifest.leader_election, lookup.environment, log);
  const std::unique_ptr<Random> random = make_system_random();
  const Result<std::unique_ptr<HostProcess>> opened =
      HostProcess::open(manifest, *connection, std::move(plan->controllers()),
                        HostSeams{.clock = *clock,
                                  .random = *random,
                                  .log_sink = *sink,
                                  .quarantine = &quarantine,
                                  .lease_holders = holders ? &*holders : nullptr,
                                  .trial = "/proc/self/exe",  // See main().
                                  .tracing = tracing_config(manifest.tracing, lookup.environment),
                                  .verbosity = &verbosity,
                                  .beside = beside_of(options),
                                  .rights = HostSeams::Rights::kReviewed,
                                  .positions = HostSeams::Positions::kSampled},
                        [&interruptions] { interruptions.lost_lease(); });
  if (!opened) return fail_command(log, opened.error());
  HostProcess& host = **opened;
  host.want(plan->desired());
  if (const std::optional<int> code = start_host(host, *std::move(watch), *sink)) return *code;
  return serve_orders(host, options, {merged.settings, plan->desired()}, interruptions, *sink);
}

}  // namespace davit::host
