/// The command line: which command, with which flags.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/demo_command.hpp"
#include "cli/dev_command.hpp"
#include "cli/explore_command.hpp"
#include "cli/options.hpp"
#include "cli/sandbox_options.hpp"
#include "cli/validate_command.hpp"

namespace davit::host {

/// The commands that run a host or a plugin; each returns the exit code.
struct Programs {
  std::function<int(const RunOptions&)> run;                  ///< `davit run`
  std::function<int(const SandboxOptions&)> sandbox;          ///< `davit sandbox`
  std::function<int(const DemoOptions&)> demo;                ///< `davit demo`
  std::function<int(const PluginExploreOptions&)> explore;    ///< `davit plugin explore`
  std::function<int(const PluginValidateOptions&)> validate;  ///< `davit plugin validate`
  std::function<int(const DevOptions&)> dev;                  ///< `davit dev`
};

/// Parses `args` (without the program's name), runs the command and returns the exit code: a usage
/// mistake is one line on `err` and 2. Blocks as long as the command does.
[[nodiscard]] int run_command_line(const std::vector<std::string>& args, const Programs& programs,
                                   std::ostream& out, std::ostream& err);

}  // namespace davit::host
