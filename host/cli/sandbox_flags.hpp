/// Declares `davit sandbox` and what is below it. The only headers of CLI11 are in .cpp files.
#pragma once

#include <functional>
#include <iosfwd>

#include "host/cli/nodes_command.hpp"

namespace davit::host {

/// What the parser fills.
struct SandboxFlags {
  SandboxNodesOptions nodes;
  NodePowerOptions node;
};

/// `chosen` is set to what the command line asks for. All references must outlive `app`.
void add_sandbox_command(CLI::App& app, SandboxFlags& flags, std::function<int()>& chosen,
                         std::ostream& out, std::ostream& err);

}  // namespace davit::host
