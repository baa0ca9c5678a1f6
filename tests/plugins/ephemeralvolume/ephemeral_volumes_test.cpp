/// Rows EPH-01 to EPH-11 and EPH-13.
#include "plugins/ephemeralvolume/ephemeral_volumes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/options.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

#include "plugins/ephemeralvolume/note.hpp"

namespace davit::ephemeralvolume {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Json;
using ::testing::SizeIs;
using testing::Verb;
using namespace std::chrono_literals;

class EphemeralVolumesTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "ephemeral-volume-controller";

  void SetUp() override { start(); }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }
  void start() {
    ASSERT_TRUE(cluster_.start(kController, &make_without_options<EphemeralVolumes>).ok());
    settle();
  }
  void settle() { cluster_.run_until_idle(); }

  static std::string volume(const std::string& name) {
    return R"({"name":")" + name + R"(","ephemeral":{"volumeClaimTemplate":{
        "metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},
        "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},
        "storageClassName":"fast"}}}})";
  }
  void add_pod(const std::string& volumes, const std::string& name = "p",
               const std::string& uid = "uid-p", const std::string& more = "") {
    cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                 R"(","namespace":"ns","uid":")" + uid + '"' + more +
                 R"(},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[)" + volumes +
                 "]}}");
    settle();
  }
  void add_pod() { add_pod(volume("v")); }
  void add_claim_of_another(const std::string& owners = "[]") {
    cluster_.add(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"p-v",
        "namespace":"ns","ownerReferences":)" +
                 owners + R"(},
        "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
    settle();
  }
  [[nodiscard]] bool has_claim(const std::string& name = "p-v") {
    return cluster_.find<volumes::Claim>({"ns", name}).has_value();
  }
  [[nodiscard]] std::size_t creates() const {
    return cluster_.requests_of(Verb::kCreate, "persistentvolumeclaims").size();
  }
  [[nodiscard]] double counted(const std::string& name) const {
    double sum = 0;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == name) sum += each.value;
    }
    return sum;
  }

  testing::Cluster cluster_{{.note = note_text<ephemeralvolume::declare>()}};
};

TEST_F(EphemeralVolumesTest, EPH01_AnEphemeralVolumeGetsTheClaimOfItsTemplate) {
  add_pod();
  Json claim = cluster_.json<volumes::Claim>({"ns", "p-v"});
  EXPECT_EQ(claim["metadata"]["labels"].dump(), R"({"a":"b"})");
  EXPECT_EQ(claim["metadata"]["annotations"].dump(), R"({"c":"d"})");
  EXPECT_EQ(claim["spec"].text_at({"storageClassName"}), "fast");
  Json body = cluster_.writes().at(0).json();
  EXPECT_EQ(body["metadata"]["ownerReferences"].dump(),
            R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"uid-p","controller":true,)"
            R"("blockOwnerDeletion":true}])");
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_EQ(counted("ephemeral_volume_controller_create_total"), 1);
  EXPECT_EQ(counted("ephemeral_volume_controller_create_failures_total"), 0);
}

TEST_F(EphemeralVolumesTest, APodOfAnyPhaseAndNodeGetsItsClaim) {
  cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns"},
      "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}],"volumes":[)" +
               volume("v") + R"(]},"status":{"phase":"Failed"}})");
  settle();
  EXPECT_TRUE(has_claim());
}

TEST_F(EphemeralVolumesTest, EPH02_ARestartOrAResyncCreatesNothing) {
  add_pod();
  cluster_.clear_records();
  cluster_.resync("pods");
  settle();
  cluster_.stop(kController);
  start();
  EXPECT_EQ(creates(), 0U);
}

TEST_F(EphemeralVolumesTest, EPH03_AClaimOfAnotherIsAnErrorThatIsTriedAgain) {
  for (const char* owners :
       {"[]",
        R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"uid-other","controller":true}])",
        R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"uid-p"}])"}) {
    add_claim_of_another(owners);
    cluster_.erase<Pod>({"ns", "p"});
    cluster_.clear_records();
    add_pod();
    EXPECT_EQ(creates(), 0U);
    ASSERT_FALSE(cluster_.events().empty()) << owners;
    EXPECT_EQ(cluster_.event_texts().front(),
              "Warning FailedBinding ephemeral volume v: PVC ns/p-v was not created for pod ns/p "
              "(pod is not owner)");
    const std::size_t before = cluster_.events().size();
    cluster_.advance(20min);
    EXPECT_GT(cluster_.events().size(), before);
  }
}

TEST_F(EphemeralVolumesTest, EPH04_WhenTheOtherClaimGoesTheClaimIsCreatedAtOnce) {
  add_claim_of_another();
  add_pod();
  cluster_.advance(1h);
  cluster_.erase<volumes::Claim>({"ns", "p-v"});
  settle();
  EXPECT_TRUE(has_claim());
}

TEST_F(EphemeralVolumesTest, NamesWithDashesFindTheirPod) {
  add_pod(volume("log-data"), "web-0");
  cluster_.clear_records();
  cluster_.erase<volumes::Claim>({"ns", "web-0-log-data"});
  settle();
  EXPECT_EQ(creates(), 1U);
}

TEST_F(EphemeralVolumesTest, EPH05_AQuotaIsReportedAndCounted) {
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "persistentvolumeclaims",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "exceeded quota: none"});
  add_pod();
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  EXPECT_EQ(cluster_.event_texts().front(),
            "Warning FailedBinding ephemeral volume v: create PVC p-v: exceeded quota: none");
  EXPECT_EQ(counted("ephemeral_volume_controller_create_failures_total"), 1);
  cluster_.advance(1s);
  EXPECT_TRUE(has_claim());
  EXPECT_EQ(counted("ephemeral_volume_controller_create_total"), 2);
}

TEST_F(EphemeralVolumesTest, EPH06_AClaimThatAUserDeletesIsCreatedAgain) {
  add_pod();
  cluster_.merge<volumes::Claim>({"ns", "p-v"}, R"({"metadata":{"finalizers":["x.com/y"]}})");
  cluster_.remove<volumes::Claim>({"ns", "p-v"});
  settle();
  EXPECT_EQ(creates(), 1U) << "the old one is still there";
  cluster_.merge<volumes::Claim>({"ns", "p-v"}, R"({"metadata":{"finalizers":null}})");
  cluster_.erase<volumes::Claim>({"ns", "p-v"});
  settle();
  EXPECT_EQ(creates(), 2U);
}

TEST_F(EphemeralVolumesTest, EPH07_APodThatIsBeingDeletedGetsNone) {
  add_pod(volume("v"), "p", "uid-p",
          R"(,"deletionTimestamp":"2024-05-01T12:00:00Z","finalizers":["x.com/y"])");
  EXPECT_EQ(creates(), 0U);
}

TEST_F(EphemeralVolumesTest, EPH08_VolumesAreServedInTheirOrder) {
  cluster_.fail_next({.verb = Verb::kCreate, .http_status = 500});
  cluster_.fail_next({.verb = Verb::kCreate, .http_status = 500});
  add_pod(volume("a") + R"(,{"name":"e","emptyDir":{}},)" + volume("b"));
  cluster_.advance(1s);
  std::vector<std::string> names;
  for (const auto& each : cluster_.requests_of(Verb::kCreate, "persistentvolumeclaims")) {
    names.push_back(each.json().text_at({"metadata", "name"}));
  }
  EXPECT_THAT(names, ElementsAre("p-a", "p-a", "p-a", "p-b"));
}

TEST_F(EphemeralVolumesTest, EPH09_AClaimThatTheCacheLacksIsReportedOnceAtMost) {
  cluster_.hold("persistentvolumeclaims");
  add_claim_of_another(
      R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"uid-p","controller":true}])");
  add_pod();
  EXPECT_LE(cluster_.events().size(), 1U);
  cluster_.release("persistentvolumeclaims");
  cluster_.advance(1s);
  cluster_.clear_records();
  cluster_.advance(1h);
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_EQ(creates(), 0U);
}

TEST_F(EphemeralVolumesTest, EPH10_TheClaimNamesItsPodForTheGarbageCollector) {
  add_pod();
  const std::optional<volumes::Claim> claim = cluster_.find<volumes::Claim>({"ns", "p-v"});
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->is_controlled_by(*cluster_.find<Pod>({"ns", "p"})));
  cluster_.clear_records();
  cluster_.erase<Pod>({"ns", "p"});
  settle();
  EXPECT_THAT(cluster_.requests(), IsEmpty()) << "the controller deletes nothing";
}

TEST_F(EphemeralVolumesTest, EPH11_ASuccessorWaitsForTheClaimOfTheOldPod) {
  add_pod();
  cluster_.erase<Pod>({"ns", "p"});
  settle();
  cluster_.clear_records();
  add_pod(volume("v"), "p", "uid-next");
  EXPECT_EQ(creates(), 0U);
  EXPECT_FALSE(cluster_.events().empty());
  cluster_.erase<volumes::Claim>({"ns", "p-v"});
  settle();
  EXPECT_EQ(creates(), 1U);
}

TEST_F(EphemeralVolumesTest, EPH13_ANameThatIsTooLongIsRefusedByTheServer) {
  add_pod(volume("v"), std::string(253, 'p'));
  EXPECT_FALSE(cluster_.events().empty());
  EXPECT_THAT(cluster_.event_texts(),
              Each(HasSubstr("Warning FailedBinding ephemeral volume v: ")));
}

}  // namespace
}  // namespace davit::ephemeralvolume
