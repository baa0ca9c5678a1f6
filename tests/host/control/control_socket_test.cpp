#include "host/control/control_socket.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <vector>

#include "lib/base/unique_fd.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/scarcity.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

/// The reaction of a thread whose connection is refused.
enum class Did { kTried, kRested };

/// As if other parts of the process had every descriptor while somebody takes notes. A limit of the
/// kernel would do it too, but sanitizers need descriptors of their own.
std::atomic<test::Collector<Did>*> notes{nullptr};
thread_local bool is_refused = false;

int accept_unless_used_up(int socket, sockaddr* address, socklen_t* size, int flags) {
  if (test::Collector<Did>* const seen = notes) {
    seen->push(Did::kTried);
    is_refused = true;
    errno = EMFILE;
    return -1;
  }
  static const auto real = reinterpret_cast<decltype(&::accept4)>(::dlsym(RTLD_NEXT, "accept4"));
  return real(socket, address, size, flags);
}

/// A rest after a refusal is noted and passes at once; it waits for one descriptor at most, that of
/// the end.
int poll_unless_refused(pollfd* fds, nfds_t count, int milliseconds) {
  if (is_refused && count <= 1 && milliseconds > 0) {
    is_refused = false;
    if (test::Collector<Did>* const seen = notes) seen->push(Did::kRested);
    return 0;
  }
  static const auto real = reinterpret_cast<decltype(&::poll)>(::dlsym(RTLD_NEXT, "poll"));
  return real(fds, count, milliseconds);
}

class ControlSocketTest : public testing::Test {
 protected:
  Result<std::unique_ptr<ControlServer>> open() {
    return ControlServer::open(
        path(), [](std::string_view line) { return "heard " + std::string(line) + "\n"; },
        Logger(sink_));
  }
  [[nodiscard]] std::string path() const { return (directory_.path() / "davit.sock").string(); }

  TempDirectory directory_;
  test::RecordingLogSink sink_;
};

TEST_F(ControlSocketTest, EachLineGetsAResponseForItsUserOnly) {
  const Result<std::unique_ptr<ControlServer>> server = open();
  ASSERT_TRUE(server) << server.error().message();
  struct stat info {};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);

  EXPECT_EQ(*ask_host(path(), "one\n"), "heard one");
  EXPECT_EQ(*ask_host(path(), "two\n"), "heard two");
}

TEST_F(ControlSocketTest, ALineThatIsTooLongIsAnError) {
  const Result<std::unique_ptr<ControlServer>> server = open();
  ASSERT_TRUE(server) << server.error().message();
  constexpr std::size_t kLongest = std::size_t{64} << 10U;
  const std::string longest(kLongest, 'x');
  const std::string refusal =
      R"({"ok":false,"outcome":"invalid","text":"the line is longer than 65536 bytes"})";

  EXPECT_EQ(*ask_host(path(), longest + "\n"), "heard " + longest);
  EXPECT_EQ(*ask_host(path(), longest + "x\n"), refusal);
  EXPECT_EQ(*ask_host(path(), std::string(kLongest * 100, 'x')), refusal) << "before its end";
}

UniqueFd unconnected() { return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

/// Asks and reads nothing.
void ask(const UniqueFd& fd, const std::string& path, std::string_view line) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::send(fd.get(), line.data(), line.size(), 0), static_cast<ssize_t>(line.size()));
}

TEST_F(ControlSocketTest, ClientThatDoesNotReadDoesNotDelayTheEnd) {
  test::Door asked;
  auto server = ControlServer::open(
      path(),
      [&asked](std::string_view) {
        asked.open();
        return std::string(std::size_t{8} << 20, 'x') + "\n";
      },
      Logger(sink_));
  ASSERT_TRUE(server) << server.error().message();
  const UniqueFd client = unconnected();
  ask(client, path(), "shadow\n");
  asked.pass();
  server->reset();
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(ControlSocketTest, WithoutDescriptorsItPausesAndRespondsLater) {
  test::Collector<Did> seen;
  const auto server = open();
  ASSERT_TRUE(server) << server.error().message();
  const UniqueFd client = unconnected();
  notes = &seen;
  ask(client, path(), "one\n");
  std::vector<Did> first = seen.await(4);
  notes = nullptr;
  first.resize(4);
  EXPECT_THAT(first, testing::ElementsAre(Did::kTried, Did::kRested, Did::kTried, Did::kRested));

  const std::string wanted = "heard one\n";
  std::string reply(wanted.size(), ' ');
  EXPECT_EQ(::recv(client.get(), reply.data(), reply.size(), MSG_WAITALL),
            static_cast<ssize_t>(wanted.size()));
  EXPECT_EQ(reply, wanted);
}

TEST_F(ControlSocketTest, WithoutAThreadTheSocketIsClosedAndRemoved) {
  Status failed;
  {
    const test::NoThreads scarce;
    failed = open().error();
    EXPECT_EQ(scarce.wanted(), 1U);
  }
  EXPECT_EQ(failed.code(), Code::kUnavailable);
  EXPECT_EQ(failed.message(), "control socket " + path() + ": cannot start a thread to listen");
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_TRUE(open()) << "once there is a thread";
}

TEST_F(ControlSocketTest, TheSocketGoesWithItsServer) {
  ASSERT_TRUE(open());
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_EQ(ask_host(path(), "one\n").error().message(), "no davit host listens at " + path());
}

TEST_F(ControlSocketTest, ASecondHostIsRefused) {
  const auto server = open();
  ASSERT_TRUE(server);
  EXPECT_EQ(open().error().message(), "control socket " + path() + ": another host listens there");
  EXPECT_EQ(*ask_host(path(), "one\n"), "heard one");
}

TEST_F(ControlSocketTest, AFileInItsPlaceIsLeftAlone) {
  directory_.write("davit.sock", "precious");
  EXPECT_EQ(open().error().message(), "control socket " + path() + ": it is a file, not a socket");
  EXPECT_EQ(std::filesystem::file_size(path()), 8U);
}

TEST_F(ControlSocketTest, ASocketThatADeadHostLeftIsReplaced) {
  const std::string kept = (directory_.path() / "kept.sock").string();
  {
    const auto server = open();
    ASSERT_TRUE(server);
    std::filesystem::create_hard_link(path(), kept);  // Outlives the server, as after a crash.
  }
  std::filesystem::rename(kept, path());

  const auto server = open();
  ASSERT_TRUE(server) << server.error().message();
  EXPECT_EQ(*ask_host(path(), "one\n"), "heard one");
}

TEST(DefaultControlSocketTest, IsInTheRuntimeDirectoryOrElseThatOfTheService) {
  EXPECT_EQ(default_control_socket("/run/user/1000"), "/run/user/1000/davit.sock");
  EXPECT_EQ(default_control_socket(""), "/run/davit/davit.sock");
  EXPECT_EQ(default_control_socket("not/absolute"), "/run/davit/davit.sock");
}

TEST(DefaultControlSocketTest, TheRuntimeDirectoryIsThatOfTheEnvironment) {
  ::setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  EXPECT_EQ(runtime_directory(), "/run/user/7");
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(runtime_directory(), "");
}

TEST(DefaultControlSocketTest, CtlFindsTheServiceIfTheUserRunsNoHost) {
  TempDirectory directory;
  const std::string service = (directory.path() / "service.sock").string();
  const std::string user = directory.path().string();
  EXPECT_EQ(find_control_socket(user, service), user + "/davit.sock") << "neither exists";

  directory.write("service.sock", "");
  EXPECT_EQ(find_control_socket(user, service), service);
  directory.write("davit.sock", "");
  EXPECT_EQ(find_control_socket(user, service), user + "/davit.sock");
}

TEST(DefaultControlSocketTest, AFolderThatCannotBeMadeIsReportedWithTheRemedy) {
  TempDirectory directory;
  EXPECT_TRUE(make_socket_folder((directory.path() / "a/b/davit.sock").string()).ok());
  directory.write("file", "");
  const Status failed = make_socket_folder((directory.path() / "file/davit.sock").string());
  EXPECT_THAT(failed.message(), testing::HasSubstr("cannot create"));
  EXPECT_THAT(failed.message(), testing::HasSubstr("pass --control-socket"));
}

}  // namespace

// Outside the unnamed namespace: the whole program's accept4 and poll.
extern "C" int accept4(int socket, sockaddr* address, socklen_t* size, int flags) {
  return accept_unless_used_up(socket, address, size, flags);
}
extern "C" int poll(pollfd* fds, nfds_t count, int milliseconds) {
  return poll_unless_refused(fds, count, milliseconds);
}

}  // namespace davit::host
