#include "host/cli/dev/tool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "host/base/unique_fd.hpp"

namespace davit::host {
namespace {

constexpr int kNoSuchProgram = 127;

[[noreturn]] void become(std::vector<char*>& argv, int output) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing.get(), STDIN_FILENO);
  execvp(argv[0], argv.data());
  _exit(kNoSuchProgram);
}

void take_lines(std::string& text, std::vector<std::string>& lines) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  text.erase(0, begin);
}

/// Reads until the tool has closed its end, or everything is to stop.
ToolRun::End listen(int output, Meanwhile& meanwhile, std::vector<std::string>& lines) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    std::array<pollfd, 3> ready{
        {{output, POLLIN, 0}, {meanwhile.stop_fd(), POLLIN, 0}, {meanwhile.busy_fd(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), -1) < 0) continue;
    if (ready[1].revents != 0) return ToolRun::End::kStopped;
    if (ready[2].revents != 0) meanwhile.attend();
    if (ready[0].revents == 0) continue;
    const ssize_t got = read(output, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    take_lines(text, lines);
  }
  if (!text.empty()) lines.push_back(text);
  return ToolRun::End::kDone;
}

}  // namespace

ToolRun run_tool(const std::vector<std::string>& argv, Meanwhile& meanwhile) {
  ToolRun run;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return run;
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  std::vector<char*> words;
  for (const std::string& each : argv) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return run;
  if (child == 0) become(words, input.get());
  setpgid(child, child);  // Whoever is first.
  input.reset();
  run.end = listen(output.get(), meanwhile, run.lines);
  if (run.end == ToolRun::End::kStopped) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (run.code == kNoSuchProgram && run.lines.empty()) run.end = ToolRun::End::kNotStarted;
  return run;
}

}  // namespace davit::host
