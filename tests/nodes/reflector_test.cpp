/// The reflector that the simulated nodes and the demo share, against a whole server.
#include "nodes/reflector.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "nodes/api_calls.hpp"
#include "tests/nodes/world.hpp"

namespace davit::sandbox {
namespace {

class ReflectorTest : public testing::TestWithParam<const char*> {
 protected:
  void follow() {
    for (int i = 0; i < 20; ++i) {
      world_.run_until_idle();
      (void)api_.deliver();
      (void)reflector_.step();
    }
  }

  World world_;
  std::set<std::string> pods_;
  RequestLoop loop_;
  ApiCalls api_{world_.transport, loop_, "viewer"};
  Reflector reflector_{
      {api_, world_.sandbox.clock, *world_.sandbox.random, Logger(world_.sandbox.log)},
      GetParam(),
      {[this](Json pod) { pods_.insert(key_of(pod)); },
       [this](const std::string& key) { pods_.erase(key); }}};
};

TEST_P(ReflectorTest, FollowsPodsToTheirDeletion) {
  world_.create_pod("early");
  follow();
  world_.create_pod("late");
  follow();
  EXPECT_EQ(pods_, (std::set<std::string>{"default/early", "default/late"}));
  for (const char* name : {"early", "late"}) {
    world_.sandbox.remove(std::string("/api/v1/namespaces/default/pods/") + name +
                          "?gracePeriodSeconds=0");
  }
  follow();
  EXPECT_EQ(pods_, std::set<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Paths, ReflectorTest,
                         testing::Values("/api/v1/pods", "/api/v1/namespaces/default/pods"),
                         [](const auto& each) {
                           return std::string(each.index == 0 ? "OfAll" : "OfANamespace");
                         });

}  // namespace
}  // namespace davit::sandbox
