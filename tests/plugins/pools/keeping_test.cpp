/// A Service keeps its address. Ids: docs/spec/cloud.md.
#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class KeepingTest : public PoolsFixture {
 protected:
  /// The pool without the address of the first Service.
  static constexpr const char* kShrunk =
      R"({"name":"lan","addresses":["192.168.1.201-192.168.1.202"]})";
  static constexpr const char* kSelected =
      R"({"name":"web","addresses":["10.0.0.1-10.0.0.9"],"serviceSelector":"app=web"},)"
      R"({"name":"lan","addresses":["192.168.1.200-192.168.1.202"]})";
};

TEST_F(KeepingTest, CLD133_ANewPoolChangesNoAddress) {
  start();
  add("s1");
  add("s2");
  ASSERT_TRUE(
      reload(R"({"name":"new","addresses":["192.168.1.100-192.168.1.110"]},)" + std::string(kLan))
          .ok());
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  add("s3");
  EXPECT_EQ(ip("s3"), "192.168.1.100");
}

TEST_F(KeepingTest, CLD134_AnAddressOutsideThePoolsStays) {
  start();
  add("s1");
  ASSERT_TRUE(reload(kShrunk).ok());
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_THAT(warnings(), ElementsAre("Warning AddressOutsidePools 192.168.1.200 stays, although "
                                      "no pool has it for this Service"));
  cluster_.clear_records();
  annotate("s1", "a", "b");
  EXPECT_THAT(warnings(), IsEmpty()) << "it is said once";
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
}

TEST_F(KeepingTest, CLD134_AnAddressOutsideThePoolsIsReplacedOnDemand) {
  start(kLan, R"("onPoolChange":"reassign",)");
  add("s1");
  ASSERT_TRUE(reload(kShrunk, R"("onPoolChange":"reassign",)").ok());
  EXPECT_EQ(ip("s1"), "192.168.1.201");
}

TEST_F(KeepingTest, CLD134_WhatCannotBeReplacedStays) {
  start(kLan, R"("onPoolChange":"reassign",)");
  add("s1");
  add("s2");
  ASSERT_TRUE(
      reload(R"({"name":"lan","addresses":["192.168.1.201"]})", R"("onPoolChange":"reassign",)")
          .ok());
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_THAT(warnings(), Contains(failure("no free address in pools lan")));
}

TEST_F(KeepingTest, CLD171_AServiceMovesWhenItsLabelsNoLongerFit) {
  start(kSelected);
  add("s1", "", R"(,"labels":{"app":"web"})");
  add("s2", "", R"(,"labels":{"app":"web"})");
  EXPECT_EQ(ip("s1"), "10.0.0.1");
  change("s1", R"({"metadata":{"labels":{"app":null}}})");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s2"), "10.0.0.2");
}

TEST_F(KeepingTest, ALabelThatNoPoolLooksAtChangesNothing) {
  start(kSelected);
  add("s1", "", R"(,"labels":{"app":"web"})");
  change("s1", R"({"metadata":{"labels":{"tier":"front"}}})");
  EXPECT_EQ(ip("s1"), "10.0.0.1");
}

TEST_F(KeepingTest, CLD172_AWishThatCannotBeMetLeavesTheServiceAsItIs) {
  start();
  add("s1");
  add("s2");
  cluster_.clear_records();
  change("s1", R"({"spec":{"loadBalancerIP":"192.168.1.201"}})");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_THAT(warnings(), ElementsAre(failure("192.168.1.201 is used by default/s2")));
  remove("s2");
  EXPECT_EQ(ip("s1"), "192.168.1.201");
  add("s3");
  EXPECT_EQ(ip("s3"), "192.168.1.200");
}

TEST_F(KeepingTest, AnAddressIsNotFreeWhileAStatusShowsIt) {
  start();
  add("s1");
  add("s2", R"(,"loadBalancerIP":"192.168.1.200")");
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "services",
                      .subresource = "status",
                      .name = "s1",
                      .times = Fault::kAlways});
  cluster_.merge<Service>({"default", "s1"}, R"({"spec":{"loadBalancerIP":"192.168.1.202"}})");
  cluster_.advance(1min);
  EXPECT_EQ(ip("s1"), "192.168.1.200") << "its new status could not be written";
  EXPECT_EQ(ip("s2"), "-");
  cluster_.clear_faults();
  cluster_.advance(5min);
  EXPECT_EQ(ip("s1"), "192.168.1.202");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(KeepingTest, AnAddressIsNotFreeWhileADeletedServiceIsThere) {
  start();
  add("s1");
  add("s2", R"(,"loadBalancerIP":"192.168.1.200")");
  change("s1",
         R"({"metadata":{"finalizers":["t/f","service.kubernetes.io/load-balancer-cleanup"]}})");
  cluster_.hold("services");
  cluster_.remove<Service>({"default", "s1"});
  cluster_.run_until_idle();
  EXPECT_EQ(ip("s2"), "-");
  cluster_.release("services");
  rest();
  EXPECT_EQ(ip("s1"), "-") << "the other finalizer keeps it, without an address";
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(KeepingTest, CLD160_KubeVipLearnsTheAddress) {
  start(kLan, R"("handOver":"kube-vip",)");
  add("s1");
  const auto handed_over = [this] {
    const std::optional<Service> service = cluster_.find<Service>({"default", "s1"});
    EXPECT_EQ(service->annotation(kKubeVip), service->annotation(kHandedOver));
    return std::string(service->annotation(kKubeVip).value_or(""));
  };
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(handed_over(), "192.168.1.200");
  cluster_.clear_records();
  annotate("s1", "a", "b");
  EXPECT_THAT(cluster_.writes(), IsEmpty());

  annotate("s1", std::string(kKubeVip), "192.168.1.202");
  EXPECT_EQ(ip("s1"), "192.168.1.202") << "a wish";
  EXPECT_EQ(handed_over(), "192.168.1.202");
  cluster_.clear_records();
  cluster_.advance(10min);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(KeepingTest, ANewerWishOfKubeVipIsNotOverwritten) {
  start(kLan, R"("handOver":"kube-vip",)");
  bool is_first = true;
  cluster_.on_request([&](const testing::RequestRecord& request) {
    if (request.verb != Verb::kPatch || !request.subresource.empty()) return;
    if (!std::exchange(is_first, false)) return;
    cluster_.merge<Service>(
        {"default", "s1"},
        R"({"metadata":{"annotations":{"kube-vip.io/loadbalancerIPs":"192.168.1.202"}}})");
  });
  add("s1");
  EXPECT_FALSE(is_first);
  EXPECT_EQ(ip("s1"), "192.168.1.202");
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(KeepingTest, AnotherWriterDoesNotKeepAnAddressFromKubeVip) {
  start(kLan, R"("handOver":"kube-vip",)");
  bool is_first = true;
  cluster_.on_request([&](const testing::RequestRecord& request) {
    if (request.verb != Verb::kPatch || !request.subresource.empty()) return;
    if (!std::exchange(is_first, false)) return;
    cluster_.merge<Service>({"default", "s1"}, R"({"metadata":{"labels":{"a":"b"}}})");
  });
  add("s1");
  const std::optional<Service> service = cluster_.find<Service>({"default", "s1"});
  EXPECT_EQ(service->annotation(kKubeVip), "192.168.1.200");
  EXPECT_EQ(service->label("a"), "b");
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(KeepingTest, AStatusOfAnotherControllerKeepsNoAddressUsed) {
  start();
  add("s1");
  cluster_.on_request([&](const testing::RequestRecord& request) {
    const bool removes = request.body.find("$deleteFromPrimitiveList") != std::string::npos;
    if (removes) {
      cluster_.merge<Service>({"default", "s1"},
                              R"({"status":{"loadBalancer":{"ingress":[{"ip":"10.9.9.9"}]}}})");
    }
  });
  // The type cannot be changed without its status, so the end of the Service shows it.
  change("s1",
         R"({"metadata":{"finalizers":["t/f","service.kubernetes.io/load-balancer-cleanup"]}})");
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "services",
                      .subresource = "status",
                      .name = "s1",
                      .times = Fault::kAlways,
                      .skip = 1});
  remove("s1");
  EXPECT_EQ(ip("s1"), "10.9.9.9");
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(KeepingTest, AnAddressThatALateStatusShowsIsUsed) {
  start();
  add("s0", R"(,"loadBalancerIP":"192.168.1.202")");
  // No sync of it gets as far as the provider.
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "services",
                      .subresource = "status",
                      .name = "s1",
                      .times = Fault::kAlways});
  add("s1");
  change("s1", R"({"status":{"loadBalancer":{"ingress":[{"ip":"192.168.1.200"}]}}})");
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.201");
}

TEST_F(KeepingTest, AStatusThatShowsTheAddressOfAnotherServiceTakesItNotEvenFromOneThatChanges) {
  start();
  add("s1");
  add("s2");
  add("s3");
  add("s4");
  ASSERT_EQ(ip("s1"), "192.168.1.200");
  ASSERT_EQ(ip("s4"), "-") << "the pool is full";
  // Nothing corrects it.
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "services",
                      .subresource = "status",
                      .name = "s4",
                      .times = Fault::kAlways});
  change("s4", R"({"status":{"loadBalancer":{"ingress":[{"ip":"192.168.1.200"}]}}})");
  change("s1", R"({"spec":{"ports":[{"name":"p","port":8080,"protocol":"TCP"}]}})");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  remove("s3");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  cluster_.clear_faults();
  cluster_.advance(10min);
  EXPECT_EQ(ip("s1"), "192.168.1.200");
  EXPECT_EQ(ip("s4"), "192.168.1.202") << "it gets what is free";
}

TEST_F(KeepingTest, AStatusThatComesLateLosesTheAddressThatAnotherServiceHasGot) {
  start(R"({"name":"lan","addresses":["192.168.1.200"]})");
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "services",
                      .subresource = "status",
                      .name = "s1",
                      .times = Fault::kAlways});
  add("s1");
  add("s2");
  ASSERT_EQ(ip("s2"), "192.168.1.200");
  // A leader before this one has written it, and no cache has shown it.
  change("s1", R"({"status":{"loadBalancer":{"ingress":[{"ip":"192.168.1.200"}]}}})");
  cluster_.clear_faults();
  cluster_.advance(10min);
  EXPECT_EQ(ip("s1"), "-") << "two Services show one address";
  EXPECT_EQ(ip("s2"), "192.168.1.200");
  EXPECT_THAT(warnings(), Contains(HasSubstr("AddressConflict 192.168.1.200 belongs to another")));
  cluster_.clear_records();
  cluster_.advance(60min);
  EXPECT_THAT(warnings(), IsEmpty()) << "it waits";
  remove("s2");
  EXPECT_EQ(ip("s1"), "192.168.1.200");
}

TEST_F(KeepingTest, AStatusThatComesLateLosesAnAddressThatTheServiceAsksForToo) {
  start();
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "services",
                      .subresource = "status",
                      .name = "s1",
                      .times = Fault::kAlways});
  add("s1", R"(,"loadBalancerIP":"192.168.1.200")");
  add("s2");
  ASSERT_EQ(ip("s2"), "192.168.1.200");
  change("s1", R"({"status":{"loadBalancer":{"ingress":[{"ip":"192.168.1.200"}]}}})");
  cluster_.clear_faults();
  cluster_.advance(10min);
  EXPECT_EQ(ip("s1"), "-");
  change("s1", R"({"spec":{"loadBalancerIP":null}})");
  EXPECT_EQ(ip("s1"), "192.168.1.201") << "nothing of what it had shown remains";
  remove("s2");
  add("s3");
  EXPECT_EQ(ip("s3"), "192.168.1.200");
}

TEST_F(KeepingTest, CLD170_AWallClockThatIsSetBackDelaysNothing) {
  start(R"({"name":"lan","addresses":["192.168.1.200"]})");
  add("s1");
  add("s2");
  ASSERT_EQ(ip("s2"), "-");
  cluster_.set_wall_clock(cluster_.wall_now() - 1h);
  cluster_.clear_records();
  cluster_.advance(11min);
  EXPECT_THAT(warnings(), Contains(HasSubstr("SyncLoadBalancerFailed"))) << "the back-off ends";
  EXPECT_THAT(warnings(), Contains(HasSubstr("AddressPoolExhausted"))) << "ten minutes have passed";
  remove("s1");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(KeepingTest, AServiceOfAnotherTypeGivesItsAddressUp) {
  start();
  add("s1");
  cluster_.modify<Service>({"default", "s1"}, [](Json& service) {
    service["spec"]["type"] = Json::must("\"ClusterIP\"");
    service["status"]["loadBalancer"] = Json::must("{}");
  });
  rest();
  EXPECT_EQ(ip("s1"), "-");
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

TEST_F(KeepingTest, ANamesakeDoesNotKeepTheAddressOfTheOneBefore) {
  start();
  add("s1");
  cluster_.erase<Service>({"default", "s1"});
  rest();
  add("s2");
  EXPECT_EQ(ip("s2"), "192.168.1.200");
}

}  // namespace
}  // namespace davit::pools
