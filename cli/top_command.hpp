/// `davit top`: the state of a running host, live.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace CLI {
class App;
}

namespace davit::host {

struct TopOptions {
  std::string socket;        ///< Empty: the default one.
  double interval = 1;       ///< Seconds.
  unsigned repetitions = 0;  ///< 0: until interrupted, or once if the output is not a terminal.
};

/// Returns the exit code: 0, or 1 without a host.
[[nodiscard]] int run_top(const TopOptions& options, std::ostream& out, std::ostream& err);

/// Adds the command; parsing fills `options` and sets `chosen` to what runs it. All is borrowed.
void add_top_command(CLI::App& app, TopOptions& options, std::function<int()>& chosen,
                     std::ostream& out, std::ostream& err);

}  // namespace davit::host
