/// Child processes of the live tests: started without a shell, stopped by pid, with their output in
/// a file.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace davit::live {

/// Ends the test program because it lacks something that it needs.
[[noreturn]] void give_up(const std::string& what);

/// A running child. The destructor kills it and waits for it, even if a test fails. Not
/// thread-safe.
class Process {
 public:
  /// Starts `argv[0]` with standard output and error written to `log`. Ends the test program if it
  /// cannot be started.
  Process(const std::vector<std::string>& argv, std::filesystem::path log,
          const std::vector<std::string>& env = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running();
  void signal(int number) const;
  /// Waits for the end. Returns the exit code, 128 + signal if it was killed, or nothing if `limit`
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

/// Runs a command with `input` as its standard input, and waits for its end. Kills it (code 124)
/// after `limit`.
[[nodiscard]] Outcome run(const std::vector<std::string>& argv, const std::string& input = "",
                          const std::vector<std::string>& env = {},
                          std::chrono::milliseconds limit = std::chrono::minutes(5));

/// The only function with which live tests wait: calls `done` every `interval` until it returns
/// true or `limit` has passed. Returns whether it was true.
[[nodiscard]] bool eventually(std::chrono::milliseconds limit, const std::function<bool()>& done,
                              std::chrono::milliseconds interval = std::chrono::milliseconds(20));

/// A new directory below the system's temporary one, removed at the end.
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

/// A free loopback TCP port that no other test or client gets until this program ends.
[[nodiscard]] int free_port();

/// The whole file, or "" if it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace davit::live
