#include "host/config/connection_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using std::filesystem::perms;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr perms kOwn = perms::owner_read | perms::owner_write;

class ConnectionFilesTest : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name, perms mode) const {
    const std::string path = directory_.write(name, "content");
    std::filesystem::permissions(path, mode);
    return path;
  }

  TempDirectory directory_;
  test::RecordingLogSink sink_;
  ConnectionConfig connection_;
};

TEST_F(ConnectionFilesTest, KubeconfigThatOthersMayWriteIsRefused) {
  const std::string good = file("good", kOwn);
  for (const perms more : {perms::group_write, perms::others_write}) {
    const std::string bad = file("bad", kOwn | more);
    connection_.files = {good, bad};
    const Status refused = check_connection_files(connection_, Logger(sink_));
    EXPECT_EQ(refused.code(), Code::kForbidden);
    EXPECT_THAT(refused.message(),
                AllOf(StartsWith("kubeconfig " + bad + ": "), HasSubstr("chmod go-w")));
  }
  connection_.files = {good};
  EXPECT_TRUE(check_connection_files(connection_, Logger(sink_)).ok());
  EXPECT_THAT(sink_.lines(), IsEmpty());
}

TEST_F(ConnectionFilesTest, SecretsThatOthersMayReadAreWarnedOf) {
  connection_.key_file = file("key", kOwn | perms::group_read);
  connection_.token_file = file("token", kOwn | perms::others_read);
  connection_.files = {file("config", kOwn | perms::others_read)};
  EXPECT_TRUE(check_connection_files(connection_, Logger(sink_)).ok());
  EXPECT_EQ(sink_.count("secret=client key file=" + connection_.key_file), 1U);
  EXPECT_EQ(sink_.count("secret=token file=" + connection_.token_file), 1U);
  EXPECT_EQ(sink_.count("Other users can read the kubeconfig"), 1U);
  EXPECT_EQ(sink_.lines().size(), 3U);
}

TEST_F(ConnectionFilesTest, ServerThatIsNotVerifiedIsWarnedOf) {
  connection_.insecure = true;
  connection_.server = "https://10.0.0.1:6443";
  EXPECT_TRUE(check_connection_files(connection_, Logger(sink_)).ok());
  EXPECT_EQ(sink_.count("TLS verification is off"), 1U);
  EXPECT_EQ(sink_.count("server=https://10.0.0.1:6443"), 1U);
}

}  // namespace
}  // namespace davit::host
