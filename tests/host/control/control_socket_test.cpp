#include "host/control/control_socket.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

class ControlSocketTest : public testing::Test {
 protected:
  Result<std::unique_ptr<ControlServer>> open() {
    return ControlServer::open(
        path(), [](std::string_view line) { return "heard " + std::string(line) + "\n"; },
        Log(sink_));
  }
  [[nodiscard]] std::string path() const { return (directory_.path() / "davit.sock").string(); }

  TempDirectory directory_;
  test::RecordingLogSink sink_;
};

TEST_F(ControlSocketTest, EachLineIsAnsweredToItsUserOnly) {
  const Result<std::unique_ptr<ControlServer>> server = open();
  ASSERT_TRUE(server) << server.error().message();
  struct stat info {};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);

  EXPECT_EQ(*ask_host(path(), "one\n"), "heard one");
  EXPECT_EQ(*ask_host(path(), "two\n"), "heard two");
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
  EXPECT_EQ(open().error().message(),
            "control socket " + path() + ": there is no socket but a file");
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

}  // namespace
}  // namespace davit::host
