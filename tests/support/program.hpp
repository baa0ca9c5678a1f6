/// Programs that a test starts.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "lib/base/unique_fd.hpp"

namespace davit::test {

/// A program as a process, with what it writes on standard error.
class Program {
 public:
  Program(const std::string& file, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), file);
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    UniqueFd write_end(pipe[1]);
    read_end_ = UniqueFd(pipe[0]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, read_end_.get());
    std::vector<char*> argv;
    for (std::string& each : arguments) argv.push_back(each.data());
    argv.push_back(nullptr);
    EXPECT_EQ(::posix_spawn(&process_, file.c_str(), &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (process_ > 0) (void)wait();
  }

  /// Reads until `text` has come or the program has ended.
  void await(const std::string& text) {
    std::array<char, 4096> piece{};
    while (said_.find(text) == std::string::npos) {
      const ssize_t got = ::read(read_end_.get(), piece.data(), piece.size());
      if (got <= 0) return;
      said_.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  void terminate() const { ::kill(process_, SIGTERM); }
  /// Its exit code; -1 when a signal ended it.
  int wait() {
    await("what is never said");
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  UniqueFd read_end_;
  pid_t process_ = 0;
  std::string said_;
};

}  // namespace davit::test
