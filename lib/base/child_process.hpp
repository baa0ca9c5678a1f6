/// Child processes: other programs, and functions of this program in a separate process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <davit/result.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/unique_fd.hpp"

namespace davit {

/// The two ends of a pipe. A program that is started inherits neither.
struct Pipe {
  UniqueFd read;
  UniqueFd write;

  /// kUnavailable: the system has no descriptors left.
  [[nodiscard]] static Result<Pipe> open();
};

/// The exit code or signal with which a process ended.
struct ExitStatus {
  int code = 0;    ///< The exit code, unless a signal ended the process.
  int signal = 0;  ///< The signal that ended the process; 0: it exited.

  [[nodiscard]] bool ok() const { return code == 0 && signal == 0; }
  /// The exit code, or 128 + signal, as a shell reports it.
  [[nodiscard]] int shell_code() const { return signal == 0 ? code : 128 + signal; }
  /// "exit status 1" or "SIGSEGV".
  [[nodiscard]] std::string text() const;
};

/// A process that this one started; the destructor kills and reaps it. It reads /dev/null, blocks
/// no signals, and of this process's descriptors has only those that its options name. One thread
/// at a time; waiting never polls.
class ChildProcess {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  /// The processes that kill() and a signal from the terminal reach.
  enum class Group {
    kOwn,     ///< The child with the processes that it starts; a Ctrl-C does not reach them.
    kCallers  ///< The child stays in this process's group and may use its terminal.
  };
  /// The streams that output_fd() reads. The child inherits the others from this process.
  enum class Captured { kNothing, kOutput, kOutputAndErrors };
  enum class Read { kAll, kTooMuch, kTimedOut };

  struct Program {
    std::vector<std::string> argv;  ///< The first is looked up in PATH.
    /// Added to this process's environment. The last of one name counts.
    std::vector<std::pair<std::string, std::string>> environment{};
    Captured captured = Captured::kOutputAndErrors;
    Group group = Group::kOwn;
    /// Descriptors of this process that the program has as 3, 4, … in this order.
    std::vector<int> passed{};
  };
  struct Function {
    std::function<void()> run;
    std::vector<int> kept{};  ///< Descriptors that stay open in the child.
    Captured captured = Captured::kNothing;
  };

  /// Starts a program. kNotFound: it does not exist; kUnavailable: the system cannot start it. Any
  /// thread.
  [[nodiscard]] static Result<ChildProcess> start(const Program& program);
  /// Runs a function in a copy of this process, which must have only one thread, in a new process
  /// group. The child exits with 0 when the function returns, without destructors, and is killed
  /// when this process ends. kUnavailable: the system cannot start a process.
  [[nodiscard]] static Result<ChildProcess> start(const Function& function);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable once the child has ended.
  [[nodiscard]] int ended_fd() const { return ended_.get(); }
  /// The read end of what is captured; -1: nothing is.
  [[nodiscard]] int output_fd() const { return output_.get(); }

  /// Appends the output to `out` until every process that holds its pipe has closed it.
  [[nodiscard]] Read read_output(std::string& out, std::size_t bytes_max, Moment end);
  /// Waits for the end of the child; false when `end` comes first.
  [[nodiscard]] bool wait_until(Moment end) const;
  /// Kills the child and, if it has its own process group, the remaining processes that it started,
  /// even after its own end. Has no effect after reap().
  void kill() const;
  /// Waits for the end of the child without a limit and releases it. Called once.
  ExitStatus reap();

 private:
  ChildProcess(pid_t pid, Group group, UniqueFd output);
  static Result<ChildProcess> watched(ChildProcess child);

  pid_t pid_;  // -1: reaped, or moved from.
  Group group_;
  UniqueFd output_;
  UniqueFd ended_;  // A pidfd.
};

}  // namespace davit
