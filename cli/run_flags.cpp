#include "cli/run_flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <charconv>
#include <davit/kube/signed_duration.hpp>
#include <functional>

#include "cli/serving_flags.hpp"
#include "cli/upstream/accepted_flags.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

constexpr int kWorkersMax = 1000;

std::optional<std::uint32_t> parse_workers(std::string_view text) {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && stop == text.data() + text.size() && value >= 1 &&
                    value <= kWorkersMax;
  return good ? std::optional(value) : std::nullopt;
}

CLI::Option* add_duration(CLI::App& app, const char* name, std::optional<Duration>& out,
                          Duration min, const char* help) {
  return app
      .add_option_function<std::string>(
          name,
          [&out, name, min](const std::string& text) {
            const std::optional<Duration> value = parse_signed_duration(text);
            if (!value || *value < min) {
              throw CLI::ValidationError(name,
                                         "must be a duration such as 15s or 1m30s of at least " +
                                             format_duration(min) + ", not " + json_string(text));
            }
            out = value;
          },
          help)
      ->type_name("DURATION")
      ->take_last();
}

/// Given twice, the last one counts, as with Go's flags.
template <typename T>
CLI::Option* add(CLI::App& app, const char* name, std::optional<T>& out, const char* type,
                 const char* help) {
  return app
      .add_option_function<T>(
          name, [&out](const T& value) { out = value; }, help)
      ->type_name(type)
      ->take_last();
}

void add_boolean(CLI::App& app, const char* name, std::optional<bool>& out, const char* help) {
  app.add_flag_function(
      name, [&out](std::int64_t count) { out = count > 0; }, help);
}

void add_client_flags(CLI::App& app, RunOptions& options) {
  app.option_defaults()->group("Client");
  add(app, "--kubeconfig", options.kubeconfig, "FILE",
      "Kubeconfig of the API server; without it and --master, the pod's own identity or "
      "$KUBECONFIG");
  add(app, "--master", options.master, "URL",
      "Address of the API server; overrides the kubeconfig");
  add(app, "--kube-api-qps", options.qps, "NUMBER",
      "Requests per second of each controller (default 20; 0: 5, below 0: no limit)")
      ->check(CLI::Range(-100'000.0, 100'000.0));
  add(app, "--kube-api-burst", options.burst, "NUMBER",
      "Burst of requests of each controller (default 30; 0: 10)")
      ->check(CLI::Range(0, 1'000'000));
  add(app, "--kube-api-content-type", options.content_type, "TYPE",
      "Format in which built-in kinds are read: application/vnd.kubernetes.protobuf (the default) "
      "or "
      "application/json")
      ->check(CLI::IsMember({kContentTypeProtobuf, kContentTypeJson}));
  add_boolean(app, "--use-service-account-credentials", options.service_account_credentials,
              "Give each controller the credentials of its own ServiceAccount in kube-system");
  add(app, "--user-agent", options.user_agent, "TEXT",
      "User agent before the client's name (default davit/VERSION (PLATFORM) kubernetes/COMMIT)");
  add(app, "--field-manager", options.field_manager, "NAME",
      "Owner of the written fields, in managedFields (default: the user agent up to its first /)");
  add_boolean(app, "--dry-run", options.dry_run,
              "Send every write with dryRun=All and log it; changes nothing");
}

void add_workers(RunOptions& options, const std::string& name, const std::string& count,
                 const char* flag) {
  const std::optional<std::uint32_t> value = parse_workers(count);
  if (!value || name.empty()) {
    throw CLI::ValidationError(flag,
                               "must be a whole number from 1 to 1000, not " + json_string(count));
  }
  options.workers[name] = *value;
}

void add_controller_flags(CLI::App& app, RunOptions& options) {
  app.option_defaults()->group("Controllers");
  app.add_option_function<std::vector<std::string>>(
         "--controllers",
         [&options](const std::vector<std::string>& list) { options.controllers = list; },
         "Controllers to run: '*' enables all that are on by default, 'foo' enables and '-foo' "
         "disables one, by name or alias (default *)")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("LIST");
  add_duration(app, "--controller-start-interval", options.controller_start_interval,
               Duration::zero(), "Pause between the starts of controllers (default 0s)");
  add_duration(app, "--controller-shutdown-timeout", options.controller_shutdown_timeout,
               Duration::zero(), "Time limit for running syncs at shutdown (default 10s; 0: none)");
  app.add_option_function<std::vector<std::string>>(
         "--workers",
         [&options](const std::vector<std::string>& list) {
           for (const std::string& entry : list) {
             const std::size_t equals = entry.find('=');
             if (equals == std::string::npos) {
               throw CLI::ValidationError("--workers",
                                          "must be CONTROLLER=NUMBER, not " + json_string(entry));
             }
             add_workers(options, entry.substr(0, equals), entry.substr(equals + 1), "--workers");
           }
         },
         "Workers of a controller, by name or alias; overrides the manifest")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("CONTROLLER=NUMBER");
}

void add_election_flags(CLI::App& app, RunOptions& options) {
  constexpr Duration kPeriodMin = std::chrono::milliseconds(1);
  app.option_defaults()->group("Leader election");
  add_boolean(app, "--leader-elect", options.leader_elect,
              "Run the controllers only while this host holds the lease (default true)");
  add_duration(app, "--leader-elect-lease-duration", options.lease_duration,
               std::chrono::seconds(1),
               "How long other hosts wait before they acquire the lease (default 15s)");
  add_duration(app, "--leader-elect-renew-deadline", options.renew_deadline, kPeriodMin,
               "How long the leader tries to renew the lease before it gives up (default 10s)");
  add_duration(app, "--leader-elect-retry-period", options.retry_period, kPeriodMin,
               "Pause between attempts to acquire or renew the lease (default 2s)");
  add(app, "--leader-elect-resource-name", options.lease_name, "NAME",
      "Name of the lease (default davit)");
  add(app, "--leader-elect-resource-namespace", options.lease_namespace, "NAMESPACE",
      "Namespace of the lease (default kube-system)");
  add_boolean(
      app, "--enable-leader-migration", options.leader_migration,
      "Share controllers with other controller managers, as --leader-migration-config says");
  add(app, "--leader-migration-config", options.migration_config, "FILE",
      "LeaderMigrationConfiguration: which component runs which controller (default: upstream's, "
      "which has controllers of clouds only)");
  app.add_flag(
      "--allow-kube-controller-manager", options.allow_kube_controller_manager,
      "Start beside an active kube-controller-manager that runs the same controllers; both "
      "then act on the same objects");
}

void add_server_flags(CLI::App& app, RunOptions& options) {
  app.option_defaults()->group("Insecure serving");
  add(app, "--port", options.port, "PORT",
      "Port of 127.0.0.1 for plain HTTP without authentication (default -1: none; 0: any free "
      "port)")
      ->check(CLI::Range(-1, 65535));
  app.option_defaults()->group("Control");
  app.add_option_function<std::string>(
         "--control-socket", [&options](const std::string& path) { options.control_socket = path; },
         "Socket for davit ctl (default $XDG_RUNTIME_DIR/davit.sock or, without that variable, "
         "/run/davit/davit.sock; empty: none)")
      ->type_name("PATH")
      ->take_last();
  app.option_defaults()->group("Logging");
  add(app, "-v,--v", options.verbosity, "LEVEL", "Verbosity, 0 to 10 (default 0)")
      ->check(CLI::Range(0, 10));
  app.add_option_function<std::string>(
         "--logging-format",
         [&options](const std::string& text) {
           options.log_format = text == "json" ? LogFormat::kJson : LogFormat::kText;
         },
         "text or json (default text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
}

void add_quarantine_flags(CLI::App& app, RunOptions& options) {
  app.option_defaults()->group("Crashes");
  add(app, "--state-dir", options.state_directory, "DIRECTORY",
      "Directory of the crash records (default $XDG_STATE_HOME/davit, else "
      "$HOME/.local/state/davit)");
  add(app, "--quarantine-crashes", options.quarantine_crashes, "NUMBER",
      "Crashes after which a start skips a plugin's build (default 3; 0: never)")
      ->check(CLI::Range(0, 1000));
  add_duration(app, "--quarantine-window", options.quarantine_window, std::chrono::seconds(1),
               "Time in which these crashes must happen (default 10m)");
}

}  // namespace

void add_run_flags(CLI::App& app, RunOptions& options) {
  app.option_defaults()->group("Manifest and plugins");
  app.add_option(
         "--manifest", options.manifest,
         "Plugins to load and their settings (default: every installed plugin with its defaults)")
      ->type_name("FILE");
  app.add_option("--plugin-dir", options.plugin_directories,
                 "Directory of plugins; may be repeated; overrides the manifest")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("DIRECTORY");
  app.add_flag_function(
      "--watch",
      [&options](std::int64_t count) {
        options.watch = count > 0 ? RunOptions::Watch::kYes : RunOptions::Watch::kNo;
      },
      "Swap a plugin when its file has changed; apply the manifest when it changes");
  app.add_flag_function(
      "--core-dumps",
      [&options](std::int64_t count) {
        options.core_dumps =
            count > 0 ? RunOptions::CoreDumps::kAllowed : RunOptions::CoreDumps::kForbidden;
      },
      "Leave core dumps, which hold tokens and Secrets, and let debuggers attach");
  add_controller_flags(app, options);
  add_client_flags(app, options);
  add_election_flags(app, options);
  add_serving_flags(app, options);
  add_server_flags(app, options);
  add_quarantine_flags(app, options);
  add_upstream_flags(app, options);
}

}  // namespace davit::host
