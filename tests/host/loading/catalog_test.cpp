#include "host/loading/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;

const std::string kHead = "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n";

class CatalogTest : public testing::Test {
 protected:
  /// Resolves a manifest that lies in the test's directory.
  Catalog resolve(const std::string& text) {
    const std::string path = directory_.write("m.yaml", kHead + text);
    const ManifestResult loaded = load_manifest(path);
    for (const Mistake& mistake : loaded.mistakes) ADD_FAILURE() << mistake.str();
    return resolve_plugins(loaded.manifest, path);
  }

  std::vector<std::string> mistakes(const std::string& text) {
    std::vector<std::string> out;
    for (const Mistake& mistake : resolve(text).mistakes) {
      out.push_back(without_directory(mistake.str(), directory_));
    }
    return out;
  }

  TempDirectory directory_;
};

TEST_F(CatalogTest, SettingsFindTheirControllerByNameOrAlias) {
  copy_sample(directory_, "good", "plugins/sample.so");
  const Catalog catalog = resolve(
      "pluginDirectories: [plugins]\n"
      "plugins: [{name: sample, controllers: {sample: {workers: 9}}}]\n");
  ASSERT_TRUE(catalog.ok()) << catalog.mistakes.front().str();
  ASSERT_EQ(catalog.plugins.size(), 1U);
  const CatalogController& controller = catalog.plugins[0].controllers.at(0);
  EXPECT_EQ(controller.declared.name, "sample-controller");
  EXPECT_EQ(controller.settings.workers, 9U);
}

TEST_F(CatalogTest, WithoutAListEveryPluginOfTheDirectoriesIsMeant) {
  copy_sample(directory_, "good", "plugins/any.so");
  directory_.write("plugins/README", "");
  EXPECT_EQ(resolve("pluginDirectories: [plugins]\n").plugins.size(), 1U);
  EXPECT_EQ(resolve("pluginDirectories: [plugins]\nplugins: []\n").plugins.size(), 0U);
}

TEST_F(CatalogTest, FileThatOthersMayWriteIsRefusedBeforeItIsParsed) {
  const std::filesystem::path file = directory_.write("hostile.so", "no ELF file at all");
  std::filesystem::permissions(file, std::filesystem::perms::all);
  const ManifestResult loaded =
      load_manifest(directory_.write("m.yaml", kHead + "plugins: [{path: hostile.so}]\n"));
  const Catalog catalog = resolve_plugins(loaded.manifest, "m.yaml", Trust::kRequired);
  ASSERT_EQ(catalog.mistakes.size(), 1U);
  EXPECT_EQ(without_directory(catalog.mistakes[0].text, directory_),
            "plugin DIR/hostile.so: the file is writable by others; run chmod go-w on it");
}

TEST_F(CatalogTest, PluginHasTheNameThatTheManifestGivesIt) {
  copy_sample(directory_, "good", "a.so");
  EXPECT_TRUE(resolve("plugins: [{path: a.so, name: sample}]\n").ok());
  EXPECT_TRUE(resolve("plugins: [{path: a.so}]\n").ok());
  EXPECT_THAT(mistakes("plugins: [{path: a.so, name: other}]\n"),
              ElementsAre("DIR/m.yaml:3:11: plugin DIR/a.so: is the plugin sample, not other"));
  EXPECT_THAT(mistakes("pluginDirectories: [.]\nplugins: [{name: a}]\n"),
              ElementsAre("DIR/m.yaml:4:11: plugin DIR/a.so: is the plugin sample, not a"));
}

TEST_F(CatalogTest, WithSignaturesAFileIsTakenForThePluginOfItsName) {
  const std::string signatures =
      "pluginSignatures:\n  keys: [{name: k, publicKey: "
      "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}]\n";
  copy_sample(directory_, "good", "replicaset.so");
  EXPECT_THAT(mistakes(signatures + "plugins: [{path: replicaset.so}]\n"),
              ElementsAre("DIR/m.yaml:5:11: plugin DIR/replicaset.so: is the plugin sample, not "
                          "replicaset: rename the file, or set name"));
  EXPECT_TRUE(resolve(signatures + "plugins: [{path: replicaset.so, name: sample}]\n").ok());
}

TEST_F(CatalogTest, DisabledPluginsAreNotLookedAt) {
  const Catalog catalog = resolve("plugins: [{path: none.so, enabled: false}]\n");
  EXPECT_TRUE(catalog.ok());
  EXPECT_TRUE(catalog.plugins.empty());
}

TEST_F(CatalogTest, EveryMistakeIsReportedAtItsPlace) {
  copy_sample(directory_, "good", "a.so");
  copy_sample(directory_, "good", "b.so");
  copy_sample(directory_, "throws", "c.so");
  EXPECT_THAT(mistakes("plugins:\n- path: none.so\n- path: a.so\n- path: b.so\n"),
              ElementsAre("DIR/m.yaml:4:3: plugin DIR/none.so: there is no such file",
                          "DIR/m.yaml:6:3: duplicate plugin \"sample\": DIR/a.so and DIR/b.so"));
  EXPECT_THAT(mistakes("plugins:\n- path: a.so\n  controllers:\n    smaple: {}\n"),
              ElementsAre("DIR/m.yaml:6:5: plugin sample has no controller \"smaple\" (allowed: "
                          "sample-controller)"));
  EXPECT_THAT(
      mistakes("plugins:\n- path: a.so\n  controllers: {sample: {}, sample-controller: {}}\n"),
      ElementsAre("DIR/m.yaml:5:17: duplicate controller \"sample\": its name and its alias are "
                  "given"));
}

TEST_F(CatalogTest, ControllersMustNotHaveTheNamesOfOthers) {
  copy_sample(directory_, "good", "a.so");
  // The same content under another plugin's name would be found as a duplicate plugin first, so
  // the other plugin is one whose controller has the first one's alias.
  copy_sample(directory_, "other_plugin", "c.so");
  EXPECT_THAT(mistakes("plugins:\n- path: a.so\n- path: c.so\n"),
              ElementsAre("DIR/m.yaml:5:3: duplicate controller \"sample\": plugins sample and "
                          "other both have it"));
}

}  // namespace
}  // namespace davit::host
