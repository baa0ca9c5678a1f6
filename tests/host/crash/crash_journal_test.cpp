#include "host/crash/crash_journal.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "lib/base/unique_fd.hpp"
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

TEST_F(CrashJournalTest, KeepsWhatIsWorthIt) {
  const CrashJournal journal = open(kA + kB + kA);
  ASSERT_TRUE(journal.keep([](const CrashRecord& each) { return each.plugin == "a"; }).ok());
  EXPECT_THAT(journal.read(),
              ElementsAre(Field(&CrashRecord::plugin, "a"), Field(&CrashRecord::plugin, "a")));
}

}  // namespace
}  // namespace davit::host
