/// The configuration, and what a range is. Ids: docs/spec/cloud.md.
#include "plugins/pools/options.hpp"

#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

using ::testing::HasSubstr;

class OptionsTest : public PoolsFixture {
 protected:
  [[nodiscard]] std::string refusal(const std::string& config) {
    const Result<Options> read = read_options(cluster_.value(config));
    return read ? "accepted" : read.error().message();
  }
  [[nodiscard]] std::string refusal_of(const std::string& addresses) {
    return refusal(R"({"pools":[{"name":"lan","addresses":[)" + addresses + "]}]}");
  }
};

TEST_F(OptionsTest, CLD153_WhatIsWrongIsRefusedWithItsPlace) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"("192.168.100.200/28")",
       "pools[0].addresses[0]: 192.168.100.200/28 is not aligned: its network is "
       "192.168.100.192/28"},
      {R"("10.0.0.1","10.0.0.9-10.0.0.3")",
       "pools[0].addresses[1]: 10.0.0.9-10.0.0.3 ends before it begins"},
      {R"("10.0.0.1-fd00::1")", "pools[0].addresses[0]: 10.0.0.1-fd00::1 has two families"},
      {R"("224.0.0.0/8")", "pools[0].addresses[0]: 224.0.0.0/8 has multicast addresses"},
      {R"("ff02::1")", "ff02::1 has multicast addresses"},
      {R"("127.0.0.1")", "127.0.0.1 has loopback addresses"},
      {R"("169.254.0.0-169.254.0.9")", "has link-local addresses"},
      {R"("0.0.0.0-10.0.0.1")", "has the unspecified address"},
      {R"("::/64")", "::/64 has the unspecified address"},
      {R"("255.255.255.255")", "has the broadcast address"},
      {R"("::ffff:10.0.0.1")", "is not an address, a range or a CIDR"},
      {R"("10.0.0.1-")", "\"10.0.0.1-\" is not an address, a range or a CIDR"},
      {R"("10.0.0.0/33")", "\"10.0.0.0/33\" is not a CIDR"},
      {"7", "pools[0].addresses[0]: \"\" is not an address, a range or a CIDR"},
      {R"("10.0.0.0/24","10.0.0.7")", "two entries of pool lan overlap at 10.0.0.7"}};
  for (const auto& [addresses, why] : kCases) {
    EXPECT_THAT(refusal_of(addresses), HasSubstr(why)) << addresses;
  }
}

TEST_F(OptionsTest, CLD153_PoolsThatOverlapAreRefused) {
  EXPECT_EQ(refusal(config(R"({"name":"lan","addresses":["192.168.1.210-192.168.1.220"]},)"
                           R"({"name":"web","addresses":["192.168.1.200-192.168.1.210"]})")),
            "pools lan and web overlap at 192.168.1.210");
  EXPECT_EQ(refusal(config(R"({"name":"a","addresses":["10.0.0.1"]},)"
                           R"({"name":"a","addresses":["10.0.0.2"]})")),
            "two pools are named a");
}

TEST_F(OptionsTest, MembersOfTheWrongKindAreRefused) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"pool":[]})", "unknown configuration \"pool\""},
      {R"({"pools":{}})", "pools: must be a list"},
      {R"({"pools":[1]})", "pools[0]: must be an object"},
      {R"({"pools":[{"addresses":["10.0.0.1"]}]})", "pools[0]: it has no name"},
      {R"({"pools":[{"name":"a"}]})", "pools[0]: it has no addresses"},
      {R"({"pools":[{"name":"a","addresses":["10.0.0.1"],"autoAssign":true}]})",
       "pools[0]: unknown configuration \"autoAssign\""},
      {R"({"pools":[{"name":"a","addresses":["10.0.0.1"],"auto":"yes"}]})",
       "pools[0].auto: must be true or false"},
      {R"({"pools":[{"name":"a","addresses":["10.0.0.1"],"priority":-1}]})",
       "pools[0].priority: must be an integer that is not negative"},
      {R"({"pools":[{"name":"a","addresses":["10.0.0.1"],"namespaces":"x"}]})",
       "pools[0].namespaces: must be a list of names"},
      {R"({"pools":[{"name":"a","addresses":["10.0.0.1"],"serviceSelector":{}}]})",
       "pools[0].serviceSelector: must be a label selector in text form"},
      {R"({"pools":[{"name":"a","addresses":["10.0.0.1"],"serviceSelector":"a in b"}]})",
       "pools[0].serviceSelector: "},
      {R"({"classes":"x.io/a"})", "classes: must be a list"},
      {R"({"classes":["x.io/a",1]})", "classes[1]: must be the name of a class"},
      {R"({"classes":["x.io/a,x.io/b"]})", "classes[0]: must be the name of a class"},
      {R"({"withoutClass":"no"})", "withoutClass: must be true or false"},
      {R"({"withoutClass":false})", "withoutClass: is false, and classes is empty"},
      {R"({"ipMode":"NAT"})", "ipMode: must be VIP or Proxy"},
      {R"({"handOver":"metallb"})", "handOver: must be none or kube-vip"},
      {R"({"onPoolChange":true})", "onPoolChange: must be keep or reassign"}};
  for (const auto& [text, why] : kCases) EXPECT_THAT(refusal(text), HasSubstr(why)) << text;
}

TEST_F(OptionsTest, CLD153_AWrongConfigurationLeavesTheOldOneAtWork) {
  EXPECT_THAT(try_start(config(R"({"name":"a","addresses":["224.0.0.0/8"]})")).message(),
              HasSubstr("multicast"));
  start();
  EXPECT_THAT(reload(R"({"name":"lan","addresses":["192.168.1.9-192.168.1.3"]})").message(),
              HasSubstr("ends before it begins"));
  add("s1");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
}

TEST_F(OptionsTest, WithoutPoolsLoadBalancersAreNotOffered) {
  ASSERT_TRUE(try_start("{}").ok());
  EXPECT_EQ(cluster_.start(kLoop, &cloud::ServiceLbController::open).code(), Code::kUnsupported);
  EXPECT_EQ(cluster_.configure(kPools, config(kLan)).code(), Code::kUnsupported)
      << "the host swaps to another instance, and restarts the loop";
}

TEST_F(OptionsTest, TheSizeOfARangeIsCountedUpTo2To63) {
  const std::pair<const char*, double> kCases[] = {{R"("10.0.0.1")", 1},
                                                   {R"("10.0.0.254-10.0.1.1","10.9.0.0/30")", 8},
                                                   {R"("0.0.0.1-126.255.255.255")", 2130706431},
                                                   {R"("fd00::/64")", 9223372036854775808.0},
                                                   {R"("fd00::ff-fd00::1:0")", 65282}};
  for (const auto& [addresses, size] : kCases) {
    const Result<Options> read = read_options(cluster_.value(
        R"({"pools":[{"name":"lan","addresses":[)" + std::string(addresses) + "]}]}"));
    ASSERT_TRUE(read) << addresses << ": " << read.error().message();
    const Pool& pool = read->pools.front();
    EXPECT_EQ(static_cast<double>(pool.size(pool.blocks.front().range.first.family)), size)
        << addresses;
  }
}

}  // namespace
}  // namespace davit::pools
