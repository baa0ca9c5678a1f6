/// Another build of the controller takes over: what the old one knows, the new one does too. The
/// host's own guard is off here, so the controller's memory stands alone.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class HandOverTest : public JobTest {
 protected:
  HandOverTest() : JobTest(ReadYourWrites::kOff) {}

  void swap() {
    const Status swapped = cluster_.swap(kController, &make<JobController>);
    ASSERT_TRUE(swapped.ok()) << swapped.message();
    cluster_.run_until_idle();
  }
};

TEST_F(HandOverTest, NoPodIsCreatedTwiceWhileCreationsAreUnseen) {
  start();
  cluster_.hold("pods");
  add_job(R"({"parallelism":3,"completions":3})");
  settle();
  for (int i = 0; i < 5; ++i) {
    swap();
    settle();
  }
  EXPECT_EQ(creations(), 3U);
  cluster_.release("pods");
  settle();
  EXPECT_EQ(creations(), 3U);
  EXPECT_EQ(status("active"), "3");
}

TEST_F(HandOverTest, TheBackOffGoesOn) {
  run_job();
  fail(active_pod());
  cluster_.advance(12s);
  fail(active_pod());
  cluster_.advance(4s);
  swap();
  cluster_.advance(14s);
  EXPECT_EQ(creations(), 2U) << "20 s, as the old build would have waited";
  cluster_.advance(4s);
  EXPECT_EQ(creations(), 3U);
}

TEST_F(HandOverTest, APodWhoseFinalizerIsGoneIsNotCountedTwice) {
  run_job(R"({"parallelism":1,"completions":2})");
  const std::string pod = active_pod();
  succeed(pod);
  cluster_.run_until_idle();
  cluster_.hold("pods");
  cluster_.advance(1s);
  ASSERT_EQ(status("succeeded"), "1");
  cluster_.clear_records();
  swap();
  settle();
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_EQ(count(Verb::kPatch, "pods"), 0U);
  cluster_.release("pods");
  settle();
  EXPECT_EQ(status("succeeded"), "1");
}

TEST_F(HandOverTest, AnEndIsReportedOnce) {
  run_job();
  succeed(active_pod());
  cluster_.run_until_idle();
  cluster_.hold("jobs");
  cluster_.advance(1s);
  ASSERT_THAT(conditions(), SizeIs(2));
  const std::size_t writes = status_writes();
  swap();
  cluster_.resync("jobs");
  settle();
  EXPECT_EQ(creations(), 1U);
  EXPECT_EQ(status_writes(), writes) << "the cache does not show the end yet";
  cluster_.release("jobs");
  settle();
  EXPECT_EQ(events("Normal Completed Job completed"), 1U);
}

TEST_F(HandOverTest, StateGoesRoundUnchangedAndGarbageChangesNothing) {
  run_job(R"({"parallelism":2,"completions":2})");
  fail(active_pods().front());
  settle();
  const std::string before = cluster_.state_of(kController);
  EXPECT_THAT(before, HasSubstr(R"("failures":1)"));
  ASSERT_TRUE(cluster_.give_state(kController, 1, before).ok());
  EXPECT_EQ(cluster_.state_of(kController), before);

  for (const char* garbage :
       {"", "{}", "[]", R"({"jobs":{}})", R"({"jobs":[{}]})",
        R"({"jobs":[{"key":"a/b","uid":"u","additions":1,"deletions":0,"since":99999999999999999,
            "awaited":[],"failures":0,"lastFailure":"1970-01-01T00:00:00Z","finished":false}]})",
        R"({"jobs":[{"key":"a/b","uid":"u","additions":1,"deletions":0,"since":0,"awaited":[],
            "failures":0,"lastFailure":"then","finished":false}]})",
        R"({"jobs":[{"key":"a/b","uid":"u","additions":1,"deletions":0,"since":0,"awaited":[7],
            "failures":0,"lastFailure":"1970-01-01T00:00:00Z","finished":false}]})"}) {
    EXPECT_FALSE(cluster_.give_state(kController, 1, garbage).ok()) << garbage;
  }
  for (std::size_t size = 0; size < before.size(); ++size) {
    EXPECT_FALSE(cluster_.give_state(kController, 1, before.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(cluster_.give_state(kController, 2, before).ok()) << "another form";
  EXPECT_EQ(cluster_.state_of(kController), before);
}

}  // namespace
}  // namespace davit::job
