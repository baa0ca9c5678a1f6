/// Runs plugin code in a separate process, so that a crash there is a finding and harms nothing
/// else.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/child_process.hpp"
#include "lib/base/line_pipe.hpp"

namespace davit::host {

/// Reports from a check in the child to its parent while it works. Any thread.
class CheckReporter {
 public:
  /// `fd` is the parent's pipe, borrowed.
  explicit CheckReporter(int fd) : fd_(fd), words_(fd) {}

  /// Announces the next step. If the child dies during its work, the failure names the last step.
  void step(std::string_view what) const { words_.say("step", what); }
  /// Reports progress for people who wait: "12 of 64 objects".
  void progress(std::string_view what) const { words_.say("progress", what); }
  void fail(std::string_view what) const { words_.say("fail", what); }
  /// A failure for each line of `text`.
  void fail_lines(std::string_view text) const;
  /// The same for a signal handler: `line` is "fail", a space, the text and a line break.
  void write_line(std::string_view line) const;
  void warn(std::string_view what) const { words_.say("warn", what); }
  /// A note for the reader.
  void note(std::string_view what) const { words_.say("note", what); }
  /// The work has been done; ends the child on the spot. Also where something still runs that will
  /// not end, and no destructor may wait for it.
  [[noreturn]] void leave() const;

 private:
  int fd_;
  LineWriter words_;
};

/// The exit and the output of a child.
struct ChildRun {
  enum class End { kDone, kEnded, kTimedOut, kStopped, kNotStarted };

  End end = End::kNotStarted;
  ExitStatus status;  ///< The status of a child that ended before its work did.
  std::string step;   ///< The last one.
  std::vector<std::string> failures;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  std::vector<std::string> output;  ///< The last lines that it printed.

  /// The failures, one a line.
  [[nodiscard]] std::string failure_lines() const;
  /// Why the work was not done to its end, one line; empty when it was.
  [[nodiscard]] std::string failure() const;
};

/// Limits of a child's work, and the observer of its progress.
struct ChildTerms {
  std::chrono::milliseconds limit;
  int stop_fd = -1;  ///< Readable as soon as the child is to end; borrowed. -1: none.
  /// Called on each progress() and about once a second, with the time since the start. May be
  /// empty.
  std::function<void(std::string_view progress, std::chrono::milliseconds time)> on_progress{};
};

/// Runs `work` in a child of this process, which must have one thread only, and ends the child with
/// all its own children when its time is over. The child blocks no signals.
[[nodiscard]] ChildRun run_in_child(const ChildTerms& terms,
                                    const std::function<void(const CheckReporter&)>& work);

}  // namespace davit::host
