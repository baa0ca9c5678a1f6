/// The rules by which a play is right; needs no server.
#include "tests/live/oracle/verdict.hpp"

#include <gtest/gtest.h>

namespace davit::oracle {
namespace {

Scenario scaled() {
  Scenario out;
  out.name = "scaled";
  out.place = "10_rollouts.yaml:1";
  Step rest;
  rest.place = "10_rollouts.yaml:7";
  out.steps.push_back(rest);
  return out;
}

Play play_with(const std::string& replicas) {
  Play out;
  out.rests = {{{"deployment web", R"({"replicas":)" + replicas + '}'}}};
  return out;
}

Courses course_with(const std::string& replicas, std::vector<std::string> failures = {}) {
  return {{"scaled", {play_with(replicas), std::move(failures)}}};
}

/// The verdict on davit's play on this side.
std::vector<std::string> verdict(Findings findings, const std::string& replicas,
                                 Cast cast = Cast::kSandbox) {
  findings.ours = {{cast, course_with(replicas)}};
  return judged({scaled()}, findings).at("scaled");
}

Findings recorded(std::vector<Play> plays) {
  Findings out;
  out.recordings.emplace("scaled", recording_of(scaled(), std::move(plays)));
  return out;
}

TEST(VerdictTest, HistoryIsRightIfTheOriginalShowsItInOneOfItsPlays) {
  Findings findings;
  findings.originals = {course_with("1"), course_with("2")};
  EXPECT_TRUE(verdict(findings, "1").empty());
  EXPECT_TRUE(verdict(findings, "2").empty());
  EXPECT_FALSE(verdict(findings, "3").empty());

  findings.originals[1].at("scaled").failures = {"10_rollouts.yaml:2: there are 5 nodes"};
  EXPECT_TRUE(verdict(findings, "1").empty());
  EXPECT_FALSE(verdict(findings, "2").empty()) << "a play that went wrong shows nothing";

  findings.originals[0].at("scaled").failures = {"10_rollouts.yaml:2: there are 5 nodes"};
  EXPECT_FALSE(verdict(findings, "1").empty()) << "no play came to its end";
}

TEST(VerdictTest, RecordedPlayIsAsGoodAsOneOfToday) {
  const Findings findings = recorded({play_with("1"), play_with("2")});
  EXPECT_TRUE(verdict(findings, "1").empty());
  EXPECT_TRUE(verdict(findings, "2").empty());
  EXPECT_EQ(verdict(findings, "3"),
            std::vector<std::string>{"davit on the sandbox: 10_rollouts.yaml:7: deployment web: "
                                     "replicas is 1, but 3 here"});
}

TEST(VerdictTest, RecordingHoldsIfOnePlayOfTodayIsOneOfItsPlays) {
  Findings findings = recorded({play_with("1"), play_with("2")});
  findings.originals = {course_with("3")};
  EXPECT_EQ(verdict(findings, "1"),
            std::vector<std::string>{"kube-controller-manager is no longer as recorded: "
                                     "10_rollouts.yaml:7: deployment web: replicas is 1, but 3 "
                                     "here"});

  findings.originals.push_back(course_with("2"));
  EXPECT_TRUE(verdict(findings, "1").empty());
}

TEST(VerdictTest, RecordingOfAnotherReleaseCountsForTheSandboxOnly) {
  Findings findings = recorded({play_with("1")});
  findings.recordings_are_of_server = false;
  findings.originals = {course_with("2")};
  EXPECT_TRUE(verdict(findings, "1").empty());
  EXPECT_TRUE(verdict(findings, "2", Cast::kDavit).empty());
  EXPECT_FALSE(verdict(findings, "1", Cast::kDavit).empty());
}

TEST(VerdictTest, RecordingThatCannotBeReadFailsItsScenario) {
  Findings findings;
  findings.recordings.emplace("scaled", Status(Code::kInvalid, "scaled: it is missing"));
  EXPECT_EQ(verdict(findings, "1"), std::vector<std::string>{"scaled: it is missing"});
}

}  // namespace
}  // namespace davit::oracle
