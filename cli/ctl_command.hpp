/// `davit ctl`: orders to a running host.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "host/control/control_request.hpp"

namespace CLI {
class App;
}

namespace davit::host {

struct CtlOptions {
  enum class Output { kText, kWide, kJson, kYaml };

  std::string command;  ///< See ControlRequest.
  std::string name;
  std::string file;   ///< Relative to the working directory.
  std::string state;  ///< See ControlRequest, as the next two.
  std::int64_t watch_ms = -1;
  std::int64_t max_error_percent = 20;
  std::string socket;  ///< Empty: the default one.
  Output output = Output::kText;
};

/// Returns the exit code: 0 done, 1 refused or no host there, 2 a usage mistake.
[[nodiscard]] int run_ctl(const CtlOptions& options, std::ostream& out, std::ostream& err);

/// Sends a request to the host that listens at `socket` (empty: the default one) and prints the
/// text of its response, or all of the response. Returns the exit code as run_ctl().
[[nodiscard]] int ask_and_print(const std::string& socket, const ControlRequest& request,
                                CtlOptions::Output output, std::ostream& out, std::ostream& err);

/// Adds the flag --control-socket.
void add_control_socket(CLI::App& app, std::string& socket);

/// Adds the command and what is below it; parsing fills `options` and sets `chosen` to what runs
/// it. Everything is borrowed until then.
void add_ctl_command(CLI::App& app, CtlOptions& options, std::function<int()>& chosen,
                     std::ostream& out, std::ostream& err);

}  // namespace davit::host
