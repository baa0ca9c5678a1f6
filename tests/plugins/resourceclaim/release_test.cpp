/// The end of reservations and claims. Rows DRA-19 to DRA-38.
#include "tests/plugins/resourceclaim/fixture.hpp"

namespace davit::resourceclaim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReleaseTest : public ResourceClaimTest {
 protected:
  static constexpr const char* kThing =
      R"({"apiGroup":"x.io","resource":"things","name":"a","uid":"u"})";
  static constexpr const char* kFinalizers = R"(["resource.kubernetes.io/delete-protection"])";

  /// A bound pod whose generated claim is allocated for it; the claim's name.
  std::string add_user(const std::string& name) {
    add_pod(name, from_template(), "n1");
    const std::string made = claim_of(name);
    allocate(made, consumer(name));
    cluster_.clear_records();
    return made;
  }
  /// The claim `shared`, allocated for the bound pods p1 and p2.
  void add_shared() {
    add_pod("p1", by_name("shared"), "n1");
    add_pod("p2", by_name("shared"), "n1");
    add_allocated("shared", consumer("p1") + "," + consumer("p2"));
    cluster_.clear_records();
  }
  /// Does something before the next request of this kind is carried out.
  void before(Verb verb, const std::string& resource, const std::function<void()>& act) {
    cluster_.on_request([=, is_done = false](const RequestRecord& request) mutable {
      if (is_done || request.verb != verb || request.resource != resource) return;
      is_done = true;
      act();
    });
  }
  void touch(const std::string& claim) {
    merge_claim(claim, R"({"metadata":{"annotations":{"touched":"yes"}}})");
    settle();
  }
};

TEST_F(ReleaseTest, DRA19_TheClaimOfAFinishedPodIsFreedAndDeleted) {
  start();
  const std::string name = add_user("p");
  finish("p");
  EXPECT_THAT(write_texts(), ElementsAre("patch resourceclaims/" + name + "/status 200",
                                         "patch resourceclaims/" + name + " 200",
                                         "delete resourceclaims/" + name + " 200"));
  Json body = cluster_.writes()[0].json();
  EXPECT_EQ(body["status"].canonical(), R"({"allocation":null,"reservedFor":null})");
  EXPECT_THAT(claims(), IsEmpty());
}

TEST_F(ReleaseTest, DRA20_ARestartAfterwardsWritesNothing) {
  start();
  add_user("p");
  finish("p");
  restart();
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(ReleaseTest, DRA21_TheOthersOfASharedClaimKeepIt) {
  start();
  add_shared();
  erase_pod("p1");
  EXPECT_EQ(consumers("shared"), R"([{"resource":"pods","name":"p2","uid":"uid-p2"}])");
  EXPECT_TRUE(is_allocated("shared"));
  EXPECT_EQ(finalizers("shared"), kFinalizers);
  EXPECT_EQ(live_reads(), 0U) << "the watch has shown that the pod is gone";
}

TEST_F(ReleaseTest, DRA22_TheLastOneEndsTheAllocationAndTheClaimStays) {
  start();
  add_shared();
  erase_pod("p1");
  erase_pod("p2");
  EXPECT_EQ(consumers("shared"), "");
  EXPECT_FALSE(is_allocated("shared"));
  EXPECT_EQ(finalizers("shared"), "");
  EXPECT_TRUE(has_claim("shared"));
}

TEST_F(ReleaseTest, DRA23_AnUnknownPodIsLookedUp) {
  start();
  add_allocated("shared", consumer("nope"));
  EXPECT_EQ(live_reads(), 1U);
  EXPECT_EQ(consumers("shared"), "");
}

TEST_F(ReleaseTest, DRA24_APodThatTheCacheLacksKeepsItsReservation) {
  start();
  cluster_.hold("pods");
  add_pod("p", by_name("shared"), "n1");
  add_allocated("shared", consumer("p"));
  EXPECT_EQ(live_reads(), 1U);
  EXPECT_NE(consumers("shared"), "");
  cluster_.release("pods");
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(ReleaseTest, DRA25_AFailedLookUpDropsNothing) {
  start();
  cluster_.fail_next({.verb = Verb::kGet, .resource = "pods", .times = Fault::kAlways});
  add_allocated("shared", consumer("nope"));
  cluster_.advance(10s);
  EXPECT_NE(consumers("shared"), "");
  EXPECT_GT(live_reads(), 1U);
  cluster_.clear_faults();
  cluster_.advance(30s);
  EXPECT_EQ(consumers("shared"), "");
}

TEST_F(ReleaseTest, DRA26_AnEntryOfAnotherUidIsDropped) {
  start();
  add_pod("p", by_name("shared"));
  add_allocated("shared", consumer("p", "uid-before"));
  EXPECT_EQ(consumers("shared"), "");
}

TEST_F(ReleaseTest, APodThatIsNewerThanTheCacheKeepsItsReservation) {
  start();
  add_pod("p", by_name("shared"), "n1");
  cluster_.hold("pods");
  cluster_.erase<Pod>({"t", "p"});
  Json next = pod("p", by_name("shared"), "n1");
  next["metadata"]["uid"] = "uid-next";
  cluster_.add(next);
  add_allocated("shared", consumer("p", "uid-next"));
  EXPECT_NE(consumers("shared"), "");
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(ReleaseTest, DRA27_OtherConsumersStayForEver) {
  start();
  add_pod("p", by_name("shared"), "n1");
  add_allocated("shared", std::string(kThing) + "," + consumer("p"));
  erase_pod("p");
  cluster_.advance(1h);
  EXPECT_EQ(Json::must(consumers("shared")).items().size(), 1U);
  EXPECT_TRUE(is_allocated("shared"));
  EXPECT_EQ(finalizers("shared"), kFinalizers);
}

TEST_F(ReleaseTest, ClaimsThatNameEachOtherAreLeftAlone) {
  const auto names = [](const std::string& other) {
    return R"({"apiGroup":"resource.k8s.io","resource":"resourceclaims","name":")" + other +
           R"(","uid":"uid-)" + other + R"("})";
  };
  const auto owned_by = [](const std::string& other) {
    return R"({"uid":"uid-)" + (other == "a" ? std::string("b") : std::string("a")) +
           R"(","ownerReferences":[{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
           "name":")" +
           other + R"(","uid":"uid-)" + other + R"(","controller":true}]})";
  };
  start();
  add_claim("a", owned_by("b"));
  add_claim("b", owned_by("a"));
  merge_claim("a", allocation(names("b")));
  merge_claim("b", allocation(names("a")));
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_EQ(live_reads(), 0U);
  EXPECT_NE(consumers("a"), "");
  EXPECT_NE(consumers("b"), "");
}

TEST_F(ReleaseTest, APodOfAnotherNamespaceReservesNothing) {
  start();
  Json foreign = pod("p", by_name("shared"), "n1");
  foreign["metadata"]["namespace"] = "u";
  cluster_.add(foreign);
  add_allocated("shared", consumer("p"));
  EXPECT_EQ(consumers("shared"), "") << "there is no pod p in the claim's namespace";
  EXPECT_FALSE(is_allocated("shared"));
}

TEST_F(ReleaseTest, DRA28_APodThatWasReplacedUnseenLosesItsReservation) {
  start();
  add_pod("p", by_name("shared"), "n1");
  add_allocated("shared", consumer("p"));
  cluster_.begin_outage("pods");
  cluster_.erase<Pod>({"t", "p"});
  Json next = pod("p", by_name("shared"));
  next["metadata"]["uid"] = "uid-next";
  cluster_.add(next);
  cluster_.end_outage("pods");
  cluster_.advance(1min);
  EXPECT_EQ(consumers("shared"), "");
}

TEST_F(ReleaseTest, DRA29_WithoutTheFinalizerTheAllocationStays) {
  start();
  add_pod("p", by_name("shared"), "n1");
  add_allocated("shared", consumer("p"));
  merge_claim("shared", R"({"metadata":{"finalizers":null}})");
  erase_pod("p");
  EXPECT_EQ(consumers("shared"), "");
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(ReleaseTest, DRA30_AnAllocationThatWasNeverReservedIsLeftAlone) {
  start();
  add_allocated("shared", "");
  cluster_.advance(1h);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(ReleaseTest, DRA31_ItEndsWithItsClaim) {
  start();
  add_allocated("shared", "");
  cluster_.remove<Claim>({"t", "shared"});
  settle();
  EXPECT_THAT(write_texts(), ElementsAre("patch resourceclaims/shared/status 200",
                                         "patch resourceclaims/shared 200"));
  EXPECT_FALSE(has_claim("shared"));
}

TEST_F(ReleaseTest, DRA32_FinalizersOfOthersStay) {
  start();
  add_allocated("shared", "");
  merge_claim("shared", R"({"metadata":{"finalizers":["t/f",
      "resource.kubernetes.io/delete-protection"]}})");
  cluster_.remove<Claim>({"t", "shared"});
  settle();
  EXPECT_EQ(finalizers("shared"), R"(["t/f"])");
}

TEST_F(ReleaseTest, DRA33_AConflictLosesNoConsumer) {
  start();
  add_pod("p", by_name("shared"), "n1");
  add_allocated("shared", consumer("p"));
  before(Verb::kPatch, "resourceclaims", [this] {
    merge_claim("shared", R"({"status":{"reservedFor":[)" + consumer("p") + "," + kThing + "]}}");
  });
  finish("p");
  cluster_.advance(1min);
  EXPECT_EQ(Json::must(consumers("shared")).items().size(), 1U);
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(ReleaseTest, AClaimThatIsReservedMeanwhileIsNotDeleted) {
  start();
  add_pod("p", from_template(), "n1");
  const std::string name = claim_of("p");
  before(Verb::kDelete, "resourceclaims", [this, name] { merge_claim(name, allocation(kThing)); });
  finish("p");
  cluster_.advance(1min);
  ASSERT_TRUE(has_claim(name));
  EXPECT_EQ(claim(name).at({"metadata", "deletionTimestamp"}), nullptr);
}

TEST_F(ReleaseTest, DRA34_APodThatIsDeletedBeforeItGetsANodeNeedsNoClaim) {
  start();
  Json json = pod("p", from_template());
  json["metadata"]["finalizers"] = Json::must(R"(["t/f"])");
  cluster_.add(json);
  settle();
  ASSERT_THAT(claims(), SizeIs(1));
  cluster_.remove<Pod>({"t", "p"});
  settle();
  EXPECT_THAT(claims(), IsEmpty());
  EXPECT_TRUE(cluster_.find<Pod>({"t", "p"})) << "its finalizer holds it";
}

TEST_F(ReleaseTest, DRA35_ABoundPodKeepsItsClaimUntilItHasEnded) {
  start();
  const std::string name = add_user("p");
  cluster_.remove<Pod>({"t", "p"});
  settle();
  ASSERT_TRUE(cluster_.find<Pod>({"t", "p"})->is_being_deleted());
  cluster_.advance(1min);
  EXPECT_TRUE(has_claim(name));
  EXPECT_NE(consumers(name), "");
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  finish("p", "Failed");
  EXPECT_FALSE(has_claim(name));
}

TEST_F(ReleaseTest, DRA36_TheClaimOfAFormerPodIsDeletedAndThatOfTheNewOneStays) {
  start();
  add_pod("p", from_template());
  const std::string old = claim_of("p");
  cluster_.erase<Pod>({"t", "p"});
  settle();
  Json next = pod("p", from_template());
  next["metadata"]["uid"] = "uid-next";
  cluster_.add(next);
  settle();
  touch(old);
  EXPECT_FALSE(has_claim(old));
  EXPECT_THAT(claims(), ElementsAre(claim_of("p")));
  EXPECT_GT(live_reads(), 0U);
}

TEST_F(ReleaseTest, TheClaimOfAPodThatIsNewerThanTheCacheStays) {
  start();
  add_pod("p", from_template());
  cluster_.hold("pods");
  cluster_.erase<Pod>({"t", "p"});
  Json next = pod("p", from_template());
  next["metadata"]["uid"] = "uid-next";
  cluster_.add(next);
  add_claim("its", R"({"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p",
      "uid":"uid-next","controller":true}]})");
  cluster_.advance(1min);
  EXPECT_TRUE(has_claim("its"));
}

TEST_F(ReleaseTest, DRA37_TheClaimOfAPodThatIsGoneIsTheGarbageCollectors) {
  start();
  add_pod("p", from_template());
  const std::string name = claim_of("p");
  erase_pod("p");
  touch(name);
  cluster_.advance(1h);
  EXPECT_TRUE(has_claim(name));
}

TEST_F(ReleaseTest, DRA38_AClaimForExtendedResourcesIsFreedAndNotDeleted) {
  start();
  Json json = pod("p", "", "n1");
  json["status"]["extendedResourceClaimStatus"] =
      Json::must(R"({"resourceClaimName":"ext","requestMappings":[]})");
  cluster_.add(json);
  add_allocated("ext", consumer("p"));
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  finish("p", "Failed");
  ASSERT_TRUE(has_claim("ext"));
  EXPECT_FALSE(is_allocated("ext"));
  EXPECT_EQ(finalizers("ext"), "");
}

TEST_F(ReleaseTest, ADeletionIsOfThatVeryClaim) {
  start();
  add_pod("p", from_template());
  const std::string name = claim_of("p");
  before(Verb::kDelete, "resourceclaims", [this, name] {
    cluster_.erase<Claim>({"t", name});
    add_claim(name, R"({"uid":"another"})");
  });
  finish("p");
  cluster_.advance(1min);
  EXPECT_TRUE(has_claim(name)) << "a claim that a user has made under the name";
}

TEST_F(ReleaseTest, ASwapLosesNoReservation) {
  start();
  const std::string name = add_user("p");
  finish("p", "Running");
  ASSERT_TRUE(cluster_.swap(kController, &ResourceClaims::open).ok());
  settle();
  EXPECT_NE(consumers(name), "");
  erase_pod("p");
  EXPECT_EQ(consumers(name), "");
}

}  // namespace
}  // namespace davit::resourceclaim
