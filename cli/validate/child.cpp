#include "cli/validate/child.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "lib/base/take_until.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Printed lines that are kept: what a crash says of itself is at the end.
constexpr std::size_t kOutputLinesMax = 8;
/// A plugin that takes more than this for small objects takes without bound.
[[maybe_unused]] constexpr rlim_t kDataBytesMax = rlim_t{2} << 30;

void limit_resources() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // Their memory is larger.
  const rlimit data{kDataBytesMax, kDataBytesMax};
  setrlimit(RLIMIT_DATA, &data);
#endif
}

void take_word(const std::string& line, ChildRun& run, std::string& progress) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return;
  const std::string word = line.substr(0, space);
  const std::string text = line.substr(space + 1);
  if (word == "step") run.step = text;
  if (word == "progress") progress = text;
  if (word == "fail") run.failures.push_back(text);
  if (word == "warn") run.warnings.push_back(text);
  if (word == "note") run.notes.push_back(text);
  if (word == "done") run.end = ChildRun::End::kDone;
}

void take_printed(LineReader& printed, ChildRun& run) {
  for (std::string& line : printed.take(milliseconds(0))) run.output.push_back(std::move(line));
  if (run.output.size() > kOutputLinesMax) {
    run.output.erase(run.output.begin(), run.output.end() - kOutputLinesMax);
  }
}

/// Reads what the child says and prints until it has done its work, has ended, or is to end:
/// kTimedOut or kStopped then, else kDone.
ChildRun::End listen(const ChildProcess& child, int words_fd, const ChildTerms& terms,
                     ChildRun& run) {
  constexpr long kPollMs = 1000;
  const steady_clock::time_point begin = steady_clock::now();
  LineReader words(words_fd);
  LineReader printed(child.output_fd());
  std::string progress;
  while (run.end != ChildRun::End::kDone) {
    const auto time = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
    const long left = (terms.limit - time).count();
    if (left <= 0) return ChildRun::End::kTimedOut;
    if (terms.on_progress) terms.on_progress(progress, time);
    std::array<pollfd, 4> ready{{{words.ended() ? -1 : words_fd, POLLIN, 0},
                                 {printed.ended() ? -1 : child.output_fd(), POLLIN, 0},
                                 {terms.stop_fd, POLLIN, 0},
                                 {child.ended_fd(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), static_cast<int>(std::min(left, kPollMs))) <= 0) {
      continue;
    }
    if (ready[2].revents != 0) return ChildRun::End::kStopped;
    if (ready[0].revents != 0) {
      for (const std::string& line : words.take(milliseconds(0))) take_word(line, run, progress);
    }
    if (ready[1].revents != 0) take_printed(printed, run);
    // Its pipes are empty; a process that it left behind may hold them open.
    if (ready[0].revents == 0 && ready[1].revents == 0) return ChildRun::End::kDone;
  }
  take_printed(printed, run);  // Output that came before the last report.
  return ChildRun::End::kDone;
}

}  // namespace

void CheckReporter::leave() const {
  words_.say("done");
  _exit(0);  // Skips exit handlers and destructors that the plugin left behind.
}

void CheckReporter::write_line(std::string_view line) const { (void)write_all(fd_, line); }

void CheckReporter::fail_lines(std::string_view text) const {
  while (!text.empty()) fail(take_until(text, "\n"));
}

std::string ChildRun::failure_lines() const {
  std::string out;
  for (const std::string& each : failures) out += (out.empty() ? "" : "\n") + each;
  return out;
}

std::string ChildRun::failure() const {
  const std::string at = step.empty() ? "" : " (" + step + ")";
  switch (end) {
    case End::kDone:
      return "";
    case End::kEnded:
      return "ended the process with " + status.text() + at;
    case End::kStopped:
      return "was stopped" + at;
    case End::kTimedOut:
      return "did not finish in time" + at;
    case End::kNotStarted:
      return "cannot start a process";
  }
  return "";
}

ChildRun run_in_child(const ChildTerms& terms,
                      const std::function<void(const CheckReporter&)>& work) {
  ChildRun run;
  Result<Pipe> words = Pipe::open();
  if (!words) return run;
  const int words_out = words->write.get();
  const auto check = [&] {
    limit_resources();
    const CheckReporter reporter(words_out);
    work(reporter);
    reporter.leave();
  };
  Result<ChildProcess> child = ChildProcess::start(ChildProcess::Function{
      .run = check, .kept = {words_out}, .captured = ChildProcess::Captured::kOutputAndErrors});
  if (!child) return run;
  words->write.reset();
  const ChildRun::End end = listen(*child, words->read.get(), terms, run);
  child->kill();  // Processes that it left behind, too.
  const ExitStatus status = child->reap();
  if (run.end == ChildRun::End::kDone) return run;
  run.end = end == ChildRun::End::kDone ? ChildRun::End::kEnded : end;
  run.status = status;
  return run;
}

}  // namespace davit::host
