/// Restarts and swaps. Ids: docs/spec/cloud.md.
#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RestartTest : public PoolsFixture {
 protected:
  void show(const std::string& name, const std::string& address) {
    cluster_.merge<Service>({"default", name}, R"({"status":{"loadBalancer":{"ingress":[{"ip":")" +
                                                   address + R"("}]}}})");
  }
  /// No status of the Service can be written.
  void hinder(const std::string& name, int skip = 0) {
    cluster_.fail_next({.verb = Verb::kPatch,
                        .resource = "services",
                        .subresource = "status",
                        .name = name,
                        .times = Fault::kAlways,
                        .skip = skip});
  }
  [[nodiscard]] Status swap(std::string_view pools = kLan) {
    return cluster_.swap(kPools, &PoolsController::open, config(pools));
  }
};

TEST_F(RestartTest, CLD131_AServiceKeepsItsAddressThroughARestart) {
  start();
  add("s1");
  add("s2");
  remove("s1");
  restart();
  EXPECT_EQ(ip("s2"), "192.168.1.201");
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(RestartTest, CLD132_NothingIsGivenBeforeTheStatusesAreKnown) {
  put("s1");
  put("s2");
  show("s2", "192.168.1.200");
  hinder("s2");  // So it is not ensured.
  start();
  EXPECT_EQ(ip("s1"), "192.168.1.201");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(RestartTest, CLD132_AServiceThatIsBeingDeletedStillCounts) {
  put("s1");
  put("s2", "", R"(,"finalizers":["t/f"],"deletionTimestamp":"2024-05-01T11:00:00Z")");
  show("s2", "192.168.1.200");
  // Its load balancer is removed, and the status cannot be written.
  hinder("s2");
  start();
  EXPECT_EQ(ip("s1"), "192.168.1.201");
}

TEST_F(RestartTest, OfTwoThatShowOneAddressTheOlderKeepsIt) {
  put("a-younger", "", R"(,"creationTimestamp":"2024-05-01T11:00:00Z")");
  put("older", "", R"(,"creationTimestamp":"2024-05-01T10:00:00Z")");
  show("a-younger", "192.168.1.200");
  show("older", "192.168.1.200");
  start();
  EXPECT_EQ(ip("older"), "192.168.1.200");
  EXPECT_EQ(ip("a-younger"), "192.168.1.201");
  EXPECT_THAT(warnings(), Contains("Warning AddressConflict 192.168.1.200 belongs to another "
                                   "Service, which keeps it"));
}

TEST_F(RestartTest, CLD134_AnAddressOutsideThePoolsStaysThroughARestart) {
  start();
  add("s1");
  restart(R"({"name":"lan","addresses":["192.168.1.201-192.168.1.202"]})");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_THAT(warnings(), Contains(HasSubstr("AddressOutsidePools")));
  restart(R"({"name":"lan","addresses":["192.168.1.201-192.168.1.202"]})",
          R"("onPoolChange":"reassign",)");
  EXPECT_EQ(ip("s1"), "192.168.1.201");
}

TEST_F(RestartTest, CLD173_AWishThatChangedMeanwhileIsMet) {
  start();
  add("s1");
  stop();
  cluster_.merge<Service>({"default", "s1"}, R"({"spec":{"loadBalancerIP":"192.168.1.202"}})");
  start();
  EXPECT_EQ(ip("s1"), "192.168.1.202");
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

constexpr std::string_view kBothClasses = R"("classes":["x.io/a","x.io/b"],)";
constexpr std::string_view kOneClass = R"("classes":["x.io/a"],)";

TEST_F(RestartTest, CLD175_AServiceThatIsServedNoLongerKeepsItsAddress) {
  start(kLan, kBothClasses);
  add("b", R"(,"loadBalancerClass":"x.io/b")");
  ASSERT_EQ(ip("b"), "192.168.1.200");
  restart(kLan, kOneClass);
  add("s1");
  EXPECT_EQ(ip("s1"), "192.168.1.201");
  EXPECT_EQ(ip("b"), "192.168.1.200");
  remove("b");
  EXPECT_EQ(ip("b"), "gone") << "it had an address of the pools";
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(RestartTest, CLD175_AServiceWithoutAClassKeepsItsAddressWhenThoseAreServedNoLonger) {
  start(kLan, kOneClass);
  add("none");
  restart(kLan, R"("classes":["x.io/a"],"withoutClass":false,)");
  add("a", R"(,"loadBalancerClass":"x.io/a")");
  EXPECT_EQ(ip("a"), "192.168.1.201");
  EXPECT_EQ(ip("none"), "192.168.1.200");
}

TEST_F(RestartTest, CLD175_AnAddressOfAnotherCloudOutsideThePoolsIsItsOwn) {
  put("other", R"(,"loadBalancerClass":"x.io/c")",
      R"(,"finalizers":["service.kubernetes.io/load-balancer-cleanup"])");
  show("other", "192.168.2.1");
  start();
  remove("other");
  EXPECT_EQ(ip("other"), "192.168.2.1") << "its own controller lets it go";
}

TEST_F(RestartTest, CLD176_ANewPoolDoesNotGiveWhatAnotherServiceShows) {
  put("b", R"(,"loadBalancerClass":"x.io/b")",
      R"(,"finalizers":["service.kubernetes.io/load-balancer-cleanup"])");
  show("b", "192.168.2.1");
  start();
  add("s1");
  ASSERT_TRUE(reload(R"({"name":"new","addresses":["192.168.2.1-192.168.2.2"]})").ok());
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.2.2");
}

TEST_F(RestartTest, CLD158_ASwapForgetsNoAddressThatNoStatusShows) {
  start();
  hinder("s1", 1);  // The first one writes the finalizer.
  add("s1");
  ASSERT_EQ(ip("s1"), "-") << "the address is given, and not shown";
  ASSERT_TRUE(swap().ok());
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
  cluster_.clear_faults();
  cluster_.advance(1min);
  EXPECT_EQ(ip("s1"), "192.168.1.200");
}

TEST_F(RestartTest, ASwapChangesNothing) {
  start();
  add("s1");
  add_sharing("s2", "80", "TCP");
  add_sharing("s3", "81", "TCP");
  cluster_.clear_records();
  ASSERT_TRUE(swap().ok());
  rest();
  EXPECT_THAT(cluster_.events(), IsEmpty());
  change("s3", R"({"spec":{"ports":[{"name":"p","port":80,"protocol":"TCP"}]}})");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
  EXPECT_EQ(ip("s3"), "192.168.1.202") << "the new build knows how it looked before";
}

TEST_F(RestartTest, WhatWaitsWaitsForTheNewBuild) {
  start();
  for (const char* each : {"s1", "s2", "s3", "s4"}) add(each);
  ASSERT_TRUE(swap().ok());
  rest();
  remove("s2");
  EXPECT_EQ(ip("s4"), "192.168.1.201");
}

TEST_F(RestartTest, AServiceThatEndsDuringASwapKeepsNoAddress) {
  start();
  add("s1");
  cluster_.hold("services");
  cluster_.erase<Service>({"default", "s1"});
  ASSERT_TRUE(swap().ok());
  cluster_.release("services");
  rest();
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(RestartTest, AStateOfAnythingIsRefusedOrHarmless) {
  start();
  for (const char* const text :
       {"1", "{}", R"({"holders":1,"waiting":[]})", R"({"holders":[{"uid":"u"}],"waiting":[]})",
        R"({"holders":[],"waiting":[7]})",
        R"({"holders":[{"uid":"u","ns":"n","name":"s","created":1,"addresses":["x"],"leaving":[],)"
        R"("reported":false,"labels":"","key":"","local":false,"selector":"","ports":[]}],)"
        R"("waiting":[]})"}) {
    EXPECT_FALSE(cluster_.give_state(kPools, 1, text).ok()) << text;
  }
  EXPECT_TRUE(cluster_.give_state(kPools, 1, cluster_.state_of(kPools)).ok());
}

TEST_F(RestartTest, AStandbyKnowsTheAddressesThatItsLeaderGave) {
  cluster_.stand_by();
  start();
  put("s1");
  rest();
  show("s1", "192.168.1.200");
  put("s2");
  rest();
  cluster_.lead();
  rest();
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
}

}  // namespace
}  // namespace davit::pools
