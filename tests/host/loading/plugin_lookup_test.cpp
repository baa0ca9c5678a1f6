#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/loading/plugin_file.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;

TEST(PluginLookupTest, TheFirstDirectoryThatHasTheNameWins) {
  const TempDirectory directory;
  const std::string a = (directory.path() / "a").string();
  const std::string b = (directory.path() / "b").string();
  directory.write("a/one.so", "");
  directory.write("b/one.so", "");
  directory.write("b/two.so", "");
  EXPECT_EQ(find_plugin("one", {a, b})->string(), a + "/one.so");
  EXPECT_EQ(find_plugin("two", {a, b})->string(), b + "/two.so");
  EXPECT_EQ(find_plugin("three", {a, b}).error().message(),
            "plugin three: there is no three.so in " + a + ", " + b);
  const Result<std::vector<std::filesystem::path>> list = list_plugins({a, b});
  ASSERT_TRUE(list);
  EXPECT_THAT(*list, ElementsAre(a + "/one.so", b + "/two.so"));
}

TEST(PluginLookupTest, BuildTreesHaveAFolderAPlugin) {
  const TempDirectory directory;
  const std::string path = directory.write("one/one.so", "");
  directory.write("one/other.so", "");
  EXPECT_EQ(find_plugin("one", {directory.path().string()})->string(), path);
  EXPECT_THAT(*list_plugins({directory.path().string()}), ElementsAre(path));
}

TEST(PluginLookupTest, MissingDirectoriesAreReported) {
  EXPECT_EQ(list_plugins({"/no/such"}).error().message(),
            "plugin directory /no/such: No such file or directory");
}

TEST(PluginLookupTest, TheDefaultDirectoryLiesBesideTheProgram) {
  const TempDirectory directory;
  const std::filesystem::path root = directory.path();
  directory.write("build/plugins/x", "");
  directory.write("build/cli/davit", "");
  EXPECT_EQ(plugin_directory_for(root / "build/cli/davit"), root / "build/plugins");
  directory.write("usr/lib/davit/plugins/x", "");
  EXPECT_EQ(plugin_directory_for(root / "usr/bin/davit"), root / "usr/lib/davit/plugins");
  EXPECT_EQ(plugin_directory_for("/opt/x/bin/davit"), "/opt/x/lib/davit/plugins");
}

}  // namespace
}  // namespace davit::host
