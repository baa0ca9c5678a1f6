#include "host/swap/plugin_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/collector.hpp"
#include "tests/support/scarcity.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class PluginWatchTest : public testing::Test {
 protected:
  Result<std::unique_ptr<PluginWatch>> watch(const std::vector<std::filesystem::path>& files,
                                             milliseconds quiet = milliseconds(1)) {
    return PluginWatch::open(files, quiet, [this](const std::filesystem::path& file) {
      told_.push(file.filename().string());
    });
  }
  [[nodiscard]] std::filesystem::path file(const char* name) const {
    return directory_.path() / name;
  }

  TempDirectory directory_;
  test::Collector<std::string> told_;
};

TEST_F(PluginWatchTest, AFileIsReportedWhenItIsWrittenOrTakesTheName) {
  const auto watching = watch({file("a.so"), file("b.so")});
  ASSERT_TRUE(watching) << watching.error().message();

  directory_.write("other.so", "not followed");
  directory_.write("a.so", "one");
  EXPECT_THAT(told_.await(1), ElementsAre("a.so"));
  std::filesystem::rename(file("other.so"), file("b.so"));
  EXPECT_THAT(told_.await(2), ElementsAre("a.so", "b.so"));
  std::filesystem::remove(file("a.so"));
  directory_.write("a.so", "two");
  EXPECT_THAT(told_.await(3), ElementsAre("a.so", "b.so", "a.so"));
}

TEST_F(PluginWatchTest, ASignatureThatArrivesLaterReportsItsPlugin) {
  std::filesystem::create_directory(file("all"));
  const auto watching = watch({file("a.so"), file("all")});
  ASSERT_TRUE(watching) << watching.error().message();

  directory_.write("a.so.sig", "");
  EXPECT_THAT(told_.await(1), ElementsAre("a.so"));
  directory_.write("all/b.so.sig", "");
  EXPECT_THAT(told_.await(2), ElementsAre("a.so", "all"));
}

TEST_F(PluginWatchTest, WithoutAThreadTheWatchIsRefused) {
  const test::NoThreads scarce;

  const Status failed = watch({file("a.so")}).error();

  EXPECT_EQ(scarce.wanted(), 1U);
  EXPECT_EQ(failed.code(), Code::kUnavailable);
  EXPECT_EQ(failed.message(), "cannot watch files: cannot start a thread");
}

TEST_F(PluginWatchTest, ManyChangesInARowAreReportedOnce) {
  const auto watching = watch({file("a.so"), file("b.so")}, milliseconds(500));
  ASSERT_TRUE(watching);

  for (int i = 0; i < 100; ++i) directory_.write("a.so", std::to_string(i));
  told_.await(1);
  directory_.write("b.so", "");

  std::vector<std::string> told;
  while (told.empty() || told.back() != "b.so") told = told_.await(told.size() + 1);
  EXPECT_EQ(told.front(), "a.so");
  // A machine that stands still for half a second between two writes tears the row apart.
  EXPECT_LT(told.size(), 10U);
}

TEST_F(PluginWatchTest, AMountedConfigMapIsReportedThoughOnlyTheLinkBesideItChanges) {
  directory_.write("one/davit.yaml", "1");
  directory_.write("two/davit.yaml", "2");
  std::filesystem::create_directory_symlink("one", file("..data"));
  std::filesystem::create_symlink("..data/davit.yaml", file("davit.yaml"));
  const auto watching = watch({file("davit.yaml")});
  ASSERT_TRUE(watching);

  std::filesystem::create_directory_symlink("two", file("..data_tmp"));
  std::filesystem::rename(file("..data_tmp"), file("..data"));

  EXPECT_THAT(told_.await(1), ElementsAre("davit.yaml"));
}

TEST_F(PluginWatchTest, FurtherFilesAreFollowedOnceAChangeBringsThem) {
  std::filesystem::create_directory(file("later"));
  std::vector<std::filesystem::path> files = {file("a.so")};
  const auto watching = PluginWatch::open(
      files, milliseconds(1),
      [this](const std::filesystem::path& each) { told_.push(each.filename().string()); },
      [this, &files] {
        files = {file("a.so"), file("later") / "b.so"};
        told_.push("asked");
        return files;
      });
  ASSERT_TRUE(watching);

  directory_.write("a.so", "1");
  told_.await(2);
  // Asked again after this one: by then the new directory is followed.
  directory_.write("a.so", "2");
  told_.await(4);
  directory_.write("later/b.so", "1");

  EXPECT_THAT(told_.await(6), ElementsAre("a.so", "asked", "a.so", "asked", "b.so", "asked"));
}

TEST_F(PluginWatchTest, ADirectoryIsReportedWhenAPluginComesOrHasGone) {
  directory_.write("a.so", "one");
  const auto watching = watch({directory_.path(), file("a.so")});
  ASSERT_TRUE(watching) << watching.error().message();
  const std::string all = directory_.path().filename().string();

  directory_.write("notes.txt", "no plugin");
  directory_.write("a.so", "followed by itself");
  EXPECT_THAT(told_.await(1), ElementsAre("a.so"));
  directory_.write("b.so", "new");
  EXPECT_THAT(told_.await(2), ElementsAre("a.so", all));
  std::filesystem::remove(file("a.so"));
  EXPECT_THAT(told_.await(3), ElementsAre("a.so", all, all));
}

TEST_F(PluginWatchTest, ADirectoryThatIsMadeAgainIsFollowedAgain) {
  std::filesystem::create_directory(file("all"));
  std::filesystem::create_directory(file("one"));
  const auto watching = watch({file("all"), file("one") / "a.so"});
  ASSERT_TRUE(watching) << watching.error().message();
  std::filesystem::remove(file("all"));
  EXPECT_THAT(told_.await(1), ElementsAre("all")) << "its plugins are gone";
  std::filesystem::rename(file("one"), file("other"));

  std::filesystem::create_directory(file("all"));
  std::filesystem::create_directory(file("one"));
  EXPECT_THAT(told_.await(3), UnorderedElementsAre("all", "all", "a.so"));
  directory_.write("all/b.so", "");
  EXPECT_THAT(told_.await(4).back(), "all");
  directory_.write("one/a.so", "");
  EXPECT_THAT(told_.await(5).back(), "a.so");
}

TEST_F(PluginWatchTest, ADirectoryThatIsNotThereIsNamed) {
  const std::filesystem::path missing = directory_.path() / "missing" / "a.so";
  EXPECT_EQ(watch({missing}).error().message(),
            "cannot watch " + missing.parent_path().string() + ": No such file or directory");
}

TEST_F(PluginWatchTest, APluginThatComesInAFolderOfItsOwnIsReported) {
  directory_.write("plugins/old/old.so", "");
  const auto watching = watch({file("plugins")});
  ASSERT_TRUE(watching) << watching.error().message();

  std::filesystem::create_directory(file("plugins/new"));
  EXPECT_THAT(told_.await(1), ElementsAre("plugins"));
  directory_.write("plugins/new/readme.md", "tells nobody");
  directory_.write("plugins/new/new.so", "");
  EXPECT_THAT(told_.await(2), ElementsAre("plugins", "plugins"));
  directory_.write("plugins/old/old.so", "again");
  EXPECT_THAT(told_.await(3), ElementsAre("plugins", "plugins", "plugins"));
  std::filesystem::rename(file("plugins/new"), file("away"));
  EXPECT_THAT(told_.await(4), ElementsAre("plugins", "plugins", "plugins", "plugins"));
}

}  // namespace
}  // namespace davit::host
