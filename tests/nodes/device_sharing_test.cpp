// Devices that several claims share, and devices that share counters, as the structured allocator
// of Kubernetes v1.36 has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nodes/device_cases.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// A device that several claims may have, with a capacity `bandwidth`.
std::string shared_device(const std::string& name, const std::string& capacity) {
  return device_json(
      name, R"("allowMultipleAllocations":true,"capacity":{"bandwidth":{)" + capacity + "}}");
}

std::string wanted_capacity(const std::string& amount) {
  return R"(,"capacity":{"requests":{"bandwidth":")" + amount + R"("}})";
}

/// The amount of the first claim's first device.
std::string consumed(DeviceCase& c) {
  const Json allocation = c.allocation();
  if (!allocation.is_object()) return c.devices().front();
  return allocation.get("devices").get("results").items().at(0).text_at(
      {"consumedCapacity", "bandwidth"});
}

struct AmountCase {
  const char* policy;
  const char* wanted;  ///< Empty: the request does not say.
  const char* amount;
};

constexpr AmountCase kAmounts[] = {
    {"", "3Gi", "3Gi"},
    {"", "", "10Gi"},
    {"", "11Gi", kRefused},
    {R"("default":"2Gi","validValues":["1Gi","2Gi","4Gi"])", "", "2Gi"},
    {R"("default":"2Gi","validValues":["1Gi","2Gi","4Gi"])", "1500Mi", "2Gi"},
    {R"("default":"2Gi","validValues":["1Gi","2Gi","4Gi"])", "4Gi", "4Gi"},
    {R"("default":"2Gi","validValues":["1Gi","2Gi","4Gi"])", "5Gi", kRefused},
    {R"("default":"2Gi","validRange":{"min":"1Gi"})", "10Mi", "1Gi"},
    {R"("default":"2Gi","validRange":{"min":"1Gi"})", "1500Mi", "1500Mi"},
    {R"("default":"2Gi","validRange":{"min":"1Gi","max":"4Gi"})", "5Gi", kRefused},
    {R"("default":"2Gi","validRange":{"min":"1Gi","step":"512Mi"})", "1100Mi", "1536Mi"},
    {R"("default":"2Gi","validRange":{"min":"1Gi","max":"2Gi","step":"512Mi"})", "2100Mi",
     kRefused},
    {R"("default":"2Gi","validRange":{"min":"1Gi","step":"1Gi"})", "2Gi", "2Gi"},
    {R"("default":"1","validRange":{"min":"1","step":"999"})", "2", "1k"},
    {R"("default":"1","validRange":{"min":"1","step":"7E"})", "8E", kRefused},
};

TEST(DeviceSharingTest, AmountsAreRoundedUpAsThePolicyOfTheDeviceSays) {
  for (const AmountCase& each : kAmounts) {
    DeviceCase c;
    const std::string policy = each.policy;
    c.add_slice(
        "s", shared_device("nic",
                           R"("value":"10Gi")" +
                               (policy.empty() ? policy : R"(,"requestPolicy":{)" + policy + "}")));
    const std::string wanted = each.wanted;
    c.add_count("c", 1, wanted.empty() ? "" : wanted_capacity(wanted));
    EXPECT_EQ(consumed(c), each.amount) << each.policy << " " << each.wanted;
  }
}

TEST(DeviceSharingTest, ClaimsShareADeviceWhileItsCapacityLasts) {
  DeviceCase c;
  c.add_slice("s", shared_device("nic-0", R"("value":"10Gi")") + "," +
                       shared_device("nic-1", R"("value":"10Gi")"));
  c.add_count("c1", 1, wanted_capacity("4Gi"));
  c.add_count("c2", 1, wanted_capacity("6Gi"));
  c.add_count("c3", 1, wanted_capacity("1"));
  EXPECT_THAT(c.devices(), ElementsAre("r=nic-0", "r=nic-0", "r=nic-1"));
  c.add_count("c4", 1, wanted_capacity("10Gi"));
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DeviceSharingTest, EachShareHasAnIdOfItsOwn) {
  DeviceCase c;
  c.add_slice("s", shared_device("nic", R"("value":"10Gi")"));
  c.add_claim("c", R"({"name":"a","exactly":{"deviceClassName":"any","count":1)" +
                       wanted_capacity("1Gi") +
                       R"(}},{"name":"b","exactly":{"deviceClassName":"any",)" + R"("count":1)" +
                       wanted_capacity("2Gi") + "}}");
  const Json allocation = c.allocation();
  const Json::Items& results = allocation.get("devices").get("results").items();
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_THAT(results[0].get("shareID").text(), SizeIs(36));
  EXPECT_NE(results[0].get("shareID"), results[1].get("shareID"));
}

TEST(DeviceSharingTest, OneRequestGetsADeviceOnce) {
  DeviceCase c;
  c.add_slice("s", shared_device("nic", R"("value":"10Gi")"));
  c.add_count("c", 2, wanted_capacity("1Gi"));
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DeviceSharingTest, TheSharesOfOtherClaimsCount) {
  DeviceCase c;
  c.add_slice("s", shared_device("nic", R"("value":"10Gi")"));
  c.shares.set("other", json_literal(R"({"devices":{"results":[{"driver":"d.io","pool":"p",
    "device":"nic","shareID":"1","consumedCapacity":{"bandwidth":"7Gi"}}]}})"));
  c.add_count("c", 1, wanted_capacity("3Gi"));
  EXPECT_THAT(c.devices(), ElementsAre("r=nic"));
  c.add_count("d", 1, wanted_capacity("1"));
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
  c.shares.drop("other");
  EXPECT_THAT(c.devices(), ElementsAre("r=nic", "r=nic"));
}

TEST(DeviceSharingTest, ADeviceThatOneClaimHasAloneIsNotShared) {
  DeviceCase c;
  c.add_slice("s", shared_device("nic", R"("value":"10Gi")"));
  c.taken = {"d.io/p/nic"};
  c.add_count("c", 1, wanted_capacity("1Gi"));
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DeviceSharingTest, ADeviceThatIsNotSharedMustHaveTheCapacityAndIsTakenWhole) {
  DeviceCase c;
  c.add_slice("s", device_json("small", R"("capacity":{"bandwidth":{"value":"1Gi"}})") + "," +
                       device_json("none") + "," +
                       device_json("large", R"("capacity":{"bandwidth":{"value":"8Gi"}})"));
  c.add_count("c", 1, wanted_capacity("2Gi"));
  EXPECT_THAT(c.devices(), ElementsAre("r=large"));
  EXPECT_FALSE(c.allocation().get("devices").get("results").items().at(0).contains("shareID"));
  c.add_count("d", 1, wanted_capacity("2Gi"));
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DeviceSharingTest, AllMeansThoseWithEnoughCapacity) {
  DeviceCase c;
  c.add_slice("s", shared_device("nic-0", R"("value":"1Gi")") + "," +
                       shared_device("nic-1", R"("value":"4Gi")"));
  c.add_claim("c", R"({"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All")" +
                       wanted_capacity("2Gi") + "}}");
  EXPECT_THAT(c.devices(), ElementsAre("r=nic-1"));
}

TEST(DeviceSharingTest, AlternativesHaveTheirOwnCapacity) {
  DeviceCase c;
  c.add_slice("s", shared_device("nic", R"("value":"4Gi")"));
  c.add_claim("c", R"({"name":"r","firstAvailable":[{"name":"much","deviceClassName":"any",)"
                   R"("count":1)" +
                       wanted_capacity("8Gi") +
                       R"(},{"name":"little","deviceClassName":"any","count":1)" +
                       wanted_capacity("2Gi") + "}]}");
  EXPECT_THAT(c.devices(), ElementsAre("r/little=nic"));
}

/// A device that takes so much of the counter `memory` of the set `gpu`.
std::string part(const std::string& name, const std::string& memory, const std::string& more = "") {
  return device_json(name, R"("consumesCounters":[{"counterSet":"gpu","counters":{"memory":{)"
                           R"("value":")" +
                               memory + R"("}}}])" + more);
}

/// A pool `p` whose counters are in one slice and whose devices are in another.
void add_parts(
    DeviceCase& c, const std::string& devices, const std::string& place,
    const std::string& sets = R"({"name":"gpu","counters":{"memory":{"value":"80Gi"}}})") {
  const std::string slice =
      R"({"metadata":{"name":"counters"},"spec":{"driver":"d.io","pool":{"name":"p",)"
      R"("generation":1,"resourceSliceCount":2},"nodeName":"n9","sharedCounters":[)" +
      sets + "]}}";
  c.view.put(DeviceKind::kSlice, json_literal(slice));
  c.add_slice("devices", devices, place, "p", 1, 2);
}

constexpr char kHere[] = R"("nodeName":"n1")";

TEST(DevicePartsTest, PartsAreChosenWhileTheirCountersLast) {
  DeviceCase c;
  add_parts(c,
            part("whole", "80Gi") + "," + part("half-0", "40Gi") + "," + part("half-1", "40Gi") +
                "," + part("half-2", "40Gi"),
            kHere);
  c.add_count("c", 1);
  EXPECT_THAT(c.devices(), ElementsAre("r=whole"));
  c.add_count("d", 1);
  EXPECT_THAT(c.devices(), ElementsAre("r=half-0", "r=half-1"));
  c.add_count("e", 1);
  EXPECT_THAT(c.devices(), ElementsAre(kRefused)) << "although a device is free";
}

TEST(DevicePartsTest, PartsThatOthersHaveCountWhereverTheyAre) {
  DeviceCase c;
  c.view.put(DeviceKind::kSlice,
             json_literal(R"({"metadata":{"name":"counters"},"spec":{"driver":"d.io","pool":{)"
                          R"("name":"p","generation":1,"resourceSliceCount":3},"allNodes":true,)"
                          R"("sharedCounters":[{"name":"gpu","counters":{"memory":)"
                          R"({"value":"80Gi"}}}]}})"));
  c.add_slice("here", part("a", "50Gi"), kHere, "p", 1, 3);
  c.add_slice("there", part("b", "40Gi"), R"("nodeName":"n2")", "p", 1, 3);
  c.add_count("c", 1);
  EXPECT_THAT(c.devices(), ElementsAre("r=a"));
  c.taken = {"d.io/p/b"};
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DevicePartsTest, DevicesWithoutCountersDoNotCareForThem) {
  DeviceCase c;
  add_parts(c, part("half-0", "40Gi") + "," + part("half-1", "60Gi") + "," + device_json("other"),
            kHere);
  c.taken = {"d.io/p/half-0"};
  c.add_count("c", 1);
  EXPECT_THAT(c.devices(), ElementsAre("r=other"));
}

TEST(DevicePartsTest, ASharedDeviceTakesItsCountersOnce) {
  DeviceCase c;
  const std::string shared =
      R"(,"allowMultipleAllocations":true,"capacity":{"bandwidth":{"value":"10Gi"}})";
  add_parts(c, part("shared", "60Gi", shared) + "," + part("small", "30Gi"), kHere);
  c.add_count("c1", 1, wanted_capacity("4Gi"));
  c.add_count("c2", 1, wanted_capacity("4Gi"));
  EXPECT_THAT(c.devices(), ElementsAre("r=shared", "r=shared"));
  c.add_claim("c3", R"({"name":"r","exactly":{"deviceClassName":"any","count":1)" +
                        selector(R"(!device.allowMultipleAllocations)") + "}}");
  EXPECT_THAT(c.devices(), ElementsAre(kRefused)) << "20Gi are left, not 80Gi";
}

TEST(DevicePartsTest, CountersComeBackWhenTheSearchTriesAnotherDevice) {
  DeviceCase c;
  add_parts(c,
            part("whole", "80Gi") + "," + part("half", "40Gi") + "," +
                part("other", "40Gi", R"(,"attributes":{"x":{"bool":true}})"),
            kHere);
  c.add_claim("c", R"({"name":"any","exactly":{"deviceClassName":"any","count":1}},)"
                   R"({"name":"x","exactly":{"deviceClassName":"any","count":1)" +
                       selector(R"("x" in device.attributes["d.io"])") + "}}");
  EXPECT_THAT(c.devices(), ElementsAre("any=half", "x=other"));
}

struct InvalidCase {
  const char* what;
  const char* sets;
  const char* device;
};
constexpr char kGpu[] = R"({"name":"gpu","counters":{"memory":{"value":"80Gi"}}})";

TEST(DevicePartsTest, APoolWithWrongCountersIsInvalid) {
  const InvalidCase cases[] = {
      {"a set that is missing", kGpu,
       R"({"name":"a","consumesCounters":[{"counterSet":"x","counters":{"m":{"value":"1"}}}]})"},
      {"a counter that is missing", kGpu,
       R"({"name":"a","consumesCounters":[{"counterSet":"gpu","counters":{"x":{"value":"1"}}}]})"},
      {"two sets of one name",
       R"({"name":"gpu","counters":{"memory":{"value":"80Gi"}}},)"
       R"({"name":"gpu","counters":{"memory":{"value":"80Gi"}}})",
       R"({"name":"a"})"},
  };
  for (const InvalidCase& each : cases) {
    DeviceCase c;
    add_parts(c, each.device, kHere, each.sets);
    c.add_count("c", 1);
    EXPECT_THAT(c.devices(), ElementsAre("invalid resource pools were encountered")) << each.what;
  }
}

TEST(DevicePartsTest, AWrongCounterOnAnotherNodeMakesThePoolInvalidToo) {
  DeviceCase c;
  c.view.put(DeviceKind::kSlice,
             json_literal(R"({"metadata":{"name":"counters"},"spec":{"driver":"d.io","pool":{)"
                          R"("name":"p","generation":1,"resourceSliceCount":3},"allNodes":true,)"
                          R"("sharedCounters":[{"name":"gpu","counters":{"memory":)"
                          R"({"value":"80Gi"}}}]}})"));
  c.add_slice("here", part("a", "50Gi"), kHere, "p", 1, 3);
  c.add_slice("there",
              R"({"name":"b","consumesCounters":[{"counterSet":"gpu","counters":{"x":)"
              R"({"value":"1"}}}]})",
              R"("nodeName":"n2")", "p", 1, 3);
  c.add_count("c", 1);
  EXPECT_THAT(c.devices(), ElementsAre("invalid resource pools were encountered"));
}

TEST(DevicePartsTest, ManyPartsThatAreAlikeEndTheSearchAtOnce) {
  DeviceCase c;
  std::string parts;
  for (int i = 0; i < 40; ++i) {
    parts += std::string(i == 0 ? "" : ",") + part("p" + std::to_string(i), "10Gi");
  }
  add_parts(c, parts, kHere);
  for (int i = 0; i < 9; ++i) c.add_count("c" + std::to_string(i), 1);
  EXPECT_THAT(c.devices(), ElementsAre(kRefused)) << "eight fit";
}

TEST(DeviceSharesTest, AClaimCountsOnce) {
  DeviceShares shares;
  const Json allocation = json_literal(R"({"devices":{"results":[
    {"driver":"d","pool":"p","device":"a","shareID":"1","consumedCapacity":{"m":"1"}},
    {"driver":"d","pool":"p","device":"a","shareID":"2","consumedCapacity":{"m":"2"}},
    {"driver":"d","pool":"p","device":"b"},
    {"driver":"d","pool":"p","device":"a","shareID":"3","adminAccess":true}]}})");
  shares.set("claim", allocation);
  shares.set("claim", allocation);
  ASSERT_NE(shares.find("d/p/a"), nullptr);
  EXPECT_EQ(shares.find("d/p/a")->shares, 2U);
  EXPECT_EQ(shares.find("d/p/a")->amounts.at("m").integer(), 3);
  EXPECT_EQ(shares.find("d/p/b"), nullptr);
  EXPECT_TRUE(shares.drop("claim"));
  EXPECT_FALSE(shares.drop("claim"));
  EXPECT_EQ(shares.find("d/p/a"), nullptr);
}

}  // namespace
}  // namespace davit::sandbox
