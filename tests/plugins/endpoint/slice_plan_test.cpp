/// The rules of slices where they need no cluster: order of ports, and very many endpoints.
#include "plugins/endpoint/slice_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "plugins/endpoint/truncation.hpp"
#include "plugins/shared/endpoint/fnv128.hpp"
#include "tests/plugins/endpoint/fixture.hpp"

namespace davit::endpoint {
namespace {

std::string hex(const Hash128& hash) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016lx%016lx", static_cast<unsigned long>(hash.high),
                static_cast<unsigned long>(hash.low));
  return text;
}

TEST(SlicePortsTest, HashAsTheSpecificationsExamples) {
  struct Case {
    EndpointPort port;
    const char* hash;
  };
  const Case cases[] = {
      {{"", 8080, "TCP", {}}, "3b28a02dcead55ad0b93f0014e194ac7"},
      {{"http", 80, "TCP", {}}, "b6c4d325122a5ba6f795b0bbffcebb6f"},
      {{"https", 443, "TCP", {}}, "50852f610b5fbbf5129025d35e502185"},
      {{"https", 443, "TCP", "kubernetes.io/h2c"}, "5fb60f265e799fbbabcb5e655b98393e"},
      {{"dns", 53, "UDP", {}}, "1caf216365b57b5d2659d4ba9f662580"},
      {{"dns-tcp", 53, "TCP", {}}, "8fa5f9e263f7f66112d31fc2ebea1e2a"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(hex(fnv1a_128(slice_dump_text(each.port))), each.hash) << each.port.name;
  }
}

class ManyPodsTest : public EndpointTest {
 protected:
  static constexpr std::size_t kMany = 50'000;

  static std::string address(std::size_t i) {
    constexpr std::size_t kOctet = 256;
    return "10." + std::to_string(i / (kOctet * kOctet)) + "." +
           std::to_string(i / kOctet % kOctet) + "." + std::to_string(i % kOctet);
  }
};

TEST_F(ManyPodsTest, FiftyThousandPodsOfAServiceAreFiveHundredSlices) {
  PortGroups wanted;
  std::vector<SliceEndpoint>& endpoints = wanted[{{"http", 80, "TCP", {}}}];
  for (std::size_t i = 0; i < kMany; ++i) {
    endpoints.emplace_back();
    endpoints.back().addresses = {address(i)};
  }
  const Service service = cluster().view_of<Service>(R"({"metadata":{"name":"s"}})");

  const SlicePlan plan = plan_slices(service, {}, std::move(wanted), 100);

  EXPECT_EQ(plan.create.size(), kMany / 100);
  EXPECT_TRUE(std::all_of(plan.create.begin(), plan.create.end(),
                          [](const auto& each) { return each.endpoints.size() == 100; }));
}

TEST_F(ManyPodsTest, OfFiftyThousandPodsEndpointsKeepAThousand) {
  Subsets one(1);
  one[0].ports = {{"http", 80, "TCP", {}}};
  for (std::size_t i = 0; i < kMany; ++i) one[0].ready.push_back({address(i), "", {}, {}});

  Subsets subsets = canonical(one);
  EXPECT_TRUE(truncate(subsets));

  EXPECT_EQ(address_count(subsets), kAddressesMax);
}

}  // namespace
}  // namespace davit::endpoint
