#include "lib/base/child_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "lib/base/write_all.hpp"

namespace davit {
namespace {

using Captured = ChildProcess::Captured;
using Function = ChildProcess::Function;
using Program = ChildProcess::Program;
using Read = ChildProcess::Read;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kMuch = std::size_t{1} << 16;
constexpr std::chrono::minutes kLong{1};

Program script(const std::string& text) { return {.argv = {"sh", "-c", text, "sh"}}; }

/// The program's whole output.
std::string output_of(const Program& program) {
  Result<ChildProcess> child = ChildProcess::start(program);
  if (!child) return child.error().message();
  std::string out;
  EXPECT_EQ(child->read_output(out, kMuch, steady_clock::now() + kLong), Read::kAll);
  return out;
}

ExitStatus status_of(const std::string& text) {
  Result<ChildProcess> child = ChildProcess::start(script(text));
  if (!child) return {.code = -1};
  return child->reap();
}

/// One byte of a pipe; 0 once all writers have closed it.
char read_byte(const Pipe& pipe) {
  char byte = 0;
  return ::read(pipe.read.get(), &byte, 1) == 1 ? byte : '\0';
}

TEST(ChildProcessTest, ProgramGetsItsArguments) {
  Program program = script("printf '%s' \"$1\"");
  program.argv.emplace_back("two words");
  EXPECT_EQ(output_of(program), "two words");
}

TEST(ChildProcessTest, LastVariableOfOneNameReplacesTheOthers) {
  Program program{.argv = {"env"}};
  program.environment = {{"PATH", "/nowhere"}, {"COLOUR", "red"}, {"COLOUR", "green"}};
  const std::string environment = "\n" + output_of(program);
  EXPECT_THAT(environment, HasSubstr("\nPATH=/nowhere\n"));
  EXPECT_THAT(environment, HasSubstr("\nCOLOUR=green\n"));
  EXPECT_THAT(environment, Not(HasSubstr("COLOUR=red")));
  EXPECT_EQ(environment.find("\nPATH="), environment.rfind("\nPATH="));
}

TEST(ChildProcessTest, ProgramReadsNothingAndWritesBothStreamsInOrder) {
  EXPECT_EQ(output_of(script("cat; echo one; echo two >&2; echo three")), "one\ntwo\nthree\n");
}

TEST(ChildProcessTest, ProgramHasNoDescriptorOfThisProcess) {
  const UniqueFd file(::open("/dev/null", O_RDONLY));
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  EXPECT_EQ(output_of(script("test -e " + path + " && echo inherited")), "");
}

TEST(ChildProcessTest, ProgramCanBeEndedBySignalsThatThisProcessBlocksOrIgnores) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto handler = signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(status_of("kill -TERM $$").text(), "SIGTERM");
  EXPECT_EQ(status_of("kill -PIPE $$").text(), "SIGPIPE");
  signal(SIGPIPE, handler);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST(ChildProcessTest, StatusNamesExitCodeOrSignal) {
  EXPECT_TRUE(status_of("exit 0").ok());
  const ExitStatus failed = status_of("exit 3");
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.text(), "exit status 3");
  EXPECT_EQ(failed.shell_code(), 3);
  const ExitStatus killed = status_of("kill -KILL $$");
  EXPECT_FALSE(killed.ok());
  EXPECT_EQ(killed.text(), "SIGKILL");
  EXPECT_EQ(killed.shell_code(), 128 + SIGKILL);
}

TEST(ChildProcessTest, MissingProgramIsNotFound) {
  const Status missing = ChildProcess::start(Program{.argv = {"davit-no-such-program"}}).error();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_EQ(missing.message(), "No such file or directory");
  EXPECT_EQ(ChildProcess::start(Program{.argv = {"/"}}).error().code(), Code::kUnavailable);
}

TEST(ChildProcessTest, TooMuchOutputIsNotCollected) {
  Result<ChildProcess> child = ChildProcess::start(Program{.argv = {"yes"}});
  ASSERT_TRUE(child) << child.error().message();
  std::string out;
  EXPECT_EQ(child->read_output(out, kMuch, steady_clock::now() + kLong), Read::kTooMuch);
  EXPECT_LE(out.size(), kMuch);
}

TEST(ChildProcessTest, WaitingEndsAtItsLimit) {
  Result<ChildProcess> child = ChildProcess::start(Program{.argv = {"tail", "-f", "/dev/null"}});
  ASSERT_TRUE(child) << child.error().message();
  std::string out;
  EXPECT_EQ(child->read_output(out, kMuch, steady_clock::now()), Read::kTimedOut);
  EXPECT_FALSE(child->wait_until(steady_clock::now()));
  child->kill();
  EXPECT_TRUE(child->wait_until(steady_clock::now() + kLong));
  EXPECT_EQ(child->reap().text(), "SIGKILL");
}

TEST(ChildProcessTest, FunctionRunsInAProcessOfItsOwnWithTheDescriptorsItKeeps) {
  const Pipe kept = std::move(*Pipe::open());
  const Pipe other = std::move(*Pipe::open());
  const auto run = [&] {
    const bool closed = ::fcntl(other.write.get(), F_GETFD) < 0;
    (void)write_all(kept.write.get(), closed ? "closed" : "open");
    (void)write_all(STDERR_FILENO, "printed");
    _exit(7);
  };
  // Under TSan, _exit() writes what the parent had not flushed.
  (void)std::fflush(nullptr);
  Result<ChildProcess> child = ChildProcess::start(
      Function{.run = run, .kept = {kept.write.get()}, .captured = Captured::kOutputAndErrors});
  ASSERT_TRUE(child) << child.error().message();
  std::string out;
  EXPECT_EQ(child->read_output(out, kMuch, steady_clock::now() + kLong), Read::kAll);
  EXPECT_EQ(out, "printed");
  EXPECT_EQ(read_byte(kept), 'c');
  EXPECT_EQ(child->reap().text(), "exit status 7");
}

TEST(ChildProcessTest, DestructorKillsTheChildAndTheProcessesThatItStarted) {
  Pipe alive = std::move(*Pipe::open());
  const auto run = [&] {
    if (::fork() != 0) ::pause();
    (void)write_all(alive.write.get(), "x");
    ::pause();
  };
  {
    const Result<ChildProcess> child =
        ChildProcess::start(Function{.run = run, .kept = {alive.write.get()}});
    ASSERT_TRUE(child) << child.error().message();
    alive.write.reset();
    EXPECT_EQ(read_byte(alive), 'x');
  }
  EXPECT_EQ(read_byte(alive), '\0');
}

TEST(ChildProcessTest, KillReachesProcessesThatAChildLeftBehind) {
  Pipe alive = std::move(*Pipe::open());
  const auto run = [&] {
    if (::fork() != 0) _exit(0);
    (void)write_all(alive.write.get(), "x");
    ::pause();
  };
  Result<ChildProcess> child =
      ChildProcess::start(Function{.run = run, .kept = {alive.write.get()}});
  ASSERT_TRUE(child) << child.error().message();
  alive.write.reset();
  EXPECT_EQ(read_byte(alive), 'x');
  EXPECT_TRUE(child->wait_until(steady_clock::now() + kLong));
  child->kill();
  EXPECT_TRUE(child->reap().ok());
  EXPECT_EQ(read_byte(alive), '\0');
}

TEST(ChildProcessTest, ChildInTheCallersGroupIsKilledAlone) {
  Program program = script("exec tail -f /dev/null");
  program.group = ChildProcess::Group::kCallers;
  const Result<ChildProcess> child = ChildProcess::start(program);
  ASSERT_TRUE(child) << child.error().message();
  EXPECT_EQ(::getpgid(child->pid()), ::getpgrp());
  // Now the destructor kills the child, and not this process.
}

TEST(ChildProcessTest, ProgramHasThePassedDescriptorsAndNoOthers) {
  Pipe one = Pipe::open().value();
  Pipe two = Pipe::open().value();
  Program program = script(
      "echo one >&3; echo two >&4; for n in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$n ] && echo $n; "
      "done");
  // Their own numbers may be 3 and 4, in the other order.
  program.passed = {two.write.get(), one.write.get()};

  EXPECT_EQ(output_of(program), "3\n4\n");

  std::string text(4, '\0');
  ASSERT_EQ(read(two.read.get(), text.data(), text.size()), 4);
  EXPECT_EQ(text, "one\n");
  ASSERT_EQ(read(one.read.get(), text.data(), text.size()), 4);
  EXPECT_EQ(text, "two\n");
}

}  // namespace
}  // namespace davit
