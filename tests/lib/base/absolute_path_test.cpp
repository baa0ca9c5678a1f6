#include "lib/base/absolute_path.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "lib/base/unique_fd.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit {
namespace {

TEST(AbsolutePathTest, PathsAreMadeAbsoluteAndNormal) {
  EXPECT_EQ(absolute_path("/a/./b/../c"), "/a/c");
  EXPECT_EQ(absolute_path("a"), std::filesystem::current_path() / "a");
  EXPECT_EQ(absolute_path(""), "");
}

TEST(AbsolutePathTest, WorkingDirectoryThatIsGoneIsNoException) {
  const UniqueFd before(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  {
    const host::TempDirectory directory;
    ASSERT_EQ(::chdir(directory.path().c_str()), 0);
  }
  EXPECT_EQ(absolute_path("a/../b"), "b");
  EXPECT_EQ(absolute_path("/a"), "/a");
  ASSERT_EQ(::fchdir(before.get()), 0);
}

}  // namespace
}  // namespace davit
