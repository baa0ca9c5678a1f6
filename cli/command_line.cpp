#include "cli/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "cli/codegen_command.hpp"
#include "cli/ctl_command.hpp"
#include "cli/delivery_flags.hpp"
#include "cli/dev_command.hpp"
#include "cli/explore_command.hpp"
#include "cli/manifest_command.hpp"
#include "cli/plugin_command.hpp"
#include "cli/plugin_new.hpp"
#include "cli/plugin_signing.hpp"
#include "cli/rbac_command.hpp"
#include "cli/reference/reference_commands.hpp"
#include "cli/run_flags.hpp"
#include "cli/sandbox_flags.hpp"
#include "cli/top_command.hpp"
#include "cli/upstream/flags_page.hpp"
#include "cli/upstream/from_flags.hpp"
#include "cli/validate_command.hpp"
#include "cli/why_command.hpp"
#include "host/api/rest_client.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/version.hpp"

namespace davit::host {
namespace {

/// Everything that the parser fills, and what to do then.
struct Commands {
  RunOptions run;
  DemoOptions demo;
  ManifestCheckOptions manifest_check;
  FromFlagsOptions from_flags;
  PluginExploreOptions plugin_explore;
  PluginInspectOptions plugin_inspect;
  PluginListOptions plugin_list;
  PluginKeygenOptions plugin_keygen;
  PluginNewOptions plugin_new;
  PluginSignOptions plugin_sign;
  PluginValidateOptions plugin_validate;
  PluginVerifyOptions plugin_verify;
  DeliveryOptions delivery;
  PluginOutdatedOptions plugin_outdated;
  DevOptions dev;
  RbacOptions rbac;
  SandboxFlags sandbox;
  CtlOptions ctl;
  WhyOptions why;
  TopOptions top;
  CodegenOptions codegen;
  std::function<int()> chosen;
};

/// kube-controller-manager takes "_" for "-" in flag names.
std::string normalised(const std::string& arg) {
  // Go's flags take `-v=2`, and every static pod manifest has it; the parser would read "=2".
  if (arg.starts_with("-v=")) return "-" + arg;
  if (!arg.starts_with("--")) return arg;
  std::string out = arg;
  std::replace(out.begin(),
               out.begin() + static_cast<std::ptrdiff_t>(std::min(out.find('='), out.size())), '_',
               '-');
  return out;
}

/// Appends `arg`. The parser takes "--flag=" for a flag without a value, and not for an empty one.
void add_normalised(const std::string& arg, std::vector<std::string>& given) {
  given.push_back(normalised(arg));
  std::string& last = given.back();
  if (!last.starts_with("--") || last.find('=') != last.size() - 1) return;
  last.pop_back();
  given.emplace_back();
}

constexpr const char* kVersionHelp =
    "Print the version and exit; --version=raw prints all details of the build";

std::string version_text() { return std::string("davit ") + kVersion; }

/// In the form of upstream's, which scripts read.
std::string raw_version_text() {
  const std::string version = kVersion;
  const std::size_t dot = version.find('.');
  const std::string agent = default_user_agent();  // It ends with the commit.
  return R"(version.Info{Major:")" + version.substr(0, dot) + R"(", Minor:")" +
         version.substr(dot + 1, version.find('.', dot + 1) - dot - 1) + R"(", GitVersion:"v)" +
         version + R"(", GitCommit:")" + agent.substr(agent.rfind('/') + 1) + R"(", Compiler:")" +
         kCompiler + R"(", Platform:")" + kPlatform + R"("})";
}

/// `davit --version=raw` and `davit run --version=raw`. The parser has a flag without a value.
bool asks_for_raw_version(const std::vector<std::string>& args) {
  const bool may_ask = !args.empty() && (args.front() == "run" || args.front().starts_with('-'));
  return may_ask && std::ranges::find(args, "--version=raw") != args.end();
}

void add_manifest_command(CLI::App& app, Commands& commands, std::ostream& out, std::ostream& err) {
  CLI::App* manifest = app.add_subcommand("manifest", "Work with manifests");
  manifest->require_subcommand(1);
  CLI::App* check = manifest->add_subcommand("check", "Report every error in a manifest");
  check->add_option("FILE", commands.manifest_check.file, "The manifest")->required();
  check->callback([&] {
    commands.chosen = [&] { return run_manifest_check(commands.manifest_check, out, err); };
  });
  CLI::App* from_flags = manifest->add_subcommand(
      "from-flags", "Write the manifest of a kube-controller-manager command line, given after --");
  from_flags
      ->add_option("--file", commands.from_flags.file,
                   "YAML of kube-controller-manager's pod; flags after -- win over the pod's")
      ->type_name("FILE");
  using Output = FromFlagsOptions::Output;
  CLI::Option* const rest = from_flags->add_flag_callback(
      "--rest", [&] { commands.from_flags.output = Output::kRest; },
      "Write the command line of a kube-controller-manager that runs what davit does not have");
  from_flags
      ->add_flag_callback(
          "--unit", [&] { commands.from_flags.output = Output::kUnit; },
          "Write a drop-in that passes the files to davit's systemd service as credentials")
      ->excludes(rest);
  from_flags->callback([&] {
    commands.chosen = [&] { return run_manifest_from_flags(commands.from_flags, out, err); };
  });
  manifest
      ->add_subcommand(
          "flags",
          "Print kube-controller-manager's flags and what davit does with each, as Markdown")
      ->callback([&] {
        commands.chosen = [&] {
          out << flags_page();
          return kExitGood;
        };
      });
}

void add_signature_commands(CLI::App& plugin, Commands& commands, std::ostream& out,
                            std::ostream& err) {
  PluginKeygenOptions& keygen = commands.plugin_keygen;
  CLI::App* const make = plugin.add_subcommand(
      "keygen", "Create a private key for signatures, and print its public key for the manifest");
  make->add_option("FILE", keygen.file, "File for the private key, which must not exist")
      ->required();
  make->callback([&] { commands.chosen = [&] { return run_plugin_keygen(keygen, out, err); }; });

  PluginSignOptions& sign = commands.plugin_sign;
  CLI::App* const write =
      plugin.add_subcommand("sign", "Sign plugins; the signature of x.so goes into x.so.sig");
  write->add_option("--key", sign.key, "File of the private key")->required()->type_name("FILE");
  write->add_option("FILES", sign.files, "The .so files")->required();
  write->callback([&] { commands.chosen = [&] { return run_plugin_sign(sign, out, err); }; });

  PluginVerifyOptions& verify = commands.plugin_verify;
  CLI::App* const check =
      plugin.add_subcommand("verify", "Check the signatures of plugins as davit run does");
  check
      ->add_option("--public-key", verify.keys,
                   "Public key in base64, as keygen prints it; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("KEY");
  check->add_option("--manifest", verify.manifest, "Manifest with more public keys")
      ->type_name("FILE");
  check->add_option("FILES", verify.files, "The .so files")->required();
  check->callback([&] { commands.chosen = [&] { return run_plugin_verify(verify, out, err); }; });
}

template <typename Output>
void add_output_flag(CLI::App& app, Output& output) {
  app.add_option_function<std::string>(
         "-o,--output",
         [&output](const std::string& text) {
           output = text == "json" ? Output::kJson : Output::kText;
         },
         "text or json (default text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
}

CLI::App* add_plugin_command(CLI::App& app, Commands& commands, std::ostream& out,
                             std::ostream& err) {
  CLI::App* plugin =
      app.add_subcommand("plugin", "Create, deliver, explore, inspect, sign and validate plugins");
  plugin->require_subcommand(1);
  CLI::App* inspect =
      plugin->add_subcommand("inspect", "Print what a plugin declares and needs, and its grade");
  inspect->add_option("FILE", commands.plugin_inspect.file, "The .so file")->required();
  add_output_flag(*inspect, commands.plugin_inspect.output);
  inspect->callback([&] {
    commands.chosen = [&] { return run_plugin_inspect(commands.plugin_inspect, out, err); };
  });
  CLI::App* fresh = plugin->add_subcommand("new", "Create a plugin project with a build and tests");
  fresh->add_option("NAME", commands.plugin_new.name, "Name of the project and the plugin")
      ->required();
  fresh->add_option("--lang", commands.plugin_new.language, "Language of the plugin")
      ->check(CLI::IsMember({"cpp", "c", "rust"}))
      ->capture_default_str();
  fresh
      ->add_option("--watches", commands.plugin_new.watches,
                   "Resource that the plugin watches: [GROUP/]VERSION/PLURAL")
      ->capture_default_str();
  fresh->add_option(
      "--kind", commands.plugin_new.kind,
      "Kind of that resource, if it is not built in and does not follow from the plural");
  fresh->add_flag("--provider", commands.plugin_new.is_provider,
                  "Create the provider of a cloud, in C++ or Rust");
  fresh->add_option("--dir", commands.plugin_new.directory, "Folder to create (default NAME)");
  fresh->callback(
      [&] { commands.chosen = [&] { return run_plugin_new(commands.plugin_new, out, err); }; });

  CLI::App* list = plugin->add_subcommand("list", "List the plugins in the plugin directories");
  list->add_option("--plugin-dir", commands.plugin_list.directories,
                   "Directory of plugins; may be repeated (default: the installed one)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("DIRECTORY");
  list->add_flag("--outdated", commands.plugin_list.outdated,
                 "Ask the registries instead which of those that were installed from a bundle have "
                 "a newer version");
  add_registry_flags(*list, commands.plugin_outdated.registry);
  list->callback([&] {
    commands.chosen = [&] {
      if (!commands.plugin_list.outdated) return run_plugin_list(commands.plugin_list, out, err);
      commands.plugin_outdated.directories = commands.plugin_list.directories;
      return run_plugin_outdated(commands.plugin_outdated, out, err);
    };
  });
  add_signature_commands(*plugin, commands, out, err);
  add_delivery_commands(*plugin, commands.delivery, commands.chosen, out, err);
  return plugin;
}

void add_rbac_command(CLI::App& app, Commands& commands, std::ostream& out, std::ostream& err) {
  CLI::App* rbac = app.add_subcommand(
      "rbac", "Print the ServiceAccount and roles that the plugins need, for kubectl apply -f -");
  rbac->add_option("--manifest", commands.rbac.manifest,
                   "Manifest (default: every installed plugin)")
      ->type_name("FILE");
  rbac->add_option("--kubeconfig", commands.rbac.kubeconfig,
                   "Kubeconfig of the host; overrides the manifest")
      ->type_name("FILE");
  rbac->add_option("--namespace,-n", commands.rbac.ns,
                   "Namespace of the ServiceAccount (default kube-system)")
      ->type_name("NAMESPACE");
  rbac->add_option("--name", commands.rbac.name, "Name of the printed objects (default davit)")
      ->type_name("NAME");
  rbac->add_option("--plugin-dir", commands.rbac.plugin_directories,
                   "Directory of plugins; may be repeated; overrides the manifest")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("DIRECTORY");
  CLI::Option* const user =
      rbac->add_option("--user", commands.rbac.users,
                       "User that gets the rights instead of a ServiceAccount; may be repeated "
                       "(default: the "
                       "one of the manifest's kubeconfig, where its certificate names it)")
          ->take_all()
          ->allow_extra_args(false)
          ->type_name("NAME");
  CLI::Option* const group = rbac->add_option("--group", commands.rbac.groups,
                                              "Group that gets the rights; may be repeated")
                                 ->take_all()
                                 ->allow_extra_args(false)
                                 ->type_name("NAME");
  rbac->add_flag_callback(
      "--use-service-account-credentials", [&] { commands.rbac.accounts = Accounts::kOneEach; },
      "Print an account and roles for each controller, as davit run with this flag needs them");
  rbac->add_flag_callback(
          "--check", [&] { commands.rbac.what = RbacOptions::Do::kCheck; },
          "Ask the API server instead, as the manifest's identity: print the rights that are "
          "missing, as rules of roles, and exit with 1 if there are any")
      ->excludes(user)
      ->excludes(group);
  rbac->callback([&] { commands.chosen = [&] { return run_rbac(commands.rbac, out, err); }; });
}

void add_codegen_command(CLI::App& app, Commands& commands, std::ostream& out, std::ostream& err) {
  CodegenOptions& options = commands.codegen;
  CLI::App* codegen =
      app.add_subcommand("codegen", "Generate C++ or Rust types from the schemas of kinds");
  codegen->add_option("FILE", options.files, "File with CustomResourceDefinitions, YAML or JSON");
  codegen->add_option("--openapi", options.openapi, "OpenAPI v3 document, JSON or YAML")
      ->type_name("FILE");
  codegen
      ->add_option("--kubeconfig", options.kubeconfig,
                   "Kubeconfig of a server to ask for the kinds of --kind")
      ->type_name("FILE");
  codegen
      ->add_option(
          "--kind", options.kinds,
          "Kind of the document, else a built-in one: [GROUP/]VERSION/KIND; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("KIND");
  codegen
      ->add_option("--only", options.only,
                   "Field to read, such as spec.replicas; may be repeated (default: all)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("PATH");
  codegen
      ->add_option("--opaque", options.opaque,
                   "Field that stays untyped, such as spec.template; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("PATH");
  codegen
      ->add_option("--namespace", options.ns,
                   "Namespace or module around VERSION (default: the first label of each group)")
      ->type_name("NAME");
  codegen->add_option("--lang", options.language, "Language: cpp or rust")
      ->capture_default_str()
      ->type_name("LANGUAGE");
  codegen->add_option("-o,--output", options.output, "File to write (default: print)")
      ->type_name("FILE");
  codegen->callback([&] { commands.chosen = [&] { return run_codegen(options, out, err); }; });
}

void add_demo_command(CLI::App& app, Commands& commands, const Programs& programs) {
  CLI::App* demo =
      app.add_subcommand("demo", "Show the rollout of a Deployment on a cluster in this process");
  demo->add_option("--replicas", commands.demo.replicas, "Number of pods (default 4)")
      ->check(CLI::Range(1, 20))
      ->type_name("N");
  demo->add_option("--plugin-dir", commands.demo.plugin_directories,
                   "Directory of plugins; may be repeated (default: the installed one)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("DIRECTORY");
  demo->callback([&] { commands.chosen = [&] { return programs.demo(commands.demo); }; });
}

/// In the list of commands only; see help_asked_for().
void add_help_and_version(CLI::App& app, Commands& commands, std::ostream& out) {
  app.add_subcommand("help", "Explain a command: davit help [COMMAND]");
  app.add_subcommand("version", "Print the version")->callback([&] {
    commands.chosen = [&out] {
      out << version_text() << "\n";
      return kExitGood;
    };
  });
}

/// `help run` and a bare `davit` ask what `run --help` and `--help` do.
std::vector<std::string> help_asked_for(std::vector<std::string> args) {
  if (args.empty()) return {"--help"};
  if (args.front() != "help") return args;
  args.erase(args.begin());
  args.emplace_back("--help");
  return args;
}

/// Whether `args` name a command that only holds others, as `davit plugin` does.
bool names_a_group(const CLI::App& app, const std::vector<std::string>& args) {
  const CLI::App* command = &app;
  for (const std::string& arg : args) {
    const std::vector<const CLI::App*> below = command->get_subcommands({});
    const auto chosen = std::ranges::find(below, arg, &CLI::App::get_name);
    if (chosen == below.end()) return false;
    command = *chosen;
  }
  return command->get_require_subcommand_min() > 0;
}

bool names_from_flags(const std::vector<std::string>& args) {
  return args.size() > 1 && args[0] == "manifest" && args[1] == "from-flags";
}

/// One line, whatever the parser said.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string unknown(const std::string& what, const std::string& name,
                    const std::vector<std::string>& known) {
  const std::string meant = nearest(name, known);
  std::string text = "unknown " + what + name;
  if (!meant.empty()) text += "; did you mean " + meant + "?";
  return text + "; see davit --help";
}

/// The first unknown command or flag, with a suggestion; empty if there is none.
std::string first_unknown(const CLI::App& app, const std::vector<std::string>& args) {
  const CLI::App* command = &app;
  bool value_follows = false;
  for (const std::string& arg : args) {
    if (std::exchange(value_follows, false)) continue;
    std::vector<std::string> known;
    if (arg.starts_with("--")) {
      const std::string name = arg.substr(0, arg.find('='));
      for (const CLI::Option* option : command->get_options()) {
        for (const std::string& each : option->get_lnames()) {
          known.push_back("--" + each);
          if ("--" + each == arg) value_follows = option->get_items_expected_max() > 0;
        }
      }
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        return unknown("flag ", name, known);
      }
      continue;
    }
    const std::vector<const CLI::App*> below = command->get_subcommands({});
    if (arg.starts_with("-") || below.empty()) continue;
    const CLI::App* chosen = nullptr;
    for (const CLI::App* each : below) {
      known.push_back(each->get_name());
      if (each->get_name() == arg) chosen = each;
    }
    if (chosen == nullptr) return unknown("command ", arg, known);
    command = chosen;
  }
  return "";
}

/// The files of a trial, which two commands take.
struct InputFlags {
  std::vector<std::string>& configs;
  std::string& definitions;
  std::string& objects;
};

void add_input_flags(CLI::App& app, const InputFlags& flags) {
  app.add_option("--config", flags.configs,
                 "Configuration of the controller, YAML or JSON: FILE, or CONTROLLER=FILE if the "
                 "plugin has several; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--crd", flags.definitions,
                 "File or folder of CustomResourceDefinitions for the cluster")
      ->type_name("DIR");
  app.add_option("--objects", flags.objects, "File or folder of objects for the cluster")
      ->type_name("DIR");
}

/// `chosen` is set to `run` when the command is given. The references outlive the parsing.
void add_plugin_validate(CLI::App& plugin, PluginValidateOptions& options,
                         std::function<int()>& chosen,
                         const std::function<int(const PluginValidateOptions&)>& run) {
  constexpr int kLimitMost = 3600;
  CLI::App* const app =
      plugin.add_subcommand("validate", "Check a plugin; each check runs in a separate process");
  app->add_option("FILE", options.file, "The .so file")->required();
  app->add_option("--seed", options.seed, "Seed of the hostile objects (default: a random one)");
  app->add_option("--timeout", options.limit_seconds,
                  "Time limit of a check in seconds (default 60)")
      ->check(CLI::Range(1, kLimitMost))
      ->type_name("SECONDS");
  add_input_flags(*app, {options.configs, options.definitions, options.objects});
  app->add_option("--check", options.checks,
                  "Run only this check and those that it needs; may be repeated (default: all)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME");
  add_output_flag(*app, options.output);
  app->callback([&] { chosen = [&] { return run(options); }; });
}

/// `chosen` is set to `run` when the command is given. The references outlive the parsing.
void add_plugin_explore(CLI::App& plugin, PluginExploreOptions& options,
                        std::function<int()>& chosen,
                        const std::function<int(const PluginExploreOptions&)>& run) {
  constexpr int kMinutesMost = 24 * 60;
  CLI::App* const app = plugin.add_subcommand(
      "explore", "Try a plugin with crashes, lost and wrong responses and old caches, one by one");
  app->add_option("FILE", options.file, "The .so file")->required();
  app->add_option("--scenario", options.scenario,
                  "What happens in the cluster (default: objects that the plugin watches come, "
                  "change and go)")
      ->type_name("FILE");
  add_input_flags(*app, {options.configs, options.definitions, options.objects});
  app->add_flag("--pairs", options.pairs, "Also try two faults in one run");
  app->add_option("--minutes", options.minutes, "Start no more runs after this time (default 1)")
      ->check(CLI::Range(1, kMinutesMost))
      ->type_name("N");
  app->add_option("--replay", options.replay,
                  "Repeat only the run of this line, and print each step")
      ->type_name("LINE");
  add_output_flag(*app, options.output);
  app->callback([&] { chosen = [&] { return run(options); }; });
}

void add_dev_command(CLI::App& app, DevOptions& options, std::function<int()>& chosen,
                     const std::function<int(const DevOptions&)>& run) {
  CLI::App* const dev = app.add_subcommand(
      "dev", "Build and run a plugin, and rebuild and swap it whenever its source is saved");
  dev->add_option("DIR", options.directory, "Folder of the plugin's CMakeLists.txt (default .)");
  dev->add_option("--build-dir", options.build_directory,
                  "Build folder (default DIR/build/davit-dev)")
      ->type_name("DIR");
  dev->add_option("--kubeconfig", options.kubeconfig,
                  "Kubeconfig of the cluster to run on (default: a new sandbox)")
      ->type_name("FILE");
  dev->add_option("--plugin", options.plugin,
                  "Plugin to run if the project builds several, without .so")
      ->type_name("NAME");
  add_input_flags(*dev, {options.configs, options.definitions, options.objects});
  dev->add_option("--cmake-arg", options.cmake_args,
                  "Argument of cmake, such as -DNAME=VALUE; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("ARG");
  dev->add_flag_callback(
      "--debug", [&options] { options.debug = DevOptions::Debug::kYes; },
      "Print how to attach gdb with the plugin's symbols");
  dev->callback([&] { chosen = [&] { return run(options); }; });
}

}  // namespace

int run_command_line(const std::vector<std::string>& args, const Programs& programs,
                     std::ostream& out, std::ostream& err) {
  auto parser = std::make_unique<CLI::App>(
      "Kubernetes controller manager whose controllers are plugins", "davit");
  CLI::App& app = *parser;
  Commands commands;
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text(), kVersionHelp);
  CLI::App* run_app = app.add_subcommand("run", "Run controllers against an API server");
  run_app->set_version_flag("--version", version_text(), kVersionHelp);
  add_run_flags(*run_app, commands.run);
  run_app->callback([&] { commands.chosen = [&] { return programs.run(commands.run); }; });
  add_manifest_command(app, commands, out, err);
  CLI::App* const plugin = add_plugin_command(app, commands, out, err);
  add_plugin_explore(*plugin, commands.plugin_explore, commands.chosen, programs.explore);
  add_plugin_validate(*plugin, commands.plugin_validate, commands.chosen, programs.validate);
  add_dev_command(app, commands.dev, commands.chosen, programs.dev);
  add_rbac_command(app, commands, out, err);
  const SandboxActions sandbox_actions{programs.sandbox, out, err};
  add_sandbox_command(app, commands.sandbox, sandbox_actions, commands.chosen);
  add_codegen_command(app, commands, out, err);
  add_demo_command(app, commands, programs);
  add_ctl_command(app, commands.ctl, commands.chosen, out, err);
  add_why_command(app, commands.why, commands.chosen, out, err);
  add_top_command(app, commands.top, commands.chosen, out, err);
  add_help_and_version(app, commands, out);
  add_reference_commands(app, commands.chosen, out, err);

  // A foreign command line is not davit's to parse.
  const auto foreign = names_from_flags(args) ? std::ranges::find(args, "--") : args.end();
  if (foreign != args.end()) commands.from_flags.args.assign(foreign + 1, args.end());
  std::vector<std::string> given;
  for (const std::string& arg : help_asked_for({args.begin(), foreign})) {
    add_normalised(arg, given);
  }
  if (names_a_group(app, given)) given.emplace_back("--help");
  // The parser handles --help in any position.
  const bool asks_for_help = !args.empty() && args.front() == "help";
  if (const std::string text = asks_for_help ? first_unknown(app, given) : ""; !text.empty()) {
    err << "davit: " << text << "\n";
    return kExitMistakes;
  }
  if (asks_for_raw_version(given)) {
    out << raw_version_text() << "\n";
    return kExitGood;
  }
  std::vector<std::string> reversed(given.rbegin(), given.rend());  // The parser's order.
  try {
    app.parse(reversed);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success, out, err);
  } catch (const CLI::ParseError& error) {
    std::string text = first_unknown(app, given);
    if (text.empty()) text = one_line(error.what()) + "; see davit --help";
    err << "davit: " << text << "\n";
    return kExitMistakes;
  }
  if (run_app->parsed()) parser.reset();  // The host runs for months, and would never use it.
  return commands.chosen();
}

}  // namespace davit::host
