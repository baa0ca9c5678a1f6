/// Rows J128 to J142: whose pods are whose, and what becomes of them.
#include <optional>
#include <string>

#include "tests/plugins/job/fixture.hpp"
#include "tests/support/allocated_bytes.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OwnershipTest : public JobTest {
 protected:
  explicit OwnershipTest(ReadYourWrites own_writes = ReadYourWrites::kOn) : JobTest(own_writes) {}

  static constexpr std::string_view kManual =
      R"({"completions":1,"manualSelector":true,"selector":{"matchLabels":{"a":"1"}},
          "template":{"metadata":{"labels":{"a":"1"}}}})";

  /// Adds a pod with label a=1 and without an owner.
  void add_orphan(const std::string& name = "orphan") {
    add_pod(name, R"({"metadata":{"labels":{"a":"1"}}})");
  }
  [[nodiscard]] std::string owners(const std::string& pod) const {
    const Json object = this->pod(pod);
    const Json* owners = object.at({"metadata", "ownerReferences"});
    return owners == nullptr ? std::string() : owners->canonical();
  }
};

class LaggingOwnershipTest : public OwnershipTest {
 protected:
  LaggingOwnershipTest() : OwnershipTest(ReadYourWrites::kOff) {}
};

TEST_F(OwnershipTest, J128_AMatchingPodIsAdopted) {
  add_orphan();
  run_job(kManual);
  EXPECT_EQ(count(Verb::kGet, "jobs"), 1U);
  EXPECT_EQ(creations(), 0U);
  EXPECT_TRUE(has_finalizer("orphan"));
  EXPECT_THAT(owners("orphan"), ::testing::HasSubstr(job_uid()));
  const std::vector<testing::RequestRecord> patches = cluster_.requests_of(Verb::kPatch, "pods");
  ASSERT_THAT(patches, SizeIs(1));
  EXPECT_EQ(patches[0].json().canonical(),
            R"({"metadata":{"finalizers":["batch.kubernetes.io/job-tracking"],"ownerReferences":[)"
            R"({"apiVersion":"batch/v1","blockOwnerDeletion":true,"controller":true,"kind":"Job",)"
            R"("name":"j","uid":")" +
                job_uid() + R"("}],"uid":")" + pod("orphan").text_at({"metadata", "uid"}) +
                R"("}})");
  EXPECT_EQ(status("active"), "1");
}

TEST_F(OwnershipTest, J129_J130_APodThatDoesNotMatchAnyMoreIsReleasedAndMayComeBack) {
  run_job(kManual);
  const std::string pod = active_pod();
  cluster_.clear_records();
  set_pod(pod, R"({"metadata":{"labels":{"a":"2"}}})");
  settle();
  EXPECT_EQ(owners(pod), "");
  EXPECT_FALSE(has_finalizer(pod));
  EXPECT_THAT(active_pods(), SizeIs(2));
  EXPECT_EQ(cluster_.requests_of(Verb::kPatch, "pods").front().json().canonical(),
            R"({"metadata":{"$deleteFromPrimitiveList/finalizers":[)"
            R"("batch.kubernetes.io/job-tracking"],"ownerReferences":[{"$patch":"delete","uid":")" +
                job_uid() + R"("}],"uid":")" + this->pod(pod).text_at({"metadata", "uid"}) +
                R"("}})");

  set_pod(pod, R"({"metadata":{"labels":{"a":"1"}}})");
  settle();
  EXPECT_THAT(active_pods(), SizeIs(1));
  EXPECT_EQ(status("active"), "1");
}

TEST_F(LaggingOwnershipTest, J131_AStaleJobAdoptsNothing) {
  run_job(R"({"parallelism":0,"completions":1,"manualSelector":true,
              "selector":{"matchLabels":{"a":"1"}},"template":{"metadata":{"labels":{"a":"1"}}}})",
          R"({"metadata":{"finalizers":["example.com/hold"]}})");
  cluster_.clear_records();
  cluster_.hold("jobs");
  cluster_.remove<Job>({"default", "j"});
  add_orphan();
  settle();
  EXPECT_GE(count(Verb::kGet, "jobs"), 1U);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(OwnershipTest, J132_AFailedAdoptionFailsTheSync) {
  add_orphan();
  start();
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "pods", .times = 1});
  add_job(kManual);
  cluster_.run_until_idle();
  EXPECT_EQ(creations(), 0U);
  EXPECT_EQ(status_writes(), 0U);
  settle();
  EXPECT_TRUE(has_finalizer("orphan"));
  EXPECT_EQ(creations(), 0U);
}

TEST_F(OwnershipTest, J133_PodsOfADeletedJobLoseTheirFinalizer) {
  run_job(R"({"parallelism":2,"completions":4})");
  succeed(active_pods().front());
  delete_job();
  settle();
  for (const std::string& each : all_pods()) EXPECT_FALSE(has_finalizer(each));
  EXPECT_THAT(all_pods(), SizeIs(2)) << "deleting them is the garbage collector's work";
}

// Issue 30, 4.4: the patches of 10,000 pods were all made before the first was sent.
class ManyPodsOfAJobTest : public OwnershipTest, public ::testing::WithParamInterface<Propagation> {
 protected:
  static constexpr std::size_t kPods = 3000;
  /// The facts of a pod take 575, and its request and response together 2,250 more.
  static constexpr std::size_t kBytesPerPodMax = 1000;
};

TEST_P(ManyPodsOfAJobTest, ThePatchOfEachIsMadeWhenItsTurnComes) {
  const std::string pods = std::to_string(kPods);
  run_job(R"({"parallelism":)" + pods + R"(,"completions":)" + pods + "}");
  cluster_.advance(10s);  // A sync creates no more than 500.
  ASSERT_THAT(all_pods(), SizeIs(kPods));
  std::optional<std::size_t> at_first_patch;
  cluster_.on_request([&](const testing::RequestRecord& request) {
    if (request.verb != Verb::kPatch || request.resource != "pods" || at_first_patch) return;
    at_first_patch = test::allocated_bytes();
  });
  const std::size_t before = test::allocated_bytes();
  delete_job(GetParam());
  settle();
  ASSERT_TRUE(at_first_patch);
  EXPECT_LT(*at_first_patch, before + kPods * kBytesPerPodMax);
  for (const std::string& each : all_pods()) EXPECT_FALSE(has_finalizer(each));
}
INSTANTIATE_TEST_SUITE_P(ThatIsDeleted, ManyPodsOfAJobTest,
                         ::testing::Values(Propagation::kBackground, Propagation::kForeground));

TEST_F(OwnershipTest, PodsThatAPatchDoesNotFindAlthoughTheyAreThereLoseTheirFinalizerLater) {
  run_job(R"({"parallelism":2,"completions":4})");
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "pods",
                      .http_status = 404,
                      .reason = "NotFound",
                      .times = 3});
  delete_job();
  cluster_.advance(2min);
  for (const std::string& each : all_pods()) EXPECT_FALSE(has_finalizer(each));
  EXPECT_THAT(all_pods(), SizeIs(2));
}

TEST_F(OwnershipTest, J134_OrphanedPodsRunOn) {
  run_job(R"({"parallelism":2,"completions":2})");
  delete_job(Propagation::kOrphan);
  settle();
  // The garbage collector's part.
  for (const std::string& each : all_pods()) {
    set_pod(each, R"({"metadata":{"ownerReferences":null}})");
  }
  cluster_.erase<Job>({"default", "j"});
  settle();
  EXPECT_THAT(active_pods(), SizeIs(2));
  for (const std::string& each : all_pods()) {
    EXPECT_FALSE(has_finalizer(each));
    EXPECT_EQ(owners(each), "");
  }
}

TEST_F(OwnershipTest, J135_InAForegroundDeletionPodsAreReleasedWhileTheJobStays) {
  run_job(R"({"parallelism":2,"completions":4})");
  delete_job(Propagation::kForeground);
  settle();
  EXPECT_EQ(job().text_at({"metadata", "name"}), "j");
  EXPECT_THAT(active_pods(), SizeIs(2));
  for (const std::string& each : all_pods()) EXPECT_FALSE(has_finalizer(each));
  EXPECT_EQ(status("failed"), "");
  EXPECT_EQ(status("succeeded"), "");
  EXPECT_EQ(creations(), 2U);
}

TEST_F(OwnershipTest, J136_J137_OnlyPodsOfNoOtherControllerAreReleased) {
  start();
  const std::string finalizers = R"("finalizers":["batch.kubernetes.io/job-tracking"])";
  add_pod("mine", R"({"metadata":{)" + finalizers + "}}");
  add_pod("theirs", R"({"metadata":{)" + finalizers + R"(,"ownerReferences":[{"apiVersion":
      "apps/v1","kind":"ReplicaSet","name":"rs","uid":"u","controller":true}]}})");
  add_pod("other-group", R"({"metadata":{)" + finalizers + R"(,"ownerReferences":[{"apiVersion":
      "example.com/v1","kind":"Job","name":"j","uid":"u","controller":true}]}})");
  settle();
  set_pod("theirs", R"({"metadata":{"labels":{"x":"y"}}})");
  delete_pod("theirs");
  delete_pod("other-group");
  settle();
  EXPECT_FALSE(has_finalizer("mine"));
  EXPECT_TRUE(has_finalizer("theirs"));
  EXPECT_TRUE(has_finalizer("other-group"));
}

TEST_F(OwnershipTest, J136_AnOrphanWhosePatchFailsIsTriedAgain) {
  start();
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "pods", .times = 2});
  add_pod("mine", R"({"metadata":{"finalizers":["batch.kubernetes.io/job-tracking"]}})");
  cluster_.advance(10s);
  EXPECT_FALSE(has_finalizer("mine"));
  EXPECT_EQ(count(Verb::kPatch, "pods"), 3U);
}

TEST_F(OwnershipTest, J138_AFinalizerOnAPodOfAFinishedJobGoes) {
  run_job();
  const std::string pod = active_pod();
  succeed(pod);
  settle();
  const std::string before = job().at({"status"})->dump();
  set_pod(pod, R"({"metadata":{"finalizers":["batch.kubernetes.io/job-tracking"]}})");
  delete_pod(pod);
  settle();
  EXPECT_FALSE(exists(pod));
  EXPECT_EQ(job().at({"status"})->dump(), before);
}

TEST_F(OwnershipTest, J138_PodsOfAJobThatSomeoneElseEndedLoseTheirFinalizer) {
  run_job();
  edit_status(R"({"conditions":[{"type":"Failed","status":"True"}]})");
  settle();
  EXPECT_FALSE(has_finalizer(active_pod()));
}

TEST_F(OwnershipTest, J139_AnExternalJobIsNotTouched) {
  run_job(R"({"managedBy":"example.com/x"})");
  add_pod("its", R"({"metadata":{"finalizers":["batch.kubernetes.io/job-tracking"],
      "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","controller":true,
                          "uid":")" +
                     job_uid() + R"("}]}})");
  settle();
  succeed("its");
  settle();
  edit_status(R"({"conditions":[{"type":"Failed","status":"True"}]})");
  settle();
  delete_pod("its");
  settle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_TRUE(has_finalizer("its"));
  EXPECT_EQ(metric("jobs_by_external_controller_total", {"example.com/x"}), 1);
}

TEST_F(OwnershipTest, J140_TheNameOfThisControllerChangesNothing) {
  run_job(R"({"managedBy":"kubernetes.io/job-controller"})");
  EXPECT_THAT(active_pods(), SizeIs(1));
}

TEST_F(OwnershipTest, J141_ARecreatedJobDoesNotWaitForTheBackOffOfTheOldOne) {
  run_job();
  fail(active_pod());
  settle();
  delete_job();
  add_job();
  cluster_.advance(5s);
  EXPECT_THAT(active_pods(), SizeIs(1));
}

TEST_F(LaggingOwnershipTest, J141_ARecreatedJobDoesNotWaitForTheExpectationsOfTheOldOne) {
  start();
  cluster_.hold("pods");
  add_job(R"({"parallelism":2,"completions":2})");
  settle();
  ASSERT_EQ(creations(), 2U);
  // The cache sees one update, whose UID differs: the deletion is missed.
  cluster_.hold("jobs");
  cluster_.erase<Job>({"default", "j"});
  add_job();
  cluster_.release("jobs");
  cluster_.advance(5s);
  EXPECT_EQ(creations(), 3U);
}

TEST_F(OwnershipTest, J141_PodsOfAJobWhoseDeletionWasMissedLoseTheirFinalizer) {
  run_job();
  const std::string old = active_pod();
  cluster_.begin_outage("jobs");
  cluster_.erase<Job>({"default", "j"});
  add_job();
  cluster_.end_outage("jobs");
  settle();
  EXPECT_FALSE(has_finalizer(old));
  EXPECT_THAT(active_pods(), SizeIs(2));
}

TEST_F(OwnershipTest, J142_AQueuedKeyMayMeetAJobOfAnotherController) {
  run_job();
  set_ready(active_pod());  // Queues a sync for a second from now.
  cluster_.run_until_idle();
  cluster_.clear_records();
  delete_job();
  add_job(R"({"managedBy":"example.com/x"})");
  settle();
  EXPECT_EQ(creations(), 0U);
  EXPECT_EQ(status_writes(), 0U);
}

}  // namespace
}  // namespace davit::job
