#include "cli/ctl_command.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Error.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <charconv>
#include <davit/kube/signed_duration.hpp>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "cli/status_text.hpp"
#include "host/control/control_request.hpp"
#include "host/control/control_socket.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/absolute_path.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/yaml_text.hpp"

namespace davit::host {
namespace {

struct CtlVerb {
  const char* name;
  const char* operand;  // Null: none.
  const char* help;
};

constexpr CtlVerb kVerbs[] = {
    {"status", nullptr, "Print the loaded plugins and running controllers"},
    {"swap", "PLUGIN", "Replace the serving build of a plugin with another one"},
    {"shadow", "PLUGIN",
     "Run another build beside the serving one without sending its writes, and compare them"},
    {"load", nullptr, "Load another plugin"},
    {"unload", "PLUGIN", "Stop a plugin's controllers and close the plugin"},
    {"enable", "CONTROLLER", "Start a controller of a loaded plugin"},
    {"disable", "CONTROLLER", "Stop a controller; its plugin stays loaded"},
    {"pause", "CONTROLLER", "Pause a controller: running syncs finish, and no new ones start"},
    {"resume", "CONTROLLER", "Resume a paused controller"},
};

void add_shadow(CLI::App& app, CtlOptions& options) {
  CLI::Option* const file = app.add_option(
      "FILE", options.file, "Build to run in the shadow (default: compare the writes)");
  const auto flag = [&](const char* name, const char* command, const char* help) {
    return app
        .add_flag_callback(
            name, [&options, command] { options.command = command; }, help)
        ->excludes(file);
  };
  CLI::Option* const commit =
      flag("--commit", "shadow-commit", "Swap the plugin to its shadow's build");
  flag("--drop", "shadow-drop", "End the shadow run")->excludes(commit);
}

void add_watch(CLI::App& swap, CtlOptions& options) {
  swap.add_option_function<std::string>(
          "--watch-for",
          [&options](const std::string& text) {
            const std::optional<Duration> time = parse_signed_duration(text);
            if (!time || *time < Duration::zero()) {
              throw CLI::ValidationError("--watch-for", "must be a duration such as 30s");
            }
            options.watch_ms = std::chrono::duration_cast<std::chrono::milliseconds>(*time).count();
          },
          "Length of the new build's probation; if it fails, davit swaps back")
      ->type_name("TIME");
  swap.add_option_function<std::string>(
          "--max-errors",
          [&options](std::string text) {
            if (!text.empty() && text.back() == '%') text.pop_back();
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), options.max_error_percent);
            const bool is_whole = error == std::errc() && end == text.data() + text.size();
            if (!is_whole || options.max_error_percent < 0 || options.max_error_percent > 100) {
              throw CLI::ValidationError("--max-errors", "must be a share such as 20%");
            }
          },
          "Share of syncs that may fail during the probation (default 20%)")
      ->type_name("SHARE")
      ->needs("--watch-for");
}

void add_verb(CLI::App& ctl, const CtlVerb& verb, CtlOptions& options) {
  CLI::App* const app = ctl.add_subcommand(verb.name, verb.help);
  if (verb.operand != nullptr) app->add_option(verb.operand, options.name)->required();
  const std::string name = verb.name;
  if (name == "swap") {
    app->add_option("FILE", options.file, "The new build (default: the file of the old one)");
    add_watch(*app, options);
    app->add_flag_callback(
        "--without-state", [&options] { options.state = "none"; },
        "Start the new build without the old one's state, as after a restart");
  }
  if (name == "shadow") add_shadow(*app, options);
  if (name == "load") app->add_option("FILE", options.file, "The plugin")->required();
  add_control_socket(*app, options.socket);
  // Other commands have no table.
  const bool with_wide = name == "status";
  app->add_option_function<std::string>(
         "-o,--output",
         [&options](const std::string& text) {
           options.output = text == "json"   ? CtlOptions::Output::kJson
                            : text == "yaml" ? CtlOptions::Output::kYaml
                            : text == "wide" ? CtlOptions::Output::kWide
                                             : CtlOptions::Output::kText;
         },
         with_wide ? "text, wide, json or yaml (default text)"
                   : "text, json or yaml (default text)")
      ->check(with_wide ? CLI::IsMember({"text", "wide", "json", "yaml"})
                        : CLI::IsMember({"text", "json", "yaml"}))
      ->type_name("FORMAT");
  // A flag may have said more.
  app->callback([&options, name] {
    if (options.command.empty()) options.command = name;
  });
}

}  // namespace

void add_control_socket(CLI::App& app, std::string& socket) {
  app.add_option("--control-socket", socket,
                 "Control socket of the host (default $XDG_RUNTIME_DIR/davit.sock, else "
                 "/run/davit/davit.sock)")
      ->type_name("PATH");
}

int run_ctl(const CtlOptions& options, std::ostream& out, std::ostream& err) {
  ControlRequest request{
      .command = options.command, .name = options.name, .file = "", .state = options.state};
  if (options.watch_ms >= 0) {
    request.watch_ms = options.watch_ms;
    request.max_error_percent = options.max_error_percent;
  }
  // The host's working directory is another one.
  request.file = absolute_path(options.file).string();
  return ask_and_print(options.socket, request, options.output, out, err);
}

int ask_and_print(const std::string& socket_given, const ControlRequest& request,
                  CtlOptions::Output output, std::ostream& out, std::ostream& err) {
  const std::string socket =
      socket_given.empty() ? find_control_socket(runtime_directory()) : socket_given;
  const Result<std::string> line = ask_host(socket, to_line(request));
  if (!line) {
    err << "davit: " << line.error().message() << "\n";
    return kExitFailed;
  }
  const Result<ControlResponse> response = parse_response(*line);
  if (!response) {
    err << "davit: " << socket << ": " << response.error().message() << "\n";
    return kExitFailed;
  }
  const bool done = response->success == ControlResponse::Success::kYes;
  if (output == CtlOptions::Output::kJson) {
    out << *line << "\n";
  } else if (output == CtlOptions::Output::kYaml) {
    out << sandbox::to_yaml_text(parse_json(*line).value_or(Json()));
  } else if (output == CtlOptions::Output::kWide && done) {
    const Result<Json> whole = parse_json(*line);
    out << status_text(whole ? whole->get("host") : Json(), {.colours = output_colours()});
  } else if (done) {
    out << response->text << "\n";
  } else {
    err << "davit: " << response->text << "\n";
  }
  return done ? kExitGood : kExitFailed;
}

void add_ctl_command(CLI::App& app, CtlOptions& options, std::function<int()>& chosen,
                     std::ostream& out, std::ostream& err) {
  CLI::App* const ctl = app.add_subcommand("ctl", "Control a running host");
  ctl->require_subcommand(1);
  for (const CtlVerb& verb : kVerbs) add_verb(*ctl, verb, options);
  ctl->callback([&] { chosen = [&] { return run_ctl(options, out, err); }; });
}

}  // namespace davit::host
