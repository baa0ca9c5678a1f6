#include "host/cli/develop_flags.hpp"

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

}  // namespace davit::host
