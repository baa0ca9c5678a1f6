/// The call as a controller sees it, and how threads without a call reach the controller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace davit {
namespace {

using ::testing::ElementsAre;

/// A controller whose sync and timer the test supplies.
struct CallScript {
  std::function<Result<Again>(Context&, const Key&)> sync;
  std::function<Result<Again>(Context&)> fire;
  Context* context = nullptr;
  std::optional<Queue> queue;
  std::optional<Waker> waker;
};

class CallingController final : public Controller {
 public:
  CallingController(Context& context, CallScript& script) {
    script.context = &context;
    script.queue = context.open_queue({.name = "scripted"}, [&](const Key& key) {
      return script.sync ? script.sync(context, key) : Again::when_changed();
    });
    script.waker = context.open_waker(*script.queue).value();
    if (script.fire) {
      context.start_timer({.period = std::chrono::seconds(60)},
                          [&] { return script.fire(context); });
    }
  }
};

class CallTest : public ::testing::Test {
 protected:
  void start() {
    ASSERT_TRUE(cluster_
                    .start("scripted",
                           [this](Context& context) -> InitResult {
                             return std::unique_ptr<Controller>(
                                 std::make_unique<CallingController>(context, script_));
                           })
                    .ok());
  }
  /// The test has no call, as a thread of the plugin's own.
  void wake(const Key& key) { EXPECT_TRUE(script_.waker->wake(key).ok()); }

  testing::Cluster cluster_;
  CallScript script_;
};

TEST_F(CallTest, SyncKnowsHowOftenItsKeyFailedAndWhenItIsOverdue) {
  std::vector<std::uint32_t> attempts;
  script_.sync = [&](Context& context, const Key&) -> Result<Again> {
    attempts.push_back(context.call().attempt());
    EXPECT_FALSE(context.call().is_cancelled());
    EXPECT_GT(context.call().deadline(), context.now());
    EXPECT_EQ(context.call().trace_id(), "");
    if (attempts.size() < 3) return Status(Code::kConflict, "not yet");
    return Again::when_changed();
  };
  start();
  wake({"default", "a"});
  cluster_.advance(std::chrono::seconds(1));
  EXPECT_THAT(attempts, ElementsAre(0, 1, 2));
  EXPECT_TRUE(script_.context->call().is_cancelled()) << "outside of calls nobody waits";
}

TEST_F(CallTest, AgainMayKeepTheBackOffOfItsKey) {
  std::vector<std::uint32_t> attempts;
  script_.sync = [&](Context& context, const Key&) -> Result<Again> {
    attempts.push_back(context.call().attempt());
    switch (attempts.size()) {
      case 1:
        return Status(Code::kConflict, "not yet");
      case 2:
        return Again::after(std::chrono::seconds(1)).keeping_backoff();
      case 3:
        return Again::after(std::chrono::seconds(1));
      default:
        return Again::when_changed();
    }
  };
  start();
  wake({"default", "a"});
  cluster_.advance(std::chrono::seconds(5));
  EXPECT_THAT(attempts, ElementsAre(0, 1, 1, 0));
}

TEST_F(CallTest, AgainWithBackOffIsNoFailure) {
  std::vector<std::uint32_t> attempts;
  script_.sync = [&](Context& context, const Key&) -> Result<Again> {
    attempts.push_back(context.call().attempt());
    return attempts.size() < 4 ? Again::with_backoff() : Again::when_changed();
  };
  start();
  wake({"default", "a"});
  cluster_.run_until_idle();
  EXPECT_EQ(cluster_.next_due_in(), std::chrono::milliseconds(5));
  cluster_.advance(std::chrono::seconds(1));
  EXPECT_THAT(attempts, ElementsAre(0, 1, 2, 3));
  for (const testing::SyncRecord& each : cluster_.syncs()) EXPECT_TRUE(each.ok());
}

TEST_F(CallTest, PauseMovesTheClockOfTheCluster) {
  std::vector<Status> paused;
  script_.sync = [&](Context& context, const Key&) -> Result<Again> {
    paused.push_back(context.pause(std::chrono::milliseconds(2500)));
    return Again::when_changed();
  };
  start();
  const Time before = cluster_.now();
  wake({"default", "a"});
  cluster_.run_until_idle();
  ASSERT_EQ(paused.size(), 1U);
  EXPECT_TRUE(paused[0].ok());
  EXPECT_EQ(cluster_.now() - before, std::chrono::milliseconds(2500));
  EXPECT_EQ(script_.context->pause(std::chrono::seconds(1)).code(), Code::kMisuse)
      << "outside of calls";
}

TEST_F(CallTest, StandbyFillsItsCachesAndActsWhenItLeads) {
  std::vector<bool> leads;
  script_.sync = [&](Context& context, const Key&) -> Result<Again> {
    leads.push_back(context.call().leads());
    if (leads.size() == 1) {
      cluster_.stand_by();
      EXPECT_FALSE(context.call().leads());
      EXPECT_EQ(context.pause(std::chrono::seconds(5)).code(), Code::kCancelled);
      cluster_.lead();
    }
    return Again::when_changed();
  };
  cluster_.stand_by();
  start();
  wake({"default", "a"});
  cluster_.run_until_idle();
  EXPECT_THAT(leads, ElementsAre()) << "a standby syncs nothing";
  cluster_.lead();
  cluster_.run_until_idle();
  EXPECT_THAT(leads, ElementsAre(true));
}

TEST_F(CallTest, FailingTimerFiresAgainWithBackOff) {
  std::vector<std::uint32_t> attempts;
  script_.fire = [&](Context& context) -> Result<Again> {
    attempts.push_back(context.call().attempt());
    if (attempts.size() < 3) return Status(Code::kUnavailable, "no luck");
    return Again::when_changed();
  };
  start();
  cluster_.advance(std::chrono::seconds(4));
  EXPECT_THAT(attempts, ElementsAre(0, 1, 2)) << "after one and two seconds more";
  cluster_.advance(std::chrono::seconds(60));
  EXPECT_THAT(attempts, ElementsAre(0, 1, 2, 0));
}

TEST_F(CallTest, LastErrorHasTheServersReason) {
  Status last;
  script_.sync = [&](Context& context, const Key& key) -> Result<Again> {
    EXPECT_TRUE(context.last_error().ok());
    EXPECT_FALSE(context.client().get<Pod>(key));
    last = context.last_error();
    return Again::when_changed();
  };
  start();
  wake({"default", "missing"});
  cluster_.run_until_idle();
  EXPECT_EQ(last.code(), Code::kNotFound);
  ASSERT_NE(last.detail(), nullptr);
  EXPECT_EQ(last.detail()->reason, "NotFound");
  EXPECT_EQ(last.detail()->http_status, 404);
}

TEST_F(CallTest, CodeWithoutACallReachesNothingButItsWaker) {
  int syncs = 0;
  script_.sync = [&](Context&, const Key&) -> Result<Again> {
    ++syncs;
    return Again::when_changed();
  };
  start();
  script_.queue->add({"default", "a"});
  EXPECT_EQ(script_.context->now(), Time());
  EXPECT_EQ(script_.context->client().get<Pod>({"default", "a"}).error().code(), Code::kMisuse);
  cluster_.run_until_idle();
  EXPECT_EQ(syncs, 0);
  EXPECT_TRUE(cluster_.requests().empty());

  wake({"default", "a"});
  cluster_.run_until_idle();
  EXPECT_EQ(syncs, 1);
}

TEST_F(CallTest, WakerOutlivesItsController) {
  start();
  Waker copy = *script_.waker;
  const Waker moved = std::move(*script_.waker);
  script_.waker.reset();
  cluster_.stop("scripted");
  EXPECT_EQ(copy.wake({"default", "a"}).code(), Code::kStale);
  copy = Waker();
  EXPECT_EQ(copy.wake({"default", "a"}).code(), Code::kStale);
  EXPECT_EQ(moved.wake({"default", "a"}).code(), Code::kStale);
}

}  // namespace
}  // namespace davit
