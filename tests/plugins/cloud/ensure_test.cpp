/// Load balancers of Services that want one. Ids: docs/spec/cloud.md.
#include "tests/plugins/cloud/fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr const char* kEnsure = "ensure default/s n1,n2";

class EnsureTest : public CloudFixture {};

TEST_F(EnsureTest, CLD009_TheFinalizerComesBeforeTheLoadBalancerAndTheStatusAfterIt) {
  begin();
  bool had_finalizer = false;
  script.during = [&](const std::string&) { had_finalizer = has_finalizer(); };
  add_service();
  EXPECT_TRUE(had_finalizer);
  EXPECT_THAT(script.calls, ElementsAre(kEnsure));
  EXPECT_EQ(ingress(), R"([{"ip":"192.0.2.1","ipMode":"VIP"}])");
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Normal EnsuringLoadBalancer Ensuring load balancer",
                          "Normal EnsuredLoadBalancer Ensured load balancer"));
}

TEST_F(EnsureTest, CLD010_TheWritesArePatchesOfTheStatus) {
  begin();
  add_service();
  EXPECT_THAT(patches(),
              ElementsAre(R"({"metadata":{"$setElementOrder/finalizers":)"
                          R"(["service.kubernetes.io/load-balancer-cleanup"],)"
                          R"("finalizers":["service.kubernetes.io/load-balancer-cleanup"]}})",
                          R"({"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}})"));
  EXPECT_THAT(cluster_.writes(), SizeIs(2));
}

TEST_F(EnsureTest, CLD011_WhileTheProviderWorksThereIsAFinalizerAndNoIngress) {
  begin();
  std::string meanwhile = "not called";
  script.during = [&](const std::string&) { meanwhile = ingress(); };
  add_service();
  EXPECT_EQ(meanwhile, "");
}

TEST_F(EnsureTest, CLD012_AServiceOfAClassIsLeftAlone) {
  begin();
  cluster_.add(Json::must(
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"default"},)"
      R"("spec":{"type":"LoadBalancer","loadBalancerClass":"x.io/y","ports":[{"port":80}]}})"));
  cluster_.run_until_idle();
  EXPECT_THAT(script.calls, IsEmpty());
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

constexpr const char* kOfClassA = R"("loadBalancerClass":"x.io/a",)";

TEST_F(EnsureTest, CLD013_OnlyServicesOfTheProvidersClassesGetALoadBalancer) {
  script.classes = {.names = {"x.io/a", "x.io/b"}, .takes_unclassed = false};
  begin();
  add_service("s2");
  add_service("s3", R"("loadBalancerClass":"x.io/c",)");
  EXPECT_THAT(script.calls, IsEmpty());
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  add_service("s", kOfClassA);
  add_service("s4", R"("loadBalancerClass":"x.io/b",)");
  EXPECT_THAT(script.calls, ElementsAre(kEnsure, "ensure default/s4 n1,n2"));
  EXPECT_EQ(ingress(), R"([{"ip":"192.0.2.1","ipMode":"VIP"}])");
  clear();
  add_node("n3");
  EXPECT_THAT(script.calls,
              UnorderedElementsAre("update default/s n1,n2,n3", "update default/s4 n1,n2,n3"));
  clear();
  remove_service();
  EXPECT_THAT(script.calls, ElementsAre("get default/s", "remove default/s"));
  EXPECT_FALSE(exists());
}

TEST_F(EnsureTest, CLD013_AProviderMayTakeServicesWithoutAClassToo) {
  script.classes = {.names = {"x.io/a"}};
  begin();
  add_service("s", kOfClassA);
  add_service("s2");
  EXPECT_THAT(script.calls, ElementsAre(kEnsure, "ensure default/s2 n1,n2"));
}

TEST_F(EnsureTest, CLD013_ABuildWithOtherClassesServesThem) {
  begin();
  add_service("s", kOfClassA);
  EXPECT_THAT(script.calls, IsEmpty());
  script.classes = {.names = {"x.io/a"}};
  restart();
  EXPECT_THAT(script.calls, ElementsAre(kEnsure));
}

TEST_F(EnsureTest, CLD013_ClassesThatNoServiceCanHaveEndTheStartOfTheProvider) {
  for (const char* const each : {"not a name", "x.io/", "a/b/c", "-"}) {
    script.classes = {.names = {"x.io/a", each}};
    const Status started = cluster_.start(kProvider, &make<ScriptedProvider>);
    EXPECT_THAT(started.message(), HasSubstr("the provider's classes are not valid")) << each;
  }
}

TEST_F(EnsureTest, CLD014_ALabelChangesNothing) {
  begin_with_service();
  change(R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_THAT(script.calls, IsEmpty());
}

TEST_F(EnsureTest, CLD015_EachFieldThatCountsCausesOneCall) {
  begin_with_service();
  for (const char* const patch :
       {R"({"metadata":{"annotations":{"a":"b"}}})",
        R"({"spec":{"ports":[{"name":"web","port":80,"protocol":"TCP","nodePort":30080}]}})",
        R"({"spec":{"ports":[{"name":"web","port":80,"targetPort":8080,"protocol":"TCP",)"
        R"("nodePort":30080}]}})",
        R"({"spec":{"ports":[{"name":"web","port":80,"targetPort":8080,"protocol":"TCP",)"
        R"("nodePort":30080,"appProtocol":"http"}]}})",
        R"({"spec":{"sessionAffinity":"ClientIP"}})",
        R"({"spec":{"sessionAffinityConfig":{"clientIP":{"timeoutSeconds":60}}}})",
        R"({"spec":{"loadBalancerIP":"192.0.2.9"}})", R"({"spec":{"externalIPs":["192.0.2.7"]}})",
        R"({"spec":{"loadBalancerSourceRanges":["10.0.0.0/8"]}})",
        R"({"spec":{"externalTrafficPolicy":"Local","healthCheckNodePort":31000}})",
        R"({"spec":{"ipFamilies":["IPv4","IPv6"],"ipFamilyPolicy":"PreferDualStack"}})"}) {
    clear();
    change(patch);
    EXPECT_THAT(script.calls, ElementsAre(kEnsure)) << patch;
    EXPECT_THAT(patches(), IsEmpty()) << patch;
  }
}

TEST_F(EnsureTest, CLD016_OtherFieldsCauseNone) {
  begin_with_service();
  for (const char* const patch :
       {R"({"spec":{"selector":{"app":"other"}}})", R"({"spec":{"internalTrafficPolicy":"Local"}})",
        R"({"spec":{"trafficDistribution":"PreferClose"}})"}) {
    change(patch);
    EXPECT_THAT(script.calls, IsEmpty()) << patch;
  }
}

TEST_F(EnsureTest, CLD017_AnAnswerWithoutIpModeIsWrittenOnce) {
  begin_with_service();
  for (const char* const value : {"1", "2", "3"}) {
    change(std::string(R"({"metadata":{"annotations":{"a":")") + value + R"("}}})");
  }
  EXPECT_THAT(script.calls, SizeIs(3));
  EXPECT_THAT(patches(), IsEmpty());
}

TEST_F(EnsureTest, CLD018_HostNamesModesAndPortsAreStoredAsGiven) {
  begin();
  constexpr const char* kIngress =
      R"([{"hostname":"lb.example.com"},{"ip":"192.0.2.1","ipMode":"Proxy",)"
      R"("ports":[{"port":80,"protocol":"TCP"}]}])";
  script.usual["ensure"] = CloudReply::done(std::string(R"({"ingress":)") + kIngress + "}");
  add_service();
  EXPECT_EQ(Json::must(ingress()), Json::must(kIngress));
}

TEST_F(EnsureTest, CLD019_AnEnsureWithoutAStatusFails) {
  begin();
  script.usual["ensure"] = CloudReply::done();
  add_service();
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning SyncLoadBalancerFailed Error syncing load balancer: service status "
                       "returned by EnsureLoadBalancer is nil"));
  script.usual["ensure"] = CloudReply::done(std::string(kAddress));
  cluster_.advance(5s);
  EXPECT_NE(ingress(), "");
}

TEST_F(EnsureTest, CLD020_AnEmptyIngressIsNoFailure) {
  begin();
  script.usual["ensure"] = CloudReply::done(R"({"ingress":[]})");
  add_service();
  EXPECT_THAT(cluster_.event_texts(), Contains("Normal EnsuredLoadBalancer Ensured load balancer"));
  EXPECT_THAT(patches(), SizeIs(1)) << "the finalizer's";
}

TEST_F(EnsureTest, CLD021_AnAnswerThatIsNotValidReachesNoServer) {
  begin();
  const std::pair<std::string, const char*> kAnswers[] = {
      {R"({"ingress":[{"ip":"192.0.2.256"}]})",
       "ingress[0].ip: \"192.0.2.256\" is not an address in canonical form"},
      {"no JSON", "the provider's answer is not valid: line 1"},
      {"[]", "status: must be an object"},
      {R"({"ingress":{}})", "ingress: must be a list"},
      {R"({"ingress":[{"address":"192.0.2.1"}]})", "ingress[0].address: is not known"},
      {R"({"ingress":[{"ip":1}]})", "ingress[0].ip: must be a string"},
      {R"({"ingress":[{"ip":"::ffff:192.0.2.1"}]})", "is not an address in canonical form"},
      {R"({"ingress":[{"ip":"192.0.2.1","ipMode":"NAT"}]})", "must be VIP or Proxy"},
      {R"({"ingress":[{"ipMode":"VIP"}]})", "ingress[0].ipMode: may not stand without ip"},
      {R"({"ingress":[{"hostname":"192.0.2.1"}]})", "is not the name of a host"},
      {R"({"ingress":[{"hostname":"a","ports":[{"port":0,"protocol":"TCP"}]}]})",
       "ingress[0].ports[0].port: must be from 1 to 65535"},
      {R"({"ingress":[{"hostname":"a","ports":[{"port":1,"protocol":"tcp"}]}]})",
       "ingress[0].ports[0].protocol: must be TCP, UDP or SCTP"},
      {R"({"ingress":[{"hostname":")" + std::string(2 << 20, 'a') + "\"}]}", "more than 1 MiB"}};
  int index = 0;
  for (const auto& [answer, why] : kAnswers) {
    clear();
    script.usual["ensure"] = CloudReply::done(answer);
    add_service("s" + std::to_string(index++));
    EXPECT_THAT(cluster_.event_texts(),
                Contains(AllOf(StartsWith("Warning SyncLoadBalancerFailed Error syncing load "
                                          "balancer: failed to ensure load balancer: "),
                               HasSubstr(why))));
    EXPECT_THAT(patches(), Each(Not(HasSubstr("\"status\""))));
  }
}

TEST_F(EnsureTest, CLD022_AFailureIsTriedAgainWithBackOff) {
  begin();
  script.usual["ensure"] = CloudReply::failed(Status(Code::kUnavailable, "quota"));
  add_service();
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning SyncLoadBalancerFailed Error syncing load balancer: failed to "
                       "ensure load balancer: quota"));
  const Time first = script.times.front();
  cluster_.advance(1300s);
  std::vector<std::int64_t> after;
  for (const Time each : script.times) after.push_back((each - first) / 1s);
  EXPECT_THAT(after, ElementsAre(0, 5, 15, 35, 75, 155, 315, 615, 915, 1215));
}

TEST_F(EnsureTest, CLD023_AProviderMaySayWhenToTryAgain) {
  begin();
  const auto later = CloudReply::failed(Status(Code::kUnavailable, "busy"), 7s);
  script.answers["ensure"] = {later, later, later};
  script.usual["ensure"] = CloudReply::failed(Status(Code::kUnavailable, "quota"));
  add_service();
  const Time first = script.times.front();
  cluster_.advance(40s);
  std::vector<std::int64_t> after;
  for (const Time each : script.times) after.push_back((each - first) / 1s);
  EXPECT_THAT(after, ElementsAre(0, 7, 14, 21, 26, 36));
}

TEST_F(EnsureTest, CLD024_AFailureLeavesTheStatus) {
  begin_with_service();
  script.usual["ensure"] = CloudReply::failed(Status(Code::kUnavailable, "quota"));
  change(R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_EQ(ingress(), R"([{"ip":"192.0.2.1","ipMode":"VIP"}])");
}

TEST_F(EnsureTest, CLD025_WhatBelongsToSomebodyElseGetsNoStatus) {
  begin();
  script.usual["ensure"] = CloudReply::not_ours();
  add_service();
  EXPECT_TRUE(has_finalizer());
  EXPECT_EQ(ingress(), "");
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Normal EnsuringLoadBalancer Ensuring load balancer"));
  cluster_.advance(600s);
  EXPECT_THAT(script.calls, SizeIs(1));
}

TEST_F(EnsureTest, CLD026_WithoutAFinalizerTheProviderIsNotAsked) {
  begin();
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "services"});
  add_service();
  EXPECT_THAT(script.calls, IsEmpty());
  EXPECT_THAT(cluster_.event_texts(),
              Contains(HasSubstr("failed to add load balancer cleanup finalizer: ")));
  cluster_.advance(5s);
  EXPECT_THAT(script.calls, ElementsAre(kEnsure));
}

TEST_F(EnsureTest, CLD039_ARestartEnsuresOnceAndWritesNothing) {
  begin_with_service();
  restart();
  EXPECT_THAT(script.calls, ElementsAre(kEnsure));
  EXPECT_THAT(patches(), IsEmpty());
}

TEST_F(EnsureTest, CLD040_AStatusThatSomebodyEmptiesIsPutRight) {
  begin_with_service();
  change(R"({"status":{"loadBalancer":{"ingress":null}}})");
  EXPECT_THAT(script.calls, ElementsAre(kEnsure));
  EXPECT_EQ(ingress(), R"([{"ip":"192.0.2.1","ipMode":"VIP"}])");
}

TEST_F(EnsureTest, CLD040_AlsoAfterARestartThatHadNothingToWrite) {
  begin_with_service();
  restart();
  clear();
  change(R"({"status":{"loadBalancer":{"ingress":null}}})");
  EXPECT_THAT(script.calls, ElementsAre(kEnsure));
  EXPECT_EQ(ingress(), R"([{"ip":"192.0.2.1","ipMode":"VIP"}])");
}

TEST_F(EnsureTest, AStatusThatIsFoughtOverIsWrittenAtMostOnceIn30Seconds) {
  begin_with_service();
  change(R"({"status":{"loadBalancer":{"ingress":null}}})");
  clear();
  change(R"({"status":{"loadBalancer":{"ingress":null}}})");
  EXPECT_THAT(script.calls, IsEmpty());
  cluster_.advance(31s);
  EXPECT_THAT(script.calls, ElementsAre(kEnsure));
  EXPECT_EQ(ingress(), R"([{"ip":"192.0.2.1","ipMode":"VIP"}])");
}

TEST_F(EnsureTest, CLD041_WithoutNodesTheProviderGetsAnEmptyList) {
  start();
  add_service();
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s"));
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning UnAvailableLoadBalancer There are no available nodes for "
                       "LoadBalancer"));
}

TEST_F(EnsureTest, CLD059_AServiceWithManyPortsAndAnnotationsWorks) {
  begin();
  Json service = Json::must(
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"default"},)"
      R"("spec":{"type":"LoadBalancer","ports":[]}})");
  service["metadata"]["annotations"]["a"] = std::string(200'000, 'x');
  for (int i = 0; i < 100; ++i) {
    service["spec"]["ports"].push_back(Json::must(R"({"name":"p)" + std::to_string(i) +
                                                  R"(","port":)" + std::to_string(1000 + i) + "}"));
  }
  cluster_.add(service);
  cluster_.run_until_idle();
  EXPECT_THAT(script.calls, ElementsAre(kEnsure));
  EXPECT_NE(ingress(), "");
}

}  // namespace
}  // namespace davit::cloud
