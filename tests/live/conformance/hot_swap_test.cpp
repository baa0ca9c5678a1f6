/// Plugins swapped under a running host, as an operator does it. Needs kubectl only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/live/conformance/plugin_host.hpp"
#include "tests/support/swap_holdings.hpp"

namespace davit::live {
namespace {

using testing::HasSubstr;

class HotSwapLiveTest : public PluginHostTest {
 protected:
  HotSwapLiveTest() {
    place("deployment", DAVIT_DEPLOYMENT_PLUGIN);
    place("replicaset", DAVIT_REPLICASET_PLUGIN);
  }

  std::unique_ptr<Process> start(std::vector<std::string> flags = {}) {
    flags.insert(flags.end(), {"--kube-api-qps=1000", "--kube-api-burst=1000"});
    return PluginHostTest::start(flags);
  }

  /// Swaps each of the plugins so many times.
  void swap_both(int swaps) {
    for (int i = 0; i < swaps; ++i) {
      ++generation_;
      for (const char* plugin : {"deployment", "replicaset"}) {
        const Outcome swapped = ctl({"swap", plugin});
        ASSERT_EQ(swapped.code, 0) << swapped.err;
        EXPECT_THAT(swapped.out,
                    HasSubstr("generation " + std::to_string(generation_) + " serves"));
      }
    }
  }
  /// Waits until the Deployment "web" is rolled out and all of its 200 pods have that image.
  void await_pods(const std::string& image) const {
    kubectl({"rollout", "status", "deployment/web", "--timeout=240s"});
    std::string wanted;
    for (int i = 0; i < 200; ++i) wanted += (i == 0 ? "" : " ") + image;
    const auto images = [&] {
      return kubectl({"get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}"});
    };
    EXPECT_TRUE(eventually(
        std::chrono::minutes(4), [&] { return images() == wanted; },
        std::chrono::milliseconds(200)))
        << images();
  }

 private:
  int generation_ = 1;  // The generation of both plugins.
};

constexpr int kWarmUp = 5;  // Allocators, pools and the loader keep what they once needed.
constexpr int kSwaps = 50;
/// The changes that a rollout causes by itself: fewer than one leftover per swap of a plugin.
/// Seen: 5 maps, 28 connections, 2 threads; memory shrinks.
constexpr test::Noise kNoise{
    .bytes = 4L * 1024 * 1024, .maps = 40, .descriptors = 40, .threads = 25};

TEST_F(HotSwapLiveTest, ARolloutContinuesWhileItsPluginsAreSwappedFiftyTimes) {
  const auto host = start();
  const auto held = [&] { return test::Holdings::of(std::to_string(host->pid())); };
  const int descriptors = held().descriptors;
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=200"});
  swap_both(kWarmUp);
  await_pods("nginx:1");
  test::Holdings before = held();

  kubectl({"set", "image", "deployment/web", "nginx=nginx:2"});
  swap_both(kSwaps);
  await_pods("nginx:2");

  // Connections are closed when they have been idle for a while; at the start there are few.
  before.descriptors = descriptors;
  test::Holdings after;
  const auto connections_are_closed = [&] {
    after = held();
    return after.descriptors <= descriptors + kNoise.descriptors;
  };
  static_cast<void>(eventually(std::chrono::minutes(4), connections_are_closed));
  test::expect_swaps_leave_nothing(before, after, 2 * kSwaps, kNoise);
  EXPECT_THAT(ctl({"status"}).out, Not(HasSubstr("resident")));
  host->signal(SIGTERM);
  EXPECT_EQ(host->wait(std::chrono::minutes(4)), 0);
}

TEST_F(HotSwapLiveTest, AChangedFileIsSwappedInAndABadOneIsNot) {
  const auto host = start({"--watch"});
  place("replicaset", DAVIT_DEPLOYMENT_PLUGIN);
  const auto says = [&](const std::string& text) {
    return eventually(std::chrono::minutes(4),
                      [&] { return host->output().find(text) != std::string::npos; });
  };
  EXPECT_TRUE(says("is the plugin deployment, not replicaset")) << host->output();

  write_file(file("replicaset"), read_file(DAVIT_REPLICASET_PLUGIN).substr(0, 4096));
  EXPECT_TRUE(says("refused")) << host->output();
  const Outcome refused = ctl({"swap", "replicaset"});
  EXPECT_EQ(refused.code, 1);

  const Outcome other = ctl({"swap", "replicaset", DAVIT_REPLICASET_PLUGIN});
  EXPECT_EQ(other.code, 0) << other.err;
  kubectl({"create", "deployment", "web", "--image=nginx:1"});
  kubectl({"rollout", "status", "deployment/web", "--timeout=240s"});
}

TEST_F(HotSwapLiveTest, AnEditOfTheManifestIsAppliedAndNonsenseInItIsNot) {
  const std::string head =
      "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugins: [{name: deployment}";
  const std::filesystem::path manifest = scratch() / "davit.yaml";
  write_file(manifest, head + "]\n");
  const auto host = start({"--watch", "--manifest=" + manifest.string()});
  const auto status = [&](const std::string& text) {
    return eventually(std::chrono::minutes(4),
                      [&] { return ctl({"status"}).out.find(text) != std::string::npos; });
  };

  write_file(manifest, head + ", {name: replicaset}]\n");
  EXPECT_TRUE(status("replicaset-controller running")) << host->output();
  write_file(manifest, head + ", {nam: replicaset}]\n");
  EXPECT_TRUE(status(manifest.string() + ":3:")) << host->output();
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("replicaset-controller running"));
}

TEST_F(HotSwapLiveTest, ABuildRunsInTheShadowUntilACommitOrDrop) {
  const auto host = start();
  EXPECT_EQ(ctl({"shadow", "replicaset"}).code, 1) << "there is none yet";
  const Outcome begun = ctl({"shadow", "replicaset", file("replicaset").string()});
  ASSERT_EQ(begun.code, 0) << begun.err;
  EXPECT_THAT(begun.out, HasSubstr("generation 2 of replicaset runs in the shadow"));
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("in its shadow: "));

  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=3"});
  kubectl({"rollout", "status", "deployment/web", "--timeout=240s"});
  EXPECT_TRUE(eventually(std::chrono::minutes(4), [&] {
    return ctl({"shadow", "replicaset"}).out.find("shadow : 0 syncs") == std::string::npos;
  }));
  const std::string pods = kubectl({"get", "pods", "-o", "name"});
  EXPECT_EQ(std::count(pods.begin(), pods.end(), '\n'), 3) << "one build writes";

  EXPECT_EQ(ctl({"shadow", "replicaset", "--drop"}).code, 0);
  EXPECT_THAT(ctl({"status"}).out, Not(HasSubstr("in its shadow")));
  ASSERT_EQ(ctl({"shadow", "replicaset", file("replicaset").string()}).code, 0);
  const Outcome committed = ctl({"shadow", "replicaset", "--commit"});
  EXPECT_THAT(committed.out, HasSubstr("generation 4 serves")) << committed.err;
  EXPECT_EQ(ctl({"shadow", "replicaset", "--commit", "--drop"}).code, 2);
}

TEST_F(HotSwapLiveTest, OrdersThatCannotBeCarriedOutAreRefused) {
  const auto host = start();
  const Outcome unknown = ctl({"swap", "nobody"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(unknown.err, "davit: no plugin nobody is loaded (loaded: deployment, replicaset)\n");
  EXPECT_EQ(ctl({"disable", "replicaset-controller"}).code, 0);
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("replicaset-controller off"));
  EXPECT_EQ(ctl({"enable", "replicaset"}).out, "replicaset-controller runs\n");
  EXPECT_THAT(ctl({"status", "-o", "json"}).out, HasSubstr(R"("outcome":"done")"));
  EXPECT_EQ(ctl({"unload", "deployment"}).code, 0);
  EXPECT_EQ(ctl({"load", file("deployment").string()}).code, 0);

  EXPECT_EQ(run({DAVIT_PROGRAM, "ctl", "swap"}).code, 2);
  EXPECT_EQ(run({DAVIT_PROGRAM, "ctl", "status", "--control-socket=/nowhere/davit.sock"}).code, 1);
}

}  // namespace
}  // namespace davit::live
