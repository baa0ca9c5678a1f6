#include "host/crash/crash_journal.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "lib/base/unique_fd.hpp"
#include "lib/base/write_all.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uid_t kAnotherUser = 12345;

const std::string kA = R"({"time":100,"signal":"SIGSEGV","plugin":"a","build":"b1"})"
                       "\n";
const std::string kB = R"({"time":200,"signal":"SIGABRT","plugin":"b","build":"b2"})"
                       "\n";

class CrashJournalTest : public testing::Test {
 protected:
  [[nodiscard]] CrashJournal open(const std::string& content) const {
    Result<CrashJournal> journal = CrashJournal::open(directory_.path());
    EXPECT_TRUE(journal) << journal.error().message();
    directory_.write("crashes.jsonl", content);
    return *journal;
  }

  TempDirectory directory_;
};

TEST_F(CrashJournalTest, DirectoryIsMadeForItsOwnerOnly) {
  const std::filesystem::path deep = directory_.path() / "some" / "where" / "davit";
  const auto journal = CrashJournal::open(deep);
  ASSERT_TRUE(journal) << journal.error().message();
  EXPECT_THAT(journal->read(), IsEmpty());
  EXPECT_EQ(std::filesystem::status(deep).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(CrashJournalTest, WhatCannotBeWrittenIsNamed) {
  directory_.write("file", "");
  const auto journal = CrashJournal::open(directory_.path() / "file" / "davit");
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code(), Code::kUnavailable);
  EXPECT_THAT(journal.error().message(), HasSubstr((directory_.path() / "file").string()));
}

TEST_F(CrashJournalTest, RecordsThatOthersCanWriteAreRefused) {
  const CrashJournal journal = open(kA);
  EXPECT_THAT(journal.read(), SizeIs(1));
  std::filesystem::permissions(journal.path(), std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(journal.read(), IsEmpty());
  const auto again = CrashJournal::open(directory_.path());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Code::kForbidden);
  EXPECT_THAT(again.error().message(), HasSubstr("run chmod go-w on it"));
}

TEST_F(CrashJournalTest, DirectoryAndRecordsOfAnotherUserAreRefused) {
  if (::geteuid() != 0) return;  // Only root can make them.
  const CrashJournal journal = open(kA);
  ASSERT_EQ(::chown(journal.path().c_str(), kAnotherUser, kAnotherUser), 0);
  EXPECT_THAT(journal.read(), IsEmpty());
  EXPECT_THAT(CrashJournal::open(directory_.path()).error().message(),
              HasSubstr("crashes.jsonl belongs to user 12345"));
  ASSERT_EQ(::chown(directory_.path().c_str(), kAnotherUser, kAnotherUser), 0);
  EXPECT_THAT(
      CrashJournal::open(directory_.path()).error().message(),
      HasSubstr("the state directory " + directory_.path().string() + " belongs to user 12345"));
}

TEST_F(CrashJournalTest, FifoInThePlaceOfTheRecordsIsRefusedAtOnce) {
  const std::string path = (directory_.path() / "crashes.jsonl").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(CrashJournal::open(directory_.path())) << "nothing reads it";
  const UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_THAT(CrashJournal::open(directory_.path()).error().message(),
              HasSubstr("is a FIFO, not a regular file"));
}

TEST_F(CrashJournalTest, DamagedLinesArePassedOver) {
  const CrashJournal journal =
      open(kA + "nonsense\n{\"time\":\"x\"}\n\n[]\n" + kB + "{\"time\":3,\"sig");
  EXPECT_THAT(journal.read(),
              ElementsAre(Field(&CrashRecord::plugin, "a"), Field(&CrashRecord::plugin, "b")));
}

/// The bytes that the file has on the disk.
std::int64_t taken_bytes(const std::filesystem::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return std::int64_t{512} * info.st_blocks;
}

TEST_F(CrashJournalTest, RoomForCrashesIsTakenBeforehandAndStaysWhenRecordsGo) {
  constexpr std::int64_t kRecordMax = 8192;
  const CrashJournal journal = open(kA + kB);

  ASSERT_TRUE(journal.keep_room().ok());

  EXPECT_GE(taken_bytes(journal.path()), 8 * kRecordMax);
  EXPECT_EQ(std::filesystem::file_size(journal.path()), kA.size() + kB.size());
  ASSERT_TRUE(journal.keep([](const CrashRecord& each) { return each.plugin == "a"; }).ok());
  EXPECT_GE(taken_bytes(journal.path()), 8 * kRecordMax) << "in the file that has replaced it";
  EXPECT_THAT(journal.read(), SizeIs(1));
}

TEST_F(CrashJournalTest, FullDiskIsReportedWithItsReason) {
  // To end the last line takes a byte, which this limit refuses on every file system.
  const std::string unfinished = kA + "{";
  const CrashJournal journal = open(unfinished);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit full { unfinished.size(), before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  const Status room = journal.keep_room();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);

  EXPECT_EQ(room.code(), Code::kUnavailable);
  EXPECT_EQ(room.message(), journal.path().string() + ": File too large");
}

TEST_F(CrashJournalTest, LineThatAFullDiskCutOffEndsBeforeTheNextOne) {
  const CrashJournal journal = open(kA + "{\"time\":3,\"sig");
  ASSERT_TRUE(journal.keep_room().ok());
  const UniqueFd file(::open(journal.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  ASSERT_TRUE(write_all(file.get(), kB));
  EXPECT_THAT(journal.read(),
              ElementsAre(Field(&CrashRecord::plugin, "a"), Field(&CrashRecord::plugin, "b")));
}

TEST_F(CrashJournalTest, KeepsWhatIsWorthIt) {
  const CrashJournal journal = open(kA + kB + kA);
  ASSERT_TRUE(journal.keep([](const CrashRecord& each) { return each.plugin == "a"; }).ok());
  EXPECT_THAT(journal.read(),
              ElementsAre(Field(&CrashRecord::plugin, "a"), Field(&CrashRecord::plugin, "a")));
}

}  // namespace
}  // namespace davit::host
