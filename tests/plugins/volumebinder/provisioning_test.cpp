/// Rows PV045 to PV072, and others on provisioning, delayed binding and default classes.
#include <string>

#include "plugins/volumebinder/operations.hpp"
#include "plugins/volumebinder/options.hpp"
#include "tests/plugins/volumebinder/fixture.hpp"

namespace davit::volumebinder {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr const char* kAnnotation = "volume.kubernetes.io/storage-provisioner";
constexpr const char* kBetaAnnotation = "volume.beta.kubernetes.io/storage-provisioner";
constexpr const char* kWaits =
    "Normal ExternalProvisioning Waiting for a volume to be created either by the external "
    "provisioner 'example.com/p' or manually by the system administrator. If volume creation is "
    "delayed, please verify that the provisioner is running and correctly registered.";
constexpr const char* kFirstConsumer =
    "Normal WaitForFirstConsumer waiting for first consumer to be created before binding";

class ProvisioningTest : public BinderTest {
 protected:
  void SetUp() override {
    add_class("ext");
    add_class("wffc", "example.com/p", "WaitForFirstConsumer");
    start();
  }
  void claim_of(const std::string& storage_class) {
    add_claim_of_class("c", storage_class);
    run();
  }
  void select_node() {
    cluster_.merge<Claim>(
        {"ns", "c"}, R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n"}}})");
    run();
  }
  [[nodiscard]] std::string class_of_claim() {
    return claim().text_at({"spec", "storageClassName"});
  }
  void add_default(const std::string& name, const std::string& created,
                   const std::string& mark = "storageclass.kubernetes.io/is-default-class") {
    add_class(
        name, "example.com/p", "Immediate",
        R"({"creationTimestamp":")" + created + R"(","annotations":{")" + mark + R"(":"true"}})");
  }
  void add_claim_without_class() {
    add_claim("c", R"({"spec":{"storageClassName":null}})");
    run();
  }
};

TEST_F(ProvisioningTest, PV045_PV046_TheDriverIsAskedOnce) {
  claim_of("ext");
  EXPECT_EQ(claim_annotation("c", kAnnotation), "example.com/p");
  EXPECT_EQ(claim_annotation("c", kBetaAnnotation), "example.com/p");
  EXPECT_THAT(writes(), ElementsAre("patch persistentvolumeclaims/c 200"));
  const int before = times(kWaits);
  EXPECT_GE(before, 1);
  resync();
  resync();
  EXPECT_EQ(times(kWaits), before + 2);
  EXPECT_EQ(writes().size(), 1U);
}

/// The recorder of events cuts them to 25 and one in five minutes (RT-122).
TEST_F(ProvisioningTest, PV108_EachPassReportsThePendingClaimAndWritesNothing) {
  claim_of("");
  const std::string text =
      "Normal FailedBinding no persistent volumes available for this claim and no storage class is "
      "set";
  const int before = times(text);
  EXPECT_GE(before, 1);
  cluster_.clear_records();
  for (int i = 0; i < 30; ++i) cluster_.advance(std::chrono::seconds(15));
  EXPECT_EQ(times(text), 30);
  EXPECT_EQ(cluster_.events().size(), 30U) << "equal ones, which become one object";
  EXPECT_THAT(writes(), ::testing::IsEmpty());
}

TEST_F(ProvisioningTest, PV047_PV100_TheVolumeOfTheDriverIsBoundAtOnce) {
  claim_of("ext");
  cluster_.clear_records();
  add_claimed("pvc-1", "c", "uid-c", R"({"spec":{"storageClassName":"ext"}})");
  run();
  EXPECT_TRUE(is_bound("pvc-1", "c"));
  EXPECT_THAT(writes(), ElementsAre("patch persistentvolumes/pvc-1/status 200",
                                    "patch persistentvolumeclaims/c 200",
                                    "patch persistentvolumeclaims/c/status 200"));
  int count = 0;
  for (const testing::MetricSample& each : cluster_.metrics()) {
    if (each.name != "volume_operation_total_seconds") continue;
    ++count;
    EXPECT_THAT(each.labels, ElementsAre("example.com/p", "provision"));
  }
  EXPECT_EQ(count, 1);
}

TEST_F(ProvisioningTest, PV050_PV051_AClassThatNothingServesIsReported) {
  claim_of("nosuch");
  EXPECT_EQ(times(R"(Warning ProvisioningFailed storageclass.storage.k8s.io "nosuch" not found)"),
            1);
  cluster_.erase<Claim>({"ns", "c"});
  add_class("none", "kubernetes.io/no-provisioner");
  claim_of("none");
  EXPECT_EQ(times("Warning ProvisioningFailed no volume plugin matched name: "
                  "kubernetes.io/no-provisioner"),
            1);
  cluster_.erase<Claim>({"ns", "c"});
  add_class("nfs", "kubernetes.io/nfs");
  claim_of("nfs");
  EXPECT_EQ(times("Warning ProvisioningFailed no provisionable volume plugin matched"), 1);
  EXPECT_EQ(claim_annotation("c", kAnnotation), "");
}

TEST_F(ProvisioningTest, PV052_AMigratedClassIsServedByItsDriver) {
  add_class("aws", "kubernetes.io/aws-ebs");
  claim_of("aws");
  EXPECT_EQ(claim_annotation("c", kAnnotation), "ebs.csi.aws.com");
  EXPECT_EQ(claim_annotation("c", kBetaAnnotation), "ebs.csi.aws.com");
  EXPECT_EQ(claim_annotation("c", "pv.kubernetes.io/migrated-to"), "");
}

TEST_F(ProvisioningTest, ADirectoryOfThisMachineIsNotProvisioned) {
  add_class("host", "kubernetes.io/host-path");
  claim_of("host");
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning ProvisioningFailed Failed to create provisioner: provisioning in "
                       "volume plugin \"kubernetes.io/host-path\" is disabled"));
}

TEST_F(ProvisioningTest, PV056_PV057_ADelayedClaimWaitsForAPod) {
  claim_of("wffc");
  EXPECT_EQ(times(kFirstConsumer), 1);
  EXPECT_EQ(claim_phase(), "Pending");
  EXPECT_EQ(claim_annotation("c", kAnnotation), "");
  add_pod("p", "c");
  resync();
  EXPECT_EQ(times("Normal WaitForPodScheduled waiting for pod p to be scheduled"), 1);
  add_pod("q", "c");
  add_pod("done", "c", "", "Succeeded");
  add_pod("placed", "c", "n");
  resync();
  EXPECT_EQ(times("Normal WaitForPodScheduled waiting for pods p,q to be scheduled"), 1);
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(ProvisioningTest, PV058_PV063_ASelectedNodeLetsProvisioningBegin) {
  claim_of("wffc");
  select_node();
  EXPECT_EQ(claim_annotation("c", kAnnotation), "example.com/p");
  EXPECT_GE(times(kWaits), 1);
  cluster_.clear_records();
  cluster_.merge<Claim>(
      {"ns", "c"}, R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":null}}})");
  run();
  EXPECT_EQ(times(kFirstConsumer), 1);
  EXPECT_EQ(claim_annotation("c", kAnnotation), "example.com/p");
}

TEST_F(ProvisioningTest, PV059_PV060_TheSchedulerChoosesTheVolumeOfADelayedClaim) {
  add_volume("v", R"({"spec":{"storageClassName":"wffc"}})");
  run();
  claim_of("wffc");
  resync();
  EXPECT_EQ(claim_phase(), "Pending");
  EXPECT_EQ(volume_phase(), "Available");
  cluster_.merge<Volume>({"", "v"}, R"({"metadata":{"annotations":
      {"pv.kubernetes.io/bound-by-controller":"yes"}},
      "spec":{"claimRef":{"namespace":"ns","name":"c",
      "uid":"uid-c","kind":"PersistentVolumeClaim","apiVersion":"v1"}}})");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(ProvisioningTest, PV061_PV062_AVolumeThatWasChosenByHandIsBoundWithoutAPod) {
  add_claimed("v", "c", "", R"({"spec":{"storageClassName":"wffc"}})");
  claim_of("wffc");
  EXPECT_TRUE(is_bound("v", "c"));
  add_volume("w", R"({"spec":{"storageClassName":"wffc"}})");
  run();
  add_claim("d", R"({"spec":{"storageClassName":"wffc","volumeName":"w"}})");
  run();
  EXPECT_TRUE(is_bound("w", "d"));
}

TEST_F(ProvisioningTest, PV064_ADefaultClassThatComesLaterIsTaken) {
  add_claim_without_class();
  EXPECT_EQ(claim_phase(), "Pending");
  add_default("d", "2024-01-01T00:00:00Z");
  resync();
  EXPECT_EQ(class_of_claim(), "d");
  EXPECT_EQ(claim_annotation("c", kAnnotation), "example.com/p");
  EXPECT_EQ(metric("retroactive_storageclass_total", {}, false), 1);
}

TEST_F(ProvisioningTest, PV065_TheNewestDefaultWinsAndThenTheSmallestName) {
  add_default("a", "2024-01-01T00:00:00Z");
  add_default("z", "2024-02-01T00:00:00Z");
  add_default("y", "2024-02-01T00:00:00Z");
  add_claim_without_class();
  EXPECT_EQ(class_of_claim(), "y");
}

TEST_F(ProvisioningTest, PV066_TheBetaAnnotationMarksADefault) {
  add_default("d", "2024-01-01T00:00:00Z", "storageclass.beta.kubernetes.io/is-default-class");
  add_claim_without_class();
  EXPECT_EQ(class_of_claim(), "d");
}

TEST_F(ProvisioningTest, PV067_TheClassOfAClaimIsKept) {
  claim_of("");
  add_default("d", "2024-01-01T00:00:00Z");
  resync();
  EXPECT_EQ(class_of_claim(), "");
}

TEST_F(ProvisioningTest, PV068_AVolumeWithoutAClassComesBeforeTheDefault) {
  add_claim_without_class();
  add_volume("v", R"({"status":{"phase":"Available"}})");
  add_default("d", "2024-01-01T00:00:00Z");
  resync();
  EXPECT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(claim()["spec"].find("storageClassName"), nullptr);
}

TEST_F(ProvisioningTest, PV069_AClassThatCannotBeWrittenIsCounted) {
  add_default("d", "2024-01-01T00:00:00Z");
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "persistentvolumeclaims", .times = 2});
  add_claim_without_class();
  cluster_.advance(1s);
  EXPECT_EQ(metric("retroactive_storageclass_errors_total", {}, false), 2);
  EXPECT_EQ(class_of_claim(), "d");
}

TEST_F(ProvisioningTest, PV070_PV102_TheBetaAnnotationNamesTheClass) {
  add_claim("c", R"({"metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":"ext"}},
                     "spec":{"storageClassName":"other"}})");
  run();
  EXPECT_EQ(claim_annotation("c", kAnnotation), "example.com/p");
}

TEST_F(ProvisioningTest, PV071_ProvisioningCanBeSwitchedOff) {
  cluster_.stop(kBinder);
  start(R"({"enableDynamicProvisioning":false})");
  claim_of("ext");
  resync();
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(ProvisioningTest, PV072_ARefusedWriteIsTriedWithPauses) {
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "persistentvolumeclaims",
                      .http_status = 422,
                      .reason = "Invalid",
                      .message = "no",
                      .times = testing::Fault::kAlways});
  claim_of("ext");
  EXPECT_EQ(times("Warning ProvisioningFailed Error saving claim: no"), 1);
  cluster_.merge<Claim>({"ns", "c"}, R"({"metadata":{"labels":{"a":"b"}}})");
  run();
  EXPECT_EQ(writes().size(), 1U) << "within the pause";
  resync();
  EXPECT_EQ(writes().size(), 2U);
  cluster_.clear_faults();
  resync();
  EXPECT_EQ(claim_annotation("c", kAnnotation), "example.com/p");
}

TEST_F(ProvisioningTest, PausesDoubleUpToTwoMinutes) {
  Operations operations;
  Time now{};
  const std::string name = Operations::name("provision", "ns/c", "u");
  EXPECT_EQ(name, "provision-ns/c[u]");
  for (const Duration pause : {Duration(500ms), Duration(1s), Duration(2s), Duration(4s)}) {
    ASSERT_TRUE(operations.try_now(name, "p", now));
    operations.failed(name, now);
    EXPECT_FALSE(operations.try_now(name, "p", now + pause - 1ns));
    now += pause;
  }
  for (int i = 0; i < 20; ++i) operations.failed(name, now);
  EXPECT_FALSE(operations.try_now(name, "p", now + 121s));
  EXPECT_TRUE(operations.try_now(name, "p", now + 122s));
}

TEST_F(ProvisioningTest, AHotSwapKeepsTheBeginningOfAnOperation) {
  claim_of("ext");
  const std::string state = cluster_.state_of(kBinder);
  EXPECT_THAT(state, HasSubstr("provision-ns/c[uid-c]"));
  ASSERT_TRUE(cluster_.swap(kBinder, &VolumeBinder::open).ok());
  EXPECT_EQ(cluster_.state_of(kBinder), state);
  for (const char* each : {"[]", R"({"operations":[{"name":1}]})", R"({"operations":{}})"}) {
    EXPECT_FALSE(cluster_.give_state(kBinder, 1, each).ok()) << each;
  }
}

TEST_F(ProvisioningTest, AnOptionThatIsUnknownOrWrongIsRefused) {
  cluster_.stop(kBinder);
  for (const char* each :
       {R"({"x":1})", R"({"pvClaimBinderSyncPeriod":"soon"})",
        R"({"enableDynamicProvisioning":"no"})", R"({"recyclerMinimumTimeoutNFS":"1"})",
        R"({"recyclerIncrementTimeoutNFS":99999999999})"}) {
    EXPECT_FALSE(cluster_.start(kBinder, &VolumeBinder::open, each).ok()) << each;
  }
  for (const char* each : {"-5s", "0s"}) {
    const Result<Options> options =
        read_options(cluster_.value(std::string(R"({"pvClaimBinderSyncPeriod":")") + each + "\"}"));
    ASSERT_TRUE(options);
    EXPECT_EQ(options->sync_period, Duration(1s)) << "not a loop without a pause";
  }
}

}  // namespace
}  // namespace davit::volumebinder
