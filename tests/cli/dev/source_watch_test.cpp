#include "cli/dev/source_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class SourceWatchTest : public testing::Test {
 protected:
  SourceWatchTest() { std::filesystem::create_directories(root() / "build/dev"); }
  [[nodiscard]] const std::filesystem::path& root() const { return scratch_.path(); }
  void save(const std::string& name) const { std::ofstream(root() / name) << "text\n"; }
  [[nodiscard]] SourceWatch watch() const {
    Result<SourceWatch> made = SourceWatch::open(root(), {root() / "build"});
    EXPECT_TRUE(made);
    return std::move(*made);
  }

  TempDirectory scratch_;
};

TEST_F(SourceWatchTest, ReportsEachSavedFileOnce) {
  SourceWatch watch = this->watch();
  save("plugin.cpp");
  save("plugin.cpp");
  EXPECT_THAT(watch.take(), ElementsAre("plugin.cpp"));
  EXPECT_THAT(watch.take(), IsEmpty());
}

TEST_F(SourceWatchTest, SeesAFileThatTakesTheNameOfAnother) {
  SourceWatch watch = this->watch();
  save(".plugin.cpp.tmp");
  std::filesystem::rename(root() / ".plugin.cpp.tmp", root() / "plugin.cpp");
  EXPECT_THAT(watch.take(), ElementsAre("plugin.cpp"));
}

TEST_F(SourceWatchTest, FollowsFoldersThatAreMadeLater) {
  SourceWatch watch = this->watch();
  std::filesystem::create_directory(root() / "src");
  EXPECT_THAT(watch.take(), ElementsAre("src"));
  save("src/rules.hpp");
  EXPECT_THAT(watch.take(), Contains("src/rules.hpp"));
}

TEST_F(SourceWatchTest, FollowsAFolderThatWasMadeWhileTheKernelLostEvents) {
  SourceWatch watch = this->watch();
  save("a.cpp");
  int queued_max = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> queued_max;
  for (int i = 0; i <= queued_max; i += 4) {  // Each rename is two events.
    std::filesystem::rename(root() / "a.cpp", root() / "b.cpp");
    std::filesystem::rename(root() / "b.cpp", root() / "a.cpp");
  }
  std::filesystem::create_directory(root() / "src");
  EXPECT_THAT(watch.take(), Contains("."));
  save("src/rules.hpp");
  EXPECT_THAT(watch.take(), Contains("src/rules.hpp"));
}

TEST_F(SourceWatchTest, LinksThatLeadBackAreFollowedOnce) {
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory_symlink(".", root() / name);
  }
  SourceWatch watch = this->watch();
  save("plugin.cpp");
  EXPECT_THAT(watch.take(), ElementsAre("plugin.cpp"));
}

TEST_F(SourceWatchTest, LeavesOutWhatIsBuiltAndWhatEditorsKeep) {
  SourceWatch watch = this->watch();
  for (const char* name : {"build/dev/x.o", ".plugin.cpp.swp", "plugin.cpp~", "#plugin.cpp#"}) {
    save(name);
  }
  EXPECT_THAT(watch.take(), IsEmpty());
}

TEST_F(SourceWatchTest, AFolderThatIsNotThereCannotBeWatched) {
  EXPECT_FALSE(SourceWatch::open(root() / "nowhere", {}));
}

}  // namespace
}  // namespace davit::host
