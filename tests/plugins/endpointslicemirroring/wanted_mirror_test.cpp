#include "plugins/endpointslicemirroring/wanted_mirror.hpp"

#include "plugins/endpointslicemirroring/mirror_plan.hpp"
#include "tests/plugins/endpointslicemirroring/fixture.hpp"

namespace davit::endpointslicemirroring {
namespace {

using endpoint::EndpointAddress;
using endpoint::EndpointSubset;
using endpoint::IpFamily;
using endpoint::Subsets;

EndpointAddress address(const std::string& ip, const std::string& uid = "") {
  EndpointAddress out;
  out.ip = ip;
  if (!uid.empty()) {
    out.target = endpoint::ObjectReference{"Pod", "t", "p", uid, "", "", ""};
  }
  return out;
}

EndpointSubset subset(std::vector<EndpointAddress> ready, std::vector<EndpointAddress> not_ready) {
  EndpointSubset out;
  out.ready = std::move(ready);
  out.not_ready = std::move(not_ready);
  out.ports = {{"", 80, "TCP", std::nullopt}};
  return out;
}

TEST(WantedMirrorTest, BothFamiliesShareTheLimitOfASubset) {
  const WantedMirror wanted =
      wanted_mirror({subset({address("10.0.0.1"), address("fd00::1"), address("fd00::2")},
                            {address("10.0.0.9")})},
                    2);
  ASSERT_EQ(wanted.groups.size(), 2);
  EXPECT_EQ(wanted.groups.begin()->first.first, IpFamily::kIPv4);
  EXPECT_EQ(wanted.groups.begin()->second.size(), 1);
  EXPECT_EQ(wanted.groups.rbegin()->second.size(), 1);
  EXPECT_EQ(wanted.skipped, 2);
  EXPECT_EQ(wanted.invalid, 0);
}

TEST(WantedMirrorTest, InvalidAddressesTakeNoPlace) {
  const WantedMirror wanted =
      wanted_mirror({subset({address("0.bad"), address("10.0.0.1"), address("10.0.0.2")}, {})}, 2);
  EXPECT_EQ(wanted.groups.begin()->second.size(), 2);
  EXPECT_EQ(wanted.skipped, 1);
  EXPECT_EQ(wanted.invalid, 1);
}

TEST(WantedMirrorTest, OfTwoWithOneIdentityTheLaterOneCounts) {
  const WantedMirror wanted =
      wanted_mirror({subset({address("10.0.0.1", "a"), address("10.0.0.1", "b")}, {})}, 10);
  ASSERT_EQ(wanted.groups.begin()->second.size(), 1);
  EXPECT_EQ(wanted.groups.begin()->second.front().target->uid, "b");
}

TEST(WantedMirrorTest, AMappedAddressIsOfTheOldFamily) {
  const WantedMirror wanted = wanted_mirror({subset({address("::ffff:10.0.0.1")}, {})}, 10);
  EXPECT_EQ(wanted.groups.begin()->first.first, IpFamily::kIPv4);
  EXPECT_THAT(wanted.groups.begin()->second.front().addresses, ElementsAre("10.0.0.1"));
}

class MirrorPlanTest : public MirroringTest {
 protected:
  EndpointSlice stored(const std::string& name, const std::string& family, int port) {
    return cluster_.view_of<EndpointSlice>(R"({"metadata":{"name":")" + name +
                                           R"(","labels":{"kubernetes.io/service-name":"s"}},
            "addressType":")" + family + R"(","ports":[{"name":"","port":)" +
                                           std::to_string(port) + R"(,"protocol":"TCP"}],
            "endpoints":[{"addresses":["10.0.0.7"],"conditions":{"ready":true}}]})");
  }
  Endpoints endpoints() {
    return cluster_.view_of<Endpoints>(R"({"metadata":{"namespace":"t","name":"s","uid":"u"}})");
  }
};

TEST_F(MirrorPlanTest, EachFamilyReusesItsOwnNames) {
  const std::vector<EndpointSlice> present = {stored("v6", "IPv6", 1), stored("v4", "IPv4", 1),
                                              stored("fqdn", "FQDN", 80)};
  const WantedMirror wanted =
      wanted_mirror({subset({address("10.0.0.1"), address("fd00::1")}, {})}, 10);
  const MirrorPlan plan = plan_mirror(endpoints(), present, wanted, 10);
  EXPECT_THAT(plan.create, IsEmpty());
  ASSERT_EQ(plan.update.size(), 2);
  EXPECT_EQ(plan.update[0].name, "v4");
  EXPECT_EQ(plan.update[0].group.first, IpFamily::kIPv4);
  EXPECT_EQ(plan.update[1].name, "v6");
  ASSERT_EQ(plan.remove.size(), 1);
  EXPECT_EQ(plan.remove.front().name(), "fqdn");
}

TEST_F(MirrorPlanTest, DifferencesOfTheFirstSliceAreCounted) {
  const std::vector<EndpointSlice> present = {stored("a", "IPv4", 80), stored("b", "IPv4", 80)};
  const MirrorPlan plan = plan_mirror(
      endpoints(), present,
      wanted_mirror({subset({address("10.0.0.1"), address("10.0.0.2")}, {address("10.0.0.7")})},
                    10),
      10);
  EXPECT_EQ(plan.endpoints_added, 2);
  EXPECT_EQ(plan.endpoints_updated, 1);
  EXPECT_EQ(plan.endpoints_removed, 0);
  EXPECT_EQ(plan.endpoints_wanted, 3);
  EXPECT_EQ(plan.slices, 1);
  EXPECT_EQ(plan.slices_least, 1);
  ASSERT_EQ(plan.update.size(), 1);
  EXPECT_EQ(plan.update.front().name, "a");
}

TEST_F(MirrorPlanTest, AGroupThatIsEmptyNowCountsItsEndpoints) {
  const std::vector<EndpointSlice> present = {stored("a", "IPv4", 80)};
  const MirrorPlan plan =
      plan_mirror(endpoints(), present, wanted_mirror({subset({address("fd00::1")}, {})}, 10), 10);
  EXPECT_EQ(plan.endpoints_removed, 1);
  EXPECT_EQ(plan.endpoints_added, 1);
  EXPECT_EQ(plan.remove.size(), 1) << "names are used again within a family only";
  EXPECT_EQ(plan.create.size(), 1);
}

}  // namespace
}  // namespace davit::endpointslicemirroring
