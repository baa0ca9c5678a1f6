/// The command line of `davit ctl`.
#pragma once

#include <functional>
#include <iosfwd>

#include "cli/ctl_command.hpp"

namespace CLI {
class App;
}

namespace davit::host {

/// Adds the command and what is below it; parsing fills `options` and sets `chosen` to what runs
/// it. Everything is borrowed until then.
void add_ctl_command(CLI::App& app, CtlOptions& options, std::function<int()>& chosen,
                     std::ostream& out, std::ostream& err);

}  // namespace davit::host
