// The thread of a simulation.
#include <gtest/gtest.h>

#include "tests/nodes/world.hpp"
#include "tests/support/scarcity.hpp"

namespace davit::sandbox {
namespace {

TEST(SimulationThreadTest, WithoutAThreadItDoesNotOpen) {
  Sandbox sandbox;
  Interceptor server(*sandbox.server);
  InProcessTransport transport(server, sandbox.clock);
  const SimulationSeams seams{transport, sandbox.clock, *sandbox.random, Logger(sandbox.log)};
  {
    const test::NoThreads scarce;
    const auto nodes = SimulationThread::open(seams, two_nodes());
    EXPECT_EQ(scarce.wanted(), 1U);
    ASSERT_FALSE(nodes);
    EXPECT_EQ(nodes.error().code(), Code::kUnavailable);
    EXPECT_EQ(nodes.error().message(), "cannot simulate nodes: the system has no thread for them");
  }
  EXPECT_EQ(server.requests, 0);

  EXPECT_TRUE(SimulationThread::open(seams, two_nodes()));
}

}  // namespace
}  // namespace davit::sandbox
