/// Rows PROT-01 to PROT-13, PROT-25 and PROT-26 of claims.
#include "plugins/volumeprotection/claim_protection.hpp"

#include "tests/plugins/volumeprotection/fixture.hpp"

namespace davit::volumeprotection {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class ClaimProtectionTest : public ProtectionTest {
 protected:
  static constexpr const char* kController = "persistentvolumeclaim-protection-controller";
  static constexpr const char* kOwn = R"(["kubernetes.io/pvc-protection"])";

  void SetUp() override { start(); }
  void start() { ProtectionTest::start(kController, &ClaimProtection::open); }

  void add_claim(const std::string& name = "data", const std::string& more = "",
                 const std::string& finalizers = kOwn) {
    cluster_.add(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")" +
                 name + R"(","namespace":"ns","finalizers":)" + finalizers + more +
                 R"(},"spec":{"accessModes":["ReadWriteOnce"],
                    "resources":{"requests":{"storage":"1Gi"}}}})");
    settle();
  }
  struct PodOptions {
    std::string name = "p";
    std::string uid = "uid-p";
    std::string node = "n1";
    std::string phase = "Running";
    std::string volume = R"("persistentVolumeClaim":{"claimName":"data"})";
    std::string metadata = {};
  };
  static std::string pod(const PodOptions& options) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + options.name +
           R"(","namespace":"ns","uid":")" + options.uid + '"' + options.metadata +
           R"(},"spec":{"nodeName":")" + options.node +
           R"(","containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v",)" + options.volume +
           R"(}]},"status":{"phase":")" + options.phase + R"("}})";
  }
  void add_pod(const PodOptions& options) {
    cluster_.add(pod(options));
    settle();
  }
  void add_pod() { add_pod(PodOptions{}); }
  /// As the kubelet does: the object is gone.
  void erase_pod(const std::string& name = "p") {
    cluster_.erase<Pod>({"ns", name});
    settle();
  }
  void remove_claim(const std::string& name = "data") {
    cluster_.clear_records();
    cluster_.remove<volumes::Claim>({"ns", name});
    settle();
  }
  [[nodiscard]] bool has_claim(const std::string& name = "data") {
    return has<volumes::Claim>({"ns", name});
  }
  [[nodiscard]] static std::string ephemeral() {
    return R"("ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],
              "resources":{"requests":{"storage":"1Gi"}}}}})";
  }
  bool changed_ = false;

  [[nodiscard]] static std::string owned_by(const std::string& pod_uid) {
    return R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":")" + pod_uid +
           R"(","controller":true}])";
  }
};

TEST_F(ClaimProtectionTest, PROT01_AnUnusedClaimGoesAfterOneListAndOneWrite) {
  add_claim();
  remove_claim();
  EXPECT_FALSE(has_claim());
  EXPECT_THAT(requests(), ElementsAre("list pods 200", "patch persistentvolumeclaims/data 200"));
  EXPECT_EQ(cluster_.requests().front().ns, "ns");
  const Json patch = cluster_.writes().front().json();
  EXPECT_NE(patch.text_at({"metadata", "uid"}), "");
  EXPECT_NE(patch.text_at({"metadata", "resourceVersion"}), "");
}

TEST_F(ClaimProtectionTest, PROT02_AClaimInUseStaysUntilItsPodIsGone) {
  add_claim();
  add_pod();
  remove_claim();
  EXPECT_TRUE(has_claim());
  EXPECT_THAT(requests(), IsEmpty()) << "the cache knows the pod";
  erase_pod();
  EXPECT_FALSE(has_claim());
}

TEST_F(ClaimProtectionTest, PROT03_APodThatHasFinishedHoldsItsClaim) {
  for (const char* phase : {"Succeeded", "Failed"}) {
    add_claim();
    add_pod({.phase = phase});
    remove_claim();
    EXPECT_TRUE(has_claim()) << phase;
    erase_pod();
    EXPECT_FALSE(has_claim()) << phase;
  }
}

TEST_F(ClaimProtectionTest, PROT04_APodWithoutANodeHoldsNothing) {
  add_claim();
  add_pod({.node = "", .phase = "Pending"});
  remove_claim();
  EXPECT_FALSE(has_claim());
}

TEST_F(ClaimProtectionTest, PROT05_APodThatTheCacheLacksHoldsItsClaim) {
  add_claim();
  cluster_.hold("pods");
  add_pod();
  remove_claim();
  EXPECT_TRUE(has_claim());
  EXPECT_THAT(requests(), Contains("list pods 200"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(ClaimProtectionTest, AClaimIsFreedAlthoughTheCacheNeverSawItsPod) {
  add_claim();
  cluster_.hold("pods");
  add_pod();
  remove_claim();
  ASSERT_TRUE(has_claim());
  erase_pod();
  cluster_.advance(1s);
  EXPECT_FALSE(has_claim());
}

TEST_F(ClaimProtectionTest, PROT06_AListThatFailsKeepsTheClaim) {
  add_claim();
  cluster_.fail_next({.verb = Verb::kList, .resource = "pods", .http_status = 500, .times = 2});
  remove_claim();
  EXPECT_TRUE(has_claim());
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  cluster_.advance(1s);
  EXPECT_FALSE(has_claim());
}

TEST_F(ClaimProtectionTest, PROT07_AFinalizerThatWasTakenOffIsPutBack) {
  add_claim("data", "", R"(["x.com/y"])");
  EXPECT_EQ(finalizers<volumes::Claim>({"ns", "data"}),
            R"(["x.com/y","kubernetes.io/pvc-protection"])");
  EXPECT_THAT(cluster_.requests_of(Verb::kList, "pods"), IsEmpty());
}

TEST_F(ClaimProtectionTest, PROT08_FinalizersOfOthersStay) {
  add_claim("data", "", R"(["x.com/y","kubernetes.io/pvc-protection","a.com/b"])");
  remove_claim();
  EXPECT_EQ(finalizers<volumes::Claim>({"ns", "data"}), R"(["x.com/y","a.com/b"])");
  settle();
  EXPECT_THAT(cluster_.writes(), SizeIs(1)) << "one that is being deleted gets it back never";
}

TEST_F(ClaimProtectionTest, PROT09_ClaimsThatAreDeletedTogetherShareAList) {
  for (int i = 0; i < 50; ++i) add_claim("data-" + std::to_string(i));
  cluster_.clear_records();
  for (int i = 0; i < 50; ++i) cluster_.remove<volumes::Claim>({"ns", "data-" + std::to_string(i)});
  settle();
  EXPECT_THAT(cluster_.all<volumes::Claim>(), IsEmpty());
  EXPECT_LE(cluster_.requests_of(Verb::kList, "pods").size(), 3U);
}

TEST_F(ClaimProtectionTest, PROT10_ASuccessorOfAPodDoesNotHoldItsClaim) {
  add_claim();
  add_pod();
  remove_claim();
  ASSERT_TRUE(has_claim());
  cluster_.hold("pods");
  cluster_.erase<Pod>({"ns", "p"});
  cluster_.add(pod({.uid = "uid-next", .volume = R"("emptyDir":{})"}));
  cluster_.release("pods");
  settle();
  EXPECT_FALSE(has_claim());
}

TEST_F(ClaimProtectionTest, PROT11_AnEphemeralVolumeOfAPodThatIsShutDownIsFree) {
  add_claim("p-v", owned_by("uid-p"));
  add_pod({.volume = ephemeral(), .metadata = R"(,"finalizers":["x.com/y"])"});
  remove_claim("p-v");
  ASSERT_TRUE(has_claim("p-v"));
  cluster_.merge<Pod>({"ns", "p"}, R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z",
      "deletionGracePeriodSeconds":30}})");
  settle();
  EXPECT_TRUE(has_claim("p-v")) << "it may still run";
  cluster_.merge<Pod>({"ns", "p"}, R"({"metadata":{"deletionGracePeriodSeconds":0}})");
  settle();
  EXPECT_FALSE(has_claim("p-v"));
  EXPECT_TRUE(has<Pod>({"ns", "p"}));
}

TEST_F(ClaimProtectionTest, AnEphemeralVolumeHoldsTheClaimOfItsPod) {
  add_claim("p-v", owned_by("uid-p"));
  add_pod({.volume = ephemeral()});
  remove_claim("p-v");
  EXPECT_TRUE(has_claim("p-v"));
  erase_pod();
  EXPECT_FALSE(has_claim("p-v"));
}

TEST_F(ClaimProtectionTest, PROT12_AnEphemeralVolumeDoesNotHoldTheClaimOfAnother) {
  add_claim("p-v");
  add_pod({.volume = ephemeral()});
  remove_claim("p-v");
  EXPECT_FALSE(has_claim("p-v"));
  add_claim("p-v", owned_by("uid-before"));
  remove_claim("p-v");
  EXPECT_FALSE(has_claim("p-v"));
}

TEST_F(ClaimProtectionTest, PROT13_AConflictIsTriedAgain) {
  add_claim();
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "persistentvolumeclaims",
                      .http_status = 409,
                      .reason = "Conflict"});
  remove_claim();
  cluster_.advance(1s);
  EXPECT_FALSE(has_claim());
}

TEST_F(ClaimProtectionTest, AWriteThatFailsKeepsNoOtherClaim) {
  add_claim("a");
  add_claim("b");
  cluster_.fail_next({.verb = Verb::kPatch, .name = "a", .http_status = 422, .times = 100});
  cluster_.clear_records();
  cluster_.remove<volumes::Claim>({"ns", "a"});
  cluster_.remove<volumes::Claim>({"ns", "b"});
  settle();
  EXPECT_TRUE(has_claim("a"));
  EXPECT_FALSE(has_claim("b"));
}

TEST_F(ClaimProtectionTest, AClaimThatChangesAfterTheLookKeepsItsFinalizer) {
  add_claim();
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.verb != Verb::kList || changed_) return;
    changed_ = true;
    // Another client replaces the claim by a live one of the same name.
    cluster_.erase<volumes::Claim>({"ns", "data"});
    cluster_.add(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data",
        "namespace":"ns","uid":"uid-next","finalizers":["kubernetes.io/pvc-protection"]},
        "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
  });
  remove_claim();
  cluster_.advance(1s);
  EXPECT_EQ(finalizers<volumes::Claim>({"ns", "data"}), kOwn);
}

TEST_F(ClaimProtectionTest, PodsOfOtherNamespacesHoldNothing) {
  add_claim();
  cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"other"},
      "spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}],
      "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}})");
  remove_claim();
  EXPECT_FALSE(has_claim());
}

TEST_F(ClaimProtectionTest, PROT25_WithoutTheGateNoConditionIsWritten) {
  add_claim();
  add_pod();
  erase_pod();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(cluster_.json<volumes::Claim>({"ns", "data"}).dump(), Not(HasSubstr("Unused")));
}

TEST_F(ClaimProtectionTest, PROT26_AClaimThatWasDeletedBeforeTheStartIsFreed) {
  cluster_.stop(kController);
  add_claim();
  remove_claim();
  ASSERT_TRUE(has_claim());
  start();
  EXPECT_FALSE(has_claim());
}

}  // namespace
}  // namespace davit::volumeprotection
