/// Another build of the controller takes over: expectations and the pauses after failed pods. The
/// host's own guard is off here, so the expectations stand alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class HandOverTest : public DaemonSetTest {
 protected:
  HandOverTest() : DaemonSetTest(testing::ReadYourWrites::kOff) {}

  void swap() {
    const Status swapped = cluster().swap(kController, &DaemonSetController::open, kWriteAtOnce);
    ASSERT_TRUE(swapped.ok()) << swapped.message();
    run_until_idle();
  }
};

TEST_F(HandOverTest, NoPodIsCreatedTwiceWhileCreationsAreUnseen) {
  add_nodes(3);
  add_set();
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  ASSERT_THAT(pod_names(), SizeIs(3));

  for (int i = 0; i < 5; ++i) swap();
  touch_set();
  EXPECT_THAT(pod_names(), SizeIs(3));
  cluster().release("pods");
  run_until_idle();
  EXPECT_THAT(pod_names(), SizeIs(3));
  EXPECT_EQ(status("currentNumberScheduled"), 3);
}

TEST_F(HandOverTest, ASwapEndsNoPauseAfterAFailedPod) {
  add_nodes(1);
  add_set();
  start();
  // The third one waits for two seconds.
  for (int i = 0; i < 2; ++i) {
    bind_pods();
    fail_pod(pod_on("n1"));
    advance(1s);
  }
  bind_pods();
  const std::string name = pod_on("n1");
  fail_pod(name);
  ASSERT_TRUE(has_pod(name));

  swap();
  touch_set();
  EXPECT_TRUE(has_pod(name));
  advance(2s);
  EXPECT_FALSE(has_pod(name));
}

TEST_F(HandOverTest, StateGoesRoundUnchangedAndGarbageChangesNothing) {
  add_nodes(2);
  add_set();
  start();
  bind_pods();
  fail_pod(pod_on("n1"));
  cluster().hold("pods");
  taint("n2", "x", "NoExecute");
  const std::string before = cluster().state_of(kController);
  EXPECT_THAT(before, HasSubstr(R"("deletions":1)"));
  EXPECT_THAT(before, HasSubstr(R"("pause":1000000000)"));
  ASSERT_TRUE(cluster().give_state(kController, 1, before).ok());
  EXPECT_EQ(cluster().state_of(kController), before);

  for (const char* garbage :
       {"", "{}", "[]", R"({"expectations":[]})", R"({"failedPods":[]})",
        R"({"expectations":[],"failedPods":{}})", R"({"expectations":[],"failedPods":[{}]})",
        R"({"expectations":[],"failedPods":[{"place":"p","pause":1,"since":0}]})",
        R"({"expectations":[],"failedPods":[{"place":"p","pause":900000000001,"since":0}]})",
        R"({"expectations":[],"failedPods":[{"place":7,"pause":1000000000,"since":0}]})",
        R"({"expectations":[],"failedPods":[{"place":"p","pause":1000000000,
            "since":999999999999999999}]})",
        R"({"expectations":[{}],"failedPods":[]})"}) {
    EXPECT_FALSE(cluster().give_state(kController, 1, garbage).ok()) << garbage;
  }
  for (std::size_t size = 0; size < before.size(); ++size) {
    EXPECT_FALSE(cluster().give_state(kController, 1, before.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(cluster().give_state(kController, 2, before).ok()) << "another form";
  EXPECT_EQ(cluster().state_of(kController), before);
}

}  // namespace
}  // namespace davit::daemonset
