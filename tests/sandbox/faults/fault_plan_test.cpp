#include "sandbox/faults/fault_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

constexpr Time kNow = test::FakeClock::kStart;

FaultRule rule(std::string_view text) {
  return parse_fault_script(json_literal(text))->rules.at(0);
}

RequestFacts request_facts(std::string verb, std::string resource) {
  RequestFacts out;
  out.verb = std::move(verb);
  out.resource = std::move(resource);
  return out;
}

RequestFacts update_of_web() {
  return {"update", "apps", "deployments", "", "a", "web", "davit/1 (linux)", "system:davit"};
}

bool hits(FaultPlan& plan, const RequestFacts& request_facts, Time now = kNow) {
  return !plan.on_request(request_facts, now).hits.empty();
}

struct TargetCase {
  const char* name;
  const char* target;
  bool hit;
};

constexpr TargetCase kTargets[] = {
    {"EverybodyWithoutATarget", R"({})", true},
    {"Verb", R"({"verb":"update"})", true},
    {"OneOfTheVerbs", R"({"verb":["create","update"]})", true},
    {"AnotherVerb", R"({"verb":"get"})", false},
    {"ResourceOfAnyGroup", R"({"resource":"deployments"})", true},
    {"ResourceWithItsGroup", R"({"resource":"deployments.apps"})", true},
    {"ResourceOfAnotherGroup", R"({"resource":"deployments.extensions"})", false},
    {"OneOfTheResources", R"({"resource":["pods","deployments"]})", true},
    {"AnySubresourceIncludesNone", R"({"resource":"deployments/*"})", true},
    {"ASubresourceIsAnother", R"({"resource":"deployments/status"})", false},
    {"AllResources", R"({"resource":"*"})", true},
    {"Namespace", R"({"namespace":"a"})", true},
    {"AnotherNamespace", R"({"namespace":"b"})", false},
    {"Name", R"({"name":"web"})", true},
    {"AnotherName", R"({"name":"we"})", false},
    {"PartOfTheUserAgent", R"({"userAgent":"davit/"})", true},
    {"AnotherUserAgent", R"({"userAgent":"kubectl"})", false},
    {"User", R"({"user":"system:davit"})", true},
    {"AnotherUser", R"({"user":"davit"})", false},
    {"AllMustMatch", R"({"verb":"update","namespace":"b"})", false},
};

TEST(FaultPlanTest, TargetsSayWhomARuleConcerns) {
  for (const TargetCase& each : kTargets) {
    FaultPlan plan(1);
    FaultRule reset = rule(R"({"fault":"reset","target":)" + std::string(each.target) + "}");
    plan.add(std::move(reset), kNow, 1);
    EXPECT_EQ(hits(plan, update_of_web()), each.hit) << each.name;
  }
}

TEST(FaultPlanTest, MainResourceIsNotItsSubresource) {
  FaultPlan plan(1);
  plan.add(rule(R"({"fault":"reset","target":{"resource":"deployments"}})"), kNow, 1);
  RequestFacts status = update_of_web();
  status.subresource = "status";
  EXPECT_FALSE(hits(plan, status));
}

TEST(FaultPlanTest, NonResourceIsHitByItsMethod) {
  FaultPlan plan(1);
  plan.add(rule(R"({"fault":"reset","target":{"resource":"*"}})"), kNow, 1);
  EXPECT_FALSE(hits(plan, request_facts("get", "")));
  plan.add(rule(R"({"fault":"reset","target":{"verb":"get"}})"), kNow, 1);
  EXPECT_TRUE(hits(plan, request_facts("get", "")));
}

TEST(FaultPlanTest, FirstMatchesAreSparedAndACountIsUsedUp) {
  FaultPlan plan(1);
  plan.add(rule(R"({"fault":"reset","skip":2,"count":3})"), kNow, 1);
  std::string seen;
  for (int i = 0; i < 8; ++i) seen += hits(plan, update_of_web()) ? 'x' : '.';
  EXPECT_EQ(seen, "..xxx...");
}

TEST(FaultPlanTest, RuleSleepsBeforeAndAfterItsTime) {
  FaultPlan plan(1);
  plan.add(rule(R"({"fault":"reset","from":"10s","until":"20s"})"), kNow, 1);
  EXPECT_FALSE(hits(plan, update_of_web(), kNow + seconds(9)));
  EXPECT_TRUE(hits(plan, update_of_web(), kNow + seconds(10)));
  EXPECT_TRUE(hits(plan, update_of_web(), kNow + seconds(19)));
  EXPECT_FALSE(hits(plan, update_of_web(), kNow + seconds(20)));
}

/// The hits of the first rule among 200 requests.
std::string luck(std::uint64_t seed, int other_rules = 0) {
  FaultPlan plan(seed);
  const std::uint64_t id =
      plan.add(rule(R"({"fault":"slow","bytesPerSecond":9,"probability":0.5})"), kNow, 1);
  for (int i = 0; i < other_rules; ++i) {
    plan.add(rule(R"({"fault":"delay","delay":"1s","probability":0.5})"), kNow, 1);
  }
  std::string seen;
  for (int i = 0; i < 200; ++i) {
    const RequestFaults faults = plan.on_request(update_of_web(), kNow);
    const bool hit = std::any_of(faults.hits.begin(), faults.hits.end(),
                                 [id](const FaultHit& each) { return each.id == id; });
    seen += hit ? 'x' : '.';
  }
  return seen;
}

TEST(FaultPlanTest, SeedDecidesTheLuckOfEachRuleAlone) {
  EXPECT_EQ(luck(1), luck(1));
  EXPECT_NE(luck(1), luck(2));
  EXPECT_EQ(luck(1), luck(1, 3)) << "other rules change nothing";
  const std::string seen = luck(1);
  const auto count = std::count(seen.begin(), seen.end(), 'x');
  EXPECT_GT(count, 60);
  EXPECT_LT(count, 140);
}

TEST(FaultPlanTest, RequestsCanMeetSeveralFaultsButOneResponse) {
  FaultPlan plan(1);
  plan.add(rule(R"({"fault":"delay","delay":"1s"})"), kNow, 1);
  plan.add(rule(R"({"fault":"status","code":500,"count":1})"), kNow, 1);
  plan.add(rule(R"({"fault":"status","code":503,"count":1})"), kNow, 1);

  const RequestFaults first = plan.on_request(update_of_web(), kNow);
  EXPECT_NE(first.find(FaultKind::kDelay), nullptr);
  EXPECT_EQ(first.find(FaultKind::kStatus)->rule->code, 500);
  const RequestFaults second = plan.on_request(update_of_web(), kNow);
  EXPECT_EQ(second.find(FaultKind::kStatus)->rule->code, 503) << "it was not used up meanwhile";
}

TEST(FaultPlanTest, KindsConcernOnlyTheVerbsTheyFit) {
  FaultPlan plan(1);
  plan.add(rule(R"({"fault":"hold"})"), kNow, 1);
  plan.add(rule(R"({"fault":"stale"})"), kNow, 1);
  plan.add(rule(R"({"fault":"gap"})"), kNow, 1);
  EXPECT_FALSE(hits(plan, update_of_web()));
  EXPECT_NE(plan.on_request(request_facts("watch", "pods"), kNow).find(FaultKind::kHold), nullptr);
  EXPECT_NE(plan.on_request(request_facts("list", "pods"), kNow).find(FaultKind::kStale), nullptr);
  RequestFacts log = request_facts("get", "pods");
  log.subresource = "log";
  EXPECT_FALSE(hits(plan, log));
}

TEST(FaultPlanTest, GapTakesEventsOfItsTypeAndObject) {
  FaultPlan plan(1);
  const RequestFacts watch = request_facts("watch", "pods");
  EXPECT_FALSE(plan.may_lose_events());
  plan.add(rule(R"({"fault":"gap","events":"DELETED","count":1,
                    "target":{"resource":"pods","namespace":"a","name":"p"}})"),
           kNow, 1);
  EXPECT_TRUE(plan.may_lose_events());
  EXPECT_FALSE(plan.loses(watch, {"ADDED", "a", "p"}, kNow));
  EXPECT_FALSE(plan.loses(watch, {"DELETED", "b", "p"}, kNow));
  EXPECT_FALSE(plan.loses(watch, {"DELETED", "a", "q"}, kNow));
  EXPECT_TRUE(plan.loses(watch, {"DELETED", "a", "p"}, kNow));
  EXPECT_FALSE(plan.loses(watch, {"DELETED", "a", "p"}, kNow)) << "one was all";
}

TEST(FaultPlanTest, GapSparesBookmarksAndErrors) {
  FaultPlan plan(1);
  const RequestFacts watch = request_facts("watch", "pods");
  plan.add(rule(R"({"fault":"gap"})"), kNow, 1);
  EXPECT_TRUE(plan.loses(watch, {"MODIFIED", "a", "p"}, kNow));
  EXPECT_FALSE(plan.loses(watch, {"BOOKMARK", "", ""}, kNow));
  EXPECT_FALSE(plan.loses(watch, {"ERROR", "", ""}, kNow));
}

TEST(FaultPlanTest, DescriptionCountsMatchesAndHits) {
  FaultPlan plan(1);
  const std::uint64_t id = plan.add(rule(R"({"fault":"reset","skip":1})"), kNow, 1);
  EXPECT_FALSE(hits(plan, update_of_web()));
  EXPECT_TRUE(hits(plan, update_of_web()));
  EXPECT_EQ(plan.describe(id),
            json_literal(R"({"id":"1","fault":"reset","skip":1,"matched":2,"hits":1})"));
  EXPECT_TRUE(plan.remove(id));
  EXPECT_FALSE(plan.remove(id));
  EXPECT_TRUE(plan.describe(id).is_null());
  EXPECT_FALSE(hits(plan, update_of_web()));
}

}  // namespace
}  // namespace davit::sandbox
