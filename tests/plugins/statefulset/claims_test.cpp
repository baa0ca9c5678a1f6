/// Rows SS17 to SS35: claims and their owners.
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ClaimsTest : public StatefulSetTest {
 protected:
  static constexpr std::string_view kDeletedWithSet =
      R"({"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete"}}})";
  static constexpr std::string_view kDeletedWhenScaled =
      R"({"spec":{"persistentVolumeClaimRetentionPolicy":{"whenScaled":"Delete"}}})";
  static constexpr std::string_view kDeletedAlways =
      R"({"spec":{"persistentVolumeClaimRetentionPolicy":
          {"whenDeleted":"Delete","whenScaled":"Delete"}}})";

  std::string set_owner() const {
    return "StatefulSet web " + set().text_at({"metadata", "uid"}) + " controller";
  }
  std::string pod_owner(const std::string& name) const {
    return "Pod " + name + " " + pod(name).text_at({"metadata", "uid"}) + " controller";
  }
  /// Owner references as JSON.
  static std::string owned_by(const std::string& references) {
    return R"({"metadata":{"ownerReferences":[)" + references + "]}}";
  }
  static std::string reference(std::string_view kind, std::string_view name, std::string_view uid,
                               bool controller) {
    return R"({"apiVersion":")" + std::string(kind == "StatefulSet" ? "apps/v1" : "v1") +
           R"(","kind":")" + std::string(kind) + R"(","name":")" + std::string(name) +
           R"(","uid":")" + std::string(uid) + R"(","controller":)" +
           (controller ? "true" : "false") + "}";
  }
};

TEST_F(ClaimsTest, SS17_AClaimComesBeforeItsPod) {
  start();
  add_set(1, {kClaims, R"({"spec":{"volumeClaimTemplates":[{"metadata":{"name":"data",
      "labels":{"a":"b","app":"not x"}},"spec":{"accessModes":["ReadWriteOnce"],
      "resources":{"requests":{"storage":"1Gi"}}}}]}})"});
  const Json claim = this->claim("data-web-0");
  EXPECT_EQ(claim.at({"metadata", "labels"})->canonical(), R"({"a":"b","app":"x"})");
  EXPECT_THAT(owners_of("data-web-0"), IsEmpty());
  EXPECT_EQ(claim.text_at({"spec", "resources", "requests", "storage"}), "1Gi");
  EXPECT_EQ(pod("web-0").at({"spec", "volumes"})->items().front().canonical(),
            R"({"name":"data","persistentVolumeClaim":{"claimName":"data-web-0"}})");
  EXPECT_THAT(
      events(),
      ElementsAre("Normal SuccessfulCreate Create Claim data-web-0 Pod web-0 in StatefulSet web "
                  "success",
                  "Normal SuccessfulCreate Create Pod web-0 in StatefulSet web successful"));
}

TEST_F(ClaimsTest, SS18_AVolumeOfTheTemplateWithTheNameIsReplaced) {
  start();
  add_set(1, {kClaims, R"({"spec":{"template":{"spec":{"volumes":[
      {"name":"data","emptyDir":{}},{"name":"tmp","emptyDir":{}}]}}}})"});
  EXPECT_EQ(pod("web-0").at({"spec", "volumes"})->canonical(),
            R"([{"name":"data","persistentVolumeClaim":{"claimName":"data-web-0"}},)"
            R"({"emptyDir":{},"name":"tmp"}])");
}

TEST_F(ClaimsTest, SS19_AClaimThatExistsIsUsedAsItIs) {
  add_claim("data-web-0", R"({"metadata":{"labels":{"my":"own"}}})");
  const Json before = claim("data-web-0");
  start();
  add_ready_set(1, {kClaims});
  EXPECT_EQ(claim("data-web-0"), before);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(ClaimsTest, SS20_AClaimThatIsBeingDeletedHoldsItsPodBack) {
  add_claim("data-web-0", R"({"metadata":{"finalizers":["example.com/f"]}})");
  cluster_.remove<PersistentVolumeClaim>({"ns", "data-web-0"});
  start();
  add_set(1, {kClaims});
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_THAT(events(),
              Contains("Warning FailedCreate Create Pod web-0 in StatefulSet web failed error: "
                       "pvc data-web-0 is being deleted"));
  cluster_.erase<PersistentVolumeClaim>({"ns", "data-web-0"});
  cluster_.advance(60s);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(ClaimsTest, SS21_ARefusedClaimFailsItsPod) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "persistentvolumeclaims",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "exceeded quota: q"});
  add_set(1, {kClaims});
  ASSERT_GE(events().size(), 2u);
  EXPECT_EQ(events()[0],
            "Warning FailedCreate Create Claim data-web-0 for Pod web-0 in StatefulSet web failed "
            "error: exceeded quota: q");
  EXPECT_EQ(events()[1],
            "Warning FailedCreate Create Pod web-0 in StatefulSet web failed error: failed to "
            "create PVC data-web-0: exceeded quota: q");
}

TEST_F(ClaimsTest, SS21_AllClaimsAreTriedAndTheirErrorsJoined) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "persistentvolumeclaims",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "no",
                      .times = 2});
  add_set(1, {R"({"spec":{"volumeClaimTemplates":[
      {"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],
       "resources":{"requests":{"storage":"1Gi"}}}},
      {"metadata":{"name":"b"},"spec":{"accessModes":["ReadWriteOnce"],
       "resources":{"requests":{"storage":"1Gi"}}}}]}})"});
  EXPECT_THAT(events(), Contains("Warning FailedCreate Create Pod web-0 in StatefulSet web failed "
                                 "error: [failed to create PVC a-web-0: no, failed to create PVC "
                                 "b-web-0: no]"));
}

TEST_F(ClaimsTest, SS22_AClaimOfAPendingPodIsCreatedAgain) {
  start();
  add_set(1, {kClaims});
  cluster_.erase<PersistentVolumeClaim>({"ns", "data-web-0"});
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"metadata":{"annotations":{"any":"event"}}})");
  run();
  EXPECT_THAT(claim_names(), ElementsAre("data-web-0"));
}

TEST_F(ClaimsTest, SS23_AClaimOfARunningPodIsNotCreatedAgain) {
  start();
  add_ready_set(1, {kClaims});
  cluster_.erase<PersistentVolumeClaim>({"ns", "data-web-0"});
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"metadata":{"annotations":{"any":"event"}}})");
  run();
  EXPECT_THAT(claim_names(), IsEmpty());
}

TEST_F(ClaimsTest, SS24_RetainedClaimsHaveNoOwners) {
  start();
  add_ready_set(3, {kClaims});
  scale(1);
  delete_set();
  EXPECT_THAT(claim_names(), ElementsAre("data-web-0", "data-web-1", "data-web-2"));
  for (const std::string& each : claim_names()) EXPECT_THAT(owners_of(each), IsEmpty());
}

TEST_F(ClaimsTest, SS25_ClaimsThatGoWithTheSetBelongToIt) {
  start();
  add_ready_set(2, {kClaims, kDeletedWithSet});
  EXPECT_THAT(owners_of("data-web-0"), ElementsAre(set_owner()));
  EXPECT_THAT(owners_of("data-web-1"), ElementsAre(set_owner()));
}

TEST_F(ClaimsTest, SS26_ClaimsThatGoWhenScaledBelongToTheirPodFirst) {
  start();
  add_ready_set(3, {kClaims, kDeletedWhenScaled, kBound});
  const std::string owner1 = pod_owner("web-1");
  const std::string owner2 = pod_owner("web-2");
  cluster_.clear_records();
  scale(1);
  EXPECT_THAT(owners_of("data-web-0"), IsEmpty());
  EXPECT_THAT(owners_of("data-web-1"), ElementsAre(owner1));
  EXPECT_THAT(owners_of("data-web-2"), ElementsAre(owner2));
  ASSERT_GE(writes().size(), 3u);
  EXPECT_THAT(writes()[0], StartsWith("patch persistentvolumeclaims/data-web-2"));
  EXPECT_THAT(writes()[1], StartsWith("patch persistentvolumeclaims/data-web-1"));
  EXPECT_THAT(writes()[2], StartsWith("delete pods/web-2"));
}

TEST_F(ClaimsTest, SS27_AClaimHasOneOwner) {
  start();
  add_ready_set(3, {kClaims, kDeletedAlways, kBound});
  EXPECT_THAT(owners_of("data-web-2"), ElementsAre(set_owner()));
  const std::string owner2 = pod_owner("web-2");
  scale(2);
  EXPECT_THAT(owners_of("data-web-1"), ElementsAre(set_owner()));
  EXPECT_THAT(owners_of("data-web-2"), ElementsAre(owner2));
}

TEST_F(ClaimsTest, SS28_ParallelScalingBackReturnsTheClaim) {
  start();
  add_ready_set(3, {kClaims, kDeletedAlways, kBound, kParallel});
  scale(2);
  EXPECT_THAT(owners_of("data-web-2"), ElementsAre(pod_owner("web-2")));
  scale(3);
  EXPECT_THAT(owners_of("data-web-2"), ElementsAre(set_owner()));
}

TEST_F(ClaimsTest, SS28_OrderedScalingBackLeavesTheClaimToItsPod) {
  start();
  add_ready_set(3, {kClaims, kDeletedAlways, kBound});
  scale(2);
  scale(3);
  EXPECT_TRUE(is_being_deleted("web-2"));
  EXPECT_THAT(owners_of("data-web-2"), ElementsAre(pod_owner("web-2")));
}

TEST_F(ClaimsTest, SS29_APolicyThatRetainsRemovesTheReferences) {
  start();
  add_ready_set(2, {kClaims, kDeletedWithSet});
  cluster_.clear_records();
  edit_set(R"({"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain"}}})");
  EXPECT_THAT(owners_of("data-web-0"), IsEmpty());
  EXPECT_THAT(owners_of("data-web-1"), IsEmpty());
  EXPECT_THAT(events(),
              ElementsAre("Normal SuccessfulUpdate Update Pod web-0 in StatefulSet web successful",
                          "Normal SuccessfulUpdate Update Pod web-1 in StatefulSet web "
                          "successful"));
}

TEST_F(ClaimsTest, SS30_AClaimOfAnotherControllerIsLeftAlone) {
  add_claim("data-web-0", owned_by(reference("ConfigMap", "c", "other", true)));
  start();
  add_set(1, {kClaims, kDeletedWhenScaled});
  make_ready("web-0");
  const Json before = claim("data-web-0");
  EXPECT_THAT(events(), Contains("Warning ConflictingController PersistentVolumeClaim data-web-0 "
                                 "has a conflicting OwnerReference that acts as a manging "
                                 "controller, the retention policy is ignored for this claim"))
      << "creating the pod evaluated its owners";
  cluster_.clear_records();
  scale(0);
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_EQ(claim("data-web-0"), before);
  EXPECT_THAT(events(), Not(Contains(HasSubstr("ConflictingController"))));
}

TEST_F(ClaimsTest, SS31_AReferenceBesideAnotherControllerIsRemoved) {
  start();
  add_ready_set(1, {kClaims, kDeletedWithSet});
  const std::string uid = set().text_at({"metadata", "uid"});
  cluster_.merge<PersistentVolumeClaim>({"ns", "data-web-0"},
                                        owned_by(reference("StatefulSet", "web", uid, false) + "," +
                                                 reference("ConfigMap", "c", "other", true)));
  cluster_.clear_records();
  cluster_.resync("statefulsets");
  run();
  EXPECT_THAT(owners_of("data-web-0"), ElementsAre("ConfigMap c other controller"));
  EXPECT_THAT(events(), Contains(HasSubstr("Warning ConflictingController")));
}

TEST_F(ClaimsTest, SS32_AClaimOfAnEarlierSetIsLeftAlone) {
  add_claim("data-web-0", owned_by(reference("StatefulSet", "web", "earlier", true)));
  const Json before = claim("data-web-0");
  start();
  add_ready_set(1, {kClaims, kDeletedWithSet});
  EXPECT_EQ(claim("data-web-0"), before);
}

TEST_F(ClaimsTest, SS33_AReferenceWithoutControllerIsRemovedOrReplaced) {
  start();
  add_ready_set(1, {kClaims});
  const std::string uid = set().text_at({"metadata", "uid"});
  const std::string weak = owned_by(reference("StatefulSet", "web", uid, false));
  cluster_.merge<PersistentVolumeClaim>({"ns", "data-web-0"}, weak);
  cluster_.resync("statefulsets");
  run();
  EXPECT_THAT(owners_of("data-web-0"), IsEmpty());

  edit_set(kDeletedWithSet);
  cluster_.merge<PersistentVolumeClaim>({"ns", "data-web-0"}, weak);
  cluster_.resync("statefulsets");
  run();
  EXPECT_THAT(owners_of("data-web-0"), ElementsAre(set_owner()));
}

TEST_F(ClaimsTest, SS34_APodWaitsForTheClaimOfItsPredecessorToGo) {
  start();
  add_ready_set(3, {kClaims, kDeletedWhenScaled});
  scale(2);
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
  // The garbage collector has not come yet.
  ASSERT_THAT(claim_names(), Contains("data-web-2"));
  scale(3);
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
  EXPECT_TRUE(cluster_.syncs().back().ok());
  cluster_.erase<PersistentVolumeClaim>({"ns", "data-web-2"});
  run();
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1", "web-2"));
  EXPECT_THAT(claim_names(), Contains("data-web-2"));
}

TEST_F(ClaimsTest, SS35_ARetainedClaimIsUsedAgainWhateverOwnsIt) {
  add_claim("data-web-2", owned_by(reference("Pod", "web-2", "dead", true)));
  start();
  add_ready_set(3, {kClaims});
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1", "web-2"));
  EXPECT_THAT(owners_of("data-web-2"), ElementsAre("Pod web-2 dead controller"));
}

TEST_F(ClaimsTest, AFailedOwnerOfAClaimFailsThePod) {
  start();
  add_ready_set(1, {kClaims});
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "persistentvolumeclaims",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "no"});
  edit_set(kDeletedWithSet);
  EXPECT_THAT(events(),
              Contains("Warning FailedUpdate Update Pod web-0 in StatefulSet web failed error: "
                       "could not update claim data-web-0 for delete policy ownerRefs: no"));
  cluster_.advance(1s);
  EXPECT_THAT(owners_of("data-web-0"), ElementsAre(set_owner()));
}

TEST_F(ClaimsTest, ParallelPodsGetTheirClaimsInOneBatch) {
  start();
  add_set(3, {kClaims, kParallel});
  EXPECT_THAT(claim_names(), ElementsAre("data-web-0", "data-web-1", "data-web-2"));
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1", "web-2"));
}

}  // namespace
}  // namespace davit::statefulset
