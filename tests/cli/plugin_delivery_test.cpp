#include "cli/plugin_delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/plugin_signing.hpp"
#include "cli/rbac_command.hpp"
#include "host/loading/digest.hpp"
#include "host/loading/elf_reader.hpp"
#include "host/oci/layout.hpp"
#include "host/oci/plugin_cache.hpp"
#include "tests/host/loading/samples.hpp"
#include "tests/host/oci/bundles.hpp"

namespace davit::host {
namespace {

using testing::AllOf;
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
    options.files = files_;
    options.name = name_;
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
  std::string files_ = path("files");
  std::string name_;
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
  const std::string key = sign();
  EXPECT_EQ(install("oci://r.example.com/sample:1", {key}), 2);
  EXPECT_THAT(err(),
              HasSubstr("no signature covers the other files; --files needs @sha256:DIGEST"));
  files_.clear();
  EXPECT_EQ(install("oci://r.example.com/sample:1", {key}), 2);
  EXPECT_THAT(err(), HasSubstr("does not say which plugin it is; add @sha256:DIGEST, or --name"));
  EXPECT_EQ(install("not a reference"), 2);
  EXPECT_THAT(err(), HasSubstr("must be a reference"));
}

TEST_F(PluginDeliveryTest, APluginOfAnotherNameIsNotInstalled) {
  ASSERT_EQ(bundle({plugin_}), 0) << err();
  name_ = "other";
  EXPECT_EQ(install(path("bundle.tar")), 2);
  EXPECT_EQ(err(), "davit: plugin sample.so: is the plugin sample, not other\n");
  EXPECT_FALSE(std::filesystem::exists(path("installed")));
  name_ = "sample";
  EXPECT_EQ(install(path("bundle.tar")), 0) << err();
}

TEST_F(PluginDeliveryTest, AnUnsignedBuildLeavesNoOldSignatureBesideIt) {
  (void)sign();
  ASSERT_EQ(bundle({plugin_}), 0) << err();
  ASSERT_EQ(install(path("bundle.tar")), 0) << err();
  EXPECT_TRUE(std::filesystem::exists(path("installed/sample.so.sig")));
  directory_.remove("plugins/p.so.sig");
  ASSERT_EQ(bundle({plugin_}), 0) << err();
  ASSERT_EQ(install(path("bundle.tar")), 0) << err();
  EXPECT_FALSE(std::filesystem::exists(path("installed/sample.so.sig")));
}

TEST_F(PluginDeliveryTest, ASignatureThatCannotBeReadIsNotLeftOut) {
  std::filesystem::create_directory(path("plugins/p.so.sig"));
  EXPECT_EQ(bundle({plugin_}), 2);
  EXPECT_EQ(err(), "davit: DIR/plugins/p.so.sig: is a directory\n");
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

TEST_F(PluginDeliveryTest, RightsOfAPulledPluginThatNoKeySignedAreNotPrinted) {
  const std::string key = sign();
  const std::string signature = directory_.read("plugins/p.so.sig");
  BundleParts parts = parts_of("sample", "1.2.3");
  const auto rbac = [&](const std::string& signed_by, const std::string& more) {
    parts.plugins = {{own_machine(), sample_content("good"), signed_by}};
    const OciArtifact artifact = bundle_of(parts);
    ArtifactSource source(artifact);
    const Result<OpenedBundle> bundle =
        open_bundle(source, artifact.digest(), oci_architecture(own_machine()));
    EXPECT_TRUE(bundle && PluginCache(path("cache")).keep(*bundle));
    RbacOptions options;
    options.manifest = directory_.write(
        "m.yaml",
        "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\npluginSources: "
        "{cacheDirectory: cache}\npluginSignatures:\n  keys: [{name: k, publicKey: " +
            key + "}]\n" + more + "plugins: [{name: sample, source: \"oci://r.io/s@" +
            artifact.digest() + "\"}]\n");
    std::ostringstream printed;
    std::ostringstream why;
    const int code = run_rbac(options, printed, why);
    EXPECT_EQ(printed.str().empty(), code != 0);
    return std::to_string(code) + " " + why.str();
  };
  EXPECT_EQ(rbac(signature, ""), "0 ");
  EXPECT_THAT(rbac("", ""), AllOf(StartsWith("2 "), HasSubstr("is missing")));
  EXPECT_THAT(rbac(signature, "  lowestVersions: {sample: 9.0.0}\n"),
              AllOf(StartsWith("2 "), HasSubstr("the manifest requires at least 9.0.0")));
  EXPECT_THAT(rbac(signature, "  refusedDigests: [" + sha256_hex(sample_content("good")) + "]\n"),
              AllOf(StartsWith("2 "), HasSubstr("the manifest refuses this build")));
}

TEST(PluginOutdatedTest, OnlyTagsThatDoNotMoveAreNewer) {
  EXPECT_EQ(newest_above("1.2.0", {"2", "1.9", "latest", "1.2.0", "1.3.0-rc.1"}), "");
  EXPECT_EQ(newest_above("1.2.0", {"1.3.0", "2", "1.10.0", "1.9.0"}), "1.10.0");
  EXPECT_EQ(newest_above("1.2.0", {"1.3.0_build.5", "1.2.1"}), "1.3.0_build.5");
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
