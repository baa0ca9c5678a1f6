/// Declares `davit sandbox` and what is below it. The only headers of CLI11 are in .cpp files.
#pragma once

#include <functional>
#include <iosfwd>

#include "cli/nodes_command.hpp"
#include "cli/sandbox_options.hpp"

namespace davit::host {

/// The values that the parser fills in.
struct SandboxFlags {
  SandboxOptions sandbox;
  SandboxNodesOptions nodes;
  NodePowerOptions node;
};

/// The actions of `davit sandbox` and its subcommands.
struct SandboxActions {
  std::function<int(const SandboxOptions&)> sandbox;
  std::ostream& out;
  std::ostream& err;
};

/// `chosen` is set to what the command line asks for. All references must outlive `app`.
void add_sandbox_command(CLI::App& app, SandboxFlags& flags, const SandboxActions& actions,
                         std::function<int()>& chosen);

}  // namespace davit::host
