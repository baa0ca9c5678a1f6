#include "host/process/run_settings.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

TEST(RunSettingsTest, EachServingKeyThatOthersMayReadIsWarnedOf) {
  using std::filesystem::perms;
  const TempDirectory directory;
  const auto key = [&directory](const std::string& name, perms more) {
    const std::string path = directory.write(name, "secret");
    std::filesystem::permissions(path, perms::owner_read | more);
    return path;
  };
  Manifest manifest;
  manifest.serving.key_file = key("first", perms::group_read);
  manifest.serving.named_pairs = {"a.crt," + key("second", perms::others_read),
                                  "b.crt," + key("third", perms::none) + ":b.example.com"};
  test::RecordingLogSink sink;

  EXPECT_TRUE(check_files({}, manifest, Logger(sink)).ok());

  const std::string folder = directory.path().string();
  EXPECT_EQ(sink.count("secret=serving key file=" + folder + "/first"), 1U);
  EXPECT_EQ(sink.count("secret=serving key file=" + folder + "/second"), 1U);
  EXPECT_EQ(sink.lines().size(), 2U);
}

}  // namespace
}  // namespace davit::host
