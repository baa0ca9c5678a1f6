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

/// Reads what a child says and prints.
class ChildOutput {
 public:
  /// All of these outlive it.
  ChildOutput(const ChildProcess& child, int words_fd, const ChildTerms& terms, ChildRun& run)
      : child_(child),
        words_fd_(words_fd),
        terms_(terms),
        run_(run),
        words_(words_fd),
        printed_(child.output_fd()) {}

  /// Reads until the child has done its work, has ended, or is to end: kTimedOut or kStopped then,
  /// else kDone.
  [[nodiscard]] ChildRun::End listen();
  /// Reads what is there now, up to the limits of LineReader.
  void take_rest() {
    take_words();
    take_printed();
  }

 private:
  [[nodiscard]] milliseconds time() const {
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin_);
  }
  void report_progress() const {
    if (terms_.on_progress) terms_.on_progress(progress_, time());
  }
  void take_words() {
    for (const std::string& line : words_.take(milliseconds(0))) take_word(line);
  }
  void take_word(const std::string& line);
  void take_printed();

  const ChildProcess& child_;
  const int words_fd_;
  const ChildTerms& terms_;
  ChildRun& run_;
  const steady_clock::time_point begin_ = steady_clock::now();
  LineReader words_;
  LineReader printed_;
  std::string progress_;
};

void ChildOutput::take_word(const std::string& line) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return;
  const std::string word = line.substr(0, space);
  const std::string text = line.substr(space + 1);
  if (word == "step") run_.step = text;
  if (word == "fail") run_.failures.push_back(text);
  if (word == "warn") run_.warnings.push_back(text);
  if (word == "note") run_.notes.push_back(text);
  if (word == "done") run_.end = ChildRun::End::kDone;
  if (word == "progress") {
    progress_ = text;
    report_progress();
  }
}

void ChildOutput::take_printed() {
  for (std::string& line : printed_.take(milliseconds(0))) run_.output.push_back(std::move(line));
  if (run_.output.size() > kOutputLinesMax) {
    run_.output.erase(run_.output.begin(), run_.output.end() - kOutputLinesMax);
  }
}

ChildRun::End ChildOutput::listen() {
  constexpr long kPollMs = 1000;
  while (run_.end != ChildRun::End::kDone) {
    const long left = (terms_.limit - time()).count();
    if (left <= 0) return ChildRun::End::kTimedOut;
    report_progress();
    std::array<pollfd, 4> ready{{{words_.ended() ? -1 : words_fd_, POLLIN, 0},
                                 {printed_.ended() ? -1 : child_.output_fd(), POLLIN, 0},
                                 {terms_.stop_fd, POLLIN, 0},
                                 {child_.ended_fd(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), static_cast<int>(std::min(left, kPollMs))) <= 0) {
      continue;
    }
    if (ready[2].revents != 0) return ChildRun::End::kStopped;
    if (ready[0].revents != 0) take_words();
    if (ready[1].revents != 0) take_printed();
    // Its pipes are empty; a process that it left behind may hold them open.
    if (ready[0].revents == 0 && ready[1].revents == 0) return ChildRun::End::kDone;
  }
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
  ChildOutput output(*child, words->read.get(), terms, run);
  const ChildRun::End end = output.listen();
  child->kill();  // Processes that it left behind, too.
  const ExitStatus status = child->reap();
  output.take_rest();  // It may have written after the last look and before its end.
  if (run.end == ChildRun::End::kDone) return run;
  run.end = end == ChildRun::End::kDone ? ChildRun::End::kEnded : end;
  run.status = status;
  return run;
}

}  // namespace davit::host
