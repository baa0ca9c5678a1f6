#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/faults/fault_rule.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

FaultRule scripted_rule(std::string_view text) {
  Result<FaultScript> script = parse_fault_script(json_literal(text));
  EXPECT_TRUE(script) << script.error().message();
  return script ? script->rules.at(0) : FaultRule();
}

TEST(FaultScriptTest, ScriptHasASeedAndRulesInOrder) {
  const FaultScript script = *parse_fault_script(
      json_literal(R"({"seed":7,"rules":[{"fault":"reset"},{"fault":"lost","count":2}]})"));
  EXPECT_EQ(script.seed, 7u);
  ASSERT_EQ(script.rules.size(), 2u);
  EXPECT_EQ(script.rules[0].kind, FaultKind::kReset);
  EXPECT_EQ(script.rules[1].kind, FaultKind::kLost);
  EXPECT_EQ(script.rules[1].count, 2u);
}

TEST(FaultScriptTest, OneRuleIsAScript) {
  EXPECT_EQ(scripted_rule(R"({"fault":"gap"})").kind, FaultKind::kGap);
}

TEST(FaultScriptTest, DoseAndTimesAreRead) {
  const FaultRule read = scripted_rule(R"({"fault":"delay","delay":"1m30s200ms","skip":3,"count":0,
      "probability":0.25,"from":"10s","until":"1h"})");
  EXPECT_EQ(read.delay, seconds(90) + milliseconds(200));
  EXPECT_EQ(read.skip, 3u);
  EXPECT_EQ(read.count, 0u);
  EXPECT_EQ(read.probability, 0.25);
  EXPECT_EQ(read.from, seconds(10));
  EXPECT_EQ(read.until, seconds(3600));
}

TEST(FaultScriptTest, TargetTakesOneOrSeveral) {
  const FaultTarget target = scripted_rule(R"({"fault":"reset","target":{"verb":["create","update"],
      "resource":"pods","namespace":"a","name":"p","userAgent":"davit","user":"me"}})")
                                 .target;
  EXPECT_THAT(target.verbs, ElementsAre("create", "update"));
  EXPECT_THAT(target.resources, ElementsAre("pods"));
  EXPECT_EQ(target.ns, "a");
  EXPECT_EQ(target.name, "p");
  EXPECT_EQ(target.user_agent, "davit");
  EXPECT_EQ(target.user, "me");
}

TEST(FaultScriptTest, EveryKindHasItsOwnMembers) {
  EXPECT_EQ(
      scripted_rule(R"({"fault":"status","code":503,"retryAfterSeconds":9})").retry_after_seconds,
      9);
  EXPECT_EQ(scripted_rule(R"({"fault":"status","code":418,"message":"tea"})").message, "tea");
  EXPECT_EQ(scripted_rule(R"({"fault":"slow","bytesPerSecond":10})").bytes_per_second, 10u);
  EXPECT_EQ(scripted_rule(R"({"fault":"cut","afterBytes":10})").after_bytes, 10u);
  EXPECT_TRUE(scripted_rule(R"({"fault":"cut","after":"1s","clean":true})").clean);
  EXPECT_EQ(scripted_rule(R"({"fault":"hold","afterEvents":5,"for":"2s"})").hold_for, seconds(2));
  EXPECT_EQ(scripted_rule(R"({"fault":"stale","revisionsBack":4})").revisions_back, 4u);
  EXPECT_THAT(scripted_rule(R"({"fault":"gap","events":"DELETED"})").event_types,
              ElementsAre("DELETED"));
}

struct Mistake {
  const char* script;
  const char* message;
};

constexpr Mistake kMistakes[] = {
    {R"([])", "must be an object"},
    {R"({"seed":"x"})", "seed: must be a whole number, 0 or more"},
    {R"({"scripted_rule":[]})", "scripted_rule: is not known here"},
    {R"({"rules":{}})", "rules: must be a list"},
    {R"({"rules":[3]})", "rules[0]: must be an object"},
    {R"({"rules":[{"fault":"reset"},{}]})",
     "rules[1].fault: must be one of delay, status, reset, lost, body, slow, cut, stale, hold and "
     "gap"},
    {R"({"fault":"status"})", "code: is needed"},
    {R"({"fault":"status","code":200})", "code: must be between 400 and 599"},
    {R"({"fault":"delay"})", "delay: is needed"},
    {R"({"fault":"delay","delay":5})", "delay: must be a duration, such as \"1m30s\" or \"200ms\""},
    {R"({"fault":"delay","delay":"5 s"})",
     "delay: must be a duration, such as \"1m30s\" or \"200ms\""},
    {R"({"fault":"delay","delay":"99999999999h"})",
     "delay: must be a duration, such as \"1m30s\" or \"200ms\""},
    {R"({"fault":"delay","delay":"99999999h"})",  // As nanoseconds beyond 64 bits.
     "delay: must be a duration, such as \"1m30s\" or \"200ms\""},
    {R"({"fault":"delay","delay":"-1s"})",
     "delay: must be a duration, such as \"1m30s\" or \"200ms\""},
    {R"({"fault":"slow"})", "bytesPerSecond: is needed"},
    {R"({"fault":"reset","count":-1})", "count: must be a whole number, 0 or more"},
    {R"({"fault":"reset","count":1.5})", "count: must be a whole number, 0 or more"},
    {R"({"fault":"reset","probability":1.5})", "probability: must be a number between 0 and 1"},
    {R"({"fault":"reset","probability":"1"})", "probability: must be a number between 0 and 1"},
    {R"({"fault":"reset","code":500})", "code: is not known here"},
    {R"({"fault":"reset","target":7})", "target: must be an object"},
    {R"({"fault":"reset","target":{"verb":[1]}})",
     "target.verb: must be a string or a list of them"},
    {R"({"rules":[{"fault":"reset","target":{"kind":"Pod"}}]})",
     "rules[0].target.kind: is not known here"},
    {R"({"fault":"cut","clean":1})", "clean: must be true or false"},
};

TEST(FaultScriptTest, MistakesAreNamedByTheirPlace) {
  for (const Mistake& each : kMistakes) {
    const Status error = parse_fault_script(json_literal(each.script)).error();
    EXPECT_EQ(error.code(), Code::kInvalid) << each.script;
    EXPECT_EQ(error.message(), each.message) << each.script;
  }
}

}  // namespace
}  // namespace davit::sandbox
