/// Services that share an address. Ids: docs/spec/cloud.md.
#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

class SharingTest : public PoolsFixture {
 protected:
  void begin() {
    start();
    add_sharing("s1", "80", "TCP");
    add_sharing("s2", "443", "TCP");
    add_sharing("s3", "80", "UDP");
  }
  static std::string local(const std::string& app) {
    return R"(,"externalTrafficPolicy":"Local","selector":{"app":")" + app + "\"}";
  }
};

TEST_F(SharingTest, CLD140_ServicesWithOneKeyHaveOneAddress) {
  begin();
  for (const char* each : {"s1", "s2", "s3"}) EXPECT_EQ(ip(each), "192.168.1.200") << each;
  EXPECT_EQ(metric("pools_addresses_used", {"lan", "IPv4"}), 1);
  EXPECT_EQ(cluster_.debug_page(kPools, "pools")->body,
            "192.168.1.200 lan default/s1 default/s2 default/s3\n");
}

TEST_F(SharingTest, CLD141_APortIsGivenOnce) {
  begin();
  add_sharing("s4", "80", "TCP");
  EXPECT_EQ(ip("s4"), "192.168.1.201");
}

TEST_F(SharingTest, CLD142_TheOneThatChangesMoves) {
  begin();
  change("s2", R"({"spec":{"ports":[{"name":"p","port":80,"protocol":"TCP"}]}})");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s3"), "192.168.1.200");
}

TEST_F(SharingTest, OneThatCannotMoveChangesNothingForTheOthers) {
  start(R"({"name":"lan","addresses":["192.168.1.200"]})");
  add_sharing("s1", "80", "TCP");
  add_sharing("s2", "443", "TCP");
  change("s2", R"({"spec":{"ports":[{"name":"p","port":80,"protocol":"TCP"}]}})");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
  annotate("s1", "a", "b");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  change("s2", R"({"spec":{"ports":[{"name":"p","port":8080,"protocol":"TCP"}]}})");
  cluster_.clear_records();
  cluster_.advance(10min);
  EXPECT_THAT(warnings(), ::testing::IsEmpty());
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(SharingTest, AServiceThatWaitsGetsTheAddressOfOneThatChanges) {
  start(R"({"name":"lan","addresses":["192.168.1.200"]})");
  add_sharing("s1", "80", "TCP");
  add_sharing("s2", "80", "TCP");
  ASSERT_EQ(ip("s2"), "-");
  change("s1", R"({"spec":{"ports":[{"name":"p","port":8080,"protocol":"TCP"}]}})");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(SharingTest, CLD143_LocalServicesShareWithEqualSelectors) {
  start();
  add_sharing("s1", "80", "TCP", local("a"));
  add_sharing("s2", "81", "TCP", local("b"));
  add_sharing("s3", "82", "TCP", local("a"));
  add_sharing("s4", "83", "TCP");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
  EXPECT_EQ(ip("s3"), "192.168.1.200");
  EXPECT_EQ(ip("s4"), "192.168.1.202");
}

TEST_F(SharingTest, CLD143_ALocalServiceWithAnotherSelectorMoves) {
  start();
  add_sharing("s1", "80", "TCP", local("a"));
  add_sharing("s2", "81", "TCP", local("a"));
  change("s2", R"({"spec":{"selector":{"app":"b"}}})");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
}

TEST_F(SharingTest, CLD144_TheAddressIsUsedAsLongAsOneHasIt) {
  begin();
  remove("s1");
  add("s4");
  EXPECT_EQ(ip("s4"), "192.168.1.201");
}

TEST_F(SharingTest, AnAddressMayBeAskedForAndShared) {
  begin();
  add_with("s4", R"("metallb.universe.tf/allow-shared-ip":"k")",
           R"(,"loadBalancerIP":"192.168.1.200","ports":[{"name":"p","port":53}])");
  EXPECT_EQ(ip("s4"), "192.168.1.200");
}

TEST_F(SharingTest, AnotherKeySharesNothing) {
  begin();
  add_with("s4", R"("davit.dev/sharing-key":"other")",
           R"(,"ports":[{"name":"p","port":8080,"protocol":"TCP"}])");
  EXPECT_EQ(ip("s4"), "192.168.1.201");
}

}  // namespace
}  // namespace davit::pools
