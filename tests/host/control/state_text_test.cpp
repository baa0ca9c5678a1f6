#include "host/control/state_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SetState state_of(ControllerState controller) {
  PluginState plugin;
  plugin.name = "web";
  plugin.build = {"0.1.0", "0123456789abcdef", 2};
  plugin.controllers.push_back(std::move(controller));
  SetState state;
  state.plugins.push_back(std::move(plugin));
  return state;
}

TEST(StateTextTest, FailingKeysStandBelowTheirController) {
  ControllerState controller{.name = "web-controller", .state = "running", .waiting = 4};
  const WallTime since = WallTime{} + std::chrono::hours(24);
  controller.failing.keys.push_back(
      {.queue = "web", .key = "shop/a", .error = "no right", .since = since, .failures = 7});
  controller.failing.keys.push_back({.error = "no server", .since = since});
  controller.failing.others = 5;

  EXPECT_EQ(state_text(state_of(controller), {"a note"}),
            "web 0.1.0, generation 2, build 0123456789ab, swappable\n"
            "  web-controller running, 4 keys wait\n"
            "    fails: shop/a, 7 times since 1970-01-02T00:00:00Z: no right\n"
            "    fails: a timer, 1 times since 1970-01-02T00:00:00Z: no server\n"
            "    5 further keys fail\n"
            "a note");
}

TEST(StateTextTest, NoTextOfAKeyReachesTheTerminalAsACommand) {
  ControllerState controller{.name = "web-controller", .state = "running"};
  controller.failing.keys.push_back({.key = "a\033[2J", .error = "b\nc\033[31m"});

  const std::string text = state_text(state_of(controller), {});

  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(text, HasSubstr("b\\x0ac"));
}

TEST(StateTextTest, AControllerThatKeepsObjectsIsNamed) {
  ControllerState controller{.name = "leaky-controller", .state = "running"};
  EXPECT_THAT(state_text(state_of(controller), {}), Not(HasSubstr("holds")));
  controller.held = {.objects = 1000, .object_bytes = 2048, .timers = 3, .journal_bytes = 99};

  EXPECT_THAT(state_text(state_of(controller), {}),
              HasSubstr("leaky-controller running, 0 keys wait, holds 1000 objects of 2.0 KiB"));
}

}  // namespace
}  // namespace davit::host
