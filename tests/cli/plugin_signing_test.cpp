#include "cli/plugin_signing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "lib/base/text_file.hpp"
#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PluginSigningTest : public testing::Test {
 protected:
  int keygen(const std::string& name) {
    reset();
    return run_plugin_keygen({path(name)}, out_, err_);
  }
  int sign(const std::string& key, std::vector<std::string> files) {
    reset();
    return run_plugin_sign({path(key), std::move(files)}, out_, err_);
  }
  int verify(std::vector<std::string> keys, const std::string& manifest = "") {
    reset();
    return run_plugin_verify({std::move(keys), manifest, {plugin_}}, out_, err_);
  }
  /// The output of the last command, without the test's directory.
  [[nodiscard]] std::string out() const { return without_directory(out_.str(), directory_); }
  [[nodiscard]] std::string err() const { return without_directory(err_.str(), directory_); }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }
  [[nodiscard]] std::string printed_key() const {
    const std::string text = out_.str();
    const std::size_t begin = text.find("publicKey: ") + 11;
    return text.substr(begin, text.find('\n', begin) - begin);
  }

 private:
  void reset() {
    out_.str("");
    err_.str("");
  }

  TempDirectory directory_;
  std::ostringstream out_;
  std::ostringstream err_;

 protected:
  const std::string plugin_ = copy_sample(directory_, "good", "plugins/p.so");
  TempDirectory& directory() { return directory_; }
};

TEST_F(PluginSigningTest, KeySignatureAndManifestFitTogether) {
  ASSERT_EQ(keygen("release.key"), 0) << err();
  const std::string printed = out();
  const std::string manifest = directory().write(
      "davit.yaml", "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n" + printed);
  EXPECT_EQ(std::filesystem::status(path("release.key")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  ASSERT_EQ(sign("release.key", {plugin_}), 0) << err();
  EXPECT_THAT(out(), StartsWith("DIR/plugins/p.so.sig: sample 1.2.3, signed with the key "));

  EXPECT_EQ(verify({}, manifest), 0) << err();
  EXPECT_EQ(out(), "DIR/plugins/p.so: sample 1.2.3, signed with the key release\n");
}

TEST_F(PluginSigningTest, VersionBelowTheManifestsLowestIsRefused) {
  ASSERT_EQ(keygen("release.key"), 0) << err();
  const std::string manifest =
      directory().write("davit.yaml", "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n" +
                                          out() + "  lowestVersions: {sample: 1.3.0}\n");
  ASSERT_EQ(sign("release.key", {plugin_}), 0) << err();
  EXPECT_EQ(verify({}, manifest), 2);
  EXPECT_EQ(err(),
            "davit: plugin DIR/plugins/p.so: its version is 1.2.3, the manifest requires at least "
            "1.3.0\n");
}

TEST_F(PluginSigningTest, WhatChangedOrIsSignedByAnotherIsRefused) {
  ASSERT_EQ(keygen("release.key"), 0);
  const std::string release = printed_key();
  ASSERT_EQ(keygen("other.key"), 0);
  const std::string other = printed_key();
  EXPECT_EQ(verify({release}), 2);
  EXPECT_THAT(err(), HasSubstr("the signature DIR/plugins/p.so.sig is missing"));

  ASSERT_EQ(sign("other.key", {plugin_}), 0);
  EXPECT_EQ(verify({release}), 2);
  EXPECT_THAT(err(), HasSubstr("it is signed by the unknown key "));
  EXPECT_EQ(verify({release, other}), 0);

  (void)directory().write("plugins/p.so", sample_content("good") + "x");
  EXPECT_EQ(verify({other}), 2);
  EXPECT_THAT(err(), HasSubstr("plugin DIR/plugins/p.so: it has changed since the key "));
}

TEST_F(PluginSigningTest, AKeyIsNotOverwritten) {
  ASSERT_EQ(keygen("release.key"), 0);
  const std::string before = *read_text_file(path("release.key"));
  EXPECT_EQ(keygen("release.key"), 2);
  EXPECT_EQ(err(), "davit: cannot write DIR/release.key: File exists\n");
  EXPECT_EQ(*read_text_file(path("release.key")), before);
}

TEST_F(PluginSigningTest, UnusableKeysAndFilesAreNamed) {
  EXPECT_EQ(sign("none.key", {plugin_}), 2);
  EXPECT_THAT(err(), StartsWith("davit: DIR/none.key: "));

  ASSERT_EQ(keygen("release.key"), 0);
  (void)directory().write("plugins/text.so", "no plugin");
  EXPECT_EQ(sign("release.key", {path("plugins/text.so"), plugin_}), 2);
  EXPECT_THAT(err(), HasSubstr("DIR/plugins/text.so"));
  EXPECT_THAT(out(), HasSubstr("p.so.sig")) << "the others are signed";
  EXPECT_FALSE(std::filesystem::exists(path("plugins/text.so.sig")));

  std::filesystem::permissions(path("release.key"), std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(sign("release.key", {plugin_}), 2);
  EXPECT_EQ(err(),
            "davit: DIR/release.key: others may read this private key; run chmod go= on it\n");

  EXPECT_EQ(verify({}), 2);
  EXPECT_THAT(err(), HasSubstr("no key to check with"));
  EXPECT_EQ(verify({"AAAA"}), 2);
  EXPECT_THAT(err(), HasSubstr("--public-key must be an Ed25519 public key in base64"));
}

}  // namespace
}  // namespace davit::host
