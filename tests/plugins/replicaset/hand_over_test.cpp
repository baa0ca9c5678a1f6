/// Another build of the controller takes over: what the old one expects, the new one does too. The
/// host's own guard is off here, so the expectations stand alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HandOverTest : public ReplicaSetTest {
 protected:
  HandOverTest() : ReplicaSetTest(testing::ReadYourWrites::kOff) {}

  void swap() {
    const Status swapped = cluster().swap(kController, &ReplicaSetController::open);
    ASSERT_TRUE(swapped.ok()) << swapped.message();
    run_until_idle();
  }
};

TEST_F(HandOverTest, NoPodIsCreatedTwiceWhileCreationsAreUnseen) {
  add_set(R"({"spec":{"replicas":3}})");
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  ASSERT_THAT(pods(), SizeIs(3));

  for (int i = 0; i < 5; ++i) swap();
  EXPECT_THAT(pods(), SizeIs(3));
  cluster().release("pods");
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(3));
  EXPECT_EQ(status("replicas"), 3);
}

TEST_F(HandOverTest, NewBuildCountsWhatTheOldOneSawPartially) {
  add_set(R"({"spec":{"replicas":3}})");
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  ASSERT_TRUE(cluster().release_one("pods"));

  swap();
  EXPECT_THAT(pods(), SizeIs(3));
  cluster().release("pods");
  run_until_idle();
  edit_set(R"({"spec":{"replicas":4}})");
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(4)) << "the two that were unseen have come: nothing is waited for";
}

TEST_F(HandOverTest, DeletionsThatAreUnseenStillHoldBackCreations) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  cluster().hold("pods");
  edit_set(R"({"spec":{"replicas":0}})");
  run_until_idle();
  ASSERT_THAT(pods(), IsEmpty());
  edit_set(R"({"spec":{"replicas":2}})");

  swap();
  EXPECT_THAT(pods(), IsEmpty());
  cluster().release("pods");
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(2));
}

TEST_F(HandOverTest, StateGoesRoundUnchangedAndGarbageChangesNothing) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  cluster().hold("pods");
  edit_set(R"({"spec":{"replicas":1}})");
  run_until_idle();
  const std::string before = cluster().state_of(kController);
  EXPECT_THAT(before, HasSubstr(R"("deletions":1)"));
  ASSERT_TRUE(cluster().give_state(kController, 1, before).ok());
  EXPECT_EQ(cluster().state_of(kController), before);

  for (
      const char* garbage :
      {"", "{}", "[]", R"({"expectations":{}})", R"({"expectations":[{}]})",
       R"({"expectations":[{"key":"a/b","additions":1,"deletions":0,"since":99999999999999999,
            "awaited":[]}]})",
       R"({"expectations":[{"key":"a/b","additions":99999999999,"deletions":0,"since":0,
            "awaited":[]}]})",
       R"({"expectations":[{"key":"a/b","additions":1,"deletions":0,"since":0,"awaited":[7]}]})"}) {
    EXPECT_FALSE(cluster().give_state(kController, 1, garbage).ok()) << garbage;
  }
  for (std::size_t size = 0; size < before.size(); ++size) {
    EXPECT_FALSE(cluster().give_state(kController, 1, before.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(cluster().give_state(kController, 2, before).ok()) << "another form";
  EXPECT_EQ(cluster().state_of(kController), before);
}

TEST_F(HandOverTest, AHugeStateIsTakenOver) {
  add_set();
  start();
  std::string text = R"({"expectations":[)";
  for (int i = 0; i < 5'000; ++i) {
    text += std::string(i == 0 ? "" : ",") + R"({"key":"ns/set-)" + std::to_string(i) +
            R"(","additions":1,"deletions":1,"since":0,"awaited":["ns/pod"]})";
  }
  EXPECT_TRUE(cluster().give_state(kController, 1, text + "]}").ok());
}

}  // namespace
}  // namespace davit::replicas
