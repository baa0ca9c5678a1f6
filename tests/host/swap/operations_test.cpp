// Plugins that come and go, and single controllers of those that are there.
#include <thread>

#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(SwapTest, ADisabledControllerIsOffUntilItIsEnabled) {
  start();

  ASSERT_TRUE(set_->disable("sample-controller").ok());
  EXPECT_EQ(set_->serving().state().plugins[0].controllers[0].state, "off");
  EXPECT_EQ(set_->serving().health("sample-controller").code(), Code::kNotFound);
  EXPECT_EQ(set_->disable("sample-controller").outcome, SwapOutcome::kUnknown);
  const SwapReport enabled = set_->enable("sample-controller");
  ASSERT_TRUE(enabled.ok()) << enabled.text;
  transport_.await_requests(2);

  EXPECT_THAT(asked(), ElementsAre("v1-a", "v1-a"));
  EXPECT_TRUE(set_->serving().health("sample-controller").ok());
  EXPECT_THAT(told_.entries(), ElementsAre("up sample-controller", "down sample-controller",
                                           "up sample-controller"));
  EXPECT_TRUE(is_open_library(first_));
  EXPECT_TRUE(set_->serving().state().residents.empty());
}

TEST_F(SwapTest, AControllerThatLeaksReferencesIsNamed) {
  place("leaks");
  start_without_waiting();
  const auto held = [this] { return set_->serving().state().plugins[0].controllers[0].held; };
  for (const char* pod : {"b", "c"}) add_pod(pod);
  while (held().objects < 3) std::this_thread::yield();
  set_->serving().report();

  EXPECT_GT(held().object_bytes, 0U);
  EXPECT_THAT(metrics_->text(),
              HasSubstr("davit_controller_held{controller=\"sample-controller\",kind=\"objects\","
                        "plugin=\"sample\"} 3\n"));
}

TEST_F(SwapTest, AKeyThatFailsInTheNewBuildTooFailsSinceItsFirstFailure) {
  place("sync_fails");
  start_without_waiting();
  const auto failing = [this] { return set_->serving().state().plugins[0].controllers[0].failing; };
  while (failing().keys.empty()) std::this_thread::yield();
  const WallTime since = failing().keys[0].since;
  clock_.advance(std::chrono::seconds(10));
  place("internal");

  ASSERT_TRUE(swap().ok());

  EXPECT_EQ(failing().keys.at(0).key, "a");
  EXPECT_EQ(failing().keys.at(0).since, since);
}

TEST_F(SwapTest, AKeyThatTheNewBuildSyncsWellFailsNoMore) {
  place("sync_fails");
  start_without_waiting();
  const auto failing = [this] { return set_->serving().state().plugins[0].controllers[0].failing; };
  while (failing().keys.empty()) std::this_thread::yield();
  place("quiet");

  ASSERT_TRUE(swap().ok());

  while (!failing().keys.empty()) {
    clock_.advance(std::chrono::hours(1));  // Its back-off.
    std::this_thread::yield();
  }
}

/// A set that leads and knows the cluster as of then, and a server that is slow to answer lists
/// later.
class BeginningTest : public SwapTest {
 protected:
  void start_verified() {
    start();
    pods_.await_open(1);
    clock_.advance(std::chrono::seconds(1));
    set_->lead(clock_.now());
    clock_.advance(std::chrono::seconds(1));
    pods_.await_requests(4);  // List and watch, and both again.
    clock_.advance(std::chrono::seconds(1));
    pods_.hold(PodServer::Hold::kLists);
    transport_.set_script([this](const HttpRequest& request) {
      requests_before_.push(pods_.requests());
      return created(request, "0");
    });
  }
  void expect_it_waits_for_a_list() {
    pods_.await_requests(5);
    while (state() == "filling") std::this_thread::yield();
    EXPECT_EQ(state(), "verifying");
    pods_.hold(PodServer::Hold::kNothing);
    transport_.await_requests(2);
    EXPECT_GT(requests_before_.await(1)[0], 4) << "it wrote before the list";
    EXPECT_EQ(state(), "running");
  }
  test::Collector<int> requests_before_;  // Those for pods, at each write.
  std::string state() { return set_->serving().state().plugins[0].controllers[0].state; }
};

TEST_F(BeginningTest, AnEnabledControllerKnowsTheClusterAsOfThatMoment) {
  start_verified();
  ASSERT_TRUE(set_->disable("sample-controller").ok());

  ASSERT_TRUE(set_->enable("sample-controller").ok());

  expect_it_waits_for_a_list();
}

TEST_F(BeginningTest, APluginThatIsLoadedAgainKnowsTheClusterAsOfThatMoment) {
  start_verified();
  ASSERT_TRUE(set_->unload("sample").ok());

  ASSERT_TRUE(set_->load({file()}).ok());

  expect_it_waits_for_a_list();
}

TEST_F(BeginningTest, ASwapContinuesWhatTheOldBuildKnows) {
  start_verified();
  place("v2");

  ASSERT_TRUE(swap().ok());

  transport_.await_requests(2);
  EXPECT_EQ(requests_before_.await(1)[0], 4) << "without a list";
  EXPECT_EQ(state(), "running");
}

TEST_F(SwapTest, AControllerThatIsResumedDuringAnotherOperationSyncsAgain) {
  start();
  ASSERT_TRUE(set_->serving().pause("sample-controller").ok());
  add_pod("b");
  LoadOrder order{file()};
  order.pin = [this](const std::string& /*plugin*/) {
    EXPECT_TRUE(set_->serving().resume("sample-controller").ok());
    return std::string();
  };

  EXPECT_EQ(set_->load(order).outcome, SwapOutcome::kUnknown) << "it is loaded already";

  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v1-b");
}

TEST_F(SwapTest, AnAliasNamesAControllerInEveryOperation) {
  start();
  const auto state = [&] { return set_->serving().state().plugins[0].controllers[0].state; };

  EXPECT_TRUE(set_->serving().pause("sample-alias").ok());
  EXPECT_EQ(state(), "paused");
  EXPECT_TRUE(set_->serving().resume("sample-alias").ok());
  EXPECT_EQ(state(), "running");
  EXPECT_TRUE(set_->disable("sample-alias").ok());
  EXPECT_EQ(state(), "off");
  EXPECT_TRUE(set_->enable("sample-alias").ok());
  EXPECT_NE(state(), "off");
}

TEST_F(SwapTest, ForAnUnknownControllerTheResponseSuggestsAName) {
  start();
  const std::string meant =
      "no loaded plugin has a controller sample-controler; did you mean sample-controller?";

  EXPECT_EQ(set_->serving().pause("sample-controler").message(), meant);
  EXPECT_EQ(set_->serving().resume("sample-controler").message(), meant);
  EXPECT_EQ(set_->disable("sample-controler").text, meant);
  EXPECT_EQ(set_->enable("sample-controler").text, meant);
  ASSERT_TRUE(set_->disable("sample-controller").ok());
  EXPECT_EQ(set_->serving().pause("sample-controller").message(),
            "sample-controller is not running; start it with davit ctl enable sample-controller");
}

TEST_F(SwapTest, AnUnloadedPluginLeavesAndMayBeLoadedAgain) {
  start();
  const SwapReport unloaded = set_->unload("sample");
  ASSERT_TRUE(unloaded.ok()) << unloaded.text;
  EXPECT_EQ(unloaded.resident, "");
  EXPECT_FALSE(is_open_library(first_));
  EXPECT_TRUE(set_->serving().state().plugins.empty());
  EXPECT_EQ(set_->unload("sample").outcome, SwapOutcome::kUnknown);
  place("v2");

  const SwapReport loaded = set_->load({file()});
  ASSERT_TRUE(loaded.ok()) << loaded.text;
  transport_.await_requests(2);

  EXPECT_EQ(asked()[1], "v2-a");
  EXPECT_EQ(set_->load({file()}).text, "the plugin sample is already loaded: swap it");
}

TEST_F(SwapTest, APluginIsHeldToThePinOfItsNameInAllItsBuilds) {
  start();
  const std::string digest = set_->serving().state().plugins[0].build.digest;
  ASSERT_TRUE(set_->unload("sample").ok());
  LoadOrder order{file()};
  order.pin = [](const std::string& plugin) {
    return plugin == "sample" ? std::string(64, '0') : std::string();
  };

  const SwapReport refused = set_->load(order);
  EXPECT_EQ(refused.outcome, SwapOutcome::kRefused);
  EXPECT_THAT(refused.text, HasSubstr("the manifest requires 0000"));
  order.pin = [&](const std::string& /*plugin*/) { return digest; };
  EXPECT_TRUE(set_->load(order).ok());
  place("v2");
  EXPECT_EQ(swap().outcome, SwapOutcome::kRefused) << "the next build has another digest";
}

TEST_F(SwapTest, AControllerOfANewBuildCanBeEnabledAndItsSkippingIsReported) {
  start();
  place("more");
  ASSERT_TRUE(swap().ok());

  const SwapReport report = set_->enable("more-controller");

  EXPECT_EQ(report.outcome, SwapOutcome::kInitFailed);
  EXPECT_EQ(report.text, "controller more-controller will not run: it gave no reason");
  EXPECT_TRUE(set_->serving().state().residents.empty());
  EXPECT_EQ(set_->enable("nobody").outcome, SwapOutcome::kUnknown);
}

}  // namespace
}  // namespace davit::host
