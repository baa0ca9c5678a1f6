#include "cli/plugin_delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/plugin_signing.hpp"
#include "host/oci/layout.hpp"
#include "host/plugin/elf_reader.hpp"
#include "tests/host/oci/bundles.hpp"
#include "tests/host/plugin/samples.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PluginDeliveryTest : public testing::Test {
 protected:
  int bundle(std::vector<std::string> files, const std::string& output = "bundle.tar") {
    reset();
    PluginBundleOptions options;
    options.output = path(output);
    options.files = std::move(files);
    options.readme = directory_.write("README.md", "# Sample\n");
    return run_plugin_bundle(options, out_, err_);
  }
  int install(const std::string& source, std::vector<std::string> keys = {}) {
    reset();
    PluginInstallOptions options;
    options.source = source;
    options.directory = path("installed");
    options.files = path("files");
    options.keys = std::move(keys);
    return run_plugin_install(options, out_, err_);
  }
  /// Signs the plugin; returns the public key in base64.
  std::string sign() {
    reset();
    EXPECT_EQ(run_plugin_keygen({path("key")}, out_, err_), 0);
    const std::string text = out_.str();
    const std::size_t begin = text.find("publicKey: ") + 11;
    EXPECT_EQ(run_plugin_sign({path("key"), {plugin_}}, out_, err_), 0) << err();
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }
  [[nodiscard]] std::string out() const { return without_directory(out_.str(), directory_); }
  [[nodiscard]] std::string err() const { return without_directory(err_.str(), directory_); }

  TempDirectory directory_;
  const std::string plugin_ = copy_sample(directory_, "good", "plugins/p.so");

 private:
  void reset() {
    out_.str("");
    err_.str("");
  }

  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(PluginDeliveryTest, ABundleIsInstalledWithItsFiles) {
  const std::string key = sign();
  ASSERT_EQ(bundle({plugin_}), 0) << err();
  EXPECT_THAT(out(), StartsWith("DIR/bundle.tar: sample 1.2.3, sha256:"));

  ASSERT_EQ(install(path("bundle.tar"), {key}), 0) << err();

  EXPECT_THAT(out(), StartsWith("DIR/installed/sample.so: sample 1.2.3, sha256:"));
  EXPECT_THAT(out(), HasSubstr("signed with the key --public-key 1"));
  EXPECT_EQ(directory_.read("installed/sample.so"), sample_content("good"));
  EXPECT_EQ(directory_.read("files/README.md"), "# Sample\n");
  EXPECT_THAT(directory_.read("files/rules.yaml"), HasSubstr("ClusterRole"));
  EXPECT_THAT(directory_.read("files/manifest.yaml"), HasSubstr("name: sample"));
  PluginVerifyOptions verify{{key}, "", {path("installed/sample.so")}};
  std::ostringstream ignored;
  EXPECT_EQ(run_plugin_verify(verify, ignored, ignored), 0);
}

TEST_F(PluginDeliveryTest, ABundleWithoutAGoodSignatureIsNotInstalledWhereOneIsRequired) {
  ASSERT_EQ(bundle({plugin_}), 0) << err();
  const std::string key = sign();
  EXPECT_EQ(install(path("bundle.tar"), {key}), 2);
  EXPECT_EQ(err(), "davit: plugin sample.so: the bundle has no signature\n");
  EXPECT_FALSE(std::filesystem::exists(path("installed")));

  (void)directory_.write("plugins/p.so.sig", "davit-signature-v2 0123456789abcdef AAAA\n");
  ASSERT_EQ(bundle({plugin_}), 0) << err();
  EXPECT_EQ(install(path("bundle.tar"), {key}), 2);
  EXPECT_THAT(err(), HasSubstr("line 1 of the signature is malformed"));
}

TEST_F(PluginDeliveryTest, ATagAloneIsNotInstalled) {
  EXPECT_EQ(install("oci://r.example.com/sample:1"), 2);
  EXPECT_THAT(err(), HasSubstr("a tag can change; add @sha256:DIGEST"));
  EXPECT_EQ(install("not a reference"), 2);
  EXPECT_THAT(err(), HasSubstr("must be a reference"));
}

TEST_F(PluginDeliveryTest, ABundleOfSomethingElseIsNotInstalled) {
  const auto write = [&](const BundleParts& parts) {
    ASSERT_TRUE(write_layout(path("other.tar"), bundle_of(parts), "1").ok());
  };
  write(parts_of("greeter", "1.2.0"));  // Texts, not libraries.
  EXPECT_EQ(install(path("other.tar")), 2);
  EXPECT_THAT(err(), HasSubstr("plugin greeter.so: "));

  BundleParts parts = parts_of("greeter", "1.2.0");
  parts.plugins = {{own_machine(), sample_content("good"), ""}};
  write(parts);
  EXPECT_EQ(install(path("other.tar")), 2);
  EXPECT_EQ(err(), "davit: plugin greeter.so: is the plugin sample\n");

  parts.plugins.front().machine = EM_RISCV;
  write(parts);
  EXPECT_EQ(install(path("other.tar")), 1);
  EXPECT_THAT(err(), HasSubstr("the bundle has nothing for "));
}

TEST_F(PluginDeliveryTest, FilesThatAreNotOnePluginAreNotBundled) {
  EXPECT_EQ(bundle({plugin_, plugin_}), 2);
  EXPECT_THAT(err(), HasSubstr("two plugins are for "));
  EXPECT_EQ(bundle({path("none.so")}), 2);
  EXPECT_EQ(bundle({copy_sample(directory_, "no_note", "plugins/n.so")}), 2);
  EXPECT_THAT(err(), HasSubstr("has no davit note"));
  EXPECT_EQ(bundle({plugin_, copy_sample(directory_, "newer_minor", "plugins/m.so")}), 2);
}

}  // namespace
}  // namespace davit::host
