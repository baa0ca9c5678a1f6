#include "host/cache/informer.hpp"

#include <gmock/gmock.h>

#include "host/cache/delta_queue.hpp"
#include "host/cache/informer_factory.hpp"
#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class InformerTest : public CacheTest {
 protected:
  void filled_with(std::string_view version, const std::vector<PodSpec>& pods) {
    reply({.body = list_json(version, pods)});
    step();
  }
  void watch(std::string body) {
    reply({.body = std::move(body)});
    step();
  }
};

// RT-070
TEST_F(InformerTest, FirstContentIsInitialAndLaterObjectsAreNot) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"}, {.name = "b", .version = "2"}});
  watch(event_json("ADDED", {.name = "c", .version = "6"}));

  EXPECT_THAT(listener.heard,
              UnorderedElementsAre("ADDED a@1 initial", "ADDED b@2 initial", "ADDED c@6"));
  EXPECT_EQ(listener.heard.back(), "ADDED c@6");
}

// RT-071
TEST_F(InformerTest, EmptyCollectionIsSyncedWithoutAChange) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  EXPECT_FALSE(informer_->has_synced());
  filled_with("5", {});

  EXPECT_TRUE(informer_->has_synced());
  EXPECT_EQ(listener.initials, 1);
  EXPECT_THAT(listener.heard, IsEmpty());
}

// RT-072, RT-073
TEST_F(InformerTest, RelistReportsOnlyDifferencesAndMissedDeletionsAsTombstones) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"},
                    {.name = "b", .version = "2"},
                    {.name = "d", .version = "3"}});
  watch(error_json(410, "Expired"));
  wait();
  listener.heard.clear();
  filled_with("9", {{.name = "b", .version = "2"},
                    {.name = "d", .version = "8"},
                    {.name = "c", .version = "9"}});

  EXPECT_THAT(listener.heard, ElementsAre("DELETED a@1 tombstone", "UPDATED d@3->8", "ADDED c@9"));
}

// RT-075
TEST_F(InformerTest, EveryUpdateOfAnObjectIsReportedInOrder) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"}});
  listener.heard.clear();
  std::string body;
  for (int version = 6; version <= 10; ++version) {
    body += event_json("MODIFIED", {.name = "a", .version = std::to_string(version)});
  }
  watch(body);

  EXPECT_THAT(listener.heard, ElementsAre("UPDATED a@1->6", "UPDATED a@6->7", "UPDATED a@7->8",
                                          "UPDATED a@8->9", "UPDATED a@9->10"));
}

TEST_F(InformerTest, ListenersHearOfAPauseAfterTheChangesOfEachPieceOfAWatch) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {});
  std::string body;
  for (int version = 6; version <= 9; ++version) {
    body += event_json("MODIFIED", {.name = "a", .version = std::to_string(version)});
  }
  reply({.body = body, .chunk = body.size() / 2});
  step();
  EXPECT_THAT(listener.heard_at_pauses, ElementsAre(2, 4));

  watch(event_json("MODIFIED", {.name = "a", .version = "9"}));
  EXPECT_EQ(listener.heard_at_pauses.size(), 2U) << "nothing was reported";
}

TEST_F(InformerTest, ListenersHearOfAPauseAfterARelistAndAfterAResync) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"}});
  watch(error_json(410, "Expired"));
  wait();
  filled_with("9", {{.name = "a", .version = "8"}, {.name = "b", .version = "9"}});
  EXPECT_THAT(listener.heard_at_pauses, ElementsAre(3));

  clock_.advance(std::chrono::hours(24));
  informer_->tick(clock_.now());
  EXPECT_THAT(listener.heard_at_pauses, ElementsAre(3, 5));
}

TEST_F(InformerTest, EventThatRepeatsTheKnownStateIsNotReported) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"}});
  listener.heard.clear();
  watch(event_json("ADDED", {.name = "a", .version = "1"}));
  EXPECT_THAT(listener.heard, IsEmpty());
}

// RT-077
TEST_F(InformerTest, LateListenerReceivesTheCurrentContentAndThenEveryChange) {
  make_plain_informer();
  filled_with("5", {{.name = "a", .version = "1"},
                    {.name = "b", .version = "2"},
                    {.name = "c", .version = "3"}});
  RecordingListener late;
  informer_->add_listener(late);
  EXPECT_THAT(late.heard,
              UnorderedElementsAre("ADDED a@1 initial", "ADDED b@2 initial", "ADDED c@3 initial"));
  late.heard.clear();
  watch(event_json("DELETED", {.name = "a", .version = "6"}));

  EXPECT_THAT(late.heard, ElementsAre("DELETED a@6"));
}

TEST_F(InformerTest, ResyncHasThePeriodOfTheOptions) {
  make_informer({.streaming_list = false, .resync_min = std::chrono::minutes(1)});
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"}});
  listener.heard.clear();
  for (int i = 0; i < 2; ++i) {
    clock_.advance(std::chrono::minutes(2));
    informer_->tick(clock_.now());
  }

  EXPECT_THAT(listener.heard, ElementsAre("UPDATED a@1->1", "UPDATED a@1->1"));
}

TEST_F(InformerTest, WithoutAPeriodThereIsNoResync) {
  make_informer({.streaming_list = false, .resync_min = Duration::zero()});
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"}});
  listener.heard.clear();
  clock_.advance(std::chrono::hours(48));
  informer_->tick(clock_.now());

  EXPECT_THAT(listener.heard, IsEmpty());
}

// RT-078: the period is the host's, between 12 and 24 hours.
TEST_F(InformerTest, ResyncReportsEveryObjectAgainWithoutARequest) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"}, {.name = "b", .version = "2"}});
  listener.heard.clear();
  clock_.advance(std::chrono::hours(12) - std::chrono::seconds(61));
  informer_->tick(clock_.now());
  EXPECT_THAT(listener.heard, IsEmpty());
  clock_.advance(std::chrono::hours(12) + std::chrono::seconds(61));
  informer_->tick(clock_.now());

  EXPECT_THAT(listener.heard, UnorderedElementsAre("UPDATED a@1->1", "UPDATED b@2->2"));
  EXPECT_EQ(api_.asked.size(), 1u);
}

// RT-080
TEST_F(InformerTest, RemovedListenerIsNotNotified) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  informer_->remove_listener(listener);
  informer_->remove_listener(listener);
  filled_with("5", {{.name = "a", .version = "1"}});
  EXPECT_EQ(listener.initials, 0);
}

// RT-086
TEST_F(InformerTest, StoreHoldsTheNewStateWhenListenersHearOfIt) {
  struct Reader final : Listener {
    explicit Reader(const Store& s) : store(s) {}
    void on_initial(std::vector<ObjectRef>) override {}
    void on_change(const Change& change) override {
      same = same && store.get("default", "a") == change.current;
    }
    const Store& store;
    bool same = true;
  };
  make_plain_informer();
  Reader reader(informer_->store());
  informer_->add_listener(reader);
  filled_with("5", {{.name = "a", .version = "1"}});
  watch(event_json("MODIFIED", {.name = "a", .version = "6"}));
  EXPECT_TRUE(reader.same);
}

// RT-088
TEST_F(InformerTest, BookmarksAdvanceTheStoreVersion) {
  make_plain_informer();
  RecordingListener listener;
  informer_->add_listener(listener);
  filled_with("5", {});
  watch(bookmark_json("30"));
  EXPECT_EQ(listener.last_version, 30u);
  EXPECT_EQ(informer_->store().version(), 30u);
}

class InformerFactoryTest : public CacheTest {
 protected:
  InformerSpec pods(std::optional<std::vector<std::string>> projection, std::string labels = "") {
    return {{"", "v1", "pods"}, std::move(labels), "", std::move(projection)};
  }
  InformerFactory factory_{{api_, space_, clock_, *random_, metrics_}, Logger(log_)};
};

TEST_F(InformerFactoryTest, UsersOfOneSelectionShareAnInformer) {
  Informer* const first = *factory_.informer(pods({{"spec.nodeName"}}));
  EXPECT_EQ(*factory_.informer(pods({{"metadata.labels"}})), first);
  EXPECT_EQ(*factory_.informer(pods(std::nullopt)), first);
  EXPECT_NE(*factory_.informer(pods(std::nullopt, "app=web")), first);
}

TEST_F(InformerFactoryTest, WhatNoUserDeclaredIsNotKept) {
  Informer* const informer = *factory_.informer(pods({{"metadata.labels"}}));
  ASSERT_EQ(*factory_.informer(pods({{"spec.nodeName"}})), informer);
  ASSERT_TRUE(informer->add_index("kind", "spec.kind").ok());
  ASSERT_TRUE(informer->prepare().ok());
  reply({.body =
             R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)"
             R"({"metadata":{"name":"a","uid":"u","resourceVersion":"3","labels":{"x":"y"},)"
             R"("annotations":{"x":"y"},"deletionTimestamp":"now"},)"
             R"("spec":{"nodeName":"n1","kind":"k","other":1}}]})"});
  reply({.end = api_error(422, Code::kInvalid, "Invalid")});
  std::swap(api_.replies[0], api_.replies[1]);
  (void)informer->reflector().step({});
  (void)informer->reflector().step({});

  const Value root = informer->store().get("", "a").root();
  EXPECT_EQ(root["metadata"]["labels"]["x"].string(), "y");
  EXPECT_EQ(root["spec"]["nodeName"].string(), "n1");
  EXPECT_TRUE(root["metadata"]["deletionTimestamp"]) << "the host reads it itself";
  EXPECT_FALSE(root["metadata"]["annotations"]);
  EXPECT_FALSE(root["spec"]["other"]);
  EXPECT_EQ(informer->store().select("kind", "k")->size(), 1u) << "index paths are kept";
}

TEST_F(InformerFactoryTest, LaterUserThatReadsMoreGetsAnInformerOfItsOwn) {
  Informer* const running = *factory_.informer(pods({{"metadata.labels"}}));
  ASSERT_TRUE(running->prepare().ok());

  EXPECT_EQ(*factory_.informer(pods({{"metadata.labels.app"}})), running);
  Informer* const wider = *factory_.informer(pods({{"spec"}}));
  EXPECT_NE(wider, running);
  EXPECT_EQ(running->add_index("node", "spec.nodeName").code(), Code::kUndeclared);
  EXPECT_TRUE(wider->add_index("node", "spec.nodeName").ok());
}

TEST_F(InformerFactoryTest, MalformedProjectionIsRefusedAtOnce) {
  EXPECT_EQ(factory_.informer(pods({{"spec..x"}})).error().code(), Code::kInvalid);
}

// RT-065
TEST_F(InformerFactoryTest, StopEndsAllThreads) {
  ASSERT_TRUE(factory_.informer(pods(std::nullopt)));
  ASSERT_TRUE(factory_.start().ok());
  ASSERT_TRUE(factory_.start().ok()) << "a second start finds nothing to do";
  factory_.stop();
  EXPECT_EQ(factory_.start().code(), Code::kCancelled);
}

}  // namespace
}  // namespace davit::host
