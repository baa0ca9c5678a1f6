/// Rows DS27 to DS35: many pods, refused writes, and caches that lag. The host's own guard is off
/// here, so the expectations stand alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::Verb;
using namespace std::chrono_literals;

class BurstTest : public DaemonSetTest {
 protected:
  BurstTest() : DaemonSetTest(testing::ReadYourWrites::kOff) {}

  /// The next creation of a pod is answered so that its expectation is left standing, see DS30.
  void lose_creations(int times) {
    cluster().fail_next({.verb = Verb::kCreate,
                         .resource = "pods",
                         .http_status = 403,
                         .causes = {"NamespaceTerminating"},
                         .times = times});
  }
};

TEST_F(BurstTest, PageSaysWhatTheSetWaitsFor) {
  const auto waits = [this] {
    const Result<DebugPage> page = cluster().debug_page(kController, "waits/ns/ds");
    return page ? page->body : page.error().message();
  };
  add_nodes(3);
  add_set();
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  EXPECT_THAT(waits(), ::testing::StartsWith("waits until its cache shows 3 creations of its own"));

  cluster().release("pods");
  run_until_idle();
  EXPECT_EQ(waits(), "");
}

TEST_F(BurstTest, DS27_NoMoreThanABurstIsOutstanding) {
  add_nodes(600);
  add_set();
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  EXPECT_EQ(created(), 250U);
  touch_set();
  EXPECT_EQ(created(), 250U) << "the cache has not seen the first burst";

  while (cluster().release_one("pods")) {
  }
  run_until_idle();
  EXPECT_EQ(created(), 500U);

  cluster().release("pods");
  run_until_idle();
  EXPECT_EQ(created(), 600U);
}

TEST_F(BurstTest, DS28_WhenAllIsRefusedOnePodIsTriedAtATime) {
  add_nodes(10);
  add_set();
  refuse_pods(Verb::kCreate);
  start_synced();
  for (std::size_t tries = 1; tries <= 10; ++tries) step();  // The nodes come first, see DS26.
  run_until_idle();
  const std::size_t before = created();
  EXPECT_THAT(events(), Each("Warning FailedCreate Error creating: rejected"));
  EXPECT_EQ(events().size(), created()) << "one an attempt";
  EXPECT_EQ(status("desiredNumberScheduled"), 10);
  EXPECT_EQ(status("currentNumberScheduled"), 0);
  EXPECT_EQ(status("observedGeneration"), 1);

  // Other timers are due between the attempts.
  Duration last{0};
  for (std::size_t i = 1; i <= 5; ++i) {
    const Time began = cluster().now();
    while (created() == before + i - 1) advance(cluster().next_due_in().value());
    EXPECT_EQ(created(), before + i);
    EXPECT_GT(cluster().now() - began, last);
    last = cluster().now() - began;
  }
}

TEST_F(BurstTest, DS29_ARefusalStopsTheSlowStart) {
  add_nodes(100);
  add_set();
  refuse_pods(Verb::kCreate, 10);
  start_synced();
  while (created() == 0) step();

  EXPECT_EQ(created(), 1U + 2 + 4 + 8);
  EXPECT_THAT(pod_names(), SizeIs(10));
}

TEST_F(BurstTest, DS30_ATerminatingNamespaceIsNotAFailure) {
  add_nodes(1);
  add_set();
  lose_creations(testing::Fault::kAlways);
  start();

  EXPECT_THAT(revisions(), SizeIs(1));
  EXPECT_EQ(created(), 1U) << "its expectation stands, so there is no second try";
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(BurstTest, Q16_WithoutARevisionATerminatingNamespaceIsRetriedWithoutAnEvent) {
  add_nodes(1);
  add_set();
  cluster().fail_next({.verb = Verb::kCreate,
                       .resource = "controllerrevisions",
                       .http_status = 403,
                       .reason = "Forbidden",
                       .causes = {"NamespaceTerminating"},
                       .times = testing::Fault::kAlways});
  start();
  const std::size_t before = requests(Verb::kCreate, "controllerrevisions");
  advance(1s);

  EXPECT_GT(requests(Verb::kCreate, "controllerrevisions"), before);
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_EQ(status_writes(), 0U);
}

TEST_F(BurstTest, DS31_AnUnseenDeletionHoldsBackEverythingButTheRevision) {
  add_nodes(2);
  add_set();
  start();
  start_pods();
  cluster().hold("pods");
  set_image("nginx:2");
  ASSERT_EQ(deleted(), 1U);
  const std::size_t pods_made = created();

  set_image("nginx:3");
  EXPECT_THAT(revisions(), SizeIs(3));
  EXPECT_EQ(deleted(), 1U);
  EXPECT_EQ(created(), pods_made);
  EXPECT_EQ(status("observedGeneration"), 2);

  cluster().release("pods");
  run_until_idle();
  EXPECT_EQ(status("observedGeneration"), 3);
}

TEST_F(BurstTest, DS31_AnExpectationIsGivenUpAfterFiveMinutes) {
  add_nodes(1);
  add_set();
  lose_creations(1);
  start();
  touch_set();
  ASSERT_THAT(pod_names(), IsEmpty());

  advance(5min + 1s);
  touch_set();
  EXPECT_THAT(pod_names(), SizeIs(1));
}

TEST_F(BurstTest, DS32_ARecreatedSetDoesNotWaitForTheOldOnesExpectations) {
  add_nodes(1);
  add_set();
  lose_creations(1);
  start();
  ASSERT_THAT(pod_names(), IsEmpty());

  cluster().erase<DaemonSet>({"ns", "ds"});
  add_set();
  run_until_idle();
  EXPECT_THAT(pod_names(), SizeIs(1));
}

TEST_F(BurstTest, DS32_ASetThatChangesItsUidInOneUpdateDoesNotWaitEither) {
  add_nodes(1);
  add_set();
  lose_creations(1);
  start();
  ASSERT_THAT(pod_names(), IsEmpty());

  // The deletion between was missed. The revision is the old one's and stays so.
  cluster().merge<DaemonSet>({"ns", "ds"}, R"({"metadata":{"uid":"recreated"}})");
  run_until_idle();
  EXPECT_THAT(pod_names(), SizeIs(1));
}

TEST_F(BurstTest, DS33_APodThatIsGoneAlreadyIsNoFailure) {
  add_nodes(1);
  add_set();
  start();
  start_pods();
  cluster().clear_records();
  cluster().hold("pods");
  cluster().erase<Pod>({"ns", pod_on("n1")});

  taint("n1", "x", "NoExecute");
  EXPECT_GT(deleted(), 0U);
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(cluster().syncs(), Each(::testing::Property(&testing::SyncRecord::ok, true)));
}

TEST_F(BurstTest, DS34_ARefusedDeletionIsReportedAndRetried) {
  add_nodes(1);
  add_set();
  start();
  start_pods();
  cluster().clear_records();
  refuse_pods(Verb::kDelete);

  taint("n1", "x", "NoExecute");
  EXPECT_EQ(events().front(), "Warning FailedDelete Error deleting: rejected");
  const std::size_t before = deleted();
  cluster().clear_faults();
  advance(1s);
  EXPECT_GT(deleted(), before);
  EXPECT_THAT(terminating(), SizeIs(1));
}

TEST_F(BurstTest, DS35_DeletionsHaveTheSameBurst) {
  add_nodes(300);
  add_set(R"({"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"none"}}}}})");
  for (int i = 1; i <= 300; ++i) {
    add_own_pod("p" + std::to_string(i), "n" + std::to_string(i));
  }
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  EXPECT_EQ(deleted(), 250U);

  cluster().release("pods");
  run_until_idle();
  EXPECT_EQ(deleted(), 300U);
}

TEST_F(BurstTest, DeletionsComeAfterCreationsThatFailed) {
  add_nodes(2);
  taint("n2", "x", "NoExecute");
  add_set();
  add_own_pod("old", "n2");
  refuse_pods(Verb::kCreate);
  start_synced();
  while (created() == 0) step();

  EXPECT_THAT(terminating(), ElementsAre("old"));
}

TEST_F(BurstTest, DifferentErrorsAreListedOnce) {
  add_nodes(4);
  add_set();
  refuse_pods(Verb::kCreate, 1);
  start_synced();
  while (created() == 0) step();

  EXPECT_EQ(cluster().syncs().back().error, "rejected");
}

}  // namespace
}  // namespace davit::daemonset
