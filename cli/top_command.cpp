#include "cli/top_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>
#include <vector>

#include "cli/ctl_command.hpp"
#include "cli/status_text.hpp"
#include "cli/top_view.hpp"
#include "host/control/control_request.hpp"
#include "host/control/control_socket.hpp"
#include "host/process/exit_codes.hpp"
#include "host/process/interruptions.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/unique_fd.hpp"

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

/// The keys of standard input as they are typed and without an echo, for as long as it lives. None
/// if standard input is not a terminal.
class Keyboard {
 public:
  Keyboard() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios direct = before_;
    direct.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    if (tcsetattr(STDIN_FILENO, TCSANOW, &direct) != 0) return;
    terminal_ = UniqueFd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard() {
    if (terminal_.valid()) tcsetattr(terminal_.get(), TCSANOW, &before_);
  }

  /// Readable when read() has something.
  [[nodiscard]] const UniqueFd& ready() const { return terminal_; }
  /// The keys that were typed; nothing: the terminal is gone.
  [[nodiscard]] std::optional<std::vector<TopKey>> read() {
    pollfd typed = {terminal_.get(), POLLIN, 0};
    if (!terminal_.valid() || poll(&typed, 1, 0) <= 0) return std::vector<TopKey>();
    std::array<char, 64> bytes{};
    const ssize_t count = ::read(terminal_.get(), bytes.data(), bytes.size());
    if (count <= 0) return std::nullopt;
    return decoder_.read({bytes.data(), static_cast<std::size_t>(count)});
  }

 private:
  termios before_{};
  UniqueFd terminal_;
  TopKeyDecoder decoder_;
};

std::string socket_of(const TopOptions& options) {
  if (!options.socket.empty()) return options.socket;
  return find_control_socket(runtime_directory());
}

int fail_top(const Status& why, std::ostream& err) {
  err << "davit: " << why.message() << "\n";
  return kExitFailed;
}

enum class Next { kUpdate, kEnd };

/// Shows `status` until `until`, as the keys want it. SIGHUP is ignored, so a terminal that is gone
/// shows in failed writes and reads.
Next show_until(Time until, const Json& status, TopView& view, FullScreen& screen,
                Keyboard& keyboard, const Interruptions& interruptions, const Clock& clock) {
  for (;;) {
    screen.show(view.frame(status, fit_terminal()));
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::max(until - clock.now(), Duration(0)));
    if (interruptions.wait(left, keyboard.ready()) != Interruptions::What::kNothing) {
      return Next::kEnd;
    }
    const std::optional<std::vector<TopKey>> keys = keyboard.read();
    if (!keys) return Next::kEnd;
    for (const TopKey each : *keys) {
      if (each == TopKey::kQuit) return Next::kEnd;
      view.press(each);
    }
    if (clock.now() >= until) return Next::kUpdate;
  }
}

/// Until interrupted or q is typed, `repetitions` times, or until the terminal is gone.
int show_live(const TopOptions& options, const std::string& socket, std::ostream& out,
              std::ostream& err) {
  const Interruptions interruptions;
  const auto interval =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(options.interval));
  const std::unique_ptr<Clock> clock = make_system_clock();
  TopView view;
  Status failed;
  {
    FullScreen screen(out);
    Keyboard keyboard;
    Next next = Next::kUpdate;
    for (unsigned shown = 0; next == Next::kUpdate && out.good(); ++shown) {
      if (options.repetitions != 0 && shown >= options.repetitions) break;
      const Result<Json> status = ask_status(socket);
      failed = status ? Status() : status.error();
      if (!failed.ok()) break;
      next = show_until(clock->now() + interval, *status, view, screen, keyboard, interruptions,
                        *clock);
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
