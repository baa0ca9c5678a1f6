// The controller of DaemonSets is swapped, and runs in a shadow, while a DaemonSet is rolled out.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/system/counting_transport.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

constexpr int kDaemonNodes = 3;
constexpr int kDaemonSwapsMin = 20;

class DaemonSetSwapTest : public testing::Test {
 protected:
  DaemonSetSwapTest() {
    system_.start({{DAVIT_DAEMONSET_DIRECTORY}, {"daemonset-controller"}}, &transport_);
  }
  ~DaemonSetSwapTest() override { system_.stop(); }

  static ResourcePath sets(std::string name) {
    ResourcePath path;
    path.group = "apps";
    path.version = "v1";
    path.resource = "daemonsets";
    path.ns = "default";
    path.name = std::move(name);
    return path;
  }
  void create_set() {
    system_.send(Verb::kCreate, sets(""), R"({"apiVersion":"apps/v1","kind":"DaemonSet",
        "metadata":{"name":"ds"},"spec":{"selector":{"matchLabels":{"app":"agent"}},
        "template":{"metadata":{"labels":{"app":"agent"}},
                    "spec":{"containers":[{"name":"c","image":"c:1"}]}}}})");
  }
  void set_image(const std::string& image) {
    system_.send(Verb::kPatch, sets("ds"),
                 R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":")" + image +
                     R"("}]}}}})");
  }
  /// Waits until every node has an available pod of the latest template.
  void await_rollout() {
    system_.await(sets(""), [](WatchType, const Json& set) {
      const Json& status = set.get("status");
      return status.get("observedGeneration") == set.get("metadata").get("generation") &&
             status.get("updatedNumberScheduled").integer_or(0) == kDaemonNodes &&
             status.get("numberAvailable").integer_or(0) == kDaemonNodes;
    });
  }

  WholeHost system_{kDaemonNodes};
  CountingTransport transport_{system_.transport()};
};

TEST_F(DaemonSetSwapTest, ARolloutUnderWayEndsRightWithNoPodTooMany) {
  create_set();
  await_rollout();
  set_image("c:2");
  std::atomic<bool> done{false};
  int swaps = 0;
  std::jthread swapping([&] {
    while (!done.load() || swaps < kDaemonSwapsMin) {
      const SwapReport report = system_.host().plugins().swap({"daemonset", ""});
      EXPECT_TRUE(report.ok()) << report.text;
      EXPECT_EQ(report.keys_dropped, 0U);
      if (!report.ok()) return;
      ++swaps;
    }
  });
  await_rollout();
  done.store(true);
  swapping.join();

  EXPECT_GE(swaps, kDaemonSwapsMin);
  EXPECT_EQ(transport_.pods(), 2 * kDaemonNodes);
}

TEST_F(DaemonSetSwapTest, ABuildInTheShadowWritesNothingUntilItServes) {
  ASSERT_TRUE(system_.host().plugins().shadows().start({"daemonset", ""}).ok());
  create_set();
  await_rollout();
  EXPECT_EQ(transport_.pods(), kDaemonNodes) << "one build writes";
  const ShadowReport report = system_.await_shadow("daemonset");
  ASSERT_TRUE(report.ok()) << report.text;

  const SwapReport committed = system_.host().plugins().commit_shadow("daemonset");
  ASSERT_TRUE(committed.ok()) << committed.text;
  set_image("c:2");
  await_rollout();
  EXPECT_EQ(transport_.pods(), 2 * kDaemonNodes);
}

}  // namespace
}  // namespace davit::host
