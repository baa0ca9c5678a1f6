#include "host/cache/delta_queue.hpp"

#include <gmock/gmock.h>

#include <future>
#include <map>

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeltaQueueTest : public CacheTest {
 protected:
  void SetUp() override { make_plain_informer(); }
  void TearDown() override { queue_.reset(); }

  void make_queue(std::size_t changes_max = DeltaQueue::kChangesMax) {
    queue_ = std::make_unique<DeltaQueue>(changes_max);
    queue_->join(*informer_, [this](const Change& change) {
      heard_.push_back(RecordingListener::describe(change));
    });
  }
  void fill(const std::vector<PodSpec>& pods) {
    reply({.body = list_json("1", pods)});
    step();
  }
  /// Lets events of pod "a" (or of another name) through the watch: {"A5", "M6", "D7 b"}.
  void watch(const Strings& events) {
    std::string body;
    for (const std::string& text : events) {
      const std::string type = text[0] == 'A' ? "ADDED" : text[0] == 'M' ? "MODIFIED" : "DELETED";
      const std::size_t space = text.find(' ');
      const std::string name = space == std::string::npos ? "a" : text.substr(space + 1);
      // Every life of an object has its own UID.
      if (text[0] == 'A') ++lives_[name];
      body += event_json(type, {.name = name,
                                .version = text.substr(1, space - 1),
                                .uid = "life-" + std::to_string(lives_[name])});
    }
    reply({.body = std::move(body)});
    step();
  }
  Strings drain() {
    while (queue_->step()) {
    }
    return std::exchange(heard_, {});
  }

  std::unique_ptr<DeltaQueue> queue_;
  Strings heard_;
  std::map<std::string, int> lives_;
};

TEST_F(DeltaQueueTest, ChangesComeInOrder) {
  make_queue();
  fill({});
  watch({"A2", "A3 b", "M4 b", "M5", "D6 b"});
  EXPECT_THAT(drain(), ElementsAre("ADDED a@2", "ADDED b@3", "UPDATED b@3->4", "UPDATED a@2->5",
                                   "DELETED b@6"));
}

struct MergeCase {
  const char* name;
  std::vector<std::string> events;
  std::vector<std::string> heard;
};

TEST_F(DeltaQueueTest, OnlyUpdatesOfOneLifeMergeWhileThereIsRoom) {
  // clang-format off
  const MergeCase cases[] = {
      {"UpdatesMergeFromTheFirstOldToTheLastNew", {"A2", "M3", "M4", "M5"},
       {"ADDED a@2", "UPDATED a@2->5"}},
      {"AdditionAndDeletionStayApart", {"A2", "D3"}, {"ADDED a@2", "DELETED a@3"}},
      {"EachLifeIsHeardOf", {"A2", "M3", "D4", "A5", "M6", "M7", "D8"},
       {"ADDED a@2", "UPDATED a@2->3", "DELETED a@4",
        "ADDED a@5", "UPDATED a@5->7", "DELETED a@8"}},
      {"OtherObjectsDoNotMatter", {"A2", "M3", "A4 b", "M5", "D6 b"},
       {"ADDED a@2", "UPDATED a@2->5", "ADDED b@4", "DELETED b@6"}},
  };
  // clang-format on
  for (const MergeCase& each : cases) {
    SCOPED_TRACE(each.name);
    make_plain_informer();
    make_queue();
    fill({});
    watch(each.events);
    EXPECT_EQ(drain(), each.heard);
    queue_.reset();
  }
}

// Issue 11, 1.9: an object that came and went while the delta queue was full was never heard of,
// and the expectation of its creation stayed for five minutes.
TEST_F(DeltaQueueTest, FullDeltaQueueReportsOneChangePerLifeAgainstWhatTheHandlerSawLast) {
  // The handler has seen a@1; the delta queue is full from the second change on.
  // clang-format off
  const MergeCase cases[] = {
      {"UpdatedTwice", {"M2", "M3"}, {"UPDATED a@1->3"}},
      {"UpdatedThenDeleted", {"M2", "D3"}, {"DELETED a@3"}},
      {"DeletedThenAdded", {"D2", "A3"}, {"DELETED a@2", "ADDED a@3"}},
      {"DeletedAddedUpdated", {"D2", "A3", "M4"}, {"DELETED a@2", "ADDED a@4"}},
      {"DeletedAddedDeleted", {"D2", "A3", "D4"},
          {"DELETED a@2", "ADDED a@3", "DELETED a@4"}},
      {"NewAndUpdated", {"A2 b", "M3 b", "M4 b"}, {"ADDED b@4"}},
      {"NewAndGone", {"A2 b", "D3 b"}, {"ADDED b@2", "DELETED b@3"}},
      {"NewGoneAndNewAgain", {"A2 b", "D3 b", "A4 b"},
          {"ADDED b@2", "DELETED b@3", "ADDED b@4"}},
      {"NewGoneAndGoneAgain", {"A2 b", "D3 b", "A4 b", "M5 b", "D6 b"},
          {"ADDED b@2", "DELETED b@3", "ADDED b@5", "DELETED b@6"}},
      {"AnotherLifeAndItsEnd", {"A2", "D3"}, {"UPDATED a@1->2", "DELETED a@3"}},
      {"AnotherLifeAndItsUpdate", {"A2", "M3", "D4"}, {"UPDATED a@1->3", "DELETED a@4"}},
      {"SeveralObjects", {"M2", "A3 b", "M4", "D5 b", "M6"},
          {"UPDATED a@1->6", "ADDED b@3", "DELETED b@5"}},
  };
  // clang-format on
  for (const MergeCase& each : cases) {
    SCOPED_TRACE(each.name);
    make_plain_informer();
    make_queue(1);
    fill({{.name = "a", .version = "1", .uid = "life-0"}});
    drain();
    lives_.clear();
    watch(each.events);
    EXPECT_LE(queue_->size(), 2u);
    EXPECT_EQ(drain(), each.heard);
    queue_.reset();
  }
}

TEST_F(DeltaQueueTest, StuckHandlerCostsABoundedNumberOfChanges) {
  make_queue(10);
  fill({});
  for (int round = 0; round < 50; ++round) {
    const std::string version = std::to_string(round + 2);
    for (const char* name : {" x", " y", " z"}) {
      watch({"A" + version + name, "M" + version + name, "D" + version + name});
    }
  }
  EXPECT_LE(queue_->size(), DeltaQueue::kLivesFactor * 10u + 3u);
  EXPECT_EQ(informer_->store().size(), 0u);
  drain();
  watch({"A100"});
  EXPECT_THAT(drain(), ElementsAre("ADDED a@100")) << "and nothing is stuck afterwards";
}

TEST_F(DeltaQueueTest, TheEndOfALifeThatTheHandlerKnowsIsReportedWhateverIsForgotten) {
  const MergeCase cases[] = {
      {"TheNextLifeIsOver", {"D6"}, {"DELETED a@1 tombstone"}},
      {"AThirdLifeBegins", {"D6", "A7"}, {"UPDATED a@1->7"}},
      {"AThirdLifeIsOver", {"D6", "A7", "D8"}, {"DELETED a@1 tombstone"}},
  };
  for (const MergeCase& each : cases) {
    SCOPED_TRACE(each.name);
    make_plain_informer();
    make_queue(1);
    fill({{.name = "a", .version = "1", .uid = "life-0"}});
    drain();
    lives_.clear();
    watch({"A2 b", "A3 c", "A4 d", "A5"});  // As many as may wait before lives are forgotten.
    watch(each.events);
    Strings heard = drain();
    ASSERT_GE(heard.size(), 3u);
    heard.erase(heard.begin(), heard.begin() + 3);
    EXPECT_EQ(heard, each.heard);
    queue_.reset();
  }
}

// RT-077
TEST_F(DeltaQueueTest, InitialContentIsDeliveredWhenTheHandlerHasReturnedFromAllOfIt) {
  make_queue();
  EXPECT_FALSE(queue_->initial_delivered());
  fill({{.name = "a", .version = "1"}, {.name = "b", .version = "1"}});
  watch({"M2"});
  EXPECT_TRUE(queue_->step());
  EXPECT_FALSE(queue_->initial_delivered());
  EXPECT_TRUE(queue_->step());
  EXPECT_TRUE(queue_->initial_delivered());
  heard_.clear();
  EXPECT_THAT(drain(), ElementsAre("UPDATED a@1->2"));
}

TEST_F(DeltaQueueTest, EmptyInformersAndThoseWithoutAHandlerAreDeliveredWhenFilled) {
  make_queue();
  queue_->join(*informer_, {});
  fill({});
  EXPECT_TRUE(queue_->initial_delivered());
  watch({"A2"});
  EXPECT_THAT(drain(), ElementsAre("ADDED a@2"));
}

TEST_F(DeltaQueueTest, AllInformersOfAControllerCount) {
  make_queue();
  Informer other({{"apps", "v1", "replicasets"}, {}, {}, {}},
                 {api_, space_, clock_, *random_, metrics_}, Logger(log_));
  queue_->join(other, [](const Change&) {});
  fill({});
  EXPECT_FALSE(queue_->initial_delivered());
  queue_.reset();
}

// RT-076, RT-084
TEST_F(DeltaQueueTest, StuckHandlerDelaysNeitherTheStoreNorOthers) {
  make_queue();
  DeltaQueue stuck;
  stuck.join(*informer_, [](const Change&) {});
  fill({{.name = "a", .version = "1"}});
  watch({"M2", "A3 b"});
  EXPECT_EQ(drain().size(), 3u);
  EXPECT_EQ(informer_->store().size(), 2u);
  EXPECT_EQ(stuck.size(), 3u);
}

TEST_F(DeltaQueueTest, WaitEndsWithAChangeOrWithStop) {
  make_queue();
  auto waiter = std::async(std::launch::async, [this] { return queue_->wait({}); });
  fill({{.name = "a", .version = "1"}});
  EXPECT_TRUE(waiter.get());
  drain();
  std::stop_source stop;
  auto stopped = std::async(std::launch::async, [&] { return queue_->wait(stop.get_token()); });
  stop.request_stop();
  EXPECT_FALSE(stopped.get());
}

TEST_F(DeltaQueueTest, WaitEndsOnceWhenAnEmptyFirstContentIsThere) {
  make_queue();
  auto waiter = std::async(std::launch::async, [this] { return queue_->wait({}); });
  fill({});
  EXPECT_FALSE(waiter.get()) << "nothing to deliver, but the caches are filled";
  EXPECT_TRUE(queue_->initial_delivered());

  auto next = std::async(std::launch::async, [this] { return queue_->wait({}); });
  watch({"A2"});
  EXPECT_TRUE(next.get()) << "told once only";
}

TEST_F(DeltaQueueTest, ResyncMergesWithWhatWaits) {
  make_queue();
  fill({{.name = "a", .version = "1", .uid = "life-0"}});
  drain();
  watch({"M2"});
  clock_.advance(std::chrono::hours(24));
  informer_->tick(clock_.now());
  EXPECT_THAT(drain(), ElementsAre("UPDATED a@1->2"));
}

TEST_F(DeltaQueueTest, TwoDeltaQueuesStopAtOnePointOfTheirInformersChanges) {
  test::FakeClock clock;
  make_queue();
  DeltaQueue other;
  Strings others;
  other.join(*informer_, [&others](const Change& change) {
    others.push_back(RecordingListener::describe(change));
  });
  fill({});
  watch({"A5", "M6", "A7 b"});
  ASSERT_TRUE(queue_->step());  // One is further than the other.

  DeltaQueue::hold_together(*queue_, other);
  watch({"M8 b", "D9", "A10 c"});
  EXPECT_FALSE(queue_->wait_held(clock, clock.now())) << "two changes of before wait";
  const Strings here = drain();
  while (other.step()) {
  }
  EXPECT_TRUE(queue_->wait_held(clock, clock.now()));
  EXPECT_TRUE(other.wait_held(clock, clock.now()));
  EXPECT_THAT(here, ElementsAre("ADDED a@5", "UPDATED a@5->6", "ADDED b@7"));
  EXPECT_EQ(others.size(), 3U) << "the same three";
  EXPECT_EQ(queue_->size(), 3U) << "what came later waits";

  queue_->release();
  other.release();
  EXPECT_EQ(drain().size(), 3U);
  others.clear();
  while (other.step()) {
  }
  EXPECT_EQ(others.size(), 3U);
}

}  // namespace
}  // namespace davit::host
