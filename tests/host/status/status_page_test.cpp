#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/status/host_status.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(StatusPageTest, NamesCannotBecomeMarkup) {
  const std::string evil = "<script>alert('x')</script>\"&";
  StatusView view;
  view.status.version = evil;
  view.status.notes = {evil};
  view.status.quarantined = {evil};
  view.status.set.busy = evil;
  view.status.leadership = {LeadershipState::Role::kLeader, evil, evil};
  PluginState plugin;
  plugin.name = evil;
  plugin.build = {evil, evil, 1};
  plugin.controllers.push_back({.name = evil, .state = evil});
  view.status.set.plugins.push_back(plugin);
  view.status.set.residents.push_back(
      {.plugin = evil, .build = {}, .reason = evil, .blockers = {}});
  view.status.caches.push_back({.resource = {evil, "v1", evil}, .selection = evil});
  view.status.crashes.push_back({{}, evil, evil, evil, evil, evil, evil, evil});
  view.swaps.push_back({{}, evil, evil, evil, 1, 2, {}});
  RecentWrite write{{}, evil, {}};
  write.work.key = evil;
  write.work.wakes.push_back({Wake::Kind::kAdded, {evil, evil, evil, evil}, evil, {}});
  write.work.writes.push_back({.verb = evil, .object = {evil, evil, evil, evil}});
  view.writes.push_back(write);

  const std::string page = status_page(view);

  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("'x'")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;"));
}

TEST(StatusPageTest, NeedsNoOtherFileAndNoOtherHost) {
  const std::string page = status_page({});

  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr(" href=")));
  EXPECT_THAT(page, Not(HasSubstr(" style="))) << "the policy forbids it";
  EXPECT_THAT(page, HasSubstr("<noscript><meta http-equiv=refresh"));
  EXPECT_THAT(status_page_policy(), HasSubstr("default-src 'none'"));
  EXPECT_THAT(status_page_policy(), Not(HasSubstr("unsafe")));
}

TEST(StatusPageTest, ARecentWriteSaysWhy) {
  StatusView view;
  RecentWrite write{{}, "replicaset-controller", {}};
  write.work.key = "default/web-1";
  write.work.wakes.push_back({Wake::Kind::kDeleted, {"", "pods", "default", "web-1-x"}, "17", {}});
  write.work.writes.push_back(
      {.verb = "create", .object = {"", "pods", "default", "web-1-y"}, .http_status = 201});
  view.writes.push_back(write);

  const std::string page = status_page(view);

  EXPECT_THAT(page, HasSubstr("create pods default/web-1-y"));
  EXPECT_THAT(page, HasSubstr("sync of default/web-1, as pods default/web-1-x was deleted"));
}

TEST(StatusPageTest, LeadershipIsSaid) {
  StatusView view;
  view.status.leadership = {LeadershipState::Role::kStandby, "kube-system/davit", "other_1"};

  EXPECT_THAT(status_page(view), HasSubstr("standby</span> <span class=dim>of kube-system/davit, "
                                           "held by other_1"));
}

}  // namespace
}  // namespace davit::host
