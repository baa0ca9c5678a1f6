#include "cli/develop_flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <string>

namespace davit::host {

void add_plugin_validate(CLI::App& plugin, PluginValidateOptions& options,
                         std::function<int()>& chosen,
                         const std::function<int(const PluginValidateOptions&)>& run) {
  constexpr int kLimitMost = 3600;
  CLI::App* const app = plugin.add_subcommand(
      "validate", "Run a plugin through checks, each in a process of its own");
  app->add_option("FILE", options.file, "The .so file")->required();
  app->add_option("--seed", options.seed, "Of the hostile objects (default: another each time)");
  app->add_option("--timeout", options.limit_seconds, "Seconds that a check may take (default 60)")
      ->check(CLI::Range(1, kLimitMost))
      ->type_name("SECONDS");
  app->add_option("--check", options.checks,
                  "Only this check and what it needs; may be repeated (default: all)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME");
  app->add_option_function<std::string>(
         "-o,--output",
         [&options](const std::string& text) {
           using Output = PluginValidateOptions::Output;
           options.output = text == "json" ? Output::kJson : Output::kText;
         },
         "text or json (default text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  app->callback([&] { chosen = [&] { return run(options); }; });
}

void add_dev_command(CLI::App& app, DevOptions& options, std::function<int()>& chosen,
                     const std::function<int(const DevOptions&)>& run) {
  CLI::App* const dev = app.add_subcommand(
      "dev", "Build a plugin, run it, and swap it whenever its source has been saved");
  dev->add_option("DIR", options.directory, "Of the plugin's CMakeLists.txt (default .)");
  dev->add_option("--build-dir", options.build_directory,
                  "Where to build (default DIR/build/davit-dev)")
      ->type_name("DIR");
  dev->add_option("--kubeconfig", options.kubeconfig,
                  "The cluster to run on (default: a sandbox of its own)")
      ->type_name("FILE");
  dev->add_option("--plugin", options.plugin,
                  "Which of several plugins that are built to run, without .so")
      ->type_name("NAME");
  dev->add_option("--cmake-arg", options.cmake_args, "For cmake, as -DNAME=VALUE; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("ARG");
  dev->add_flag_callback(
      "--debug", [&options] { options.debug = DevOptions::Debug::kYes; },
      "Print how to attach gdb with the plugin's symbols");
  dev->callback([&] { chosen = [&] { return run(options); }; });
}

}  // namespace davit::host
