#include "cli/progress_line.hpp"

#include <unistd.h>

#include <cstdlib>
#include <ostream>
#include <string_view>

namespace davit::host {
namespace {

/// The interval of the lines in a log.
constexpr std::chrono::seconds kLineEvery{10};
/// Goes to the line's begin and clears it.
constexpr const char* kClearLine = "\r\x1b[K";
/// The longest text that fits on a line of any terminal.
constexpr std::size_t kLineMost = 78;

}  // namespace

ProgressLine::Screen ProgressLine::screen_of_stdout() {
  const char* const term = getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  return isatty(STDOUT_FILENO) == 1 && !dumb ? Screen::kTerminal : Screen::kLog;
}

void ProgressLine::show(const std::string& what, std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  if (seconds.count() == 0) next_line_ = kLineEvery;
  const std::string line = what + ", " + std::to_string(seconds.count()) + " s";
  if (screen_ == Screen::kTerminal) {
    if (line == shown_) return;
    out_ << kClearLine << line.substr(0, kLineMost) << std::flush;
    shown_ = line;
  } else if (seconds >= next_line_) {
    next_line_ = seconds + kLineEvery;
    out_ << line << "\n" << std::flush;
  }
}

void ProgressLine::clear() {
  if (!shown_.empty()) out_ << kClearLine;
  shown_.clear();
}

}  // namespace davit::host
