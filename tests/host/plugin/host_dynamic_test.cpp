/// "davit.informer/2": phases, handles, and delivery by the controller's own threads.
#include <atomic>

#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HostDynamicTest : public ControllerHostTest {
 protected:
  /// A resource that the fixture's controller may watch.
  davit_informer_options_v2 pods() {
    davit_informer_options_v2 options{};
    options.size = sizeof(options);
    options.version = str("v1");
    options.resource = str("pods");
    options.self = this;
    options.on_event = [](void* self, const davit_call*, const davit_event* event) {
      static_cast<HostDynamicTest*>(self)->heard_.push(event->initial == 1 ? "initial" : "change");
    };
    options.on_closed = [](void* self, const davit_call*) {
      static_cast<HostDynamicTest*>(self)->heard_.push("closed");
    };
    return options;
  }
  davit_code open(Phase phase, const davit_informer_options_v2& options, davit_handle& out) {
    return inside(phase, [&] { return table_->open(current_call, &options, &out); });
  }

  davit_code synced(davit_handle informer) {
    return inside(Phase::kSync, [&] { return table_->synced(current_call, informer); });
  }
  davit_code get(davit_handle informer, davit_value& out) {
    return inside(Phase::kSync, [&] {
      return table_->get(current_call, informer, str("default"), str("a"), &out);
    });
  }
  /// The key of `queue` is added whenever there is something to see.
  davit_informer_options_v2 waking(davit_handle queue) {
    davit_informer_options_v2 options = pods();
    options.wake_queue = queue;
    options.wake_key = str("pods");
    return options;
  }
  /// The first sync that finds `informer` synced is heard: each wake may bring a further one.
  Sync hearing(const davit_handle& informer) {
    return [&informer, this](davit_str, davit_sync_result&) {
      if (table_->synced(current_call, informer) == DAVIT_OK && !is_synced_heard_.exchange(true))
        heard_.push("synced");
      return DAVIT_OK;
    };
  }

  const davit_informer_v2* table_ = Tables::get<davit_informer_v2>("davit.informer/2");
  test::Collector<std::string> heard_;
  std::atomic<bool> is_synced_heard_{false};
};

TEST_F(HostDynamicTest, WhatIsOpenedAtRunTimeIsDeliveredAndWokenFor) {
  davit_handle queue = 0;
  start_with([&] { queue = open_queue(); });
  commit();
  run();
  davit_informer_options_v2 options = pods();
  options.wake_queue = queue;
  options.wake_key = str("pods");
  davit_handle informer = 0;

  ASSERT_EQ(open(Phase::kSync, options, informer), DAVIT_OK);
  EXPECT_THAT(synced_.await(1), ElementsAre("pods")) << "once after it was opened";
  EXPECT_EQ(inside(Phase::kSync, [&] { return table_->synced(current_call, informer); }),
            DAVIT_UNAVAILABLE);
  ASSERT_THAT(informers_.informers(), SizeIs(1));
  ASSERT_TRUE(informers_.informers()[0]->prepare().ok());
  send(0, list_json("1", {{.name = "a", .version = "1"}}));

  EXPECT_THAT(heard_.await(1), ElementsAre("initial"));
  EXPECT_EQ(synced_.await(2).size(), 2U) << "and when its content was delivered";
  EXPECT_EQ(inside(Phase::kSync, [&] { return table_->synced(current_call, informer); }), DAVIT_OK);
  EXPECT_EQ(inside(Phase::kSync, [&] { return table_->close(current_call, informer); }), DAVIT_OK);
  EXPECT_THAT(heard_.await(2), ElementsAre("initial", "closed"));
}

TEST_F(HostDynamicTest, WhatInitOpensIsRealOnlyOnceTheControllerHasStarted) {
  davit_handle informer = 0;
  start_with([&] {
    const davit_informer_options_v2 options = pods();
    EXPECT_EQ(table_->open(current_call, &options, &informer), DAVIT_OK);
  });
  EXPECT_THAT(informers_.informers(), IsEmpty());

  ASSERT_TRUE(host_->commit().ok());

  EXPECT_THAT(informers_.informers(), SizeIs(1));
}

TEST_F(HostDynamicTest, RefusalAdvisesARuleOfTheNamespaceAndName) {
  const auto result = init([&](const davit_context&, davit_controller&) {
    davit_handle informer = 0;
    davit_informer_options_v2 secrets = pods();
    secrets.resource = str("secrets");
    secrets.ns = str("shop");
    secrets.field_selector = str("metadata.name=tls");
    EXPECT_EQ(table_->open(current_call, &secrets, &informer), DAVIT_UNDECLARED);
    return DAVIT_FAILED;
  });
  EXPECT_THAT(
      result.reason,
      HasSubstr(R"(the note does not allow sample-controller to follow secrets: its "rules" )"
                R"(need {"group":"","resource":"secrets","verbs":["list","watch"],)"
                R"("resourceNames":["tls"],"namespaces":["shop"]})"));
}

// Issue 30, 3.6: custom kinds took the places of built-in ones, and 1,000 in all was the limit.
TEST_F(HostDynamicTest, NoNumberOfCustomKindsKeepsABuiltInOneOut) {
  ControllerHostOptions unlimited = options();
  unlimited.declared.is_unlimited = true;
  make(unlimited);
  davit_handle informer = 0;
  start_with([&] {
    davit_informer_options_v2 custom = pods();
    custom.group = str("example.com");
    std::string resource;
    for (std::size_t i = 0; i < DynamicInformers::kOpenMax; ++i) {
      resource = "widgets" + std::to_string(i);
      custom.resource = str(resource);
      ASSERT_EQ(table_->open(current_call, &custom, &informer), DAVIT_OK) << i;
    }
    EXPECT_EQ(table_->open(current_call, &custom, &informer), DAVIT_UNSUPPORTED);
    EXPECT_EQ(table_->open(current_call, &custom, &informer), DAVIT_UNSUPPORTED);
    const davit_informer_options_v2 built_in = pods();
    EXPECT_EQ(table_->open(current_call, &built_in, &informer), DAVIT_OK);
    EXPECT_EQ(table_->close(current_call, informer), DAVIT_OK);
    EXPECT_EQ(table_->open(current_call, &built_in, &informer), DAVIT_OK);
  });

  const std::string page = metrics_->text();
  EXPECT_THAT(page, HasSubstr("davit_controller_informers{controller=\"sample-controller\","
                              "kinds=\"custom\"} 16384\n"));
  EXPECT_THAT(page, HasSubstr("davit_controller_informers{controller=\"sample-controller\","
                              "kinds=\"built_in\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("davit_controller_informers_refused_total{controller="
                              "\"sample-controller\",kinds=\"custom\"} 2\n"));
  EXPECT_EQ(log_.count("an informer was refused"), 1U) << "said once, counted always";
}

// Issue 30, 1.1: only the informers of "davit.informer/1" were waited for.
TEST_F(HostDynamicTest, WhatIsOpenIsNotSyncedBeforeItIsAsNewAsTheBeginning) {
  davit_handle informer = 0;
  davit_value value{};
  start_with([&] {
    const davit_informer_options_v2 options = waking(open_queue(hearing(informer)));
    EXPECT_EQ(table_->open(current_call, &options, &informer), DAVIT_OK);
  });
  commit({list_json("10", {{.name = "a", .version = "1"}})});
  host_->start();
  send(0, event_json("MODIFIED", {.name = "a", .version = "11"}));
  EXPECT_THAT(heard_.await(2), ElementsAre("initial", "change"));
  EXPECT_EQ(synced(informer), DAVIT_OK) << "a standby may look at it";

  host_->lead(clock_.now());
  EXPECT_EQ(synced(informer), DAVIT_EXPIRED);
  EXPECT_EQ(get(informer, value), DAVIT_EXPIRED);
  send(0, "");  // A watch that ends as soon as it begins.
  EXPECT_EQ(synced(informer), DAVIT_EXPIRED);
  send(0, list_json("13", {{.name = "a", .version = "12"}}));

  EXPECT_THAT(heard_.await(4), ElementsAre("initial", "change", "change", "synced"));
  EXPECT_EQ(get(informer, value), DAVIT_OK);
}

TEST_F(HostDynamicTest, WhatIsOpenedLaterIsVerifiedThoughItSharesAnInformerThatRuns) {
  CacheNeed need{{{"", "v1", "pods"}, {}, {}, {}}};
  Result<InformerUse> other = informers_.acquire(need);
  ASSERT_TRUE(other.has_value());
  ASSERT_TRUE(other->informer().prepare().ok());
  send(0, list_json("10", {{.name = "a", .version = "1"}}));
  davit_handle queue = 0;
  davit_handle informer = 0;
  start_with([&] { queue = open_queue(hearing(informer)); });
  ASSERT_TRUE(host_->commit().ok());
  host_->start();
  host_->lead(clock_.now());

  ASSERT_EQ(open(Phase::kSync, waking(queue), informer), DAVIT_OK);
  EXPECT_THAT(heard_.await(1), ElementsAre("initial"));
  EXPECT_NE(synced(informer), DAVIT_OK);
  send(0, "");  // A watch that ends as soon as it begins.
  EXPECT_NE(synced(informer), DAVIT_OK);
  send(0, list_json("13", {{.name = "a", .version = "12"}}));

  EXPECT_THAT(heard_.await(3), ElementsAre("initial", "change", "synced"));
}

TEST_F(HostDynamicTest, AResourceThatTheServerDoesNotShowIsUnavailableNotAboutToBeVerified) {
  davit_handle informer = 0;
  start_with([&] {
    const davit_informer_options_v2 options = waking(open_queue(hearing(informer)));
    EXPECT_EQ(table_->open(current_call, &options, &informer), DAVIT_OK);
  });
  commit({list_json("10", {{.name = "a", .version = "1"}})});
  host_->start();
  send(0, event_json("MODIFIED", {.name = "a", .version = "11"}));
  EXPECT_THAT(heard_.await(2), ElementsAre("initial", "change"));
  host_->lead(clock_.now());
  send(0, "");  // A watch that ends as soon as it begins.
  api_.replies.push_back({.end = api_error(503, Code::kUnavailable, "ServiceUnavailable")});
  ASSERT_FALSE(informers_.informers()[0]->reflector().step({}));

  EXPECT_EQ(synced(informer), DAVIT_UNAVAILABLE);
}

TEST_F(HostDynamicTest, AStaleOrForeignHandleReadsNothing) {
  davit_handle informer = 0;
  start_with([] {});
  ASSERT_TRUE(host_->commit().ok());
  ASSERT_EQ(open(Phase::kSync, pods(), informer), DAVIT_OK);

  inside(Phase::kSync, [&] {
    davit_value value{};
    davit_list list{};
    EXPECT_EQ(tables_.informer->get(current_call, informer, str("default"), str("a"), &value),
              DAVIT_STALE)
        << "it is not of davit.informer/1";
    EXPECT_EQ(table_->get(current_call, informer, str("default"), str("a"), &value),
              DAVIT_NOT_FOUND);
    EXPECT_EQ(table_->close(current_call, informer), DAVIT_OK);
    EXPECT_EQ(table_->close(current_call, informer), DAVIT_STALE);
    EXPECT_EQ(table_->synced(current_call, informer), DAVIT_STALE);
    EXPECT_EQ(table_->select(current_call, informer, str(""), nullptr, 0, &list), DAVIT_STALE);
  });
}

TEST_F(HostDynamicTest, ProbesMayNotOpenAndInitMayNotRead) {
  davit_handle informer = 0;
  start_with([&] {
    const davit_informer_options_v2 options = pods();
    EXPECT_EQ(table_->open(current_call, &options, &informer), DAVIT_OK);
    EXPECT_EQ(table_->synced(current_call, informer), DAVIT_MISUSE);
  });

  EXPECT_EQ(open(Phase::kProbe, pods(), informer), DAVIT_MISUSE);
}

TEST_F(HostDynamicTest, AnEndedControllerLeavesItsInformersToOthers) {
  davit_handle informer = 0;
  start_with([] {});
  ASSERT_TRUE(host_->commit().ok());
  ASSERT_EQ(open(Phase::kSync, pods(), informer), DAVIT_OK);

  host_.reset();
  clock_.advance(InformerFactory::kUnusedMax);
  informers_.release_unused(clock_.now());

  EXPECT_THAT(informers_.informers(), IsEmpty());
}

}  // namespace
}  // namespace davit::host
