/// Plans and scenarios as text.
#include "testing/explore/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/explore/scenario.hpp"

namespace davit::explore {
namespace {

using ::testing::HasSubstr;

TEST(PlanTest, TheTextOfAPlanIsReadAsThePlan) {
  const Plan plan = {{Point::kRequest, 3, Choice::kCrashAfter, 2},
                     {Point::kTurn, 4, Choice::kHold, 0, "pods"},
                     {Point::kDiscovery, 1, Choice::kNoCoreGroup},
                     {Point::kTimer, 2, Choice::kAfterSync}};
  EXPECT_EQ(to_text(plan),
            "request#3=crash-after@2, turn#4=hold:pods, discovery#1=no-core-group, "
            "timer#2=after-sync");
  EXPECT_EQ(*parse_plan(to_text(plan)), plan);
  const Plan stale = {{Point::kTurn, 2, Choice::kSwap, 3, "replicasets.apps"}};
  EXPECT_EQ(to_text(stale), "turn#2=swap@3:replicasets.apps");
  EXPECT_EQ(*parse_plan(to_text(stale)), stale);
  EXPECT_EQ(*parse_plan(to_text(Plan())), Plan());
}

TEST(PlanTest, AMistakeNamesThePartAndWhatIsAllowedThere) {
  EXPECT_THAT(parse_plan("sync#1=swap").error().message(), HasSubstr("request#"));
  EXPECT_THAT(parse_plan("turn#0=swap").error().message(), HasSubstr("counts from 1"));
  EXPECT_THAT(parse_plan("turn#1=lost-response").error().message(), HasSubstr("swap, enable"));
  EXPECT_THAT(parse_plan("turn#1=swap@x").error().message(), HasSubstr("a number follows @"));
}

TEST(PlanTest, ANumberOrAResourceThatAChoiceDoesNotTakeIsAMistake) {
  const auto mistake = [](const char* plan) { return parse_plan(plan).error().message(); };
  EXPECT_THAT(mistake("turn#1=swap@0"), HasSubstr("a number follows @, from 1"));
  EXPECT_THAT(mistake("turn#1=reverse@1"), HasSubstr("reverse takes no @K"));
  EXPECT_THAT(mistake("request#1=conflict@1"), HasSubstr("conflict takes no @K"));
  EXPECT_THAT(mistake("turn#1=only@1:pods"), HasSubstr("only takes no @K"));
  EXPECT_THAT(mistake("request#1=lost-response@2"), HasSubstr("no other number than @1"));
  EXPECT_THAT(mistake("turn#1=restore"), HasSubstr("restore takes @K"));
  EXPECT_THAT(mistake("turn#1=restore@1:pods"), HasSubstr("restore takes no resource"));
  EXPECT_THAT(mistake("turn#1=only"), HasSubstr("only takes a resource"));
  EXPECT_THAT(mistake("turn#1=swap:pods"), HasSubstr("swap takes a resource only after @K"));
  EXPECT_THAT(mistake("turn#1=hold:"), HasSubstr("a resource follows :"));
}

TEST(ScenarioTest, AMistakeHasFileLineAndWhatIsAllowed) {
  const auto read = [](const std::string& step) {
    return read_scenarios("scenarios:\n  - name: a\n    steps:\n      - " + step + "\n", "a.yaml")
        .error()
        .message();
  };
  EXPECT_THAT(read("jump"), HasSubstr("a.yaml:4: a step is rest"));
  EXPECT_THAT(read("collect: pods"), HasSubstr("a.yaml:4: collect stands alone"));
  EXPECT_THAT(read("pass: soon"), HasSubstr("a.yaml:4: pass is a number"));
  EXPECT_THAT(read("create: nothing"), HasSubstr("a.yaml:4: no object named nothing"));
  EXPECT_THAT(read("{delete: pod/a, when: now}"), HasSubstr("a.yaml:4: unknown key when"));
  EXPECT_THAT(read("{delete: pod/a, propagation: Foregroud}"),
              HasSubstr("a.yaml:4: propagation is one of Background, Orphan, Foreground"));
  EXPECT_THAT(read("{patch: pod/a, type: yaml, with: {}}"),
              HasSubstr("a.yaml:4: type is one of merge, strategic, json"));
  EXPECT_THAT(
      read_scenarios("scenarios:\n  - name: a\n    keep: [pods app=web]\n    steps: [rest]\n",
                     "a.yaml")
          .error()
          .message(),
      HasSubstr("a.yaml:3: what is kept has a name, or no labels"));
}

TEST(ScenarioTest, AMistakeOutsideItsStepsHasFileLineAndField) {
  const auto read = [](const std::string& scenarios) {
    return read_scenarios("scenarios:\n" + scenarios, "a.yaml").error().message();
  };
  EXPECT_THAT(read("  - name: A_b\n    steps: [rest]\n"),
              HasSubstr("a.yaml:2: name, which is also a namespace: "));
  EXPECT_THAT(read("  - {name: a, steps: [rest]}\n  - {name: a, steps: [rest]}\n"),
              HasSubstr("a.yaml:3: name: there are two scenarios a"));
  EXPECT_THAT(read("  - name: a\n    without: [{choice: swp, reason: none}]\n    steps: [rest]\n"),
              HasSubstr("a.yaml:3: choice: there is no choice \"swp\""));
  EXPECT_THAT(read("  - name: a\n    steps: [rest]\n    stops: []\n"),
              HasSubstr("a.yaml:4: unknown key stops"));
}

}  // namespace
}  // namespace davit::explore
