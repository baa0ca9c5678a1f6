// The rules by which the structured allocator of Kubernetes v1.36 chooses devices.
#include "nodes/device_allocator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nodes/device_cases.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

/// "gpu-N" with an attribute and a memory size.
std::string gpu(int number, const std::string& model, int numa = 0) {
  return device_json("gpu-" + std::to_string(number),
                     R"("attributes":{"model":{"string":")" + model + R"("},"numa":{"int":)" +
                         std::to_string(numa) +
                         R"(},"version":{"version":"1.2.0"},"other.io/fast":{"bool":true}},)" +
                         R"("capacity":{"memory":{"value":"40Gi"}})");
}

TEST(DeviceAllocatorTest, TheFirstFreeDevicesInTheOrderOfPoolsSlicesAndDevicesAreChosen) {
  DeviceCase c;
  c.add_slice("b", device_json("b1") + "," + device_json("b0"), R"("nodeName":"n1")", "p", 1, 2);
  c.add_slice("a", device_json("a1"), R"("nodeName":"n1")", "p", 1, 2);
  c.add_slice("z", device_json("z1"), R"("nodeName":"n1")", "a-pool");
  c.add_count("c", 3);
  EXPECT_THAT(c.devices(), ElementsAre("r=z1", "r=a1", "r=b1"));
  c.taken = {"d.io/p/a1"};
  EXPECT_THAT(c.devices(), ElementsAre("r=z1", "r=b1", "r=b0"));
  c.taken.insert("d.io/p/b1");
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DeviceAllocatorTest, ClassAndRequestBothSelect) {
  DeviceCase c;
  c.add_slice("s", gpu(0, "small") + "," + gpu(1, "large") + "," + gpu(2, "large"));
  c.add_class("large", R"(device.attributes["d.io"].model == "large")");
  const std::string not_1 = selector(R"(device.driver == "d.io" && )"
                                     R"(device.capacity["d.io"].memory == quantity("40Gi"))");
  c.add_claim("c", R"({"name":"r","exactly":{"deviceClassName":"large","count":2)" + not_1 + "}}");
  EXPECT_THAT(c.devices(), ElementsAre("r=gpu-1", "r=gpu-2"));
}

struct SelectorCase {
  const char* expression;
  bool matches;
};
constexpr SelectorCase kSelectors[] = {
    {R"(device.driver == "d.io")", true},
    {R"(device.attributes["d.io"].numa == 3)", true},
    {R"(device.attributes["d.io"].model.startsWith("sm"))", true},
    {R"(device.attributes["other.io"].fast)", true},
    {R"("nope" in device.attributes["d.io"])", false},
    {R"("nope" in device.attributes["unknown.io"])", false},
    {R"("unknown.io" in device.attributes)", true},  // A domain that is not there is empty.
    {R"(device.attributes["d.io"].version.compareTo(semver("1.3.0")) < 0)", true},
    {R"(device.capacity["d.io"].memory.compareTo(quantity("41Gi")) >= 0)", false},
    {R"(device.allowMultipleAllocations)", false},
};

TEST(DeviceAllocatorTest, ExpressionsReadDriverAttributesAndCapacity) {
  for (const SelectorCase& each : kSelectors) {
    DeviceCase c;
    c.add_slice("s", gpu(0, "small", 3));
    c.add_count("c", 1, selector(each.expression));
    EXPECT_THAT(c.devices(), ElementsAre(each.matches ? "r=gpu-0" : kRefused)) << each.expression;
  }
}

struct ErrorCase {
  const char* expression;
  const char* error;
};
constexpr ErrorCase kErrors[] = {
    {R"(device.attributes["d.io"].nope == 1)",
     "claim ns/c: selector #0: CEL runtime error: no such key: nope"},
    {"device.attributes",
     "claim ns/c: selector #0: CEL compile error: must evaluate to bool or the "
     "unknown type, not map(string, map(string, "},
    {"nope",
     "claim ns/c: selector #0: CEL compile error: compilation failed: ERROR: <input>:1:1: "
     "undeclared reference to 'nope'"},
    {R"(device.attributes["d.io"].model)",
     "claim ns/c: selector #0: CEL runtime error: CEL result of type string could not be converted "
     "to bool"},
};

TEST(DeviceAllocatorTest, WrongExpressionsAreErrorsAndNoLack) {
  for (const ErrorCase& each : kErrors) {
    DeviceCase c;
    c.add_slice("s", gpu(0, "small"));
    c.add_count("c", 1, selector(each.expression));
    const Result<DeviceChoice> choice = c.allocate();
    ASSERT_FALSE(choice) << each.expression;
    EXPECT_THAT(choice.error().message(), StartsWith(each.error));
  }
}

TEST(DeviceAllocatorTest, AWrongExpressionOfAClassNamesTheClass) {
  DeviceCase c;
  c.add_slice("s", gpu(0, "small"));
  c.add_class("bad", R"(device.attributes["d.io"].nope)");
  c.add_claim("c", R"({"name":"r","exactly":{"deviceClassName":"bad"}})");
  EXPECT_THAT(c.devices(),
              ElementsAre("class bad: selector #0: CEL runtime error: no such key: nope"));
}

TEST(DeviceAllocatorTest, AllMeansEveryDeviceOfTheNodeThatIsSelected) {
  DeviceCase c;
  c.add_slice("s", gpu(0, "small") + "," + gpu(1, "large") + "," + gpu(2, "small"));
  c.add_slice("t", gpu(3, "small"), R"("nodeName":"n2")", "q");
  const std::string small = selector(R"(device.attributes["d.io"].model == "small")");
  c.add_claim("c", R"({"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All")" +
                       small + "}}");
  EXPECT_THAT(c.devices(), ElementsAre("r=gpu-0", "r=gpu-2"));
  c.taken = {"d.io/p/gpu-2"};
  EXPECT_THAT(c.devices(), ElementsAre(kRefused)) << "one of them has another user";
}

TEST(DeviceAllocatorTest, AllNeedsADeviceAndCompletePools) {
  DeviceCase c;
  const std::string all =
      R"({"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All"}})";
  c.add_claim("c", all);
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
  c.add_slice("s", gpu(0, "small"), R"("nodeName":"n1")", "p", 1, 2);
  EXPECT_THAT(c.devices(),
              ElementsAre("claim ns/c, request r: asks for all devices, but resource pool d.io/p "
                          "is currently being updated"));
}

TEST(DeviceAllocatorTest, IncompletePoolsAndOldGenerationsGiveNoDevices) {
  DeviceCase c;
  c.add_slice("old", device_json("o1"), R"("nodeName":"n1")", "p", 1, 1);
  c.add_slice("new", device_json("n1"), R"("nodeName":"n1")", "p", 2, 1);
  c.add_slice("part", device_json("p1"), R"("nodeName":"n1")", "q", 1, 2);
  c.add_count("c", 1);
  EXPECT_THAT(c.devices(), ElementsAre("r=n1"));
  c.taken = {"d.io/p/n1"};
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
  c.add_slice("rest", device_json("p2"), R"("nodeName":"n2")", "q", 1, 2);
  EXPECT_THAT(c.devices(), ElementsAre("r=p1")) << "the pool's other slice is of another node";
}

TEST(DeviceAllocatorTest, APoolWithOneNameTwiceIsInvalid) {
  DeviceCase c;
  c.add_slice("s", device_json("x") + "," + device_json("x"));
  c.add_count("c", 1);
  EXPECT_THAT(c.devices(), ElementsAre("invalid resource pools were encountered"));
  c.add_slice("t", device_json("y"), R"("nodeName":"n1")", "q");
  EXPECT_THAT(c.devices(), ElementsAre("r=y"));
}

TEST(DeviceAllocatorTest, SlicesSayWhichNodesTheyAreFor) {
  const std::string rack = R"("nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[)"
                           R"({"key":"rack","operator":"In","values":["r1"]}]}]})";
  const std::string other = R"("nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[)"
                            R"({"key":"rack","operator":"In","values":["r2"]}]}]})";
  DeviceCase c;
  c.add_slice("s", device_json("a"), R"("nodeName":"n2")", "a");
  c.add_slice("t", device_json("b"), other, "b");
  c.add_slice("u", device_json("c"), rack, "c");
  c.add_slice("v", device_json("d"), R"("allNodes":true)", "d");
  c.add_slice("w",
              device_json("e", R"("nodeName":"n2")") + "," + device_json("f", R"("nodeName":"n1")"),
              R"("perDeviceNodeSelection":true)", "e");
  c.add_count("c", 3);
  EXPECT_THAT(c.devices(), ElementsAre("r=c", "r=d", "r=f"));
}

TEST(DeviceAllocatorTest, TheAllocationSaysOnWhichNodesItCanBeUsed) {
  DeviceCase local;
  local.add_slice("s", device_json("a"));
  local.add_count("c", 1);
  EXPECT_EQ(to_text(local.allocation().get("nodeSelector")),
            R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",)"
            R"("values":["n1"]}]}]})");
  DeviceCase everywhere;
  everywhere.add_slice("s", device_json("a"), R"("allNodes":true)");
  everywhere.add_count("c", 1);
  EXPECT_FALSE(everywhere.allocation().contains("nodeSelector"));
  const std::string rack = R"({"key":"rack","operator":"In","values":["r1"]})";
  DeviceCase rackwide;
  rackwide.add_slice(
      "s", device_json("a") + "," + device_json("b"),
      R"("nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[)" + rack + "]}]}");
  rackwide.add_count("c", 2);
  EXPECT_EQ(to_text(rackwide.allocation().get("nodeSelector")),
            R"({"nodeSelectorTerms":[{"matchExpressions":[)" + rack + "]}]}");
}

TEST(DeviceAllocatorTest, MatchAttributeWantsOneValueOfAllDevices) {
  DeviceCase c;
  c.add_slice("s", gpu(0, "m", 0) + "," + gpu(1, "m", 1) + "," + gpu(2, "m", 0) + "," +
                       device_json("plain"));
  c.add_count("c", 2, "", R"(,"constraints":[{"matchAttribute":"d.io/numa"}])");
  EXPECT_THAT(c.devices(), ElementsAre("r=gpu-0", "r=gpu-2"));
  c.taken = {"d.io/p/gpu-0"};
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DeviceAllocatorTest, ConstraintsConcernTheRequestsThatTheyName) {
  DeviceCase c;
  c.add_slice("s", gpu(0, "m", 0) + "," + gpu(1, "m", 1) + "," + gpu(2, "m", 1));
  const auto request = [](const std::string& name) {
    return R"({"name":")" + name + R"(","exactly":{"deviceClassName":"any","count":1}})";
  };
  c.add_claim("c", request("a") + "," + request("b") + "," + request("c"),
              R"(,"constraints":[{"requests":["b","c"],"matchAttribute":"d.io/numa"}])");
  EXPECT_THAT(c.devices(), ElementsAre("a=gpu-0", "b=gpu-1", "c=gpu-2"));
}

TEST(DeviceAllocatorTest, DistinctAttributeWantsAnotherValueOfEachDevice) {
  DeviceCase c;
  c.add_slice("s", gpu(0, "m", 0) + "," + gpu(1, "m", 0) + "," + gpu(2, "m", 1));
  c.add_count("c", 2, "", R"(,"constraints":[{"distinctAttribute":"d.io/numa"}])");
  EXPECT_THAT(c.devices(), ElementsAre("r=gpu-0", "r=gpu-2"));
}

TEST(DeviceAllocatorTest, AConstraintThatAllDevicesCannotMeetIsAnError) {
  DeviceCase c;
  c.add_slice("s", gpu(0, "m", 0) + "," + gpu(1, "m", 1));
  c.add_claim("c", R"({"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All"}})",
              R"(,"constraints":[{"matchAttribute":"d.io/numa"}])");
  EXPECT_THAT(c.devices(),
              ElementsAre("claim ns/c, request r: cannot add device d.io/p/gpu-1 because a claim "
                          "constraint would not be satisfied"));
}

TEST(DeviceAllocatorTest, AnEarlierClaimGivesWayIfALaterOneCannotBeServedOtherwise) {
  DeviceCase c;
  c.add_slice("s", gpu(0, "rare") + "," + gpu(1, "common"));
  c.add_count("c1", 1);
  c.add_count("c2", 1, selector(R"(device.attributes["d.io"].model == "rare")"));
  EXPECT_THAT(c.devices(), ElementsAre("r=gpu-1", "r=gpu-0"));
}

TEST(DeviceAllocatorTest, PrioritizedListsGetTheFirstAlternativeThatCanBeServed) {
  const std::string wanted =
      R"({"name":"r","firstAvailable":[{"name":"best","deviceClassName":"any","count":2)" +
      selector(R"(device.attributes["d.io"].model == "large")") +
      R"(},{"name":"good","deviceClassName":"any","count":1}]})";
  DeviceCase c;
  c.add_slice("s", gpu(0, "small") + "," + gpu(1, "large") + "," + gpu(2, "large"));
  c.add_claim("c", wanted);
  EXPECT_THAT(c.devices(), ElementsAre("r/best=gpu-1", "r/best=gpu-2"));
  const Result<DeviceChoice> best = c.allocate();
  c.taken = {"d.io/p/gpu-2"};
  EXPECT_THAT(c.devices(), ElementsAre("r/good=gpu-0"));
  EXPECT_GT(preference_of({&c.claims[0]}, *best->allocations),
            preference_of({&c.claims[0]}, *c.allocate()->allocations));
}

TEST(DeviceAllocatorTest, AdminAccessUsesDevicesThatOthersHave) {
  DeviceCase c;
  c.add_slice("s", device_json("a") + "," + device_json("b"));
  c.taken = {"d.io/p/a", "d.io/p/b"};
  c.add_count("c", 2, R"(,"adminAccess":true)");
  EXPECT_THAT(c.devices(), ElementsAre("r=a", "r=b")) << "each once";
  const Json allocation = c.allocation();
  EXPECT_TRUE(allocation.get("devices").get("results").items()[0].get("adminAccess").boolean());
  EXPECT_TRUE(devices_of(allocation).empty()) << "nobody is kept from them";
}

TEST(DeviceAllocatorTest, TaintsKeepDevicesFromClaimsThatDoNotTolerateThem) {
  struct Case {
    const char* taint;
    const char* tolerations;
    bool gets;
  };
  constexpr Case kCases[] = {
      {R"({"key":"k","effect":"NoSchedule"})", "", false},
      {R"({"key":"k","effect":"NoExecute"})", "", false},
      {R"({"key":"k","effect":"None"})", "", true},
      {R"({"key":"k","effect":"NoExecute"})", R"({"operator":"Exists"})", true},
      {R"({"key":"k","effect":"NoExecute"})", R"({"key":"k","operator":"Exists"})", true},
      {R"({"key":"k","effect":"NoExecute"})", R"({"key":"o","operator":"Exists"})", false},
      {R"({"key":"k","effect":"NoExecute"})",
       R"({"key":"k","operator":"Exists","effect":"NoSchedule"})", false},
      {R"({"key":"k","value":"v","effect":"NoSchedule"})",
       R"({"key":"k","operator":"Equal","value":"v"})", true},
      {R"({"key":"k","value":"v","effect":"NoSchedule"})",
       R"({"key":"k","operator":"Equal","value":"w"})", false},
  };
  for (const Case& each : kCases) {
    DeviceCase c;
    c.add_slice("s", device_json("a", R"("taints":[)" + std::string(each.taint) + "]"));
    c.add_count("c", 1, R"(,"tolerations":[)" + std::string(each.tolerations) + "]");
    EXPECT_THAT(c.devices(), ElementsAre(each.gets ? "r=a" : kRefused))
        << each.taint << each.tolerations;
  }
}

TEST(DeviceAllocatorTest, TaintRulesKeepDevicesFromClaimsThatDoNotTolerateThem) {
  struct Case {
    const char* selector;
    const char* effect;
    const char* tolerations;
    bool gets;
  };
  constexpr Case kCases[] = {
      {R"("deviceSelector":{},)", "NoSchedule", "", false},
      {R"("deviceSelector":{},)", "NoExecute", "", false},
      {R"("deviceSelector":{},)", "None", "", true},
      {R"("deviceSelector":{},)", "NoExecute", R"({"key":"k","operator":"Exists"})", true},
      {R"("deviceSelector":{},)", "NoExecute", R"({"key":"o","operator":"Exists"})", false},
      {R"("deviceSelector":{"driver":"d.io","pool":"p","device":"a"},)", "NoExecute", "", false},
      {R"("deviceSelector":{"driver":"other.io"},)", "NoExecute", "", true},
      {R"("deviceSelector":{"pool":"q"},)", "NoExecute", "", true},
      {R"("deviceSelector":{"driver":"d.io","device":"b"},)", "NoExecute", "", true},
      {"", "NoExecute", "", true},  // No selector: no device.
  };
  for (const Case& each : kCases) {
    DeviceCase c;
    c.add_slice("s", device_json("a"));
    c.view.put(DeviceKind::kTaintRule,
               json_literal(R"({"metadata":{"name":"r"},"spec":{)" + std::string(each.selector) +
                            R"("taint":{"key":"k","effect":")" + each.effect + R"("}}})"));
    c.add_count("c", 1, R"(,"tolerations":[)" + std::string(each.tolerations) + "]");
    EXPECT_THAT(c.devices(), ElementsAre(each.gets ? "r=a" : kRefused))
        << each.selector << each.effect << each.tolerations;
    c.claims.clear();
    c.add_count("all", 0,
                R"(,"allocationMode":"All","tolerations":[)" + std::string(each.tolerations) + "]");
    EXPECT_THAT(c.devices(), ElementsAre(each.gets ? "r=a" : kRefused)) << each.selector;
  }
}

TEST(DeviceAllocatorTest, TolerationsAndConfigurationAreCopiedIntoTheAllocation) {
  DeviceCase c;
  c.add_slice("s", device_json("a") + "," + device_json("b"));
  const std::string config = R"({"opaque":{"driver":"d.io","parameters":{"x":1}}})";
  c.add_class("with", "true", R"(,"config":[)" + config + "]");
  const auto request = [](const std::string& name) {
    return R"({"name":")" + name + R"(","exactly":{"deviceClassName":"with","count":1,)" +
           R"("tolerations":[{"operator":"Exists"}]}})";
  };
  c.add_claim("c", request("r1") + "," + request("r2"),
              R"(,"config":[{"requests":["r2"],"opaque":{"driver":"d.io","parameters":{}}}])");
  const Json allocation = c.allocation();
  const Json& devices = allocation.get("devices");
  EXPECT_EQ(to_text(devices.get("results").items()[0].get("tolerations")),
            R"([{"operator":"Exists"}])");
  EXPECT_EQ(to_canonical_text(devices.get("config")),
            R"([{"opaque":{"driver":"d.io","parameters":{"x":1}},"requests":["r1","r2"],)"
            R"("source":"FromClass"},{"opaque":{"driver":"d.io","parameters":{}},)"
            R"("requests":["r2"],"source":"FromClaim"}])");
}

TEST(DeviceAllocatorTest, AClaimGetsAtMost32Devices) {
  DeviceCase c;
  c.add_slice("s", device_json("a"));
  c.add_count("c", 33);
  EXPECT_THAT(c.devices(), ElementsAre("claim ns/c: number of requested devices 33 exceeds the "
                                       "claim limit of 32"));
}

TEST(DeviceAllocatorTest, ASearchThatTakesTooLongEnds) {
  DeviceCase c;
  std::string devices;
  for (int i = 0; i < 60; ++i) devices += (i == 0 ? "" : ",") + gpu(i, "m", i);
  c.add_slice("s", devices);
  // Pairs of devices with one value, of which there are none, after all choices of four.
  c.add_count("c1", 4);
  c.add_count("c2", 2, "", R"(,"constraints":[{"matchAttribute":"d.io/numa"}])");
  EXPECT_THAT(c.devices(), ElementsAre("node n1: timed out trying to allocate devices"));
}

TEST(DeviceAllocatorTest, TheConditionsOfADeviceAreCopiedIntoTheAllocation) {
  DeviceCase c;
  c.add_slice("s", device_json("a", R"("bindingConditions":["ready"],)"
                                    R"("bindingFailureConditions":["broken"])"));
  c.add_count("c", 1);
  const Json allocation = c.allocation();
  const Json& result = allocation.get("devices").get("results").items().at(0);
  EXPECT_EQ(to_text(result.get("bindingConditions")), R"(["ready"])");
  EXPECT_EQ(to_text(result.get("bindingFailureConditions")), R"(["broken"])");
}

}  // namespace
}  // namespace davit::sandbox
