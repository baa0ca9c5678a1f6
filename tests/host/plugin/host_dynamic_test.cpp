/// "davit.informer/2": phases, handles, and delivery by the controller's own threads.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
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

  const davit_informer_v2* table_ = Tables::get<davit_informer_v2>("davit.informer/2");
  test::Collector<std::string> heard_;
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
