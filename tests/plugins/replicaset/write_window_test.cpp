/// Status writes of the ReplicaSet controller with its default configuration.
#include <gmock/gmock.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class StatusWindowTest : public ReplicaSetTest {
 protected:
  /// A set of three pods whose status is written, and no window is open.
  StatusWindowTest() {
    add_set(R"({"spec":{"replicas":3}})");
    start({});
    advance(seconds(1));
    cluster().clear_records();
  }

  void make_ready(const std::string& name) {
    edit_pod(name, R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True",)"
                   R"("lastTransitionTime":")" +
                       format_time(now()) + R"("}]}})");
    run_until_idle();
  }
};

TEST_F(StatusWindowTest, AFirstChangeIsWrittenAtOnce) {
  make_ready(pod_names()[0]);

  EXPECT_EQ(status_writes(), 1U);
  EXPECT_EQ(status("readyReplicas"), 1);
}

TEST_F(StatusWindowTest, ChangesSoonAfterAWriteAreWrittenTogetherAtTheEndOfItsWindow) {
  make_ready(pod_names()[0]);
  make_ready(pod_names()[1]);
  advance(milliseconds(60));
  make_ready(pod_names()[2]);
  EXPECT_EQ(status_writes(), 1U);

  advance(milliseconds(39));
  EXPECT_EQ(status_writes(), 1U);
  advance(milliseconds(1));
  EXPECT_EQ(status_writes(), 2U);
  EXPECT_EQ(status("readyReplicas"), 3);
  EXPECT_EQ(status("availableReplicas"), 3);
}

TEST_F(StatusWindowTest, PodsAndTheObservedGenerationDoNotWait) {
  make_ready(pod_names()[0]);
  edit_set(R"({"metadata":{"generation":2},"spec":{"replicas":5}})");
  run_until_idle();

  EXPECT_EQ(pod_names().size(), 5U);
  EXPECT_EQ(status("observedGeneration"), set().at({"metadata", "generation"})->integer());
}

TEST_F(StatusWindowTest, AFailureDoesNotWait) {
  make_ready(pod_names()[0]);
  fail_creates_after(0);
  remove_pod(pod_names()[1]);
  run_until_idle();

  ASSERT_EQ(conditions().size(), 1U);
  EXPECT_EQ(text(conditions()[0], {"type"}), "ReplicaFailure");
}

TEST_F(StatusWindowTest, AWindowThatIsNoDurationInItsRangeIsRefused) {
  for (const char* window : {"\"-1ms\"", "\"11s\"", "100", "\"soon\"", "null"}) {
    cluster().stop(kController);
    const Status started = cluster().start(kController, &ReplicaSetController::open,
                                           R"({"writeWindow":)" + std::string(window) + "}");
    EXPECT_THAT(started.message(),
                ::testing::HasSubstr("writeWindow must be a duration from \"0s\" to \"10s\""))
        << window;
  }
}

}  // namespace
}  // namespace davit::replicas
