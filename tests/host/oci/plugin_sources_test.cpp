#include "host/oci/plugin_sources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "host/loading/digest.hpp"
#include "host/loading/elf_reader.hpp"
#include "host/oci/plugin_cache.hpp"
#include "tests/host/oci/bundles.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class PluginSourcesTest : public testing::Test {
 protected:
  PluginSourcesTest() {
    // Every user may be allowed to write where a build is, and the cache refuses that.
    std::filesystem::permissions(directory_.path(), std::filesystem::perms::owner_all);
    serve("1.2.0");
    server_.set_script([this](const HttpRequest& request) -> test::ScriptedResponse {
      const std::string name = request.target.substr(request.target.rfind('/') + 1);
      const auto found = content_.find(name);
      if (is_down_) return test::broken(Break::kTls, "the certificate is not accepted");
      if (found == content_.end()) return {404, "", {}, {}, {}};
      return {200, found->second, {}, {}, {}};
    });
  }

  /// The registry gets this version, as the tag "stable".
  void serve(const std::string& version) {
    BundleParts parts = parts_of("greeter", version);
    parts.plugins = {{own_machine(), "plugin " + version, "signature"}};
    const OciArtifact artifact = bundle_of(parts);
    content_ = artifact.blobs;
    content_[artifact.digest()] = artifact.index;
    content_["stable"] = artifact.index;
    digest_ = artifact.digest();
  }
  /// Pulls for a manifest with this source; the mistakes as text.
  std::string pull(const std::string& source) {
    Manifest manifest;
    manifest.plugin_sources.cache_directory = cache();
    manifest.plugin_sources.login_file = cache() + "/no-login";
    manifest.plugins.emplace();
    manifest.plugins->push_back({});
    manifest.plugins->front().source = source;
    manifest.plugins->front().name = name_;
    const std::vector<Mistake> mistakes = pull_plugins(
        manifest, "davit.yaml", {clock_, Logger(sink_), {}, [this](const OutboundServer&) {
                                   return Result<std::unique_ptr<Transport>>(
                                       std::make_unique<test::BorrowedTransport>(server_));
                                 }});
    plugin_ = manifest.plugins->front();
    return mistakes.empty() ? "" : mistakes.front().str();
  }
  [[nodiscard]] std::string cache() const { return (directory_.path() / "cache").string(); }
  [[nodiscard]] std::string pinned() const { return "oci://r.example.com/greeter@" + digest_; }

  TempDirectory directory_;
  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  test::FakeTransport server_;
  std::map<std::string, std::string> content_;
  bool is_down_ = false;
  std::string digest_;
  std::string name_;
  PluginSettings plugin_;  // As the last pull left it.
};

TEST_F(PluginSourcesTest, APulledPluginHasAPathAndADigest) {
  ASSERT_EQ(pull(pinned()), "");
  EXPECT_EQ(plugin_.path, cache() + "/" + digest_.substr(7) + "/greeter.so");
  EXPECT_EQ(plugin_.sha256, sha256_hex("plugin 1.2.0"));
  EXPECT_EQ(directory_.read("cache/" + digest_.substr(7) + "/greeter.so"), "plugin 1.2.0");
  EXPECT_EQ(directory_.read("cache/" + digest_.substr(7) + "/greeter.so.sig"), "signature");
  EXPECT_EQ(directory_.read("cache/" + digest_.substr(7) + "/README.md"), "# greeter\n");
}

TEST_F(PluginSourcesTest, TheCacheIsPrivateWithAnyUmask) {
  const mode_t before = ::umask(0);
  const std::string mistake = pull(pinned());
  ::umask(before);
  ASSERT_EQ(mistake, "");
  for (const std::string& each : {cache(), cache() + "/" + digest_.substr(7)}) {
    EXPECT_EQ(std::filesystem::status(each).permissions(), std::filesystem::perms::owner_all);
  }
  const std::size_t sent = server_.requests().size();
  ASSERT_EQ(pull(pinned()), "");
  EXPECT_EQ(server_.requests().size(), sent) << "the host trusts it";
}

TEST_F(PluginSourcesTest, APinnedPluginInTheCacheNeedsNoRegistry) {
  ASSERT_EQ(pull(pinned()), "");
  const std::size_t sent = server_.requests().size();
  ASSERT_EQ(pull(pinned()), "");
  EXPECT_EQ(server_.requests().size(), sent);
}

TEST_F(PluginSourcesTest, ACachedPluginThatWasChangedIsPulledAgain) {
  ASSERT_EQ(pull(pinned()), "");
  directory_.write("cache/" + digest_.substr(7) + "/greeter.so", "something else");
  ASSERT_EQ(pull(pinned()), "");
  EXPECT_EQ(directory_.read("cache/" + digest_.substr(7) + "/greeter.so"), "plugin 1.2.0");
}

TEST_F(PluginSourcesTest, ATagFollowsTheRegistryAndStaysWhileItIsDown) {
  const std::string source = "oci://r.example.com/greeter:stable";
  ASSERT_EQ(pull(source), "");
  serve("1.3.0");
  ASSERT_EQ(pull(source), "");
  EXPECT_EQ(plugin_.sha256, sha256_hex("plugin 1.3.0"));

  is_down_ = true;
  EXPECT_EQ(pull(source), "");
  EXPECT_EQ(plugin_.sha256, sha256_hex("plugin 1.3.0"));
  EXPECT_THAT(pull("oci://r.example.com/greeter:other"), HasSubstr("certificate"));
}

TEST_F(PluginSourcesTest, WhatCannotBeHadIsAMistakeOfItsEntry) {
  EXPECT_THAT(pull("oci://r.example.com/greeter:none"),
              HasSubstr("plugin oci://r.example.com/greeter:none: r.example.com/greeter: none: the "
                        "registry responds with 404"));
  name_ = "other";
  EXPECT_THAT(pull(pinned()), HasSubstr("plugin other: is the plugin greeter, not other"));
  EXPECT_EQ(plugin_.path, "");
}

TEST_F(PluginSourcesTest, OldBuildsLeaveTheCacheInTheEnd) {
  const PluginCache kept(cache());
  for (std::size_t i = 0; i < PluginCache::kKept + 2; ++i) {
    serve("1.0." + std::to_string(i));
    ASSERT_EQ(pull(pinned()), "");
  }
  std::size_t entries = 0;
  for (const auto& each : std::filesystem::directory_iterator(cache())) {
    entries += each.is_directory() ? 1 : 0;
  }
  EXPECT_EQ(entries, PluginCache::kKept);
  EXPECT_TRUE(kept.find(digest_, oci_architecture(own_machine()))) << "the one in use stays";
}

TEST_F(PluginSourcesTest, TheCacheHasALimitOfBytes) {
  ASSERT_EQ(pull(pinned()), "");
  const std::string first = digest_;
  serve("1.3.0");
  ASSERT_EQ(pull(pinned()), "");
  const std::string machine = oci_architecture(own_machine());
  PluginCache(cache()).prune({digest_});
  EXPECT_TRUE(PluginCache(cache()).find(first, machine)) << "both are small";
  PluginCache(cache(), 1).prune({digest_});
  EXPECT_FALSE(PluginCache(cache()).find(first, machine));
  EXPECT_TRUE(PluginCache(cache()).find(digest_, machine)) << "the one in use stays";
}

TEST_F(PluginSourcesTest, UnfinishedEntriesOfEndedProcessesAreRemoved) {
  ASSERT_EQ(pull(pinned()), "");
  directory_.write("cache/.new-old/greeter.so", "half");
  directory_.write("cache/.new-now/greeter.so", "half");
  const std::filesystem::path old = cache() + "/.new-old";
  std::filesystem::last_write_time(old,
                                   std::filesystem::last_write_time(old) - std::chrono::hours(48));
  ASSERT_EQ(pull(pinned()), "");
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(cache() + "/.new-now")) << "its process may be at work";
}

}  // namespace
}  // namespace davit::host
