/// `davit top` in a terminal: it shows the host, follows it, and leaves the terminal as it was.
/// Needs no API server but the sandbox.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "lib/base/unique_fd.hpp"
#include "tests/live/conformance/plugin_host.hpp"

namespace davit::live {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::chrono::minutes kTopLimit{4};
constexpr char kEnterScreen[] = "\033[?1049h";
constexpr char kLeaveScreen[] = "\033[?1049l";

/// A program on a terminal of its own, as a person has it. Killed with it.
class Terminal {
 public:
  explicit Terminal(std::vector<std::string> argv) {
    std::vector<char*> words;
    for (std::string& each : argv) words.push_back(each.data());
    words.push_back(nullptr);
    const winsize size{.ws_row = 60, .ws_col = 160, .ws_xpixel = 0, .ws_ypixel = 0};
    int screen = -1;
    pid_ = ::forkpty(&screen, nullptr, nullptr, &size);
    if (pid_ == 0) {
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    screen_ = UniqueFd(screen);
    if (pid_ < 0 || ::fcntl(screen, F_SETFL, O_NONBLOCK) != 0) give_up("cannot make a terminal");
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  /// Waits until the program has written `text`.
  testing::AssertionResult shows(const std::string& text) {
    if (eventually(kTopLimit, [&] { return output().find(text) != std::string::npos; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "\"" << text << "\" is missing in:\n" << output_;
  }
  void type(const std::string& keys) {
    EXPECT_EQ(::write(screen_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  /// As if its window were closed.
  void close() { screen_.reset(); }
  /// Waits for the end of the program; its exit code, or -1.
  int wait() {
    int status = 0;
    const bool ended = eventually(kTopLimit, [&] {
      (void)output();  // A full terminal would stop it.
      return ::waitpid(pid_, &status, WNOHANG) == pid_;
    });
    if (!ended) return -1;
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// All that it has written.
  const std::string& output() {
    char piece[4096];
    for (ssize_t got = 0; (got = ::read(screen_.get(), piece, sizeof piece)) > 0;) {
      output_.append(piece, static_cast<std::size_t>(got));
    }
    return output_;
  }

 private:
  pid_t pid_ = 0;
  UniqueFd screen_;
  std::string output_;
};

class TopLiveTest : public PluginHostTest {
 protected:
  TopLiveTest() {
    place("deployment", DAVIT_DEPLOYMENT_PLUGIN);
    place("replicaset", DAVIT_REPLICASET_PLUGIN);
  }
  [[nodiscard]] std::vector<std::string> top() const {
    return {DAVIT_PROGRAM, "top", "--interval=0.1",
            "--control-socket=" + (scratch() / "davit.sock").string()};
  }
};

TEST_F(TopLiveTest, ASwapAppearsInTheTerminalAndControlCRestoresIt) {
  const auto host = start();
  Terminal terminal(top());
  ASSERT_TRUE(terminal.shows("deployment-controller"));
  EXPECT_THAT(terminal.output(), StartsWith(kEnterScreen));
  for (const char* const text : {"CONTROLLER", "QUEUE", "replicaset-controller", "PLUGIN"}) {
    EXPECT_TRUE(terminal.shows(text));
  }
  EXPECT_THAT(terminal.output(), Not(HasSubstr("SWAPPED")));

  ASSERT_EQ(ctl({"swap", "deployment"}).code, 0);
  EXPECT_TRUE(terminal.shows("SWAPPED"));
  EXPECT_THAT(terminal.output(), Not(HasSubstr(kLeaveScreen)));

  terminal.type("\x03");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_THAT(terminal.output(), EndsWith(kLeaveScreen));
}

TEST_F(TopLiveTest, KeysSortAndQEndsIt) {
  const auto host = start();
  Terminal terminal(top());
  ASSERT_TRUE(terminal.shows("deployment-controller"));

  terminal.type("s");
  EXPECT_TRUE(terminal.shows("QUEUE▼"));
  terminal.type("q");

  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_THAT(terminal.output(), EndsWith(kLeaveScreen));
}

TEST_F(TopLiveTest, AHostThatEndsIsReportedOnTheTerminalAsItWas) {
  auto host = start();
  Terminal terminal(top());
  ASSERT_TRUE(terminal.shows("deployment-controller"));

  host.reset();

  EXPECT_EQ(terminal.wait(), 1);
  const std::string& output = terminal.output();
  EXPECT_THAT(output.substr(output.rfind(kLeaveScreen)), HasSubstr("davit: "));
}

TEST_F(TopLiveTest, ATerminalThatIsClosedEndsIt) {
  const auto host = start();
  Terminal terminal(top());
  ASSERT_TRUE(terminal.shows("deployment-controller"));

  terminal.close();

  EXPECT_EQ(terminal.wait(), 0);
}

}  // namespace
}  // namespace davit::live
