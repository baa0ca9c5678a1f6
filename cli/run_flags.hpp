/// Declares the flags of `davit run`. The only headers of CLI11 are in .cpp files.
#pragma once

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace davit::host {

/// Adds every flag to `app`, in groups. `options` is filled while `app` parses and must outlive it.
void add_run_flags(CLI::App& app, RunOptions& options);

}  // namespace davit::host
