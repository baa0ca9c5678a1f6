/// The end of load balancers. Ids: docs/spec/cloud.md.
#include "tests/plugins/cloud/fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RemovalTest : public CloudFixture {
 protected:
  void strip_finalizer() { change(R"({"metadata":{"finalizers":null}})"); }
};

TEST_F(RemovalTest, CLD027_AServiceThatIsDeletedLosesItsLoadBalancerFirst) {
  begin_with_service();
  remove_service();
  EXPECT_THAT(script.calls, ElementsAre("get default/s", "remove default/s"));
  EXPECT_FALSE(exists());
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Normal DeletingLoadBalancer Deleting load balancer",
                          "Normal DeletedLoadBalancer Deleted load balancer"));
  EXPECT_THAT(patches(), Contains(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":)"
                                  R"(["service.kubernetes.io/load-balancer-cleanup"]}})"));
}

TEST_F(RemovalTest, CLD028_AServiceStaysUntilItsLoadBalancerIsGone) {
  begin_with_service();
  script.answers["remove"] = {kFails, kFails};
  remove_service();
  EXPECT_TRUE(exists());
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning SyncLoadBalancerFailed Error syncing load balancer: failed to "
                       "delete load balancer: no quota"));
  cluster_.advance(5s);
  EXPECT_TRUE(exists());
  cluster_.advance(10s);
  EXPECT_FALSE(exists());
}

TEST_F(RemovalTest, CLD029_AProviderMaySayWhenToRemoveAgain) {
  begin_with_service();
  script.answers["remove"] = {CloudReply::failed(Status(Code::kUnavailable, "busy"), 9s)};
  remove_service();
  cluster_.advance(8900ms);
  EXPECT_TRUE(exists());
  cluster_.advance(100ms);
  EXPECT_FALSE(exists());
}

TEST_F(RemovalTest, CLD030_WhatDoesNotExistIsNotRemoved) {
  begin_with_service();
  script.usual["get"] = CloudReply::not_found();
  remove_service();
  EXPECT_THAT(script.calls, ElementsAre("get default/s"));
  EXPECT_FALSE(exists());
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Normal DeletedLoadBalancer Deleted load balancer"));
}

constexpr const char* kOfAnotherClass =
    R"("metadata":{"name":"s","namespace":"default","finalizers":)"
    R"(["service.kubernetes.io/load-balancer-cleanup"]},)"
    R"("spec":{"type":"LoadBalancer","loadBalancerClass":"x.io/b","ports":[{"port":80}]},)"
    R"("status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.9"}]}}})";

TEST_F(RemovalTest, CLD174_TheLoadBalancerOfAnotherCloudIsLeftToIt) {
  script.classes = {.names = {"x.io/a"}};
  script.usual["get"] = CloudReply::not_found();
  begin();
  cluster_.add(
      Json::must(std::string(R"({"apiVersion":"v1","kind":"Service",)") + kOfAnotherClass));
  remove_service();
  EXPECT_THAT(script.calls, ElementsAre("get default/s"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  restart();
  EXPECT_THAT(script.calls, ElementsAre("get default/s"));
  ASSERT_TRUE(exists());
  EXPECT_TRUE(has_finalizer());
  EXPECT_THAT(ingress(), HasSubstr("192.0.2.9"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(RemovalTest, CLD174_ALoadBalancerOfAClassOfBeforeIsRemovedIfItExists) {
  script.classes = {.names = {"x.io/a", "x.io/b"}};
  begin();
  add_service("s", R"("loadBalancerClass":"x.io/b",)");
  script.classes = {.names = {"x.io/a"}};
  restart();
  EXPECT_THAT(script.calls, IsEmpty());
  remove_service();
  EXPECT_THAT(script.calls, ElementsAre("get default/s", "remove default/s"));
  EXPECT_FALSE(exists());
}

TEST_F(RemovalTest, CLD031_WhatMayExistKeepsTheFinalizer) {
  begin_with_service();
  script.usual["get"] = kFails;
  remove_service();
  EXPECT_TRUE(has_finalizer());
  EXPECT_THAT(cluster_.event_texts(),
              Contains(HasSubstr("failed to check if load balancer exists before cleanup: no "
                                 "quota")));
}

TEST_F(RemovalTest, CLD032_ALoadBalancerOfSomebodyElseHoldsNothingUp) {
  begin_with_service();
  script.usual["remove"] = CloudReply::not_ours();
  remove_service();
  EXPECT_FALSE(exists());
}

TEST_F(RemovalTest, CLD033_AServiceOfAnotherTypeLosesItsLoadBalancer) {
  begin_with_service();
  change(R"({"spec":{"type":"ClusterIP"},"status":{"loadBalancer":{"ingress":null}}})");
  EXPECT_THAT(script.calls, ElementsAre("get default/s", "remove default/s"));
  EXPECT_FALSE(has_finalizer());
  EXPECT_EQ(ingress(), "");
}

TEST_F(RemovalTest, CLD034_ATypeThatChangedMeanwhileIsCleanedUpAtTheStart) {
  begin_with_service();
  cluster_.stop(kLoop);
  cluster_.stop(kProvider);
  change(R"({"spec":{"type":"ClusterIP"},"status":{"loadBalancer":{"ingress":null}}})");
  start();
  EXPECT_THAT(script.calls, ElementsAre("get default/s", "remove default/s"));
  EXPECT_FALSE(has_finalizer());
}

TEST_F(RemovalTest, CLD035_AServiceThatWasDeletedMeanwhileGoesAtTheStart) {
  begin_with_service();
  cluster_.stop(kLoop);
  cluster_.stop(kProvider);
  remove_service();
  ASSERT_TRUE(exists());
  start();
  EXPECT_FALSE(exists());
}

TEST_F(RemovalTest, CLD036_TheFinalizerOfSomebodyElseSurvives) {
  begin_with_service();
  script.during = [this](const std::string& call) {
    if (call != "remove default/s") return;
    cluster_.merge<Service>(
        {"default", "s"},
        R"({"metadata":{"finalizers":["service.kubernetes.io/load-balancer-cleanup","t/f"]}})");
  };
  change(R"({"spec":{"type":"ClusterIP"},"status":{"loadBalancer":{"ingress":null}}})");
  EXPECT_FALSE(has_finalizer());
  EXPECT_TRUE(cluster_.find<Service>({"default", "s"})->has_finalizer("t/f"));
}

TEST_F(RemovalTest, CLD037_AStrippedFinalizerLeaksNoLoadBalancer) {
  begin_with_service();
  strip_finalizer();
  clear();
  remove_service();
  EXPECT_FALSE(exists());
  EXPECT_THAT(script.calls, ElementsAre("remove default/s"));
  EXPECT_THAT(cluster_.event_texts(), Contains("Normal DeletedLoadBalancer Deleted load balancer"));
}

TEST_F(RemovalTest, CLD037_WhatFailsThenIsTriedAgain) {
  begin_with_service();
  strip_finalizer();
  script.answers["remove"] = {kFails};
  remove_service();
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning DeleteLoadBalancerFailed Error deleting load balancer: no quota"));
  clear();
  cluster_.advance(5s);
  EXPECT_THAT(script.calls, ElementsAre("remove default/s"));
}

TEST_F(RemovalTest, AServiceThatOthersKeepIsCleanedUpOnce) {
  begin_with_service();
  change(R"({"metadata":{"finalizers":["t/f"]}})");
  remove_service();
  ASSERT_TRUE(exists());
  EXPECT_THAT(script.calls, ElementsAre("get default/s", "remove default/s"));
  clear();
  change(R"({"metadata":{"annotations":{"a":"b"}}})");
  change(R"({"metadata":{"annotations":{"a":"c"}}})");
  EXPECT_THAT(script.calls, IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(RemovalTest, CLD038_ANamesakeGetsALoadBalancerWhenTheOldOneIsGone) {
  begin_with_service();
  strip_finalizer();
  clear();
  cluster_.hold("services");
  cluster_.remove<Service>({"default", "s"});
  add_service();
  cluster_.release("services");
  cluster_.run_until_idle();
  EXPECT_THAT(script.calls, ElementsAre("remove default/s", "ensure default/s n1,n2"));
}

TEST_F(RemovalTest, CLD054_NothingOfAServiceThatIsGoneIsKept) {
  begin();
  for (int i = 0; i < 100; ++i) {
    add_service();
    remove_service();
  }
  clear();
  add_node("n3");
  EXPECT_THAT(script.calls, IsEmpty());
}

}  // namespace
}  // namespace davit::cloud
