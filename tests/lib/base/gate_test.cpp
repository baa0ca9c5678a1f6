#include "lib/base/gate.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/fake_clock.hpp"

namespace davit {
namespace {

using std::chrono::seconds;

TEST(GateTest, ClosedGateAdmitsNoCall) {
  Gate gate;
  EXPECT_TRUE(gate.enter());

  gate.close();

  EXPECT_FALSE(gate.enter());
  gate.open();
  EXPECT_TRUE(gate.enter());
}

TEST(GateTest, WaitGivesUpAtTheDeadlineWhileSomebodyIsInside) {
  test::FakeClock clock;
  Gate gate;
  const auto pass = gate.enter();
  gate.close();

  EXPECT_FALSE(gate.wait_empty(clock, clock.now()));
}

TEST(GateTest, WaitEndsWhenTheLastOneLeaves) {
  test::FakeClock clock;
  Gate gate;
  auto pass = gate.enter();
  gate.close();
  bool empty = false;

  std::jthread waiter([&] { empty = gate.wait_empty(clock, clock.now() + seconds(10)); });
  clock.await_waiters(1);
  pass.reset();
  waiter.join();

  EXPECT_TRUE(empty);
}

TEST(GateTest, WaitEndsWhenTimePasses) {
  test::FakeClock clock;
  Gate gate;
  const auto pass = gate.enter();
  bool empty = true;

  std::jthread waiter([&] { empty = gate.wait_empty(clock, clock.now() + seconds(10)); });
  clock.await_waiters(1);
  clock.advance(seconds(10));
  waiter.join();

  EXPECT_FALSE(empty);
}

}  // namespace
}  // namespace davit
