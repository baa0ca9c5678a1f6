/// Reading of addresses and prefixes (docs/spec/cluster-controllers.md, A1).
#include <gtest/gtest.h>

#include <davit/kube/ip.hpp>
#include <string>

namespace davit::ip {
namespace {

Prefix prefix(std::string_view text) { return Prefix::parse(text).value(); }
Address address(std::string_view text) { return Address::parse(text).value(); }

TEST(IpTest, OnlyCidrsAreRead) {
  for (const char* good : {"10.0.0.0/24", "10.0.0.1/32", "0.0.0.0/0", "fd00::/112", "::/0"}) {
    EXPECT_TRUE(Prefix::parse(good)) << good;
  }
  for (const char* bad :
       {"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
        "10.0.0.0/08", "10.0.0/8", "010.0.0.0/8", "fd00::/129", "fd00::%eth0/64", "x/8",
        "10.0.0.0/99999999999999999999", "10.0.0.0/8 "}) {
    EXPECT_FALSE(Prefix::parse(bad)) << bad;
  }
  EXPECT_FALSE(Address::parse(std::string(100'000, ':')));
}

TEST(IpTest, TextsAreCanonical) {
  EXPECT_EQ(address("FD00:0:0:0::1").text(), "fd00::1");
  EXPECT_EQ(prefix("10.1.2.3/8").text(), "10.0.0.0/8") << "bits beyond the length are dropped";
  EXPECT_EQ(prefix("10.1.2.3/8").last().text(), "10.255.255.255");
  EXPECT_EQ(prefix("fd00:0:0:1::/63").text(), "fd00::/63");
  EXPECT_TRUE(address("::ffff:10.0.0.1").is_mapped());
  EXPECT_FALSE(address("::fffe:10.0.0.1").is_mapped());
  EXPECT_FALSE(address("10.0.0.1").is_mapped());
}

TEST(IpTest, BitsAreCountedFromTheLeft) {
  Address address = Address::parse("128.0.0.1").value();
  EXPECT_TRUE(address.bit(0));
  EXPECT_FALSE(address.bit(1));
  EXPECT_TRUE(address.bit(31));
  address.set_bit(9);
  EXPECT_EQ(address.text(), "128.64.0.1");
}

TEST(IpTest, RangesOverlapIfTheyShareAddresses) {
  EXPECT_TRUE(prefix("10.0.0.0/8").overlaps(prefix("10.1.0.0/16")));
  EXPECT_TRUE(prefix("10.1.0.0/16").overlaps(prefix("10.0.0.0/8")));
  EXPECT_FALSE(prefix("10.1.0.0/16").overlaps(prefix("10.2.0.0/16")));
  EXPECT_FALSE(prefix("0.0.0.0/0").overlaps(prefix("::/0")));
}

TEST(IpTest, ARangeCoversItselfAndWhatLiesInIt) {
  EXPECT_TRUE(prefix("10.0.0.0/8").covers(prefix("10.0.0.0/8")));
  EXPECT_TRUE(prefix("10.0.0.0/8").covers(prefix("10.0.0.0/9")));
  EXPECT_FALSE(prefix("10.0.0.0/9").covers(prefix("10.0.0.0/8")));
  EXPECT_FALSE(prefix("10.0.0.0/8").covers(prefix("11.0.0.0/9")));
  EXPECT_TRUE(prefix("fd00::/108").covers(prefix("fd00::f:0/112")));
}

TEST(IpTest, CC15_TheFirstAddressAndTheBroadcastAddressAreNotAssigned) {
  EXPECT_FALSE(prefix("10.0.0.0/24").assigns(address("10.0.0.0")));
  EXPECT_FALSE(prefix("10.0.0.0/24").assigns(address("10.0.0.255")));
  EXPECT_TRUE(prefix("10.0.0.0/24").assigns(address("10.0.0.254")));
  EXPECT_FALSE(prefix("10.0.0.0/24").assigns(address("10.0.1.1")));
  EXPECT_FALSE(prefix("fd00::/112").assigns(address("fd00::")));
  EXPECT_TRUE(prefix("fd00::/112").assigns(address("fd00::ffff"))) << "IPv6 has no broadcast";
  EXPECT_FALSE(prefix("fd00::/112").assigns(address("10.0.0.1")));
  EXPECT_FALSE(prefix("10.0.0.1/32").assigns(address("10.0.0.1")));
}

}  // namespace
}  // namespace davit::ip
