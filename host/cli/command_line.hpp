/// The command line: which command, with which flags.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "host/cli/options.hpp"

namespace davit::host {

/// Parses `args` (without the program's name), runs the command and returns the exit code: a usage
/// mistake is one line on `err` and 2. `run` is what `davit run` does. Blocks as long as the
/// command does.
[[nodiscard]] int run_command_line(const std::vector<std::string>& args,
                                   const std::function<int(const RunOptions&)>& run,
                                   std::ostream& out, std::ostream& err);

}  // namespace davit::host
