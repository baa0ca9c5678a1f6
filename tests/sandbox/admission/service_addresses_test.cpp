#include "sandbox/admission/service_addresses.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/sandbox/admission/small_cluster.hpp"

namespace davit::sandbox {
namespace {

Json service(std::string_view spec) {
  return Json::object({{"metadata", Json::object({{"name", "s"}})}, {"spec", json_literal(spec)}});
}

std::string ip_of(const Json& object) { return object.text_at({"spec", "clusterIP"}); }

TEST(ServiceAddressesTest, EveryServiceGetsAnAddressOfItsOwnUntilTheRangeIsFull) {
  AdmissionSetup setup({.service_range = "10.0.0.0/28"});
  std::set<std::string> seen;

  // 16 less the network, the first address and broadcast.
  for (int i = 0; i < 13; ++i) {
    Json each = service(R"({"type":"ClusterIP"})");
    EXPECT_EQ(setup.reserve("", "services", each), "");
    EXPECT_EQ(each.get("spec").get("clusterIPs"), Json::array({ip_of(each)}));
    EXPECT_TRUE(seen.insert(ip_of(each)).second) << ip_of(each);
  }

  for (const char* kept : {"10.0.0.0", "10.0.0.1", "10.0.0.15"}) EXPECT_FALSE(seen.contains(kept));
  Json last = service(R"({"type":"ClusterIP"})");
  EXPECT_EQ(
      setup.reserve("", "services", last),
      "Internal error occurred: failed to allocate a serviceIP for Service \"s\": range is full");
  Json kubernetes = service(R"({"type":"ClusterIP","clusterIPs":["10.0.0.1"]})");
  EXPECT_EQ(setup.reserve("", "services", kubernetes), "");
}

TEST(ServiceAddressesTest, TheLowerPartOfTheRangeIsLeftToThoseWhoAskForIt) {
  AdmissionSetup setup({.service_range = "10.0.0.0/24"});
  for (int i = 0; i < 100; ++i) {
    Json each = service(R"({"type":"ClusterIP"})");
    EXPECT_EQ(setup.reserve("", "services", each), "");
    EXPECT_GE(std::stoi(ip_of(each).substr(std::string("10.0.0.").size())), 16) << ip_of(each);
  }
}

struct AskCase {
  std::string_view spec;
  std::string_view why;  ///< Why it is refused, if it is.
};

constexpr AskCase kAskCases[] = {
    {R"({"type":"ClusterIP","clusterIP":"10.0.0.77","clusterIPs":["10.0.0.77"]})",
     "spec.clusterIPs: Invalid value: [\"10.0.0.77\"]: failed to allocate IP 10.0.0.77: provided "
     "IP is already allocated"},
    {R"({"type":"ClusterIP","clusterIPs":["10.0.0.78"]})", ""},
    {R"({"type":"ClusterIP","clusterIPs":["192.168.0.1"]})",
     "spec.clusterIPs: Invalid value: [\"192.168.0.1\"]: failed to allocate IP 192.168.0.1: the "
     "provided network does not match the current range"},
    {R"({"type":"ClusterIP","clusterIPs":["10.0.0.255"]})",
     "spec.clusterIPs: Invalid value: [\"10.0.0.255\"]: failed to allocate IP 10.0.0.255: the "
     "provided network does not match the current range"},
    {R"({"type":"ClusterIP","clusterIP":"None","clusterIPs":["None"]})", ""},
    {R"({"type":"ExternalName"})", ""},
    {R"({"type":"NodePort","ports":[{"port":80,"nodePort":30492}]})",
     "spec.ports[0].nodePort: Invalid value: 30492: provided port is already allocated"},
    {R"({"type":"NodePort","ports":[{"port":79},{"port":80,"nodePort":80}]})",
     "spec.ports[1].nodePort: Invalid value: 80: provided port is not in the valid range. The "
     "range of valid ports is 30000-32767"},
    {R"({"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,"ports":[{"port":80}]})", ""},
};

TEST(ServiceAddressesTest, WhatIsAskedForMustBeFree) {
  for (const AskCase& each : kAskCases) {
    AdmissionSetup setup;
    setup.cluster.add("", "services",
                      R"({"metadata":{"namespace":"n","name":"old"},"spec":{"type":"NodePort",
                          "clusterIPs":["10.0.0.77"],"ports":[{"port":80,"nodePort":30492}]}})");
    setup.admission->restore();
    Json asking = service(each.spec);

    const std::string refusal = setup.reserve("", "services", asking);

    const std::string head = each.why.empty() ? "" : "Service \"s\" is invalid: ";
    EXPECT_EQ(refusal, head + std::string(each.why)) << each.spec;
  }
}

TEST(ServiceAddressesTest, EveryPortOfANodePortServiceGetsANumber) {
  AdmissionSetup setup;
  Json dns = service(R"({"type":"NodePort","ports":[{"port":53,"protocol":"TCP"},
                         {"port":53,"protocol":"UDP"},{"port":80,"protocol":"TCP"}]})");

  EXPECT_EQ(setup.reserve("", "services", dns), "");

  const Json::Items& ports = dns.get("spec").get("ports").items();
  EXPECT_EQ(ports[0].get("nodePort"), ports[1].get("nodePort")) << "one number, two protocols";
  EXPECT_NE(ports[0].get("nodePort"), ports[2].get("nodePort"));
  EXPECT_GE(ports[0].get("nodePort").integer_or(0), 30'000);
  EXPECT_LE(ports[2].get("nodePort").integer_or(0), 32'767);
}

TEST(ServiceAddressesTest, LocalLoadBalancersGetAPortForHealthChecks) {
  AdmissionSetup setup;
  Json local =
      service(R"({"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":80}]})");

  EXPECT_EQ(setup.reserve("", "services", local), "");

  EXPECT_GE(local.get("spec").get("healthCheckNodePort").integer_or(0), 30'000);
}

TEST(ServiceAddressesTest, WhatIsNotCommittedIsGivenBack) {
  AdmissionSetup setup;
  const ResourcePtr services = find_plural("", "services");
  const WriteRequest request{*services, WriteVerb::kCreate, "n", "", "", nullptr};
  Json asking = service(R"({"type":"ClusterIP","clusterIPs":["10.0.0.9"]})");

  EXPECT_FALSE(setup.admission->reserve(request, asking).refusal) << "a dry run";

  EXPECT_EQ(setup.reserve("", "services", asking), "");
  EXPECT_NE(setup.reserve("", "services", asking), "");
}

TEST(ServiceAddressesTest, DeletingAndChangingTheTypeGiveBack) {
  AdmissionSetup setup;
  const ResourcePtr services = find_plural("", "services");
  Json first = service(R"({"type":"NodePort","clusterIPs":["10.0.0.9"],
                           "ports":[{"port":80,"nodePort":30001}]})");
  EXPECT_EQ(setup.reserve("", "services", first), "");
  Json external = service(R"({"type":"ExternalName","externalName":"a","ports":[{"port":80}]})");

  EXPECT_EQ(setup.reserve("", "services", external, &first), "");

  Json second = first;
  EXPECT_EQ(setup.reserve("", "services", second), "");
  setup.admission->removed(*services, second);
  Json third = first;
  EXPECT_EQ(setup.reserve("", "services", third), "");
}

TEST(ServiceAddressesTest, AnUpdateKeepsWhatTheServiceHasAndAddsWhatItLacks) {
  AdmissionSetup setup;
  Json first = service(R"({"type":"NodePort","clusterIPs":["10.0.0.9"],
                           "ports":[{"port":80,"nodePort":30001}]})");
  EXPECT_EQ(setup.reserve("", "services", first), "");
  Json next = first;
  next["spec"]["ports"].push_back(json_literal(R"({"port":81})"));

  EXPECT_EQ(setup.reserve("", "services", next, &first), "");

  const Json::Items& ports = next.get("spec").get("ports").items();
  EXPECT_EQ(ports[0].get("nodePort").text(), "30001");
  EXPECT_NE(ports[1].get("nodePort").text(), "");
}

TEST(ServiceAddressesTest, RangesThatMakeNoSenseAreRefused) {
  for (const char* ranges :
       {"", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/31", "10.0/24", "10.0.0.0/8", "fd00::/48",
        "fd00::/127", "10.0.0.0/24,10.1.0.0/24", "10.0.0.0/24,fd00::/108,10.1.0.0/24"}) {
    EXPECT_FALSE(parse_service_ranges(ranges)) << ranges;
  }
  const auto ranges = parse_service_ranges("fd00::9/108,10.0.0.77/24");
  ASSERT_TRUE(ranges);
  ASSERT_EQ(ranges->size(), 2U);
  EXPECT_EQ(ranges->front().text(), "fd00::/108");
  EXPECT_EQ(ranges->back().text(), "10.0.0.0/24");
}

}  // namespace
}  // namespace davit::sandbox
