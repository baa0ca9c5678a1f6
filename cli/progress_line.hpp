/// The progress of a command that takes its time.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

namespace davit::host {

/// One line at a time; one thread.
class ProgressLine {
 public:
  enum class Screen {
    kTerminal,  ///< One line is written again and again.
    kLog,       ///< A line now and then.
  };
  /// kTerminal if the standard output is one that can move its cursor.
  [[nodiscard]] static Screen screen_of_stdout();

  /// `out` is borrowed.
  ProgressLine(std::ostream& out, Screen screen) : out_(out), screen_(screen) {}

  /// Says what runs, and for how long: on a terminal each time, in a log every ten seconds. A time
  /// below a second begins another piece of work.
  void show(const std::string& what, std::chrono::milliseconds time);
  /// Clears the line of a terminal, for a result in its place.
  void clear();

 private:
  std::ostream& out_;
  const Screen screen_;
  std::string shown_;                 // The line of the terminal.
  std::chrono::seconds next_line_{};  // In a log.
};

}  // namespace davit::host
