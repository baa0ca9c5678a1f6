/// Claims from templates. Rows DRA-01 to DRA-15, DRA-40 to DRA-42 and DRA-44.
#include "tests/plugins/resourceclaim/fixture.hpp"

namespace davit::resourceclaim {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

using CreationTest = ResourceClaimTest;

TEST_F(CreationTest, DRA01_APodGetsTheClaimOfItsTemplate) {
  start();
  add_pod("p", from_template());
  const std::vector<RequestRecord> made = cluster_.requests_of(Verb::kCreate, "resourceclaims");
  ASSERT_THAT(made, SizeIs(1));
  Json body = made[0].json();
  EXPECT_EQ(body["metadata"].text_at({"generateName"}), "p-g-");
  EXPECT_EQ(body["metadata"]["labels"].dump(), R"({"a":"b"})");
  EXPECT_EQ(body["metadata"]["annotations"].canonical(),
            R"({"resource.kubernetes.io/pod-claim-name":"g","x":"y"})");
  EXPECT_EQ(body["metadata"]["ownerReferences"].dump(),
            R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"uid-p","controller":true}])");
  ASSERT_THAT(claims(), SizeIs(1));
  EXPECT_THAT(claims()[0], StartsWith("p-g-"));
  EXPECT_EQ(claim(claims()[0])["spec"].canonical(),
            cluster_.json<Template>({"t", "t1"})["spec"]["spec"].canonical());
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(CreationTest, TheAnnotationOfATemplateDoesNotReplaceTheName) {
  cluster_.merge<Template>(
      {"t", "t1"},
      R"({"spec":{"metadata":{"annotations":{"resource.kubernetes.io/pod-claim-name":"other"}}}})");
  start();
  add_pod("p", from_template());
  EXPECT_EQ(claim(claim_of("p"))["metadata"]["annotations"].canonical(),
            R"({"resource.kubernetes.io/pod-claim-name":"g","x":"y"})");
}

TEST_F(CreationTest, DRA02_TheStatusOfThePodNamesItsClaim) {
  start();
  add_pod("p", from_template());
  EXPECT_EQ(claim_of("p"), claims()[0]);
  ASSERT_THAT(applies(), SizeIs(1));
  EXPECT_EQ(applies()[0].patch_type, PatchType::kApply);
  const std::string text =
      cluster_.exchange({.method = "GET", .target = "/api/v1/namespaces/t/pods/p"}).body;
  Json fields = Json::must(text)["metadata"]["managedFields"];
  bool is_found = false;
  for (const Json& each : fields.items()) {
    if (each.text_at({"manager"}) != "ResourceClaimController") continue;
    is_found = true;
    EXPECT_EQ(each.text_at({"operation"}), "Apply");
    EXPECT_EQ(each.text_at({"subresource"}), "status");
  }
  EXPECT_TRUE(is_found) << fields.dump();
}

TEST_F(CreationTest, DRA03_AMissingTemplateIsReportedAgainAndAgain) {
  cluster_.erase<Template>({"t", "t1"});
  start();
  add_pod("p", from_template());
  ASSERT_FALSE(cluster_.events().empty());
  EXPECT_EQ(cluster_.event_texts().front(),
            "Warning FailedResourceClaimCreation PodResourceClaim g: resource claim template "
            "\"t1\": resourceclaimtemplate.resource.k8s.io \"t1\" not found");
  EXPECT_EQ(cluster_.syncs().back().error,
            "pod t/p, PodResourceClaim g: resource claim template \"t1\": "
            "resourceclaimtemplate.resource.k8s.io \"t1\" not found");
  const std::size_t before = cluster_.events().size();
  cluster_.advance(1min);
  EXPECT_GT(cluster_.events().size(), before);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(CreationTest, DRA04_ATemplateThatComesLaterWakesThePod) {
  cluster_.erase<Template>({"t", "t1"});
  start();
  add_pod("p", from_template());
  cluster_.advance(1min);
  add_template();
  settle();
  EXPECT_THAT(claims(), SizeIs(1));
}

TEST_F(CreationTest, DRA05_LongNamesAreBothShortened) {
  start();
  const std::string name(63, 'p');
  add_pod(name, from_template("abcdefgh"));
  ASSERT_THAT(claims(), SizeIs(1));
  EXPECT_THAT(claims()[0], StartsWith(std::string(49, 'p') + "-abcdef"));
  EXPECT_THAT(claims()[0], SizeIs(61));
}

TEST_F(CreationTest, DRA06_TwoClaimsAreWrittenAtOnce) {
  start();
  add_pod("p", from_template("a") + "," + from_template("b"));
  EXPECT_THAT(claims(), SizeIs(2));
  ASSERT_THAT(applies(), SizeIs(1));
  EXPECT_EQ(applies()[0].json()["status"]["resourceClaimStatuses"].items().size(), 2U);
}

TEST_F(CreationTest, DRA07_AClaimThatIsMadeAgainLeavesTheOtherInTheStatus) {
  start();
  add_pod("p", from_template("a") + "," + from_template("b"));
  const std::string first = claim_of("p", "a");
  const std::string other = claim_of("p", "b");
  cluster_.erase<Claim>({"t", first});
  settle();
  EXPECT_EQ(claim_of("p", "b"), other);
  EXPECT_NE(claim_of("p", "a"), first);
  EXPECT_TRUE(has_claim(claim_of("p", "a")));
  cluster_.clear_records();
  cluster_.advance(10s);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(CreationTest, EntriesWithoutAClaimAreNotWritten) {
  start();
  Json json = pod("p", from_template("a") + "," + from_template("b"));
  json["status"]["resourceClaimStatuses"] = Json::must(R"([{"name":"a"}])");
  cluster_.add(json);
  settle();
  ASSERT_THAT(applies(), SizeIs(1));
  EXPECT_EQ(applies()[0].json()["status"]["resourceClaimStatuses"].dump(),
            R"([{"name":"b","resourceClaimName":")" + claim_of("p", "b") + R"("}])");
}

TEST_F(CreationTest, DRA08_AClaimThatIsDeletedAtOnceIsMadeAgain) {
  start();
  cluster_.add(pod("p", from_template()));
  ASSERT_TRUE(cluster_.run_one_sync());
  const std::string first = claims().at(0);
  cluster_.erase<Claim>({"t", first});
  cluster_.advance(1s);
  ASSERT_THAT(claims(), SizeIs(1));
  EXPECT_NE(claims()[0], first);
  EXPECT_EQ(claim_of("p"), claims()[0]);
}

TEST_F(CreationTest, DRA09_AFailedStatusMakesNoSecondClaim) {
  start();
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "pods", .subresource = "status"});
  cluster_.hold("resourceclaims");
  add_pod("p", from_template());
  cluster_.advance(100ms);
  EXPECT_EQ(creates(), 1U) << "the cache has not seen the claim yet";
  cluster_.release("resourceclaims");
  cluster_.advance(1min);
  EXPECT_EQ(creates(), 1U);
  EXPECT_EQ(claim_of("p"), claims().at(0));
}

TEST_F(CreationTest, ALostAnswerToACreationMakesNoSecondClaim) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "resourceclaims",
                      .http_status = 0,
                      .effect = testing::Effect::kApplied});
  add_pod("p", from_template());
  cluster_.advance(1min);
  EXPECT_THAT(claims(), SizeIs(1));
  EXPECT_EQ(claim_of("p"), claims()[0]);
}

TEST_F(CreationTest, DRA10_ARestartBetweenTheTwoWritesFindsTheClaim) {
  start();
  cluster_.fail_next(
      {.verb = Verb::kPatch, .resource = "pods", .subresource = "status", .times = Fault::kAlways});
  add_pod("p", from_template());
  ASSERT_THAT(claims(), SizeIs(1));
  cluster_.clear_faults();
  restart();
  EXPECT_EQ(creates(), 0U);
  EXPECT_EQ(claim_of("p"), claims().at(0));
}

TEST_F(CreationTest, DRA11_AClaimOfThePodWithoutTheAnnotationDoesNotCount) {
  start();
  add_claim("mine", R"({"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p",
      "uid":"uid-p","controller":true}]})");
  add_pod("p", from_template());
  EXPECT_THAT(claims(), SizeIs(2));
  EXPECT_THAT(claim_of("p"), StartsWith("p-g-"));
}

TEST_F(CreationTest, DRA12_AMissingSharedClaimIsTheUsersBusiness) {
  start();
  add_pod("p", by_name("shared"));
  cluster_.advance(1min);
  add_claim("shared");
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(CreationTest, DRA13_AnEntryThatNeedsNoClaimGetsNone) {
  start();
  Json json = pod("p", from_template());
  json["status"]["resourceClaimStatuses"] = Json::must(R"([{"name":"g"}])");
  cluster_.add(json);
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(CreationTest, DRA14_AForeignClaimInTheStatusIsLeftAlone) {
  add_claim("foreign");
  start();
  Json json = pod("p", from_template());
  json["status"]["resourceClaimStatuses"] =
      Json::must(R"([{"name":"g","resourceClaimName":"foreign"}])");
  cluster_.add(json);
  settle();
  EXPECT_THAT(claim_of("p"), StartsWith("p-g-"));
  cluster_.advance(1min);
  EXPECT_EQ(creates(), 1U);
  EXPECT_EQ(write_texts().size(), 2U) << "one claim and one status";
}

TEST_F(CreationTest, AClaimOfAnotherPodIsNeitherUsedNorReserved) {
  add_allocated("foreign", "");
  merge_claim("foreign", R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod",
      "name":"q","uid":"uid-q","controller":true}]}})");
  start();
  Json json = pod("p", from_template(), "n1");
  json["status"]["resourceClaimStatuses"] =
      Json::must(R"([{"name":"g","resourceClaimName":"foreign"}])");
  cluster_.add(json);
  settle();
  EXPECT_EQ(consumers("foreign"), "");
  EXPECT_THAT(claim_of("p"), StartsWith("p-g-"));
}

TEST_F(CreationTest, DRA15_AQuotaIsReportedAndCounted) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "resourceclaims",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "resourceclaims.resource.k8s.io \"p-g-x\" is forbidden: exceeded "
                                 "quota: q"});
  add_pod("p", from_template());
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  EXPECT_EQ(cluster_.event_texts()[0],
            "Warning FailedResourceClaimCreation PodResourceClaim g: create ResourceClaim : "
            "resourceclaims.resource.k8s.io \"p-g-x\" is forbidden: exceeded quota: q");
  EXPECT_EQ(counted("resourceclaim_controller_creates_total", {"failure", "false"}), 1);
  cluster_.advance(1s);
  EXPECT_THAT(claims(), SizeIs(1));
  EXPECT_EQ(counted("resourceclaim_controller_creates_total", {"success", "false"}), 1);
}

TEST_F(CreationTest, AnEntryWithoutAKnownFieldIsReported) {
  start();
  add_pod("p", R"({"name":"g"})");
  ASSERT_FALSE(cluster_.events().empty());
  EXPECT_EQ(cluster_.event_texts()[0],
            "Warning FailedResourceClaimCreation PodResourceClaim g: checking for claim before "
            "creating it: pod \"t/p\", spec.resourceClaim \"g\": none of the supported fields are "
            "set");
}

TEST_F(CreationTest, AStatusIsNotWrittenToANamesakeOfThePod) {
  start();
  cluster_.on_request([this, is_done = false](const RequestRecord& request) mutable {
    if (is_done || request.verb != Verb::kPatch || request.resource != "pods") return;
    is_done = true;
    cluster_.erase<Pod>({"t", "p"});
    Json next = pod("p", "");
    next["metadata"]["uid"] = "uid-next";
    cluster_.add(next);
  });
  add_pod("p", from_template());
  cluster_.advance(1min);
  EXPECT_EQ(claim_of("p"), "");
}

TEST_F(CreationTest, DRA40_MetricsHaveUpstreamsNamesAndValues) {
  start();
  add_pod("p", from_template());
  EXPECT_EQ(counted("resourceclaim_controller_creates_total", {"success", "false"}), 1);
  add_allocated("ext", R"({"apiGroup":"x.io","resource":"things","name":"a","uid":"u"})");
  merge_claim("ext", R"({"metadata":{"annotations":{
      "resource.kubernetes.io/extended-resource-claim":"true"}}})");
  settle();
  const std::string gauge = "resourceclaim_controller_resource_claims";
  EXPECT_EQ(counted(gauge, {"false", "false", "resource_claim_template"}), 1);
  EXPECT_EQ(counted(gauge, {"true", "false", "extended_resource"}), 1);
}

TEST_F(CreationTest, DRA41_HeartbeatsOfPodsCauseNoRequest) {
  start();
  add_pod("p", from_template(), "n1");
  allocate(claim_of("p"), consumer("p"));
  cluster_.clear_records();
  merge_pod("p", R"({"status":{"message":"alive"}})");
  cluster_.resync("pods");
  cluster_.resync("resourceclaims");
  cluster_.advance(10s);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(CreationTest, DRA42_ATemplateThatChangesOrGoesTouchesNoClaim) {
  start();
  add_pod("p", from_template());
  cluster_.clear_records();
  cluster_.merge<Template>({"t", "t1"}, R"({"spec":{"metadata":{"labels":{"a":"c"}}}})");
  settle();
  cluster_.erase<Template>({"t", "t1"});
  cluster_.advance(10s);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(CreationTest, ATemplateThatIsGoneLacksWhenItsClaimHasToBeMadeAgain) {
  start();
  add_pod("p", from_template());
  const std::string before = claim_of("p");
  cluster_.erase<Template>({"t", "t1"});
  cluster_.erase<Claim>({"t", before});
  cluster_.advance(10s);
  EXPECT_THAT(claims(), IsEmpty());
  EXPECT_THAT(cluster_.event_texts(),
              Contains(HasSubstr(R"(resourceclaimtemplate.resource.k8s.io "t1" not found)")));
  add_template();
  settle();
  EXPECT_THAT(claims(), ElementsAre(claim_of("p")));
  EXPECT_NE(claim_of("p"), before);
}

TEST_F(CreationTest, DRA44_ManyPodsAtOnceGetOneClaimForEachEntry) {
  start();
  constexpr int kPods = 500;
  for (int i = 0; i < kPods; ++i) {
    cluster_.add(pod("p" + std::to_string(i), from_template("a") + "," + from_template("b")));
  }
  cluster_.advance(5min);
  EXPECT_THAT(claims(), SizeIs(2 * kPods));
  EXPECT_EQ(creates(), 2U * kPods);
  EXPECT_THAT(applies(), SizeIs(kPods));
}

TEST_F(CreationTest, DRA103_WithoutItsGateAPrioritizedListIsReported) {
  constexpr const char* kList = R"({"devices":{"requests":[{"name":"r",)"
                                R"("firstAvailable":[{"name":"a","deviceClassName":"gpu"}]}]}})";
  cluster_.remove<Template>({"t", "t1"});
  add_template(kList);
  start(R"({"prioritizedList":"off"})");
  add_pod("p", from_template());
  EXPECT_THAT(claims(), IsEmpty());
  ASSERT_THAT(cluster_.event_texts(), SizeIs(1));
  EXPECT_EQ(cluster_.event_texts()[0],
            "Warning FailedResourceClaimCreation PodResourceClaim g: template includes a "
            "prioritized list of subrequests, but the feature is disabled");
  EXPECT_EQ(counted("resourceclaim_controller_creates_total", {"failure", "false"}), 0)
      << "no request was sent";

  restart();
  EXPECT_THAT(claims(), SizeIs(1));
}

TEST_F(CreationTest, UnknownSettingsAreRefused) {
  EXPECT_FALSE(cluster_.start(kController, &ResourceClaims::open, R"({"x":1})").ok());
  EXPECT_FALSE(
      cluster_.start(kController, &ResourceClaims::open, R"({"workloadResourceClaims":true})")
          .ok());
}

TEST_F(CreationTest, AServerWithoutClaimsNeedsNoController) {
  cluster_.remove_resource("resourceclaims");
  const Status started = cluster_.start(kController, &ResourceClaims::open);
  EXPECT_EQ(started.code(), Code::kUnsupported);
}

}  // namespace
}  // namespace davit::resourceclaim
