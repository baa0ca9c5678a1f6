#include "lib/base/replace_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "lib/base/unique_fd.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit {
namespace {

using testing::HasSubstr;

class ReplaceFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }
  [[nodiscard]] mode_t mode(const std::string& name) const {
    struct stat info {};
    EXPECT_EQ(::lstat(path(name).c_str(), &info), 0) << name;
    return info.st_mode;
  }
  void link(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, directory_.path() / name);
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_.path()), {}));
  }

  host::TempDirectory directory_;
};

TEST_F(ReplaceFileTest, SecretIsReadableByItsOwnerAloneInADirectoryOfTheOwner) {
  ASSERT_TRUE(replace_file(path("deep/key"), "secret", Readable::kByOwner).ok());
  EXPECT_EQ(directory_.read("deep/key"), "secret");
  EXPECT_EQ(mode("deep/key") & 07777U, 0600U);
  EXPECT_EQ(mode("deep") & 07777U, 0700U);
}

TEST_F(ReplaceFileTest, OpenFileKeepsItsContentWhileThePathGetsTheNewOne) {
  const std::string file = directory_.write("a", "old");
  const UniqueFd before(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(replace_file(file, "new", Readable::kByAll).ok());
  std::array<char, 8> text{};
  EXPECT_EQ(::read(before.get(), text.data(), text.size()), 3);
  EXPECT_STREQ(text.data(), "old");
  EXPECT_EQ(directory_.read("a"), "new");
  EXPECT_EQ(files(), 1U) << "no draft stays";
}

TEST_F(ReplaceFileTest, LinkStaysAndItsTargetIsReplaced) {
  directory_.write("target", "old");
  link("target", "second");
  link(path("second"), "first");
  ASSERT_TRUE(replace_file(path("first"), "new", Readable::kByOwner).ok());
  EXPECT_TRUE(S_ISLNK(mode("first")));
  EXPECT_TRUE(S_ISLNK(mode("second")));
  EXPECT_EQ(directory_.read("target"), "new");
  EXPECT_EQ(mode("target") & 07777U, 0600U);
}

TEST_F(ReplaceFileTest, TargetOfALinkNeedNotExist) {
  link("target", "first");
  ASSERT_TRUE(replace_file(path("first"), "new", Readable::kByAll).ok());
  EXPECT_TRUE(S_ISLNK(mode("first")));
  EXPECT_TRUE(S_ISREG(mode("target")));
}

TEST_F(ReplaceFileTest, CircleOfLinksIsRefused) {
  link("b", "a");
  link("a", "b");
  const Status refused = replace_file(path("a"), "x", Readable::kByAll);
  EXPECT_EQ(refused.code(), Code::kForbidden);
  EXPECT_THAT(refused.message(), HasSubstr("more than 40 symbolic links"));
}

TEST_F(ReplaceFileTest, LinkOfAnotherUserIsRefused) {
  if (::geteuid() != 0) return;  // Only root can make one.
  directory_.write("target", "old");
  link("target", "first");
  ASSERT_EQ(::lchown(path("first").c_str(), 12345, 12345), 0);
  const Status refused = replace_file(path("first"), "new", Readable::kByOwner);
  EXPECT_EQ(refused.code(), Code::kForbidden);
  EXPECT_THAT(refused.message(), HasSubstr("belongs to user 12345"));
  EXPECT_EQ(directory_.read("target"), "old");
}

// The links keep a fault of the function from replacing the machine's devices.
TEST_F(ReplaceFileTest, CharacterDeviceIsWrittenTo) {
  link("/dev/null", "null");
  link("/dev/full", "full");
  EXPECT_TRUE(replace_file(path("null"), "x", Readable::kByOwner).ok());
  EXPECT_EQ(replace_file(path("full"), "x", Readable::kByOwner).message(),
            "cannot write /dev/full: No space left on device");
  for (const char* each : {"null", "full"}) {
    EXPECT_TRUE(S_ISLNK(mode(each))) << each;
    EXPECT_TRUE(std::filesystem::is_character_file(directory_.path() / each)) << each;
  }
}

TEST_F(ReplaceFileTest, FifoIsWrittenToWhileSomethingReadsIt) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(replace_file(path("fifo"), "x", Readable::kByOwner).message(),
            "cannot write " + path("fifo") + ": nothing reads this FIFO");
  const UniqueFd reader(::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(replace_file(path("fifo"), "new", Readable::kByOwner).ok());
  std::array<char, 8> text{};
  EXPECT_EQ(::read(reader.get(), text.data(), text.size()), 3);
  EXPECT_STREQ(text.data(), "new");
  EXPECT_TRUE(S_ISFIFO(mode("fifo")));
}

TEST_F(ReplaceFileTest, OpenFileThatProcNamesIsAppendedTo) {
  const std::string file = directory_.write("a", "old ");
  const UniqueFd open(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  link("/proc/self/fd/" + std::to_string(open.get()), "out");
  ASSERT_TRUE(replace_file(path("out"), "new", Readable::kByAll).ok());
  EXPECT_EQ(directory_.read("a"), "old new");
}

TEST_F(ReplaceFileTest, SocketsAndDirectoriesAreRefused) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path("socket");
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::copy(name.begin(), name.end(), address.sun_path);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::filesystem::create_directory(directory_.path() / "folder");
  EXPECT_THAT(replace_file(name, "x", Readable::kByAll).message(), HasSubstr("it is a socket"));
  EXPECT_THAT(replace_file(path("folder"), "x", Readable::kByAll).message(),
              HasSubstr("it is a directory"));
  EXPECT_TRUE(S_ISSOCK(mode("socket")));
}

}  // namespace
}  // namespace davit
