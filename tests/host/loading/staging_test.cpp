#include "host/loading/staging.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/loading/digest.hpp"
#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using std::filesystem::perm_options;
using std::filesystem::permissions;
using std::filesystem::perms;

TEST(DigestTest, Sha256IsTheStandards) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(StagingTest, TheDirectoryIsPrivateAndGoesWithItsOwner) {
  const TempDirectory parent;
  std::filesystem::path path;
  {
    Result<StagingDirectory> staging = StagingDirectory::create_below(parent.path());
    ASSERT_TRUE(staging) << staging.error().message();
    const StagingDirectory moved = std::move(*staging);
    path = moved.path();
    EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(StagingTest, DirectoriesOfEndedProcessesAreRemoved) {
  const TempDirectory parent;
  const std::string abandoned = (parent.path() / "davit-plugins-abcdef").string();
  const std::string other = (parent.path() / "davit-other-abcdef").string();
  const std::string shared = (parent.path() / "davit-plugins-shared").string();
  for (const std::string& each : {abandoned, other, shared}) {
    std::filesystem::create_directory(each);
    std::filesystem::permissions(each, perms::owner_all);
  }
  std::filesystem::permissions(shared, perms::group_read, std::filesystem::perm_options::add);
  parent.write("davit-plugins-abcdef/digest-1.so", "content");
  parent.write("davit-plugins-file", "content");
  std::filesystem::create_directory_symlink(other, parent.path() / "davit-plugins-link0");
  const Result<StagingDirectory> lives = StagingDirectory::create_below(parent.path());
  ASSERT_TRUE(lives);
  EXPECT_FALSE(std::filesystem::exists(abandoned));
  const Result<StagingDirectory> next = StagingDirectory::create_below(parent.path());
  ASSERT_TRUE(next);
  for (const std::filesystem::path& each :
       {lives->path(), next->path(), std::filesystem::path(other), std::filesystem::path(shared),
        parent.path() / "davit-plugins-file", parent.path() / "davit-plugins-link0"}) {
    EXPECT_TRUE(std::filesystem::exists(each)) << each;
  }
}

TEST(StagingTest, EveryCopyHasAPathOfItsOwn) {
  const TempDirectory parent;
  Result<StagingDirectory> staging = StagingDirectory::create_below(parent.path());
  ASSERT_TRUE(staging);
  const TrustedFile file{"content", sha256_hex("content")};
  const Result<std::filesystem::path> one = stage(*staging, file);
  const Result<std::filesystem::path> two = stage(*staging, file);
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
  EXPECT_EQ(one->filename().string(), file.digest + "-1.so");
  EXPECT_EQ(read_trusted(*one)->content, "content");
  EXPECT_EQ(std::filesystem::status(*one).permissions(), perms::owner_read | perms::owner_exec);
}

TEST(StagingTest, FilesThatOthersMayWriteAreRefused) {
  const TempDirectory directory;
  const std::filesystem::path path = copy_sample(directory, "good", "p.so");
  ASSERT_TRUE(read_trusted(path));
  for (const perms others : {perms::group_write, perms::others_write}) {
    permissions(path, perms::owner_all | others);
    const Result<TrustedFile> file = read_trusted(path);
    EXPECT_EQ(file.error().code(), Code::kForbidden);
    EXPECT_EQ(without_directory(file.error().message(), directory),
              "plugin DIR/p.so: the file is writable by others; run chmod go-w on it");
    EXPECT_TRUE(read_plugin_file(path)) << "looking is allowed";
  }
}

TEST(StagingTest, DirectoriesThatOthersMayWriteAreRefusedUnlessSticky) {
  const TempDirectory directory;
  const std::filesystem::path path = copy_sample(directory, "good", "d/p.so");
  permissions(path.parent_path(), perms::all);
  EXPECT_EQ(without_directory(read_trusted(path).error().message(), directory),
            "plugin DIR/d/p.so: the directory DIR/d is writable by others; run chmod go-w on it");
  permissions(path.parent_path(), perms::sticky_bit, perm_options::add);
  EXPECT_TRUE(read_trusted(path));
}

TEST(StagingTest, EveryDirectoryOnTheWayIsChecked) {
  const TempDirectory directory;
  const std::filesystem::path path = copy_sample(directory, "good", "a/b/c/p.so");
  ASSERT_TRUE(read_trusted(path));
  permissions(directory.path() / "a", perms::all);
  EXPECT_EQ(
      without_directory(read_trusted(path).error().message(), directory),
      "plugin DIR/a/b/c/p.so: the directory DIR/a is writable by others; run chmod go-w on it");
}

TEST(StagingTest, DirectoryOfALinkIsCheckedToo) {
  const TempDirectory directory;
  const std::filesystem::path path = copy_sample(directory, "good", "real/p.so");
  std::filesystem::create_directories(directory.path() / "open");
  const std::filesystem::path link = directory.path() / "open/link.so";
  std::filesystem::create_symlink("../real/p.so", link);
  EXPECT_TRUE(read_trusted(link));
  permissions(directory.path() / "open", perms::all);
  EXPECT_EQ(read_trusted(link).error().code(), Code::kForbidden) << "others may turn the link";
  std::filesystem::create_directory_symlink(directory.path() / "open", directory.path() / "way");
  EXPECT_EQ(read_trusted(directory.path() / "way/../real/p.so").error().code(), Code::kForbidden);
}

TEST(StagingTest, LinksAreJudgedByWhatTheyPointTo) {
  const TempDirectory directory;
  const std::filesystem::path path = copy_sample(directory, "good", "real/p.so");
  const std::filesystem::path link = directory.path() / "link.so";
  std::filesystem::create_symlink(path, link);
  EXPECT_TRUE(read_trusted(link));
  permissions(path.parent_path(), perms::all);
  EXPECT_EQ(read_trusted(link).error().code(), Code::kForbidden);
}

TEST(StagingTest, SpecialFileIsRefusedWithoutWaiting) {
  const TempDirectory directory;
  const std::string fifo = (directory.path() / "fifo.so").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(without_directory(read_trusted(fifo).error().message(), directory),
            "plugin DIR/fifo.so: is not a regular file");
  EXPECT_EQ(read_trusted(directory.path()).error().code(), Code::kInvalid);
  EXPECT_EQ(read_trusted("/no/such.so").error().message(),
            "plugin /no/such.so: there is no such file");
}

}  // namespace
}  // namespace davit::host
