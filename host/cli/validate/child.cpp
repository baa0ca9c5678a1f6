#include "host/cli/validate/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "host/base/unique_fd.hpp"
#include "host/base/write_all.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Printed lines that are kept: what a crash says of itself is at the end.
constexpr std::size_t kOutputLinesMax = 8;
/// A plugin that takes more than this for small objects takes without bound.
constexpr rlim_t kDataBytesMax = rlim_t{2} << 30;

struct Pipe {
  UniqueFd read;
  UniqueFd write;

  [[nodiscard]] bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = UniqueFd(ends[0]);
    write = UniqueFd(ends[1]);
    return true;
  }
};

[[noreturn]] void be_the_child(const Pipe& words, const Pipe& output,
                               const std::function<void(const CheckReporter&)>& work) {
  setpgid(0, 0);
  sigset_t none_blocked;
  sigemptyset(&none_blocked);
  sigprocmask(SIG_SETMASK, &none_blocked, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const rlimit data{kDataBytesMax, kDataBytesMax};
  setrlimit(RLIMIT_DATA, &data);
  dup2(output.write.get(), STDOUT_FILENO);
  dup2(output.write.get(), STDERR_FILENO);
  const CheckReporter reporter(words.write.get());
  work(reporter);
  reporter.leave();
}

/// Puts whole lines of `text` into `lines`; the rest stays.
void split(std::string& text, std::vector<std::string>& lines) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  text.erase(0, begin);
}

void take(const std::string& line, ChildRun& run, std::string& progress) {
  if (line.empty()) return;
  const std::string text = line.substr(1);
  switch (line.front()) {
    case 's':
      run.step = text;
      return;
    case 'p':
      progress = text;
      return;
    case 'f':
      run.failures.push_back(text);
      return;
    case 'w':
      run.warnings.push_back(text);
      return;
    case 'n':
      run.notes.push_back(text);
      return;
    default:
      run.end = ChildRun::End::kDone;
  }
}

/// Reads both pipes until the child has done its work, closed them, or is to end: kTimedOut or
/// kStopped then, else kDone.
ChildRun::End listen(Pipe& words, Pipe& output, const ChildTerms& terms, ChildRun& run) {
  constexpr long kLookMs = 1000;
  const steady_clock::time_point begin = steady_clock::now();
  std::string spoken;
  std::string printed;
  std::string progress;
  std::array<char, 4096> buffer{};
  while (run.end != ChildRun::End::kDone && words.read.valid()) {
    const auto time = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
    const long left = (terms.limit - time).count();
    if (left <= 0) return ChildRun::End::kTimedOut;
    if (terms.on_progress) terms.on_progress(progress, time);
    std::array<pollfd, 3> ready{{{words.read.get(), POLLIN, 0},
                                 {output.read.get(), POLLIN, 0},
                                 {terms.stop_fd, POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), static_cast<int>(std::min(left, kLookMs))) <= 0) {
      continue;
    }
    if (ready[2].revents != 0) return ChildRun::End::kStopped;
    for (std::size_t i = 0; i < 2; ++i) {
      if (ready.at(i).revents == 0) continue;
      const ssize_t got = read(ready.at(i).fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      UniqueFd& from = i == 0 ? words.read : output.read;
      if (got <= 0) {
        from.reset();
        continue;
      }
      (i == 0 ? spoken : printed).append(buffer.data(), static_cast<std::size_t>(got));
    }
    std::vector<std::string> lines;
    split(spoken, lines);
    for (const std::string& line : lines) take(line, run, progress);
    split(printed, run.output);
  }
  // What it printed last may still be on its way.
  pollfd last{output.read.get(), POLLIN, 0};
  while (output.read.valid() && poll(&last, 1, 0) > 0 && (last.revents & POLLIN) != 0) {
    const ssize_t got = read(last.fd, buffer.data(), buffer.size());
    if (got <= 0) break;
    printed.append(buffer.data(), static_cast<std::size_t>(got));
  }
  split(printed, run.output);
  return ChildRun::End::kDone;
}

}  // namespace

void CheckReporter::say(char kind, std::string_view text) const {
  std::string line(1, kind);
  line += text;
  std::replace(line.begin() + 1, line.end(), '\n', ' ');
  line += '\n';
  (void)write_all(fd_, line);  // It fails when nobody listens any more.
}

void CheckReporter::leave() const {
  say('d', "");
  _exit(0);  // What the plugin left behind is not to end the process in its own way.
}

std::string ChildRun::failure() const {
  const std::string at = step.empty() ? "" : " (" + step + ")";
  switch (end) {
    case End::kDone:
      return "";
    case End::kCrashed: {
      const char* const name = sigabbrev_np(number);
      return "ended the process with SIG" + std::string(name == nullptr ? "?" : name) + at;
    }
    case End::kExited:
      return "ended the process with exit status " + std::to_string(number) + at;
    case End::kStopped:
      return "was stopped" + at;
    case End::kTimedOut:
      return "did not come back in time" + at;
    case End::kNotStarted:
      return "cannot start a process";
  }
  return "";
}

ChildRun run_in_child(const ChildTerms& terms,
                      const std::function<void(const CheckReporter&)>& work) {
  ChildRun run;
  Pipe words;
  Pipe output;
  if (!words.open() || !output.open()) return run;
  const pid_t child = fork();
  if (child < 0) return run;
  if (child == 0) be_the_child(words, output, work);
  setpgid(child, child);  // Whoever is first.
  words.write.reset();
  output.write.reset();
  const ChildRun::End heard = listen(words, output, terms, run);
  // Grandchildren have the same group; the child itself may have ended already.
  if (heard != ChildRun::End::kDone || run.end == ChildRun::End::kDone) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);
  if (run.output.size() > kOutputLinesMax) {
    run.output.erase(run.output.begin(), run.output.end() - kOutputLinesMax);
  }
  if (run.end == ChildRun::End::kDone) return run;
  if (heard != ChildRun::End::kDone) {
    run.end = heard;
  } else if (WIFSIGNALED(status)) {
    run.end = ChildRun::End::kCrashed;
    run.number = WTERMSIG(status);
  } else {
    run.end = ChildRun::End::kExited;
    run.number = WEXITSTATUS(status);
  }
  return run;
}

}  // namespace davit::host
