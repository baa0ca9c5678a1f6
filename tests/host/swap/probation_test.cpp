#include "host/swap/probation.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

using Verdict = ProbationResult::Verdict;
using std::chrono::seconds;

struct ProbationCase {
  const char* name;
  SyncTally tally;
  int passed_seconds;
  Verdict verdict;
};

// clang-format off
constexpr ProbationCase kCases[] = {
    // name                          syncs errors faults  at        verdict
    {"NothingHasHappened",           {0,    0,    0},      0, Verdict::kWait},
    {"NothingHasHappenedToTheEnd",   {0,    0,    0},     30, Verdict::kPassed},
    {"AllIsWell",                    {100,  0,    0},     29, Verdict::kWait},
    {"AllWasWell",                   {100,  0,    0},     30, Verdict::kPassed},
    {"AsManyErrorsAsMayBe",          {100, 20,    0},     30, Verdict::kPassed},
    {"OneErrorTooMany",              {100, 21,    0},      1, Verdict::kFailed},
    {"FewSyncsWait",                 {9,    9,    0},     29, Verdict::kWait},
    {"TenSyncsAreEnough",            {10,   3,    0},      0, Verdict::kFailed},
    {"FewSyncsAreJudgedAtTheEnd",    {2,    1,    0},     30, Verdict::kFailed},
    {"OneFaultAtOnce",               {1,    0,    1},      0, Verdict::kFailed},
    {"AFaultWithoutASync",           {0,    0,    1},      0, Verdict::kFailed},
};
// clang-format on

TEST(ProbationTest, FaultsAtOnceAndErrorsByTheirShare) {
  const ProbationTerms terms{seconds(30), 20};
  for (const ProbationCase& each : kCases) {
    const ProbationResult judged = judge(terms, each.tally, seconds(each.passed_seconds));
    EXPECT_EQ(judged.verdict, each.verdict) << each.name << ": " << judged.why;
    EXPECT_EQ(judged.why.empty(), each.verdict != Verdict::kFailed) << each.name;
  }
}

TEST(ProbationTest, TheReasonHasItsNumbers) {
  EXPECT_EQ(judge({seconds(30), 20}, {15, 12, 0}, seconds(1)).why,
            "12 of 15 syncs failed, and 20 % may");
}

}  // namespace
}  // namespace davit::host
