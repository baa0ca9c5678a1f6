#include "plugins/shared/endpoint/subset.hpp"

#include <gtest/gtest.h>

#include "plugins/shared/endpoint/fnv128.hpp"

namespace davit::endpoint {
namespace {

std::string hex_text(const Hash128& hash) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                static_cast<unsigned long long>(hash.low));
  return text;
}

EndpointAddress address(const std::string& ip, const std::string& node, const std::string& pod,
                        const std::string& uid) {
  return {ip, "", node, ObjectReference{"Pod", "default", pod, uid, "", "", ""}};
}

EndpointPort port(const std::string& name, std::int64_t number, const std::string& protocol,
                  std::optional<std::string> app_protocol = std::nullopt) {
  return {name, number, protocol, std::move(app_protocol)};
}

struct HashCase {
  EndpointPort port;
  const char* hash;
};

TEST(SubsetHashTest, PortsHashAsUpstream) {
  const HashCase cases[] = {
      {port("", 8080, "UDP"), "59aa40b466adb81c6e00232f1f0ba361"},
      {port("", 8080, "TCP"), "b09ff368df0fc81442c7b7a3ab2dbca5"},
      {port("http", 80, "TCP"), "754b003f50f133a539c60d18cfb30a55"},
      {port("https", 443, "TCP", "kubernetes.io/h2c"), "6d68f0dffb836ae9a7918903e2601ace"},
      {port("port0", 8080, "TCP"), "862194fe8857a76cf7d019569a3274e8"},
      {port("port-1338", 1338, "TCP"), "a131a8e6368bd2ac540e78f0da32da63"},
  };
  for (const HashCase& each : cases) {
    EXPECT_EQ(hex_text(fnv1a_128(dump_text(each.port))), each.hash) << dump_text(each.port);
  }
}

TEST(SubsetHashTest, SubsetsHashAsUpstream) {
  EndpointSubset one;
  one.ready = {address("10.0.0.1", "node-1", "pod-a", "u1")};
  one.ports = {port("p1", 100, "TCP")};
  EndpointSubset two;
  two.ready = {address("10.0.0.2", "node-1", "pod-b", "u2")};
  two.ports = {port("p2", 101, "TCP")};

  EXPECT_EQ(hex_text(fnv1a_128(dump_text(one))), "4981fec57414db7274e4cf1e92ad4e94");
  EXPECT_EQ(hex_text(fnv1a_128(dump_text(two))), "11cd9b026b7e0f6bf5050d29a869b35d");
}

TEST(CanonicalTest, AddressesWithTheSamePortsComeTogether) {
  EndpointSubset one;
  one.ready = {address("10.0.0.10", "n", "a", "u1")};
  one.ports = {port("port0", 8080, "TCP")};
  EndpointSubset two = one;
  two.ready = {address("10.0.0.2", "n", "b", "u2")};

  const Subsets subsets = canonical({two, one});

  ASSERT_EQ(subsets.size(), 1U);
  ASSERT_EQ(subsets[0].ready.size(), 2U);
  EXPECT_EQ(subsets[0].ready[0].ip, "10.0.0.10") << "bytes, not numbers, order addresses";
}

TEST(CanonicalTest, PortsOfOneAddressComeTogetherInHashOrder) {
  EndpointSubset one;
  one.ready = {address("10.0.0.1", "n", "a", "u1")};
  one.ports = {port("port0", 8080, "TCP")};
  EndpointSubset two = one;
  two.ports = {port("port1", 8088, "TCP")};

  const Subsets subsets = canonical({one, two});

  ASSERT_EQ(subsets.size(), 1U);
  ASSERT_EQ(subsets[0].ports.size(), 2U);
  EXPECT_EQ(subsets[0].ports[0].name, "port1");
}

TEST(CanonicalTest, ReadyAndNotReadyIsNotReady) {
  EndpointSubset one;
  one.ready = {address("10.0.0.1", "n", "a", "u1")};
  one.not_ready = one.ready;
  one.ports = {port("p", 1, "TCP")};

  const Subsets subsets = canonical({one});

  ASSERT_EQ(subsets.size(), 1U);
  EXPECT_TRUE(subsets[0].ready.empty());
  EXPECT_EQ(subsets[0].not_ready.size(), 1U);
}

}  // namespace
}  // namespace davit::endpoint
