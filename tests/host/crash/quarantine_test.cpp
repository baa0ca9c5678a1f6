#include "host/crash/quarantine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr QuarantinePolicy kThreeInTen{};
const std::string kDigest = std::string(12, 'b') + std::string(52, '0');

CrashRecord crash(int minute, const std::string& build = std::string(12, 'b'),
                  const std::string& plugin = "sample") {
  CrashRecord record;
  record.time = WallTime(minutes(minute));
  record.signal = "SIGSEGV";
  record.plugin = plugin;
  record.build = build;
  return record;
}

struct JudgeCase {
  const char* name;
  std::vector<CrashRecord> records;
  std::size_t quarantined;
};
const JudgeCase kJudgeCases[] = {
    {"NothingHappened", {}, 0},
    {"TwoAreTooFew", {crash(0), crash(1)}, 0},
    {"ThreeWithinTheWindow", {crash(0), crash(1), crash(10)}, 1},
    {"ThreeInMoreThanTheWindow", {crash(0), crash(6), crash(12)}, 0},
    {"AnOldOneAndThreeWithin", {crash(0), crash(20), crash(21), crash(22)}, 1},
    {"StaysAfterALaterOne", {crash(0), crash(1), crash(2), crash(500)}, 1},
    {"BuildsCountForThemselves", {crash(0), crash(1), crash(2, "other")}, 0},
    {"PluginsCountForThemselves", {crash(0), crash(1), crash(2, "bbbbbbbbbbbb", "x")}, 0},
    {"TheHostsOwnCrashesCountForNobody", {crash(0, "", ""), crash(0, "", ""), crash(0, "", "")}, 0},
};

TEST(QuarantineTest, CrashesInALoopMakeABuildStayOut) {
  for (const JudgeCase& each : kJudgeCases) {
    EXPECT_THAT(judge_crashes(each.records, kThreeInTen), SizeIs(each.quarantined)) << each.name;
  }
}

TEST(QuarantineTest, NumberAndWindowCanBeSet) {
  const std::vector<CrashRecord> records = {crash(0), crash(1), crash(2)};
  EXPECT_THAT(judge_crashes(records, {.crashes = 1, .window = seconds(1)}), SizeIs(1));
  EXPECT_THAT(judge_crashes(records, {.crashes = 3, .window = minutes(1)}), IsEmpty());
  EXPECT_THAT(judge_crashes(records, {.crashes = 0, .window = minutes(60)}), IsEmpty());
}

TEST(QuarantineTest, CodeOfABuildOnAThreadOfItsOwnCountsForTheBuild) {
  CrashRecord record = crash(0, "", "");
  record.module = "/run/staging/" + kDigest + "-1.so";
  const auto judged = judge_crashes({record, record, record}, kThreeInTen);
  ASSERT_THAT(judged, SizeIs(1));
  EXPECT_EQ(judged[0].build, kDigest.substr(0, 12));
  EXPECT_EQ(judged[0].plugin, "");
}

class QuarantineOfAHostTest : public testing::Test {
 protected:
  [[nodiscard]] CrashJournal journal(const std::vector<int>& minutes_of_crashes) const {
    std::string text;
    for (const int each : minutes_of_crashes) {
      text += R"({"time":)" + std::to_string(each * 60) +
              R"(,"signal":"SIGSEGV","plugin":"sample","build":"bbbbbbbbbbbb","activity":"sync",)"
              R"("key":"a/b","controller":"sample-controller"})"
              "\n";
    }
    directory_.write("crashes.jsonl", text);
    return *CrashJournal::open(directory_.path());
  }
  static WallTime at(int minute) { return WallTime(minutes(minute)); }

  TempDirectory directory_;
};

TEST_F(QuarantineOfAHostTest, OnlyTheBuildThatCrashedIsFound) {
  const Quarantine quarantine(journal({0, 1, 2}), kThreeInTen, at(3));
  EXPECT_TRUE(quarantine.find("sample", kDigest));
  EXPECT_FALSE(quarantine.find("sample", std::string(64, 'c'))) << "another build is tried again";
  EXPECT_FALSE(quarantine.find("other", kDigest));
}

TEST_F(QuarantineOfAHostTest, ItLastsAndOldCrashesOfOthersAreForgotten) {
  { const Quarantine quarantine(journal({0, 1, 2}), kThreeInTen, at(3)); }
  EXPECT_TRUE(Quarantine(*CrashJournal::open(directory_.path()), kThreeInTen, at(9000))
                  .find("sample", kDigest));

  const CrashJournal few = journal({0, 1});
  EXPECT_FALSE(Quarantine(few, kThreeInTen, at(60)).find("sample", kDigest));
  EXPECT_THAT(few.read(), IsEmpty());
}

TEST_F(QuarantineOfAHostTest, LiftedItIsOverAlsoForTheNextStart) {
  Quarantine quarantine(journal({0, 1, 2}), kThreeInTen, at(3));
  quarantine.add({"sample", "/p/sample.so", *quarantine.find("sample", kDigest)});
  ASSERT_THAT(quarantine.quarantined(), SizeIs(1));
  EXPECT_EQ(
      quarantine.quarantined()[0].text(),
      "plugin sample is quarantined: build bbbbbbbbbbbb crashed 3 times, last with SIGSEGV in "
      "sync of key \"a/b\" of sample-controller; the next start tries another build, "
      "and davit ctl load /p/sample.so tries this one again");

  EXPECT_TRUE(quarantine.lift("sample"));

  EXPECT_THAT(quarantine.quarantined(), IsEmpty());
  EXPECT_FALSE(quarantine.find("sample", kDigest));
  EXPECT_FALSE(Quarantine(*CrashJournal::open(directory_.path()), kThreeInTen, at(4))
                   .find("sample", kDigest));
  EXPECT_FALSE(quarantine.lift("sample")) << "there is nothing left to lift";
}

TEST_F(QuarantineOfAHostTest, WithoutAJournalNoPluginIsQuarantined) {
  const Quarantine quarantine(std::nullopt, kThreeInTen, at(0));
  EXPECT_FALSE(quarantine.find("sample", kDigest));
}

}  // namespace
}  // namespace davit::host
