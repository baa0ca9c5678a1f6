/// Adds the flags of kube-controller-manager to `davit run`.
#pragma once

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace davit::host {

/// Adds the flags of the table that `app` does not have yet: those of controllers, and those
/// without effect. `options` is filled while `app` parses and must outlive it.
void add_upstream_flags(CLI::App& app, RunOptions& options);

}  // namespace davit::host
