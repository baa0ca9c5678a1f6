/// Section 2: what is refused, and with which text.
#include "plugins/nodeipam/options.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/plugins/nodeipam/fixture.hpp"

namespace davit::nodeipam {
namespace {

class OptionsTest : public NodeIpamTest {
 protected:
  /// The refusal of a start; empty: it is started.
  [[nodiscard]] static std::string refusal(const std::string& config) {
    testing::Cluster cluster;
    return cluster.start(kController, &NodeIpamController::open, config).message();
  }
};

struct Mistake {
  const char* row;
  const char* cluster;
  const char* more;
  const char* text;
};

TEST_F(OptionsTest, IPAM44_EachMistakeIsRefusedWithUpstreamsText) {
  constexpr const char* kTooShort =
      "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to "
      "--node-cidr-mask-size configured for CIDR family";
  constexpr const char* kOne = "10.244.0.0/16";
  constexpr const char* kTwo = "10.244.0.0/16,fd00::/56";
  for (const Mistake& each : {
           Mistake{"a", kOne, R"("serviceCIDR":"10.0.0.0/24,fd01::/108,fd02::/108")",
                   "--service-cluster-ip-range can not contain more than two entries"},
           Mistake{"b", kOne, R"("cidrAllocatorType":"Ranges")",
                   "built-in cloud providers are disabled. The ipam Ranges is not available"},
           Mistake{"c", "10.244.0.0", "",
                   "invalid CIDR[0]: <nil> (invalid CIDR address: 10.244.0.0)"},
           Mistake{"c", "", "", "invalid CIDR[0]: <nil> (invalid CIDR address: )"},
           Mistake{"c", "10.244.0.0/16,x", "", "invalid CIDR[1]: <nil> (invalid CIDR address: x)"},
           Mistake{"c", "10.244.0.0/33", "",
                   "invalid CIDR[0]: <nil> (invalid CIDR address: 10.244.0.0/33)"},
           Mistake{"c", "::ffff:10.0.0.0/104", "",
                   "invalid CIDR[0]: <nil> (invalid CIDR address: ::ffff:10.0.0.0/104)"},
           Mistake{"d", "10.244.0.0/16,10.245.0.0/16", "",
                   "len of ClusterCIDRs==2 and they are not configured as dual stack (at least one "
                   "from each IPFamily"},
           Mistake{"e", "10.244.0.0/16,fd00::/56,fd01::/56", "",
                   "length of clusterCIDRs is:3 more than max allowed of 2"},
           Mistake{"g", kOne, R"("serviceCIDR":"10.0.0.0/24,10.1.0.0/24")",
                   "serviceCIDR and secondaryServiceCIDR are not dualstack (from different "
                   "IPfamiles)"},
           Mistake{"h", kTwo, R"("nodeCIDRMaskSize":26)",
                   "usage of --node-cidr-mask-size is not allowed with dual-stack clusters"},
           Mistake{
               "i", kOne, R"("nodeCIDRMaskSize":26,"nodeCIDRMaskSizeIPv4":26)",
               "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed "
               "if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use "
               "IPFamily specific flags"},
           Mistake{"i'", "fd00::/56", R"("nodeCIDRMaskSizeIPv4":26)",
                   "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 "
                   "cluster"},
           Mistake{"i'", kOne, R"("nodeCIDRMaskSizeIPv6":66)",
                   "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 "
                   "cluster"},
           Mistake{"j", kOne, R"("nodeCIDRMaskSize":15)", kTooShort},
           Mistake{"j", "10.244.0.0/25", "", kTooShort},
           Mistake{"j", kOne, R"("nodeCIDRMaskSize":-1)", kTooShort},
           Mistake{"k", "fd00::/47", "", "New CIDR set failed; the node CIDR size is too big"},
           Mistake{"D1", kOne, R"("nodeCIDRMaskSize":33)",
                   "Controller: Invalid --node-cidr-mask-size, 33 is not a mask size of IPv4"},
           Mistake{"D1", "fd00::/120", R"("nodeCIDRMaskSizeIPv6":129)",
                   "Controller: Invalid --node-cidr-mask-size, 129 is not a mask size of IPv6"},
       }) {
    const std::string more = *each.more == '\0' ? "" : "," + std::string(each.more);
    EXPECT_EQ(refusal(config(each.cluster, more)), each.text) << each.row;
  }
}

TEST_F(OptionsTest, MembersOfOtherKindsAndNamesAreRefused) {
  constexpr const char* kOne = "10.244.0.0/16";
  for (const Mistake& each : {
           Mistake{"kind", kOne, R"("nodeCIDRMaskSize":"26")",
                   "nodeCIDRMaskSize must be an integer"},
           Mistake{"kind", kOne, R"("serviceCIDR":7)", "serviceCIDR must be a text"},
           Mistake{"name", kOne, R"("nodeCidrMaskSize":26)",
                   "unknown configuration \"nodeCidrMaskSize\"; known: allocateNodeCIDRs, "
                   "cidrAllocatorType, clusterCIDR, serviceCIDR, nodeCIDRMaskSize, "
                   "nodeCIDRMaskSizeIPv4, nodeCIDRMaskSizeIPv6"},
       }) {
    EXPECT_EQ(refusal(config(each.cluster, "," + std::string(each.more))), each.text) << each.row;
  }
}

TEST_F(OptionsTest, IPAM44_BlanksLeadingZerosAndServiceRangesThatAreNoneAreTaken) {
  start("  010.244.0.0/022 \\n", R"(,"serviceCIDR":"10.244.1.0/240,nothing")");
  add("n1");
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  add("n2");
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24") << "a service range that is none takes no block";
}

TEST_F(OptionsTest, IPAM45_AllocatorsOfCloudsAreRefusedWhetherItIsOnOrNot) {
  for (const char* on : {"true", "false"}) {
    EXPECT_EQ(refusal(R"({"allocateNodeCIDRs":)" + std::string(on) +
                      R"(,"cidrAllocatorType":"CloudAllocator"})"),
              "built-in cloud providers are disabled. The ipam CloudAllocator is not available");
  }
}

TEST_F(OptionsTest, IPAM03_WithoutTheFlagTheControllerIsSkipped) {
  for (const char* config :
       {"", R"({"clusterCIDR":"nonsense"})", R"({"allocateNodeCIDRs":false})"}) {
    const Status started = try_start(config);
    EXPECT_EQ(started.code(), Code::kUnsupported);
    EXPECT_EQ(started.message(), "--allocate-node-cidrs is not set");
  }
  add("n1");
  EXPECT_EQ(cidrs("n1"), "");
}

}  // namespace
}  // namespace davit::nodeipam
