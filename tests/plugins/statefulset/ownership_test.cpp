/// Rows SS52 to SS59: adoption and release.
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class OwnershipTest : public StatefulSetTest {
 protected:
  std::string owner_of(const std::string& name) {
    const std::optional<Pod> found = cluster_.find<Pod>({"ns", name});
    const auto owner = found ? found->controller() : std::nullopt;
    return owner ? std::string(owner->uid()) : std::string();
  }
};

TEST_F(OwnershipTest, SS52_AMatchingOrphanIsAdopted) {
  add_pod("web-1");
  const std::string pod_uid = pod("web-1").text_at({"metadata", "uid"});
  start();
  const std::string uid = add_set(2);
  EXPECT_EQ(owner_of("web-1"), uid);
  EXPECT_EQ(pod("web-1").text_at({"metadata", "uid"}), pod_uid);
  EXPECT_EQ(count(Verb::kGet, "statefulsets"), 1u) << "the server is asked first";
}

TEST_F(OwnershipTest, SS53_AnOrphanOfAnotherNameIsNotAdopted) {
  add_pod("other-1");
  start();
  add_set(2);
  EXPECT_EQ(owner_of("other-1"), "");
}

TEST_F(OwnershipTest, SS54_APodWithoutLabelsIsReleasedAndComesBack) {
  start();
  const std::string uid = add_set(1);
  make_ready("web-0");
  cluster_.clear_records();
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"metadata":{"labels":{"app":null}}})");
  run();
  EXPECT_EQ(owner_of("web-0"), "");
  EXPECT_THAT(events(), IsEmpty()) << "the name is taken, in silence";
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"metadata":{"labels":{"app":"x"}}})");
  run();
  EXPECT_EQ(owner_of("web-0"), uid);
}

TEST_F(OwnershipTest, SS55_AnOrphanOutsideTheRangeIsAdoptedAndDeleted) {
  start();
  add_ready_set(2);
  add_pod("web-5");
  cluster_.clear_records();
  make_ready("web-5");
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
  EXPECT_EQ(count(Verb::kPatch, "pods"), 1u);
  EXPECT_EQ(count(Verb::kDelete, "pods"), 1u);
}

TEST_F(OwnershipTest, SS56_AnAdoptedPodGetsItsLabels) {
  add_pod("web-0");
  start();
  add_set(1);
  EXPECT_EQ(pod("web-0").text_at({"metadata", "labels", kPodNameLabel}), "") << "not available yet";
  cluster_.clear_records();
  make_ready("web-0");
  EXPECT_EQ(pod("web-0").text_at({"metadata", "labels", kPodNameLabel}), "web-0");
  EXPECT_EQ(pod("web-0").text_at({"metadata", "labels", kPodIndexLabel}), "0");
  EXPECT_THAT(events(),
              Contains("Normal SuccessfulUpdate Update Pod web-0 in StatefulSet web successful"));
}

TEST_F(OwnershipTest, SS56_AConflictIsTriedAgainWithTheCachedPod) {
  add_pod("web-0");
  start();
  add_set(1);
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "pods",
                      .http_status = 409,
                      .reason = "Conflict",
                      .message = "changed",
                      .times = 2});
  cluster_.clear_records();
  make_ready("web-0");
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulUpdate Update Pod web-0 in StatefulSet web "
                                    "successful",
                                    HasSubstr("SuccessfulDelete"), HasSubstr("SuccessfulCreate")))
      << "then it is replaced, because it has no revision";
}

TEST_F(OwnershipTest, SS56_AnAdoptedPodWithoutItsVolumesIsRefusedByTheServer) {
  add_pod("web-0");
  start();
  add_set(1, {kClaims});
  cluster_.clear_records();
  make_ready("web-0");
  EXPECT_THAT(claim_names(), ElementsAre("data-web-0"));
  EXPECT_THAT(events(), Contains(HasSubstr("Warning FailedUpdate Update Pod web-0")));
  EXPECT_FALSE(cluster_.syncs().back().ok());
}

TEST_F(OwnershipTest, SS57_ASetThatWasJustDeletedAdoptsNothing) {
  start();
  add_set(1, {R"({"metadata":{"finalizers":["example.com/f"]}})"});
  cluster_.hold("statefulsets");
  cluster_.remove<StatefulSet>({"ns", "web"});
  add_pod("web-7");
  cluster_.clear_records();
  run();
  EXPECT_EQ(count(Verb::kGet, "statefulsets"), 1u);
  EXPECT_EQ(count(Verb::kPatch, "pods"), 0u);
  EXPECT_THAT(cluster_.syncs().back().error, HasSubstr("ns/web has just been deleted at"));
  cluster_.release("statefulsets");
}

TEST_F(OwnershipTest, SS58_SetsWithOneSelectorHavePodsOfTheirNames) {
  start();
  const std::string web = add_set(1);
  const std::string db = add_set(1, {R"({"metadata":{"name":"db"}})"});
  EXPECT_EQ(owner_of("web-0"), web);
  EXPECT_EQ(owner_of("db-0"), db);
  EXPECT_THAT(pod_names(), ElementsAre("db-0", "web-0"));
}

TEST_F(OwnershipTest, SS59_AMatchingOrphanedRevisionIsAdopted) {
  cluster_.add(Json::must(R"({"apiVersion":"apps/v1","kind":"ControllerRevision",
      "metadata":{"name":"web-old","namespace":"ns","labels":{"app":"x"}},
      "data":{"spec":{"template":{"spec":{}}}},"revision":4})"));
  start();
  const std::string uid = add_set(1);
  const auto old = cluster_.find<history::ControllerRevision>({"ns", "web-old"});
  EXPECT_TRUE(old->is_controlled_by({"StatefulSet", "ns", "web", uid}));
  EXPECT_EQ(cluster_.json<history::ControllerRevision>({"ns", revision_names().back()})
                .text_at({"revision"}),
            "5")
      << "it counts";
}

TEST_F(OwnershipTest, ARevisionThatCannotBeAdoptedFailsTheSync) {
  cluster_.add(Json::must(R"({"apiVersion":"apps/v1","kind":"ControllerRevision",
      "metadata":{"name":"web-old","namespace":"ns","labels":{"app":"x"}},
      "data":{"spec":{"template":{"spec":{}}}},"revision":4})"));
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "controllerrevisions",
                      .http_status = 404,
                      .reason = "NotFound",
                      .message = "gone"});
  start();
  add_set(1);
  EXPECT_FALSE(cluster_.syncs().front().ok());
  cluster_.advance(1s);
  EXPECT_THAT(pod_names(), Not(IsEmpty()));
}

}  // namespace
}  // namespace davit::statefulset
