// DeviceTaintRules, which are served with their gate only, and the times of devices' taints.
#include <gmock/gmock.h>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

const std::string kGroup = "/apis/resource.k8s.io";
const std::string kRules = kGroup + "/v1beta2/devicetaintrules";
const std::string kSlices = kGroup + "/v1/resourceslices";
constexpr char kStart[] = "2026-01-01T00:00:00Z";
constexpr char kLater[] = "2026-01-01T00:01:00Z";

ApiServerOptions with_rules() {
  ApiServerOptions options;
  options.kind_gates.device_taint_rules = true;
  return options;
}

std::string rule(const std::string& taint, const std::string& metadata = "") {
  return R"({"metadata":{"name":"r")" + metadata + R"(},"spec":{"deviceSelector":{},"taint":{)" +
         taint + "}}}";
}

const std::string& time_of(const Reply& reply) {
  return reply.body.text_at({"spec", "taint", "timeAdded"});
}

TEST(TaintRulesTest, WithoutTheGateThereIsNoSuchKindAndNoSuchVersion) {
  Sandbox sandbox;
  EXPECT_EQ(sandbox.get(kRules).code, 404);
  EXPECT_EQ(sandbox.get(kGroup).body.get("versions").items().size(), 1U);
  EXPECT_EQ(sandbox.get("/apis/apiregistration.k8s.io/v1/apiservices/v1beta2.resource.k8s.io").code,
            404);
}

TEST(TaintRulesTest, WithTheGateTheSecondVersionOfTheGroupHasTheKind) {
  Sandbox sandbox(with_rules());
  std::vector<std::string> versions;
  const Json group = sandbox.get(kGroup).body;
  for (const Json& each : group.get("versions").items()) {
    versions.push_back(each.text_at({"version"}));
  }
  EXPECT_THAT(versions, ElementsAre("v1", "v1beta2"));
  EXPECT_EQ(group.text_at({"preferredVersion", "version"}), "v1");

  std::vector<std::string> names;
  const Json list = sandbox.get(kGroup + "/v1beta2").body;
  for (const Json& each : list.get("resources").items()) names.push_back(each.text_at({"name"}));
  EXPECT_THAT(names, ElementsAre("devicetaintrules", "devicetaintrules/status"));

  const Json service =
      sandbox.get("/apis/apiregistration.k8s.io/v1/apiservices/v1beta2.resource.k8s.io").body;
  EXPECT_EQ(service.get("spec").get("versionPriority").integer_or(0), 15);
  EXPECT_EQ(service.get("spec").get("groupPriorityMinimum").integer_or(0), 16200);
}

TEST(TaintRulesTest, ATableShowsTheTaintAndItsTwoAges) {
  Sandbox sandbox(with_rules());
  ASSERT_EQ(sandbox
                .post(kRules, rule(R"("key":"k","value":"v","effect":"NoExecute",)"
                                   R"("timeAdded":"2025-12-31T00:00:00Z")"))
                .code,
            201);
  sandbox.clock.advance(seconds(60));
  const Reply table =
      sandbox.send("GET", kRules, "", {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
  std::vector<std::string> columns;
  for (const Json& each : table.body.get("columnDefinitions").items()) {
    columns.push_back(each.text_at({"name"}));
  }
  EXPECT_THAT(columns, ElementsAre("Name", "Key", "Value", "Effect", "TimeAdded", "Age"));
  EXPECT_EQ(to_text(table.body.get("rows").items().at(0).get("cells")),
            R"(["r","k","v","NoExecute","24h","60s"])");
}

TEST(TaintRulesTest, ATaintWithoutATimeIsOfNow) {
  Sandbox sandbox(with_rules());
  const Reply made = sandbox.post(kRules, rule(R"("key":"k","effect":"NoExecute")"));
  EXPECT_EQ(time_of(made), kStart);
  sandbox.clock.advance(seconds(60));
  EXPECT_EQ(time_of(sandbox.patch(kRules + "/r", "merge", R"({"metadata":{"labels":{"a":"b"}}})")),
            kStart)
      << "a change of something else keeps it";
  const Reply written = sandbox.put(kRules + "/r", rule(R"("key":"k","effect":"NoExecute")"));
  EXPECT_EQ(time_of(written), kLater) << "an object without one gets another";
  EXPECT_EQ(written.body.at({"metadata", "generation"})->integer_or(0), 2);
}

TEST(TaintRulesTest, TheTimeFollowsAnEffectThatChangesUnlessTheClientSetsIt) {
  Sandbox sandbox(with_rules());
  ASSERT_EQ(sandbox.post(kRules, rule(R"("key":"k","effect":"None")")).code, 201);
  sandbox.clock.advance(seconds(60));
  const auto change = [&](const std::string& taint) {
    return time_of(sandbox.patch(kRules + "/r", "merge", R"({"spec":{"taint":{)" + taint + "}}}"));
  };
  EXPECT_EQ(change(R"("value":"v")"), kStart);
  EXPECT_EQ(change(R"("effect":"NoExecute")"), kLater);
  EXPECT_EQ(change(R"("effect":"NoSchedule","timeAdded":"2025-01-01T00:00:00Z")"),
            "2025-01-01T00:00:00Z");
}

TEST(TaintRulesTest, AStatusUpdateChangesNothingElse) {
  Sandbox sandbox(with_rules());
  ASSERT_EQ(sandbox.post(kRules, rule(R"("key":"k","effect":"None")")).code, 201);
  sandbox.clock.advance(seconds(60));
  const Reply changed = sandbox.patch(
      kRules + "/r/status", "merge",
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"taint":{"effect":"NoExecute"}},)"
      R"("status":{"conditions":[{"type":"EvictionInProgress","status":"False",)"
      R"("reason":"NoEffect","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  ASSERT_EQ(changed.code, 200) << changed.text;
  EXPECT_EQ(changed.body.get("status").get("conditions").items().size(), 1U);
  EXPECT_EQ(changed.body.text_at({"spec", "taint", "effect"}), "None");
  EXPECT_EQ(time_of(changed), kStart);
  EXPECT_EQ(changed.body.at({"metadata", "labels"}), nullptr);
  EXPECT_EQ(changed.body.at({"metadata", "generation"})->integer_or(0), 1);
}

std::string slice(const std::string& taint, const std::string& metadata) {
  return R"({"metadata":{"name":"s")" + metadata +
         R"(},"spec":{"driver":"d.io","nodeName":"n","pool":{"name":"p","generation":1,)"
         R"("resourceSliceCount":1},"devices":[{"name":"x","taints":[{)" +
         taint + "}]}]}}";
}

TEST(TaintRulesTest, ATaintThatADriverAddsWithoutATimeIsOfNow) {
  Sandbox sandbox;
  const auto time = [](const Reply& reply) {
    EXPECT_LT(reply.code, 300) << reply.text;
    const Json& device = reply.body.get("spec").get("devices").items().at(0);
    return device.get("taints").items().at(0).text_at({"timeAdded"});
  };
  const Reply made = sandbox.post(kSlices, slice(R"("key":"k","effect":"NoSchedule")", ""));
  EXPECT_EQ(time(made), kStart);
  sandbox.clock.advance(seconds(60));
  const std::string revision = R"(,"resourceVersion":")" + made.revision() + '"';
  EXPECT_EQ(time(sandbox.put(kSlices + "/s", slice(R"("key":"k","effect":"NoExecute")", revision))),
            kLater);
}

}  // namespace
}  // namespace davit::sandbox
