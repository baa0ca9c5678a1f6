#include "host/crash/crash_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

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
