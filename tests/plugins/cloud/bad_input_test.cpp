/// Providers whose answers make no sense, or are far too many. Issue 36, "Bad input".
#include "tests/plugins/cloud/fixture.hpp"
#include "tests/plugins/cloud/machines_fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using std::chrono_literals::operator""min;

constexpr int kMany = 10'000;

std::string many_address(int number) {
  return "10.1." + std::to_string(number / 250) + "." + std::to_string(number % 250);
}

CloudMetadata facts_of(const std::string& provider_id, std::vector<CloudAddress> addresses) {
  CloudMetadata out;
  out.provider_id = provider_id;
  out.addresses = std::move(addresses);
  return out;
}
CloudMetadata with_addresses(int count) {
  CloudMetadata out = facts_of("t://1", {});
  for (int i = 0; i < count; ++i) out.addresses.push_back({"ExternalIP", many_address(i)});
  return out;
}

/// A provider of machines and the loop of new Nodes.
class BadMachinesTest : public MachineFixture {
 protected:
  void begin(const CloudMetadata& facts) {
    machines.usual["metadata"] = CloudReply::with(facts);
    start("cloud-node-controller", &CloudNodeController::open);
  }
  void register_new(const std::string& name) {
    add_node(name, R"({"spec":{"taints":[{"key":"node.cloudprovider.kubernetes.io/uninitialized",)"
                   R"("value":"true","effect":"NoSchedule"}]}})");
  }
};

TEST_F(BadMachinesTest, TenThousandAddressesOfAMachineAreWrittenOnce) {
  begin(with_addresses(kMany));
  register_new("n1");
  EXPECT_EQ(node("n1").status()["addresses"].count(), std::size_t{kMany});
  clear();
  advance(20min);
  EXPECT_THAT(write_texts(), IsEmpty());
}

TEST_F(BadMachinesTest, MoreAddressesThanAnAnswerMayHaveKeepTheTaint) {
  begin(with_addresses(4 * kMany));
  register_new("n1");
  EXPECT_THAT(taints("n1"), HasSubstr("uninitialized"));
  std::vector<std::string> errors;
  for (const auto& each : cluster_.syncs()) errors.push_back(each.error);
  EXPECT_THAT(errors, Contains(HasSubstr("it has more than 1 MiB")));
}

TEST_F(BadMachinesTest, TheAddressesOfAnotherNodeChangeTheNodeThatWasAskedAboutAlone) {
  begin(facts_of("t://1", {{"InternalIP", "10.0.0.1"}}));
  register_new("n1");
  // The same facts, whatever it is asked about.
  register_new("n2");
  EXPECT_EQ(addresses("n1"), "InternalIP=10.0.0.1");
  EXPECT_EQ(addresses("n2"), "InternalIP=10.0.0.1");
  clear();
  advance(20min);
  EXPECT_THAT(write_texts(), IsEmpty()) << "they do not take the address from each other";
}

TEST_F(BadMachinesTest, AKubeletThatKnowsItsAddressGetsNoneOfAnotherNode) {
  begin(facts_of("t://2", {{"InternalIP", "10.0.0.2"}}));
  add_node("n1", R"({"metadata":{"annotations":{"alpha.kubernetes.io/provided-node-ip":)"
                 R"("10.0.0.1"}},"spec":{"taints":[{"key":)"
                 R"("node.cloudprovider.kubernetes.io/uninitialized","effect":"NoSchedule"}]},)"
                 R"("status":{"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}})");
  EXPECT_EQ(addresses("n1"), "InternalIP=10.0.0.1");
  EXPECT_THAT(taints("n1"), HasSubstr("uninitialized"));
}

TEST_F(BadMachinesTest, AProviderThatThrowsDeletesNoNode) {
  machines.during = [](const std::string&) { throw std::runtime_error("a mistake"); };
  add_node("n1", R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  start("cloud-node-lifecycle-controller", &CloudNodeLifecycleController::open);
  advance(1min);
  EXPECT_TRUE(exists("n1"));
  EXPECT_THAT(log_texts(), Contains(HasSubstr("a mistake")));
}

TEST_F(BadMachinesTest, TenThousandRoutesOfOthersAreLeftAlone) {
  for (int i = 0; i < kMany; ++i) {
    machines.routes.push_back({.name = "r" + std::to_string(i),
                               .node = "somebody",
                               .destination = many_address(i) + "/32"});
  }
  add_node("n1", R"({"spec":{"podCIDR":"10.244.1.0/24","podCIDRs":["10.244.1.0/24"]},)"
                 R"("status":{"addresses":[{"type":"InternalIP","address":"192.0.2.1"}]}})");
  start("node-route-controller", &NodeRouteController::open, R"({"clusterCIDR":"10.244.0.0/16"})");
  EXPECT_THAT(machines.calls, ElementsAre("list", "create 10.244.1.0/24 n1"));
  EXPECT_THAT(machines.routes, SizeIs(kMany + 1));
}

/// The loop of Services.
class BadBalancersTest : public CloudFixture {};

TEST_F(BadBalancersTest, TenThousandAddressesOfAServiceAreWrittenOnce) {
  std::string text = R"({"ingress":[)";
  for (int i = 0; i < kMany; ++i) {
    text += (i == 0 ? R"({"ip":")" : R"(,{"ip":")") + many_address(i) + "\"}";
  }
  script.usual["ensure"] = CloudReply::done(text + "]}");
  begin();
  add_service();
  EXPECT_EQ(cluster_.find<Service>({"default", "s"})->status()["loadBalancer"]["ingress"].count(),
            std::size_t{kMany});
  clear();
  change(R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_THAT(script.calls, SizeIs(1));
  EXPECT_THAT(patches(), IsEmpty());
}

}  // namespace
}  // namespace davit::cloud
