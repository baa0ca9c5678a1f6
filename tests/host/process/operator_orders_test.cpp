#include "host/process/operator_orders.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace davit::host {
namespace {

/// A plugin "pods" with one controller that runs and one that does not.
DesiredState state() {
  DesiredPlugin plugin;
  plugin.name = "pods";
  plugin.file = "/plugins/pods.so";
  plugin.sha256 = "feed";
  plugin.controllers.resize(2);
  plugin.controllers[0].name = "counter";
  plugin.controllers[0].workers = 7;
  plugin.controllers[0].config = R"({"a":1})";
  plugin.controllers[1].name = "sleeper";
  plugin.controllers[1].enabled = DesiredController::Enabled::kNo;
  DesiredState out;
  out.plugins.push_back(std::move(plugin));
  return out;
}

TEST(OperatorOrdersTest, PlannedSettingsApplyUntilAStateReplacesThem) {
  OperatorOrders orders({{"counter", {3, ""}}, {"other", {4, ""}}});
  EXPECT_EQ(orders.settings_of("counter").workers, 3U);

  orders.want(state());

  EXPECT_EQ(orders.settings_of("counter").workers, 7U);
  EXPECT_EQ(orders.settings_of("counter").config, R"({"a":1})");
  EXPECT_EQ(orders.settings_of("other").workers, std::nullopt) << "no longer in the state";
  EXPECT_EQ(orders.settings().size(), 2U);
}

TEST(OperatorOrdersTest, WantReturnsTheStateBefore) {
  OperatorOrders orders({});
  EXPECT_TRUE(orders.want(state()).plugins.empty());
  EXPECT_EQ(orders.want({}).plugins.size(), 1U);
}

TEST(OperatorOrdersTest, FileOfTheStateLoadsWithItsDigestAndEnabledControllers) {
  OperatorOrders orders({});
  orders.want(state());

  const LoadOrder order = orders.load_order("/plugins/pods.so");

  EXPECT_EQ(order.sha256, "feed");
  EXPECT_EQ(order.controllers, std::vector<std::string>{"counter"});
}

TEST(OperatorOrdersTest, CopyOfAPinnedPluginIsPinnedByItsName) {
  OperatorOrders orders({});
  orders.want(state());

  const LoadOrder order = orders.load_order("/elsewhere/copy.so");

  EXPECT_EQ(order.sha256, "");
  ASSERT_TRUE(order.pin);
  EXPECT_EQ(order.pin("pods"), "feed");
  EXPECT_EQ(order.pin("another"), "");
  EXPECT_EQ(order.controllers, std::nullopt);
}

TEST(OperatorOrdersTest, WithoutAStateNothingIsPinned) {
  const OperatorOrders orders({{"counter", {3, ""}}});
  EXPECT_EQ(orders.load_order("/plugins/pods.so").pin("pods"), "");
}

}  // namespace
}  // namespace davit::host
