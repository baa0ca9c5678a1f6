/// Child processes of the live tests: started without a shell, output kept in a file, stopped by
/// pid.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace davit::live {

/// Ends the test program: what it needs cannot be had.
[[noreturn]] void give_up(const std::string& what);

/// A running child. The destructor kills it and waits, also when a test fails. Not thread-safe.
class Process {
 public:
  /// Starts `argv[0]`. Standard output and error go to `log`. Ends the test program when it cannot
  /// be started.
  Process(const std::vector<std::string>& argv, std::filesystem::path log,
          const std::vector<std::string>& env = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running();
  void signal(int number) const;
  /// Waits for the end; the exit code, 128 + signal when it was killed, or nothing when `limit`
  /// passed.
  std::optional<int> wait(std::chrono::milliseconds limit);
  /// The output so far.
  [[nodiscard]] std::string output() const;

 private:
  bool reap();

  std::filesystem::path log_;
  pid_t pid_ = -1;
  std::optional<int> exit_code_;
};

/// The result of a finished command.
struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs a command to its end. `input` becomes its standard input. Killed (code 124) after `limit`.
[[nodiscard]] Outcome run(const std::vector<std::string>& argv, const std::string& input = "",
                          const std::vector<std::string>& env = {},
                          std::chrono::milliseconds limit = std::chrono::minutes(5));

/// The one place where live tests wait: asks `done` every `interval` until it is true or `limit`
/// has passed; says which.
[[nodiscard]] bool eventually(std::chrono::milliseconds limit, const std::function<bool()>& done,
                              std::chrono::milliseconds interval = std::chrono::milliseconds(20));

/// A directory of its own below the system's temporary one, removed at the end.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A loopback TCP port that is free, and that no other test and no client is given until this
/// program ends.
[[nodiscard]] int free_port();

/// The whole file, or "" when it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace davit::live
