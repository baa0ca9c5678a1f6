// The process in which `davit plugin validate` runs a check: how its end is seen, and what it may
// leave behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "cli/validate/child.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using End = ChildRun::End;

/// No test waits that long unless it fails.
constexpr std::chrono::seconds kLong{60};

void close_everything() { close_range(0, ~0U, 0); }

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

/// The work of a process that a check leaves behind; it writes a byte to `started` once it runs.
[[noreturn]] void hold_pipes(int started) {
  (void)write_all(started, "x");
  wait_for_ever();
}

[[noreturn]] void print_for_ever(int started) {
  (void)write_all(STDOUT_FILENO, "first\n");
  (void)write_all(started, "x");
  for (;;) (void)write_all(STDOUT_FILENO, "more and more\n");
}

/// Starts a process beside the check, reports its id, and returns once it runs.
void leave_behind(const CheckReporter& reporter, void (*work)(int)) {
  const Pipe started = std::move(*Pipe::open());
  const pid_t pid = ::fork();
  if (pid == 0) work(started.write.get());
  reporter.note(std::to_string(pid));
  char byte = 0;
  if (::read(started.read.get(), &byte, 1) != 1) _exit(1);
}

/// A process whose parent has ended gets this one as its parent, which sees how it ends.
class ValidateChildTest : public testing::Test {
 protected:
  ValidateChildTest() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~ValidateChildTest() override { prctl(PR_SET_CHILD_SUBREAPER, 0); }

  /// The signal that ended the process that `run` left behind.
  static int end_of_rest(const ChildRun& run) {
    if (run.notes.size() != 1) return -1;
    int status = 0;
    if (waitpid(std::stoi(run.notes.front()), &status, 0) <= 0) return -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  /// Runs a check that does not end, until its limit. A busy machine may not let the child come to
  /// its wait within the first limit: it then runs again with a longer one.
  template <typename Work>
  static ChildRun run_to_its_limit(ChildTerms terms, const Work& work) {
    for (terms.limit = milliseconds(300);; terms.limit *= 2) {
      ChildRun run = run_in_child(terms, [&](const CheckReporter& reporter) {
        work(reporter);
        wait_for_ever();
      });
      if (terms.limit > kLong || !run.step.empty()) return run;
    }
  }
};

TEST_F(ValidateChildTest, ChildThatClosesItsPipesAndLivesOnIsEndedAtItsLimit) {
  std::size_t looks = 0;
  const ChildTerms terms{.limit = {},
                         .on_progress = [&](std::string_view, milliseconds) { ++looks; }};

  const ChildRun run = run_to_its_limit(terms, [](const CheckReporter& reporter) {
    reporter.step("closing");
    close_everything();
  });

  EXPECT_EQ(run.end, End::kTimedOut);
  EXPECT_EQ(run.failure(), "did not finish in time (closing)");
  EXPECT_EQ(run.status.signal, SIGKILL);
  EXPECT_LE(looks, 100U) << "the parent polls closed pipes";
}

TEST_F(ValidateChildTest, ChildThatClosesItsPipesAndExitsHasEnded) {
  const ChildRun run = run_in_child({.limit = kLong}, [](const CheckReporter& reporter) {
    reporter.fail("first");
    (void)write_all(STDOUT_FILENO, "printed\n");
    close_everything();
    _exit(3);
  });

  EXPECT_EQ(run.failure(), "ended the process with exit status 3");
  EXPECT_THAT(run.failures, ElementsAre("first"));
  EXPECT_THAT(run.output, ElementsAre("printed"));
}

TEST_F(ValidateChildTest, ProcessThatHoldsThePipesDoesNotDelayTheEndOfTheChild) {
  const ChildRun run = run_in_child({.limit = kLong}, [](const CheckReporter& reporter) {
    leave_behind(reporter, hold_pipes);
    reporter.fail("first");
    _exit(3);
  });

  EXPECT_EQ(run.failure(), "ended the process with exit status 3");
  EXPECT_THAT(run.failures, ElementsAre("first"));
  EXPECT_EQ(end_of_rest(run), SIGKILL);
}

TEST_F(ValidateChildTest, ProcessThatPrintsForEverDoesNotDelayTheEndOfTheChild) {
  const ChildRun run = run_in_child({.limit = kLong}, [](const CheckReporter& reporter) {
    leave_behind(reporter, print_for_ever);
    reporter.fail("first");
    _exit(3);
  });

  EXPECT_EQ(run.failure(), "ended the process with exit status 3");
  EXPECT_THAT(run.failures, ElementsAre("first"));
  EXPECT_FALSE(run.output.empty());
  EXPECT_EQ(end_of_rest(run), SIGKILL);
}

TEST_F(ValidateChildTest, CheckThatIsDoneLeavesNoProcessBehind) {
  const ChildRun run = run_in_child(
      {.limit = kLong}, [](const CheckReporter& reporter) { leave_behind(reporter, hold_pipes); });

  EXPECT_EQ(run.end, End::kDone);
  EXPECT_EQ(run.failure(), "");
  EXPECT_EQ(end_of_rest(run), SIGKILL);
}

TEST_F(ValidateChildTest, CheckThatTakesTooLongLeavesNoProcessBehind) {
  const ChildRun run = run_to_its_limit({}, [](const CheckReporter& reporter) {
    leave_behind(reporter, hold_pipes);
    reporter.step("waiting");
  });

  EXPECT_EQ(run.end, End::kTimedOut);
  EXPECT_EQ(end_of_rest(run), SIGKILL);
}

TEST_F(ValidateChildTest, StopEndsTheChild) {
  Pipe stop = std::move(*Pipe::open());
  (void)write_all(stop.write.get(), "x");

  const ChildRun run = run_in_child({.limit = kLong, .stop_fd = stop.read.get()},
                                    [](const CheckReporter&) { wait_for_ever(); });

  EXPECT_EQ(run.failure(), "was stopped");
  EXPECT_EQ(run.status.signal, SIGKILL);
}

}  // namespace
}  // namespace davit::host
