#include "cli/ctl_command.hpp"

#include <filesystem>
#include <ostream>

#include "cli/exit_codes.hpp"
#include "host/control/control_request.hpp"
#include "host/control/control_socket.hpp"

namespace davit::host {

int run_ctl(const CtlOptions& options, std::ostream& out, std::ostream& err) {
  const std::string socket = options.socket.empty() ? default_control_socket() : options.socket;
  if (socket.empty()) {
    err << "davit: where does the host listen? XDG_RUNTIME_DIR is not set: give --control-socket\n";
    return kExitMistakes;
  }
  ControlRequest request{
      .command = options.command, .name = options.name, .file = "", .state = options.state};
  if (options.watch_ms >= 0) {
    request.watch_ms = options.watch_ms;
    request.max_error_percent = options.max_error_percent;
  }
  // The host's working directory is another one.
  if (!options.file.empty()) request.file = std::filesystem::absolute(options.file).string();
  const Result<std::string> line = ask_host(socket, to_line(request));
  if (!line) {
    err << "davit: " << line.error().message() << "\n";
    return kExitFailed;
  }
  const Result<ControlResponse> response = parse_response(*line);
  if (!response) {
    err << "davit: " << socket << ": " << response.error().message() << "\n";
    return kExitFailed;
  }
  const bool done = response->success == ControlResponse::Success::kYes;
  if (options.output == CtlOptions::Output::kJson) {
    out << *line << "\n";
  } else if (done) {
    out << response->text << "\n";
  } else {
    err << "davit: " << response->text << "\n";
  }
  return done ? kExitGood : kExitFailed;
}

}  // namespace davit::host
