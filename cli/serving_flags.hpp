/// Declares the flags of `davit run` for HTTPS, authentication and authorization.
#pragma once

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace davit::host {

/// Adds the flags to `app`, in kube-controller-manager's groups. `options` is filled while `app`
/// parses and must outlive it.
void add_serving_flags(CLI::App& app, RunOptions& options);

}  // namespace davit::host
