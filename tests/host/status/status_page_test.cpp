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
  plugin.controllers.back().failing.keys.push_back({.queue = evil, .key = evil, .error = evil});
  plugin.controllers.back().failing.others = 1;
  plugin.controllers.back().held.objects = 1;
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

TEST(StatusPageTest, RepeatsOfAStuckNamespaceAreOneRow) {
  StatusView view;
  for (int i = 0; i < 10; ++i) {
    RecentWrite stuck{{}, "namespace-controller", {}};
    stuck.work.key = "stuck";
    stuck.work.writes.push_back({.verb = "deletecollection",
                                 .object = {"", "configmaps", "stuck", ""},
                                 .http_status = 200});
    stuck.work.writes.push_back({.verb = "update",
                                 .object = {"", "namespaces", "", "stuck"},
                                 .subresource = "status",
                                 .http_status = i == 0 ? 409 : 200});
    view.writes.push_back(stuck);
  }
  RecentWrite other{{}, "replicaset-controller", {}};
  for (const char* name : {"a", "b"}) {
    other.work.writes.push_back(
        {.verb = "create", .object = {"", "pods", "default", name}, .http_status = 201});
  }
  view.writes.push_back(other);

  const std::string page = status_page(view);

  EXPECT_THAT(page, testing::ContainsRegex("deletecollection configmaps stuck/</td>"
                                           "<td class=\"minor n\">10</td>"));
  EXPECT_THAT(page, testing::ContainsRegex("409</td><td class=\"word\">namespace-controller</td>"
                                           "<td class=\"wrap\">update namespaces stuck/status"
                                           "</td><td class=\"minor n\">1</td>"))
      << "another result is a row of its own";
  EXPECT_THAT(page,
              testing::ContainsRegex("namespaces stuck/status</td><td class=\"minor n\">9</td>"));
  EXPECT_THAT(page, HasSubstr("create pods default/a and others</td><td class=\"minor n\">2</td>"));
}

TEST(StatusPageTest, APhoneLeavesOutWhatSaysLessThanErrors) {
  StatusView view;
  PluginState plugin;
  plugin.controllers.push_back({.name = "web-controller", .state = "running"});
  plugin.controllers.back().syncs.errors = 7;
  view.status.set.plugins.push_back(plugin);

  const std::string page = status_page(view);

  EXPECT_THAT(page, HasSubstr("@media (max-width:760px)"));
  EXPECT_THAT(page, HasSubstr(".minor{display:none}}"));
  EXPECT_THAT(page, HasSubstr("<th class=\"minor n\">syncs</th><th class=\"n\">errors</th>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n bad\">7</td><td class=\"minor n\">0.0 %</td>"));
  EXPECT_THAT(page, HasSubstr("<th class=\"n\">unreadable</th>")) << "the informers' errors";

  RecentWrite write{{}, "web-controller", {}};
  write.work.writes.push_back({.verb = "create", .object = {"", "pods", "shop", "a"}});
  view.writes.push_back(write);
  EXPECT_THAT(status_page(view),
              HasSubstr("<th class=\"minor\">time</th><th class=\"n\">status</th>"
                        "<th>controller</th><th>write</th><th class=\"minor n\">times</th>"
                        "<th class=\"minor\">why</th>"));
}

TEST(StatusPageTest, FailingKeysHaveTheirErrorAndSinceWhen) {
  StatusView view;
  PluginState plugin;
  plugin.controllers.push_back({.name = "web-controller", .state = "running"});
  FailingList& failing = plugin.controllers.back().failing;
  failing.keys.push_back({.queue = "web",
                          .key = "shop/a",
                          .error = "pods is forbidden",
                          .since = WallTime{} + std::chrono::hours(24),
                          .failures = 7});
  failing.keys.push_back({.error = "no server"});
  failing.others = 5;
  view.status.set.plugins.push_back(plugin);

  const std::string page = status_page(view);

  EXPECT_THAT(page, HasSubstr("<td>web-controller</td><td class=\"wrap\">shop/a"
                              "<div class=bad>pods is forbidden</div></td>"
                              "<td class=\"minor\">1970-01-02T00:00:00Z</td>"
                              "<td class=\"n bad\">7</td>"));
  EXPECT_THAT(page, HasSubstr(">a timer<div class=bad>no server</div></td>"));
  EXPECT_THAT(page, HasSubstr("5 further keys of web-controller fail"));
  EXPECT_THAT(status_page({}), HasSubstr("<h2>Failing keys</h2>\n<p class=dim>none</p>"));
}

TEST(StatusPageTest, WhatAControllerHoldsHasItsName) {
  StatusView view;
  PluginState plugin;
  plugin.controllers.push_back({.name = "thrifty-controller", .state = "running"});
  plugin.controllers.push_back({.name = "leaky-controller", .state = "running"});
  plugin.controllers.back().held = {.objects = 1000, .object_bytes = 2048};
  view.status.set.plugins.push_back(plugin);

  const std::string page = status_page(view);

  EXPECT_THAT(page, HasSubstr("<td>leaky-controller</td><td class=\"n\">1000</td>"
                              "<td class=\"n\">2.0 KiB</td>"));
  EXPECT_THAT(page, Not(HasSubstr("<td>thrifty-controller</td><td class=\"n\">0</td>")));
}

TEST(StatusPageTest, LeadershipIsSaid) {
  StatusView view;
  view.status.leadership = {LeadershipState::Role::kStandby, "kube-system/davit", "other_1"};

  EXPECT_THAT(status_page(view), HasSubstr("standby</span> <span class=dim>of kube-system/davit, "
                                           "held by other_1"));
}

}  // namespace
}  // namespace davit::host
