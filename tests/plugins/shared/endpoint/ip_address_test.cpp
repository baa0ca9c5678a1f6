#include "plugins/shared/endpoint/ip_address.hpp"

#include <gtest/gtest.h>

namespace davit::endpoint {
namespace {

struct AddressCase {
  const char* name;
  const char* given;
  const char* text;  ///< Empty: no address.
  IpFamily family = IpFamily::kIPv4;
};

constexpr AddressCase kAddressCases[] = {
    {"PlainIPv4", "10.0.0.1", "10.0.0.1"},
    {"LeadingZerosAreDecimal", "010.000.000.001", "10.0.0.1"},
    {"AnOctetBeyond255IsNone", "10.0.0.256", ""},
    {"ThreeOctetsAreNone", "10.0.0", ""},
    {"FiveOctetsAreNone", "10.0.0.0.1", ""},
    {"NoTextIsNone", "", ""},
    {"IPv6IsCompressed", "fd00:0:0:0:0:0:0:1", "fd00::1", IpFamily::kIPv6},
    {"IPv6IsLowerCase", "FD00::A", "fd00::a", IpFamily::kIPv6},
    {"TheLongestRunIsCompressed", "1:0:0:2:0:0:0:3", "1:0:0:2::3", IpFamily::kIPv6},
    {"OneZeroIsNotCompressed", "1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7", IpFamily::kIPv6},
    {"Loopback", "::1", "::1", IpFamily::kIPv6},
    {"Unspecified", "::", "::", IpFamily::kIPv6},
    {"AMappedAddressIsIPv4", "::ffff:10.1.2.3", "10.1.2.3"},
    {"ATrailingGap", "fe80::", "fe80::", IpFamily::kIPv6},
    {"TwoGapsAreNone", "1::2::3", ""},
    {"NineWordsAreNone", "1:2:3:4:5:6:7:8:9", ""},
    {"AZoneIsNone", "fe80::1%eth0", ""},
    {"AGapForNothingIsNone", "1:2:3:4:5:6:7::8", ""},
};

class ParseIpTest : public ::testing::TestWithParam<AddressCase> {};

TEST_P(ParseIpTest, GivesTheCanonicalText) {
  const std::optional<IpAddress> address = parse_ip(GetParam().given);

  EXPECT_EQ(address ? address->text : "", GetParam().text);
  if (address) {
    EXPECT_EQ(address->family, GetParam().family);
  }
}

INSTANTIATE_TEST_SUITE_P(Spec7, ParseIpTest, ::testing::ValuesIn(kAddressCases),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace davit::endpoint
