// Plugins are swapped while they work.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/system/counting_transport.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

constexpr int kReplicas = 30;
constexpr int kSwaps = 10;  // The least number for each plugin.

class HotSwapTest : public testing::Test {
 protected:
  HotSwapTest() {
    system_.start({{DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY},
                   {"deployment-controller", "replicaset-controller"}},
                  &transport_);
  }
  ~HotSwapTest() override { system_.stop(); }

  /// Swaps both plugins for themselves in turn, until `enough`; returns how often each.
  int swap_until(const std::atomic<bool>& enough) {
    int swaps = 0;
    while (!enough.load() || swaps < kSwaps) {
      for (const char* plugin : {"deployment", "replicaset"}) {
        const SwapReport report = system_.host().plugins().swap({plugin, ""});
        EXPECT_TRUE(report.ok()) << plugin << ": " << report.text;
        EXPECT_EQ(report.keys_dropped, 0U);
        EXPECT_EQ(report.resident, "") << plugin;
        if (!report.ok()) return swaps;
      }
      ++swaps;
    }
    return swaps;
  }

  WholeHost system_{3};
  CountingTransport transport_{system_.transport()};
};

TEST_F(HotSwapTest, ARolloutUnderWayEndsRightWithNoPodTooMany) {
  system_.send(Verb::kCreate, deployment(""), web_deployment(kReplicas));
  system_.await(deployment(""), rolled_out(kReplicas));
  const int lists = transport_.lists();

  std::atomic<bool> done{false};
  int swaps = 0;
  std::jthread swapping([&] { swaps = swap_until(done); });
  system_.send(Verb::kPatch, deployment("web"), kSecondImage);
  system_.await(deployment(""), rolled_out(kReplicas));
  done.store(true);
  swapping.join();

  EXPECT_GE(swaps, kSwaps);
  EXPECT_EQ(transport_.lists(), lists) << "a swap lists nothing";
  EXPECT_EQ(transport_.pods(), 2 * kReplicas) << "none too many, not even for a moment";
  expect_second_image(system_, kReplicas);
}

}  // namespace
}  // namespace davit::host
