#include <iostream>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/demo_command.hpp"
#include "cli/dev_command.hpp"
#include "cli/explore_command.hpp"
#include "cli/run_command.hpp"
#include "cli/sandbox_command.hpp"
#include "cli/validate_command.hpp"
#include "host/loading/trial.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (!args.empty() && args.front() == davit::host::kTrialArgument) {
    davit::host::open_for_trial({args.begin() + 1, args.end()});
  }
  const davit::host::Programs programs{
      .run = davit::host::run_host,
      .sandbox =
          [](const davit::host::SandboxOptions& options) {
            return davit::host::run_sandbox(options, std::cout, std::cerr);
          },
      .demo =
          [](const davit::host::DemoOptions& options) {
            return davit::host::run_demo(options, std::cout, std::cerr);
          },
      .explore =
          [](const davit::host::PluginExploreOptions& options) {
            return davit::host::run_plugin_explore(options, std::cout, std::cerr);
          },
      .validate =
          [](const davit::host::PluginValidateOptions& options) {
            return davit::host::run_plugin_validate(options, std::cout, std::cerr);
          },
      .dev =
          [](const davit::host::DevOptions& options) {
            return davit::host::run_dev(options, std::cout, std::cerr);
          },
  };
  return davit::host::run_command_line(args, programs, std::cout, std::cerr);
}
