#include "host/swap/plugin_set.hpp"

#include <atomic>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "host/crash/stuck_positions.hpp"
#include "host/plugin/host_abi.hpp"
#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST_F(SwapTest, ANewBuildTakesThePlaceOfTheOldOne) {
  start();
  place("v2");

  const SwapReport report = swap();

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.from.version, "v1");
  EXPECT_EQ(report.to.version, "v2");
  EXPECT_EQ(report.to.generation, 2U);
  EXPECT_EQ(report.resident, "");
  EXPECT_FALSE(is_open_library(first_)) << "the old build has left";
  add_pod("b");
  transport_.await_requests(3);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v2-a", "v2-b"));
  EXPECT_EQ(pods_.requests(), 2) << "one list and one watch, those of the start";
}

TEST_F(SwapTest, AKeyThatOnlyTheQueueKnowsIsKept) {
  start();
  transport_.set_script([](const HttpRequest& request) {
    return request.body.find("-b\"") == std::string::npos ? created(request, "0") : failed();
  });
  add_pod("b");
  transport_.await_requests(2);
  pods_.send(event_json("DELETED", {.name = "b", .version = "9"}));
  transport_.await_requests(3);
  place("v2");

  const SwapReport report = swap();
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.keys, 1U);
  EXPECT_EQ(report.keys_dropped, 0U);
  clock_.advance(seconds(1));
  transport_.await_requests(5);

  const std::vector<std::string> all = asked();
  EXPECT_THAT((std::vector<std::string>{all[3], all[4]}), UnorderedElementsAre("v2-a", "v2-b"));
}

TEST_F(SwapTest, WhatTheOldBuildWroteIsSeenBeforeTheNewOneSyncsTheKey) {
  transport_.set_script([](const HttpRequest& request) {
    return created(request, request.body.find("v1-a") == std::string::npos ? "0" : "100");
  });
  start();
  place("v2");

  ASSERT_TRUE(swap().ok());
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v2-b")) << "the cache is at 8";
  pods_.send(bookmark_json("100") + "\n");
  transport_.await_requests(3);

  EXPECT_EQ(asked()[2], "v2-a");
}

// The writes that the cache has not shown belonged to the keys of the old queue.
TEST_F(SwapTest, ABuildThatRenamesItsQueueKnowsTheClusterAsOfTheSwapBeforeItSyncs) {
  transport_.set_script([](const HttpRequest& request) {
    return created(request, request.body.find("v1-a") == std::string::npos ? "0" : "100");
  });
  start();
  pods_.await_open(1);
  place("other_queue");
  pods_.hold(PodServer::Hold::kLists);

  ASSERT_TRUE(swap().ok());
  EXPECT_EQ(set_->serving().state().plugins[0].controllers[0].state, "verifying");
  EXPECT_THAT(asked(), ElementsAre("v1-a"));
  pods_.hold(PodServer::Hold::kNothing);
  transport_.await_requests(2);

  EXPECT_EQ(asked()[1], "v2-a");
  EXPECT_GE(pods_.requests(), 3) << "a list more than at the start";
}

TEST_F(SwapTest, ARunningSyncEndsBeforeTheNewBuildServes) {
  start();
  transport_.respond(test::open_response(201, created("v1-b", "0").body));
  add_pod("b");
  transport_.await_requests(2);
  place("v2");
  const Time until = clock_.now() + limits_.drain;

  std::future<SwapReport> swapping = std::async(std::launch::async, [this] { return swap(); });
  clock_.await_deadline(until);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v1-b"));
  transport_.finish(1);

  EXPECT_TRUE(swapping.get().ok());
  transport_.await_requests(4);
}

TEST_F(SwapTest, ASyncThatDoesNotEndLeavesTheOldBuildServing) {
  limits_.drain = seconds(20);  // Like no other limit.
  start();
  transport_.respond(test::open_response(201, created("v1-b", "0").body));
  add_pod("b");
  transport_.await_requests(2);
  place("v2");
  const Time until = clock_.now() + limits_.drain;

  std::future<SwapReport> swapping = std::async(std::launch::async, [this] { return swap(); });
  clock_.await_deadline(until);
  clock_.advance(limits_.drain);
  const SwapReport report = swapping.get();

  EXPECT_EQ(report.outcome, SwapOutcome::kDrainTimedOut);
  EXPECT_EQ(
      report.text,
      "a sync of sample-controller did not return in time (sync b has been running for 20 s)");
  EXPECT_EQ(report.residents, 0U);
  transport_.finish(1);
  add_pod("c");
  transport_.await_requests(3);
  EXPECT_EQ(asked()[2], "v1-c");
}

// Issue 38, 1.12: it was "running", with no key that waits.
TEST_F(SwapTest, AControllerWhoseSyncDoesNotReturnIsShownAsStuck) {
  sync_limit_ = seconds(10);  // Its request ends after a minute.
  start();
  transport_.respond(test::open_response(201, created("v1-b", "0").body));
  add_pod("b");
  transport_.await_requests(2);
  const auto state = [this] { return set_->serving().state().plugins[0].controllers[0].state; };
  EXPECT_EQ(state(), "running");
  EXPECT_THAT(set_->serving().overdue(), IsEmpty());

  clock_.advance(sync_limit_);

  EXPECT_EQ(state(), "stuck");
  EXPECT_THAT(set_->serving().overdue(),
              ElementsAre("sample-controller: sync b has been running for 10 s"));
  std::vector<std::string> lines = set_->serving().overdue();
  StuckPositions positions;
  positions.add_to(lines, clock_.now());
  // The thread sanitizer calls signal handlers on a stack that does not show the callers.
#if defined(__SANITIZE_THREAD__)
  const std::string position = ".*";
#else
  const std::string position = "; sync of b is in .+\\.so at 0x[0-9a-f]+.*";
#endif
  EXPECT_THAT(
      lines,
      ElementsAre(MatchesRegex("sample-controller: sync b has been running for 10 s" + position)));
  transport_.finish(1);
  while (state() != "running") std::this_thread::yield();
}

/// The first column of the table of docs/HOT_SWAP.md that lists phases.
std::vector<std::string> documented_phases() {
  std::ifstream file(DAVIT_DOCS "/HOT_SWAP.md");
  std::vector<std::string> phases;
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| phase |")) {
      is_inside = true;
    } else if (is_inside && !line.starts_with("|")) {
      break;
    } else if (is_inside && !line.starts_with("| ---")) {
      phases.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return phases;
}

TEST_F(SwapTest, ItsPhasesAreThoseOfTheDocumentation) {
  start();
  place("v2");
  std::vector<std::string> phases;
  on_phase_ = [&](SwapPhase phase) { phases.emplace_back(to_string(phase)); };

  ASSERT_TRUE(swap().ok());

  EXPECT_THAT(phases, ElementsAreArray(documented_phases()));
  EXPECT_FALSE(phases.empty());
}

TEST_F(SwapTest, ASwapThatFailsGoesBackAndRetiresTheNewBuild) {
  limits_.drain = seconds(20);  // Like no other limit.
  start();
  transport_.respond(test::open_response(201, created("v1-b", "0").body));
  add_pod("b");
  transport_.await_requests(2);
  place("v2");
  std::vector<std::string> phases;
  on_phase_ = [&](SwapPhase phase) { phases.emplace_back(to_string(phase)); };
  const Time until = clock_.now() + limits_.drain;

  std::future<SwapReport> swapping = std::async(std::launch::async, [this] { return swap(); });
  clock_.await_deadline(until);
  clock_.advance(limits_.drain);

  EXPECT_EQ(swapping.get().outcome, SwapOutcome::kDrainTimedOut);
  EXPECT_THAT(phases, ElementsAre("stage", "refill", "fill", "drain", "retire"));
  transport_.finish(1);
}

TEST_F(SwapTest, ASecondSwapIsRefusedWhileOneIsUnderWay) {
  start();
  place("v2");
  SwapReport second;
  on_phase_ = [&](SwapPhase phase) {
    if (phase == SwapPhase::kStage) second = swap();
  };

  EXPECT_TRUE(swap().ok());

  EXPECT_EQ(second.outcome, SwapOutcome::kBusy);
  EXPECT_EQ(second.text, "the swap of sample is in progress: try again when it has finished");
}

TEST_F(SwapTest, LeadershipLostMeanwhileLeavesTheOldBuild) {
  start();
  place("v2");
  on_phase_ = [&](SwapPhase phase) {
    if (phase == SwapPhase::kHandOver) set_->lose();
  };

  EXPECT_EQ(swap().outcome, SwapOutcome::kLeadershipLost);

  add_pod("b");
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v1-b"));
}

TEST_F(SwapTest, AHostThatStopsMeanwhileStopsTheOldBuild) {
  start();
  place("v2");
  const Time give_up = clock_.now() + seconds(60);
  std::future<bool> stopped;
  on_phase_ = [&](SwapPhase phase) {
    if (phase != SwapPhase::kHandOver) return;
    stopped = std::async(std::launch::async, [&] { return set_->stop({give_up, give_up}); });
    clock_.await_deadline(give_up);
  };

  EXPECT_EQ(swap().outcome, SwapOutcome::kStopping);

  EXPECT_TRUE(stopped.get());
  EXPECT_THAT(asked(), ElementsAre("v1-a"));
  EXPECT_EQ(swap().outcome, SwapOutcome::kStopping);
}

TEST_F(SwapTest, AStopCancelsTheSyncThatASwapWaitsFor) {
  limits_.drain = seconds(20);  // Like no other limit.
  start();
  transport_.respond(test::open_response(201, created("v1-b", "0").body));
  add_pod("b");
  transport_.await_requests(2);
  place("v2");
  std::future<SwapReport> swapping = std::async(std::launch::async, [this] { return swap(); });
  clock_.await_deadline(clock_.now() + limits_.drain);

  EXPECT_TRUE(set_->stop({clock_.now(), clock_.now() + seconds(10)}));

  EXPECT_EQ(swapping.get().outcome, SwapOutcome::kStopping);
}

TEST_F(SwapTest, APausedControllerStaysPausedInItsNewBuild) {
  start();
  ASSERT_TRUE(set_->serving().pause("sample-controller").ok());
  place("v2");

  ASSERT_TRUE(swap().ok());
  EXPECT_EQ(set_->serving().state().plugins[0].controllers[0].state, "paused");
  EXPECT_THAT(asked(), ElementsAre("v1-a"));
  ASSERT_TRUE(set_->serving().resume("sample-controller").ok());
  transport_.await_requests(2);

  EXPECT_EQ(asked()[1], "v2-a");
  EXPECT_EQ(set_->serving().state().plugins[0].controllers[0].state, "running");
}

TEST_F(SwapTest, AStandbysNewBuildWaitsForLeadership) {
  start();
  set_->lose();
  place("v2");

  ASSERT_TRUE(swap().ok());
  EXPECT_EQ(set_->serving().state().plugins[0].controllers[0].state, "standby");
  EXPECT_THAT(asked(), ElementsAre("v1-a"));
  set_->lead();
  transport_.await_requests(2);

  EXPECT_EQ(asked()[1], "v2-a");
}

class CallingOutTest : public SwapTest {
 protected:
  CallingOutTest() {
    on_log_ = [this](std::string_view message) {
      const bool is_of_a_beginning =
          message == "Controller starting..." || message == "Started workers";
      if (!asks_ || !is_of_a_beginning) return;
      static_cast<void>(set_->serving().state());
      seen_.push(std::string(message));
    };
  }
  /// The messages of a beginning that are logged during `call`. Each takes the lock of the set, so
  /// a call that logs under it does not end. The log stands for all that a call may lead to.
  std::vector<std::string> logged(const std::function<void()>& call) {
    seen_.clear();
    asks_ = true;
    call();
    asks_ = false;
    return seen_.entries();
  }

 private:
  std::atomic<bool> asks_ = false;
  test::Collector<std::string> seen_;
};

TEST_F(CallingOutTest, StartAndLeadCallNothingUnderTheLockOfTheSet) {
  EXPECT_THAT(logged([this] { start(); }), Contains("Controller starting..."));
  set_->lose();
  place("v2");
  ASSERT_TRUE(swap().ok());
  ASSERT_EQ(set_->serving().state().plugins[0].controllers[0].state, "standby");
  EXPECT_THAT(logged([this] { set_->lead(); }), Contains("Started workers"));
}

TEST_F(CallingOutTest, ASwapCallsNothingUnderTheLockOfTheSet) {
  start();
  place("v2");
  EXPECT_THAT(logged([this] { EXPECT_TRUE(swap().ok()); }), Contains("Started workers"));
}

TEST_F(CallingOutTest, AShadowBeginsWithoutTheLockOfTheSet) {
  start();
  place("v2");
  const auto begin = [this] { EXPECT_TRUE(set_->shadows().start({"sample", file()}).ok()); };
  EXPECT_THAT(logged(begin), Contains("Started workers"));
}

TEST_F(SwapTest, ABuildThatCannotLeaveIsCountedAndTheirNumberIsLimited) {
  limits_.residents_max = 1;
  start();
  place("load_once");
  const SwapReport first = swap();
  ASSERT_TRUE(first.ok()) << first.text;
  EXPECT_EQ(first.grade, Grade::kLoadOnce);
  EXPECT_EQ(first.residents, 0U);
  place("v2");

  const SwapReport second = swap();
  ASSERT_TRUE(second.ok()) << second.text;
  EXPECT_THAT(second.resident, HasSubstr("is marked to stay in memory"));
  EXPECT_EQ(second.residents, 1U);
  const SetState state = set_->serving().state();
  ASSERT_EQ(state.residents.size(), 1U);
  EXPECT_EQ(state.residents[0].build.generation, 2U);

  EXPECT_EQ(swap().outcome, SwapOutcome::kTooManyResident);
}

TEST_F(SwapTest, MetricsShowOutcomesPausesAndBuilds) {
  start();
  place("v2");
  ASSERT_TRUE(swap().ok());
  place("init_fails");
  ASSERT_FALSE(swap().ok());
  ASSERT_FALSE(set_->swap({"nobody", file()}).ok());
  set_->serving().report();

  const std::string text = metrics_->text();
  for (const char* line :
       {R"(davit_plugin_swaps_total{outcome="done",plugin="sample"} 1)",
        R"(davit_plugin_swaps_total{outcome="init-failed",plugin="sample"} 1)",
        R"(davit_plugin_swap_pause_seconds_count{plugin="sample"} 1)",
        R"(davit_plugin_generation{plugin="sample"} 2)", "davit_plugin_resident_generations 0"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n") + line + "\n"));
  }
  EXPECT_THAT(text, Not(HasSubstr("nobody")));
  ASSERT_TRUE(set_->unload("sample").ok());
  EXPECT_THAT(metrics_->text(), HasSubstr(R"(davit_plugin_generation{plugin="sample"} 0)"));
}

TEST_F(SwapTest, RefusedCallsAreLoggedAndCountedUnderTheirController) {
  start();
  const auto* const log =
      static_cast<const davit_log_v1*>(host_capability(std::string_view("davit.log/1")));
  const auto* const clock =
      static_cast<const davit_clock_v1*>(host_capability(std::string_view("davit.clock/1")));
  const davit_call* ended = nullptr;
  {
    const auto guarded = set_->serving().guard("sample-controller");
    CallFrame frame(guarded->host->abi(), Phase::kProbe);
    ended = frame.call();
    std::jthread([&] { log->write(frame.call(), DAVIT_LOG_INFO, {}, nullptr, 0); }).join();
    EXPECT_EQ(clock->pause(frame.call(), 1), DAVIT_MISUSE);
  }
  log->write(ended, DAVIT_LOG_INFO, {}, nullptr, 0);
  log->write(ended, DAVIT_LOG_INFO, {}, nullptr, 0);

  set_->serving().report();

  const std::string text = metrics_->text();
  for (const auto& [why, times] : {std::pair("ended", 2), {"thread", 1}, {"phase", 1}}) {
    EXPECT_THAT(log_.lines(),
                Contains(HasSubstr("A plugin misused a call: its host functions were refused "
                                   "plugin=sample controller=sample-controller why=" +
                                   std::string(why) + " times=" + std::to_string(times))));
    EXPECT_THAT(text,
                HasSubstr("\ndavit_plugin_refused_calls_total{controller=\"sample-controller\","
                          "plugin=\"sample\",reason=\"" +
                          std::string(why) + "\"} " + std::to_string(times) + "\n"));
  }
  const std::size_t lines = log_.lines().size();
  set_->serving().report();
  EXPECT_EQ(log_.lines().size(), lines) << "each refusal is reported once";
}

TEST_F(SwapTest, ManySwapsLeaveOneBuildInMemory) {
  start();
  for (int i = 0; i < 20; ++i) {
    place(i % 2 == 0 ? "v2" : "v1");
    const SwapReport report = swap();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_EQ(report.resident, "");
  }
  EXPECT_EQ(set_->serving().state().plugins[0].build.generation, 21U);
  EXPECT_EQ(pods_.requests(), 2);
}

}  // namespace
}  // namespace davit::host
