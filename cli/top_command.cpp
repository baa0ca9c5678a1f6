#include "cli/top_command.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <chrono>
#include <ostream>
#include <thread>

#include "cli/ctl_command.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interruptions.hpp"
#include "cli/status_text.hpp"
#include "host/control/control_request.hpp"
#include "host/control/control_socket.hpp"

namespace davit::host {
namespace {

/// The document of the host at `socket`.
Result<Json> ask_status(const std::string& socket) {
  const Result<std::string> line =
      ask_host(socket, to_line({.command = "status", .name = "", .file = ""}));
  if (!line) return line.error();
  Result<Json> response = parse_json(*line);
  if (!response) return response.error();
  const Json* const host = response->find("host");
  if (host == nullptr || host->empty()) {
    return Status(Code::kUnsupported, "the host at " + socket + " is older and has no such status");
  }
  return *host;
}

StatusTextOptions fit_terminal() {
  StatusTextOptions options{.colours = output_colours()};
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1) {
    options.rows_max = size.ws_row - 1U;
    options.columns_max = size.ws_col;
  }
  return options;
}

/// The alternate screen without a cursor, for as long as it lives.
class FullScreen {
 public:
  explicit FullScreen(std::ostream& out) : out_(out) {
    out_ << "\033[?1049h\033[?25l" << std::flush;
  }
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;
  ~FullScreen() { out_ << "\033[?25h\033[?1049l" << std::flush; }

  /// Replaces what is shown without flicker.
  void show(const std::string& text) {
    out_ << "\033[H";
    std::size_t from = 0;
    for (std::size_t end = 0; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
      out_ << text.substr(from, end - from) << "\033[K\r\n";
    }
    out_ << "\033[J" << std::flush;
  }

 private:
  std::ostream& out_;
};

std::string socket_of(const TopOptions& options) {
  if (!options.socket.empty()) return options.socket;
  return find_control_socket(runtime_directory());
}

int fail_top(const Status& why, std::ostream& err) {
  err << "davit: " << why.message() << "\n";
  return kExitFailed;
}

/// Until interrupted, `repetitions` times, or until the terminal is gone. SIGHUP is ignored, so a
/// failed write is what shows the latter.
int show_live(const TopOptions& options, const std::string& socket, std::ostream& out,
              std::ostream& err) {
  const Interruptions interruptions;
  const auto interval = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(options.interval));
  Status failed;
  {
    FullScreen screen(out);
    for (unsigned shown = 0; failed.ok(); ++shown) {
      if (options.repetitions != 0 && shown >= options.repetitions) break;
      const Result<Json> status = ask_status(socket);
      if (status) screen.show(status_text(*status, fit_terminal()));
      failed = status ? Status() : status.error();
      if (!failed.ok() || !out.good() ||
          interruptions.wait(interval) != Interruptions::What::kNothing)
        break;
    }
  }
  return failed.ok() ? kExitGood : fail_top(failed, err);
}

}  // namespace

int run_top(const TopOptions& options, std::ostream& out, std::ostream& err) {
  const std::string socket = socket_of(options);
  if (isatty(STDOUT_FILENO) == 1 && options.repetitions != 1) {
    return show_live(options, socket, out, err);
  }
  const unsigned count = options.repetitions == 0 ? 1 : options.repetitions;
  for (unsigned i = 0; i < count; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
    const Result<Json> status = ask_status(socket);
    if (!status) return fail_top(status.error(), err);
    out << status_text(*status, {.colours = output_colours()}) << std::flush;
  }
  return kExitGood;
}

void add_top_command(CLI::App& app, TopOptions& options, std::function<int()>& chosen,
                     std::ostream& out, std::ostream& err) {
  CLI::App* const top = app.add_subcommand(
      "top", "Show controllers, informers, leadership and plugins of a running host, live");
  add_control_socket(*top, options.socket);
  CLI::Option* const count =
      top->add_option("-n,--iterations", options.repetitions,
                      "How often to show it (default: until interrupted; once into a pipe)")
          ->check(CLI::Range(1U, 1000000U))
          ->type_name("N");
  top->add_flag_callback(
         "--once", [&options] { options.repetitions = 1; }, "Show it once, as text")
      ->excludes(count);
  constexpr double kShortest = 0.1;
  constexpr double kLongest = 3600;
  top->add_option("-d,--interval", options.interval, "Seconds between updates (default 1)")
      ->check(CLI::Range(kShortest, kLongest))
      ->type_name("SECONDS");
  top->callback([&] { chosen = [&] { return run_top(options, out, err); }; });
}

}  // namespace davit::host
