/// Reads a command line of kube-controller-manager as that program does. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/upstream/flag_table.hpp"

namespace davit::host {

/// A flag of a command line with its values, in order.
struct GivenFlag {
  FoundFlag found;
  std::vector<std::string> values;
};

/// The flags of a command line, each once, in the order of their first appearance.
struct GivenFlags {
  std::vector<GivenFlag> flags;
  std::vector<std::string> problems;  ///< One line for each argument that cannot be read.
};

/// `args` may begin with the program. Rules: github.com/spf13/pflag.
[[nodiscard]] GivenFlags read_command_line(const std::vector<std::string>& args);

}  // namespace davit::host
