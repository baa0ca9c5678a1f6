/// The address that a Service gets. Ids: docs/spec/cloud.md.
#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ChoiceTest : public PoolsFixture {
 protected:
  static constexpr const char* kDual =
      R"({"name":"v4","addresses":["10.0.0.1-10.0.0.2"]},{"name":"v6","addresses":["fd00::1"]})";
  static constexpr const char* kRequire =
      R"(,"ipFamilies":["IPv6","IPv4"],"ipFamilyPolicy":"RequireDualStack")";
  static constexpr const char* kPrefer =
      R"(,"ipFamilies":["IPv4","IPv6"],"ipFamilyPolicy":"PreferDualStack")";
};

TEST_F(ChoiceTest, CLD128_ServicesGetTheLowestFreeAddresses) {
  start();
  put("s1");
  add("s2");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
  EXPECT_EQ(cluster_.json<Service>({"default", "s1"}).at({"status", "loadBalancer"})->dump(),
            R"({"ingress":[{"ip":"192.168.1.200","ipMode":"VIP"}]})");
  EXPECT_EQ(metric("pools_addresses", {"lan", "IPv4"}), 3);
  EXPECT_EQ(metric("pools_addresses_used", {"lan", "IPv4"}), 2);
}

TEST_F(ChoiceTest, TheModeIsThatOfTheConfiguration) {
  start(kLan, R"("ipMode":"Proxy",)");
  add("s1");
  EXPECT_EQ(cluster_.json<Service>({"default", "s1"}).at({"status", "loadBalancer"})->dump(),
            R"({"ingress":[{"ip":"192.168.1.200","ipMode":"Proxy"}]})");
}

TEST_F(ChoiceTest, CLD129_WithoutAFreeAddressAnEventSaysSo) {
  start();
  for (const char* each : {"s1", "s2", "s3"}) add(each);
  cluster_.clear_records();
  add("s4");
  EXPECT_EQ(ip("s4"), "-");
  EXPECT_THAT(warnings(), ElementsAre("Warning AddressPoolExhausted no free address in pools lan",
                                      failure("no free address in pools lan")));
  EXPECT_EQ(metric("pools_services_waiting"), 1);
  cluster_.clear_records();
  cluster_.advance(9min);
  EXPECT_THAT(warnings(), Contains(failure("no free address in pools lan")));
  EXPECT_THAT(warnings(), Not(Contains(HasSubstr("AddressPoolExhausted"))));
  cluster_.advance(6min);
  EXPECT_THAT(warnings(), Contains(HasSubstr("AddressPoolExhausted")));
}

TEST_F(ChoiceTest, CLD130_AFreedAddressGoesToTheOneThatWaits) {
  start();
  for (const char* each : {"s1", "s2", "s3", "s4"}) add(each);
  remove("s2");
  EXPECT_EQ(ip("s2"), "gone");
  EXPECT_EQ(ip("s4"), "192.168.1.201");
  EXPECT_EQ(metric("pools_services_waiting"), 0);
}

TEST_F(ChoiceTest, CLD130_TheOldestOfThoseThatWaitGetsIt) {
  start();
  for (const char* each : {"s1", "s2", "s3"}) add(each);
  add("z4", "", R"(,"creationTimestamp":"2024-05-01T10:00:00Z")");
  add("a5", "", R"(,"creationTimestamp":"2024-05-01T11:00:00Z")");
  cluster_.clear_records();
  remove("s2");
  EXPECT_EQ(ip("z4"), "192.168.1.201");
  EXPECT_THAT(warnings(), IsEmpty()) << "the other one was not asked in vain";
  remove("s3");
  EXPECT_EQ(ip("a5"), "192.168.1.202");
}

TEST_F(ChoiceTest, AServiceThatIsNoLoadBalancerAnyMoreWaitsForNothing) {
  start();
  for (const char* each : {"s1", "s2", "s3", "s4", "s5"}) add(each);
  change("s4", R"({"spec":{"type":"ClusterIP"}})");
  remove("s2");
  EXPECT_EQ(ip("s5"), "192.168.1.201");
  EXPECT_EQ(metric("pools_services_waiting"), 0);
}

TEST_F(ChoiceTest, CLD135_AServiceMayAskForAnAddress) {
  start();
  add("s1", R"(,"loadBalancerIP":"192.168.1.202")");
  EXPECT_EQ(ip("s1"), "192.168.1.202");
}

TEST_F(ChoiceTest, CLD136_TwoSourcesMayAgree) {
  start();
  add_with("s1", R"("metallb.io/loadBalancerIPs":" 192.168.1.202 ")",
           R"(,"loadBalancerIP":"192.168.1.202")");
  EXPECT_EQ(ip("s1"), "192.168.1.202");
  add_with("s2", R"("metallb.io/loadBalancerIPs":"192.168.1.201")",
           R"(,"loadBalancerIP":"192.168.1.200")");
  EXPECT_EQ(ip("s2"), "-");
  EXPECT_THAT(warnings(),
              Contains(failure("the Service asks for different addresses: 192.168.1.200 in "
                               "loadBalancerIP, 192.168.1.201 in metallb.io/loadBalancerIPs")));
}

TEST_F(ChoiceTest, CLD137_AnAddressThatIsUsedIsWaitedFor) {
  start();
  add("s1");
  add("s2", R"(,"loadBalancerIP":"192.168.1.200")");
  EXPECT_EQ(ip("s2"), "-");
  EXPECT_THAT(warnings(), Contains(failure("192.168.1.200 is used by default/s1")));
  remove("s1");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(ChoiceTest, CLD138_NonsenseIsRefused) {
  start();
  const std::pair<const char*, const char*> kCases[] = {
      {"10.0.0.1", "10.0.0.1 is in no pool for this Service"},
      {"zzz", "loadBalancerIP: \"zzz\" is not an address"},
      {"0.0.0.0", "loadBalancerIP: \"0.0.0.0\" is not an address"},
      {"::", "loadBalancerIP: \"::\" is not an address"},
      {"192.168.1.200,", "loadBalancerIP: \"\" is not an address"},
      {"fd00::1", "fd00::1 is of no family of the Service"},
      {"192.168.1.200,192.168.1.201",
       "the Service asks for two addresses of one family: 192.168.1.200, 192.168.1.201"}};
  int index = 0;
  for (const auto& [wish, why] : kCases) {
    cluster_.clear_records();
    const std::string name = "s" + std::to_string(index++);
    add(name, R"(,"loadBalancerIP":")" + std::string(wish) + "\"");
    EXPECT_EQ(ip(name), "-") << wish;
    EXPECT_THAT(warnings(), Contains(failure(why))) << wish;
  }
}

TEST_F(ChoiceTest, CLD139_AnotherWishMovesTheService) {
  start();
  add("s1");
  change("s1", R"({"spec":{"loadBalancerIP":"192.168.1.202"}})");
  EXPECT_EQ(ip("s1"), "192.168.1.202");
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.200") << "is free again";
}

TEST_F(ChoiceTest, CLD145_EachFamilyComesFromItsPool) {
  start(kDual);
  add("s1", kRequire);
  EXPECT_EQ(ip("s1"), "fd00::1,10.0.0.1") << "in the order of ipFamilies";
}

TEST_F(ChoiceTest, CLD146_TheFamilyThatIsMissingCountsAsTheServiceSays) {
  start(kDual);
  add("s1", R"(,"ipFamilies":["IPv6"])");
  add("require", kRequire);
  EXPECT_EQ(ip("require"), "-");
  EXPECT_THAT(warnings(), Contains(failure("no free address in pools v6")));
  remove("require");
  cluster_.clear_records();
  add("prefer", kPrefer);
  EXPECT_EQ(ip("prefer"), "10.0.0.1");
  EXPECT_THAT(warnings(), IsEmpty());
  remove("s1");
  EXPECT_EQ(ip("prefer"), "10.0.0.1,fd00::1");
}

TEST_F(ChoiceTest, AStricterPolicyOfFamiliesIsNoticed) {
  start(kDual);
  add("s1", R"(,"ipFamilies":["IPv6"])");
  add("s2", kPrefer);
  cluster_.clear_records();
  change("s2", R"({"spec":{"ipFamilyPolicy":"RequireDualStack"}})");
  EXPECT_THAT(warnings(), Contains(failure("no free address in pools v6")));
  EXPECT_EQ(ip("s2"), "10.0.0.1") << "what it has stays";
}

TEST_F(ChoiceTest, CLD147_AFamilyThatIsDroppedIsFree) {
  start(kDual);
  add("s1", kRequire);
  change("s1", R"({"spec":{"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}})");
  EXPECT_EQ(ip("s1"), "10.0.0.1");
  add("s2", R"(,"ipFamilies":["IPv6"])");
  EXPECT_EQ(ip("s2"), "fd00::1");
}

constexpr const char* kNamespaced = R"({"name":"b","addresses":["10.0.1.1-10.0.1.9"]},)"
                                    R"({"name":"a","addresses":["10.0.0.1"],"namespaces":["x"]})";

TEST_F(ChoiceTest, CLD148_APoolForANamespaceServesThatOneFirst) {
  start(kNamespaced);
  add("s1", "", "", "y");
  add("s1", "", "", "x");
  add("s2", "", "", "x");
  EXPECT_EQ(ip("s1", "y"), "10.0.1.1");
  EXPECT_EQ(ip("s1", "x"), "10.0.0.1");
  EXPECT_EQ(ip("s2", "x"), "10.0.1.2");
}

TEST_F(ChoiceTest, CLD149_AnotherNamespaceCannotAskForItsAddresses) {
  start(kNamespaced);
  add("s1", R"(,"loadBalancerIP":"10.0.0.1")", "", "y");
  EXPECT_EQ(ip("s1", "y"), "-");
  EXPECT_THAT(warnings(), Contains(failure("10.0.0.1 is in no pool for this Service")));
}

TEST_F(ChoiceTest, CLD150_PoolsAreTriedByPriority) {
  start(R"({"name":"last","addresses":["10.0.3.1"]},)"
        R"({"name":"second","addresses":["10.0.2.1"],"priority":20},)"
        R"({"name":"first","addresses":["10.0.1.1"],"priority":10})");
  for (const char* each : {"s1", "s2", "s3"}) add(each);
  EXPECT_EQ(ip("s1"), "10.0.1.1");
  EXPECT_EQ(ip("s2"), "10.0.2.1");
  EXPECT_EQ(ip("s3"), "10.0.3.1");
}

TEST_F(ChoiceTest, CLD151_APoolThatIsNotAutomaticHasToBeAskedFor) {
  start(R"({"name":"web","addresses":["10.0.0.1-10.0.0.9"],"auto":false})");
  add("s1");
  EXPECT_EQ(ip("s1"), "-");
  EXPECT_THAT(warnings(), Contains(failure("no pool with addresses of IPv4 for this Service")));
  add_with("s2", R"("davit.dev/address-pool":"web")");
  EXPECT_EQ(ip("s2"), "10.0.0.1");
  add("s3", R"(,"loadBalancerIP":"10.0.0.9")");
  EXPECT_EQ(ip("s3"), "10.0.0.9");
  add_with("s4", R"("davit.dev/address-pool":"db")");
  EXPECT_THAT(warnings(), Contains(failure("no pool db for this Service")));
}

TEST_F(ChoiceTest, APoolMayForbidWishes) {
  start(R"({"name":"lan","addresses":["10.0.0.1-10.0.0.9"],"allowRequests":false})");
  add("s1", R"(,"loadBalancerIP":"10.0.0.9")");
  EXPECT_THAT(warnings(), Contains(failure("10.0.0.9 is in no pool for this Service")));
}

TEST_F(ChoiceTest, CLD152_AnotherPoolMovesTheService) {
  start(R"({"name":"a","addresses":["10.0.0.1"]},{"name":"b","addresses":["10.0.1.1"]})");
  add_with("s1", R"("metallb.io/address-pool":"a")");
  EXPECT_EQ(ip("s1"), "10.0.0.1");
  annotate("s1", "metallb.io/address-pool", "b");
  EXPECT_EQ(ip("s1"), "10.0.1.1");
}

TEST_F(ChoiceTest, CLD154_AHugePoolCostsNoMoreThanASmallOne) {
  start(R"({"name":"lan","addresses":["fd00::/64"]})");
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) put("s" + std::to_string(i), R"(,"ipFamilies":["IPv6"])");
  rest();
  for (int i = 0; i < 100; ++i) seen.insert(ip("s" + std::to_string(i)));
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_FALSE(seen.contains("-"));
}

TEST_F(ChoiceTest, CLD155_AddressesThatSomeRoutersRefuseCanBeSkipped) {
  start(R"({"name":"a","addresses":["192.168.2.16/30"],"skipEnds":true},)"
        R"({"name":"b","addresses":["10.0.0.254-10.0.1.1"],"skipDot0And255":true})");
  for (const char* each : {"s1", "s2", "s3", "s4"}) add(each);
  EXPECT_EQ(ip("s1"), "192.168.2.17");
  EXPECT_EQ(ip("s2"), "192.168.2.18");
  EXPECT_EQ(ip("s3"), "10.0.0.254");
  EXPECT_EQ(ip("s4"), "10.0.1.1");
}

TEST_F(ChoiceTest, CLD156_AServiceOfAnotherClassIsLeftAlone) {
  put("other", R"(,"loadBalancerClass":"x.io/y")");
  cluster_.merge<Service>({"default", "other"},
                          R"({"status":{"loadBalancer":{"ingress":[{"ip":"192.168.1.200"}]}}})");
  start();
  add("s1");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("other"), "192.168.1.200");
}

TEST_F(ChoiceTest, CLD013_ServicesOfItsClassesGetAddresses) {
  start(kLan, R"("classes":["x.io/a","x.io/b"],"withoutClass":false,)");
  add("other", R"(,"loadBalancerClass":"x.io/c")");
  add("none");
  add("a", R"(,"loadBalancerClass":"x.io/a")");
  add("b", R"(,"loadBalancerClass":"x.io/b")");
  EXPECT_EQ(ip("a"), "192.168.1.200");
  EXPECT_EQ(ip("b"), "192.168.1.201");
  EXPECT_EQ(ip("none"), "-");
  EXPECT_EQ(ip("other"), "-");
}

TEST_F(ChoiceTest, CLD013_AServiceOfItsClassKeepsItsAddressThroughARestart) {
  constexpr std::string_view kClasses = R"("classes":["x.io/a"],)";
  start(kLan, kClasses);
  add("s1");
  add("a", R"(,"loadBalancerClass":"x.io/a")");
  remove("s1");
  restart(kLan, kClasses);
  EXPECT_EQ(ip("a"), "192.168.1.201");
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(ChoiceTest, CLD157_FiftyServicesGetFiftyAddresses) {
  start(R"({"name":"lan","addresses":["10.0.0.1-10.0.0.50"]})");
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) put("s" + std::to_string(i));
  rest();
  for (int i = 0; i < 50; ++i) seen.insert(ip("s" + std::to_string(i)));
  EXPECT_EQ(seen.size(), 50U);
  EXPECT_FALSE(seen.contains("-"));
}

TEST_F(ChoiceTest, CLD159_ANodeCausesNoEvent) {
  start();
  add("s1");
  cluster_.clear_records();
  add_node("n2");
  rest();
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(ChoiceTest, WhatKubeVipWasGivenIsNoWish) {
  start();
  add_with("s1", R"("kube-vip.io/loadbalancerIPs":"192.168.1.202")");
  EXPECT_EQ(ip("s1"), "192.168.1.202");
  add_with("s2", R"("kube-vip.io/loadbalancerIPs":"192.168.1.202",)"
                 R"("davit.dev/handed-over":"192.168.1.202")");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

}  // namespace
}  // namespace davit::pools
