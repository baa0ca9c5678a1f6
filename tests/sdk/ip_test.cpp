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

TEST(IpTest, OnlyWholeAddressesAreRead) {
  for (const char* good : {"0.0.0.0", "255.255.255.255", "::", "1::", "::1", "1:2:3:4:5:6:7::",
                           "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7.8.9.10", "::1.2.3.4", "ABCD::ef"}) {
    EXPECT_TRUE(Address::parse(good)) << good;
  }
  for (const char* bad : {"",
                          ".",
                          "1.2.3",
                          "1.2.3.4.5",
                          "1.2.3.256",
                          "01.2.3.4",
                          "1..3.4",
                          "1.2.3.4 ",
                          "+1.2.3.4",
                          ":",
                          ":1",
                          "1:",
                          ":::",
                          "1::2::3",
                          "1:2:3:4:5:6:7",
                          "1:2:3:4:5:6:7:8:9",
                          "1:2:3:4::5:6:7:8",
                          "12345::",
                          "g::",
                          "::1.2.3",
                          "::1.2.3.04",
                          "1.2.3.4::",
                          "1.2.3.4:5::",
                          "fe80::1%eth0"}) {
    EXPECT_FALSE(Address::parse(bad)) << bad;
  }
  EXPECT_FALSE(Address::parse(std::string_view("10.0.0.1\0", 9))) << "a NUL is not the end";
  EXPECT_FALSE(Address::parse(std::string_view("::1\0x", 5)));
}

TEST(IpTest, LeadingZerosAreSkippedWhereTheyMayBe) {
  EXPECT_EQ(Address::parse("010.000.0001.09", Zeros::kSkipped)->text(), "10.0.1.9");
  EXPECT_EQ(Address::parse("::ffff:010.1.2.3", Zeros::kSkipped)->unmapped().text(), "10.1.2.3");
  EXPECT_FALSE(Address::parse("0256.0.0.1", Zeros::kSkipped));
}

TEST(IpTest, IPv4AddressesHaveNumbers) {
  EXPECT_EQ(address("10.1.2.3").number(), 0x0a010203U);
  EXPECT_EQ(Address::of_number(0xfffefdfcU).text(), "255.254.253.252");
}

TEST(IpTest, KindsAreThoseOfNetip) {
  EXPECT_TRUE(address("0.0.0.0").is_unspecified());
  EXPECT_TRUE(address("::").is_unspecified());
  EXPECT_FALSE(address("::1").is_unspecified());
  EXPECT_TRUE(address("127.9.9.9").is_loopback());
  EXPECT_TRUE(address("::1").is_loopback());
  EXPECT_FALSE(address("::ffff:127.0.0.1").is_loopback());
  EXPECT_TRUE(address("::ffff:127.0.0.1").unmapped().is_loopback());
  EXPECT_TRUE(address("239.0.0.1").is_multicast());
  EXPECT_TRUE(address("ff05::1").is_multicast());
  EXPECT_TRUE(address("224.0.0.251").is_link_local_multicast());
  EXPECT_FALSE(address("224.0.1.0").is_link_local_multicast());
  EXPECT_TRUE(address("ff12::1").is_link_local_multicast());
  EXPECT_TRUE(address("169.254.1.1").is_link_local_unicast());
  EXPECT_TRUE(address("febf::1").is_link_local_unicast());
  EXPECT_FALSE(address("fec0::1").is_link_local_unicast());
}

TEST(IpTest, TextsAreCanonical) {
  EXPECT_EQ(address("FD00:0:0:0::1").text(), "fd00::1");
  EXPECT_EQ(address("::102:304").text(), "::102:304") << "only mapped addresses end in octets";
  EXPECT_EQ(address("::ffff:1.2.3.4").text(), "::ffff:1.2.3.4");
  EXPECT_EQ(address("1:0:0:2:0:0:0:3").text(), "1:0:0:2::3");
  EXPECT_EQ(address("1:0:0:2:3:0:0:4").text(), "1::2:3:0:0:4") << "the first of equal runs";
  EXPECT_EQ(address("1:0:2:3:4:5:6:7").text(), "1:0:2:3:4:5:6:7") << "one zero stays";
  EXPECT_EQ(address("0:0:0:0:0:0:0:0").text(), "::");
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
