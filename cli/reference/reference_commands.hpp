/// `davit completion` and `davit manual`: what packages ship beside the program, made from the
/// program's own commands and flags.
#pragma once

#include <functional>
#include <iosfwd>

namespace CLI {
class App;
}

namespace davit::host {

/// Adds both commands to `app`, which they describe when they run. `chosen` is set to the action
/// when one is given. The references outlive the parsing.
void add_reference_commands(CLI::App& app, std::function<int()>& chosen, std::ostream& out,
                            std::ostream& err);

}  // namespace davit::host
