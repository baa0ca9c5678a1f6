#include "host/cache/write_tracker.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class WriteTrackerTest : public CacheTest {
 protected:
  void SetUp() override { begin(); }
  void TearDown() override { tracker_.reset(); }

  void begin(InformerSpec spec = {{"", "v1", "pods"}, {}, {}, {}}) {
    tracker_.reset();
    ReflectorOptions options;
    options.streaming_list = false;
    make_informer(options, std::move(spec));
    WriteTrackerOptions tracker_options;
    tracker_options.on_ready = [this](std::vector<std::string> keys) {
      told_.insert(told_.end(), keys.begin(), keys.end());
    };
    tracker_ = std::make_unique<WriteTracker>(std::move(tracker_options));
    reply(
        {.body = list_json("10", {{.name = "a", .version = "5"}, {.name = "b", .version = "6"}})});
    step();
  }
  void watch_line(std::string body) {
    reply({.body = std::move(body), .lasts = seconds(2)});
    step();
  }
  void wrote(std::string_view key, std::string_view version) {
    tracker_->note_write(key, *informer_, {"default", "a", "uid-a", version}, clock_.now());
  }
  void deleted(std::string_view key, std::string_view name, std::string_view version = "") {
    const std::string uid = "uid-" + std::string(name);
    tracker_->note_delete(key, *informer_, {"default", name, uid, version}, clock_.now());
  }
  bool ready(std::string_view key) { return tracker_->ready(key, clock_.now()); }

  std::unique_ptr<WriteTracker> tracker_;
  Strings told_;
};

TEST_F(WriteTrackerTest, KeyWithoutWritesIsReady) { EXPECT_TRUE(ready("x")); }

TEST_F(WriteTrackerTest, KeyWaitsUntilTheCacheHasReachedItsWrite) {
  wrote("x", "12");
  wrote("x", "11");
  EXPECT_FALSE(ready("x"));
  EXPECT_TRUE(ready("other"));
  watch_line(event_json("MODIFIED", {.name = "b", .version = "11"}));
  EXPECT_FALSE(ready("x")) << "the highest version counts";
  EXPECT_THAT(told_, IsEmpty());
  watch_line(event_json("MODIFIED", {.name = "a", .version = "12"}));

  EXPECT_THAT(told_, ElementsAre("x"));
  EXPECT_TRUE(ready("x"));
  EXPECT_EQ(tracker_->size(), 0u);
}

TEST_F(WriteTrackerTest, OnlyKeysThatWereHeldBackAreReported) {
  wrote("asked", "12");
  wrote("never-asked", "12");
  EXPECT_FALSE(ready("asked"));
  watch_line(bookmark_json("20"));
  EXPECT_THAT(told_, ElementsAre("asked"));
  EXPECT_TRUE(ready("never-asked"));
}

TEST_F(WriteTrackerTest, WriteThatTheCacheHasAlreadyIsNotAwaited) {
  wrote("x", "10");
  EXPECT_EQ(tracker_->size(), 0u);
  EXPECT_TRUE(ready("x"));
}

TEST_F(WriteTrackerTest, VersionsThatCannotBeComparedCountAsSeen) {
  wrote("x", "opaque");
  wrote("x", "");
  EXPECT_TRUE(ready("x"));
  wrote("y", "12");
  watch_line(bookmark_json("opaque"));
  EXPECT_TRUE(ready("y"));
}

TEST_F(WriteTrackerTest, InformersWithASelectorAreNotWaitedFor) {
  begin({{"", "v1", "pods"}, "app=web", "", {}});
  wrote("x", "12");
  deleted("x", "a");
  EXPECT_TRUE(ready("x"));
}

TEST_F(WriteTrackerTest, DeleteIsSeenWhenTheObjectIsGone) {
  deleted("x", "a");
  EXPECT_FALSE(ready("x"));
  watch_line(event_json("DELETED", {.name = "a", .version = "12"}));
  EXPECT_THAT(told_, ElementsAre("x"));
  EXPECT_TRUE(ready("x"));
}

TEST_F(WriteTrackerTest, DeleteIsSeenWhenTheObjectIsBeingDeletedOrAnotherOne) {
  deleted("x", "a");
  deleted("y", "b");
  EXPECT_FALSE(ready("x"));
  EXPECT_FALSE(ready("y"));
  watch_line(event_json("MODIFIED", {.name = "a", .version = "12", .deleting = true}));
  watch_line(event_json("MODIFIED", {.name = "b", .version = "13", .uid = "another"}));
  EXPECT_THAT(told_, ElementsAre("x", "y"));
}

TEST_F(WriteTrackerTest, DeleteOfAnUnknownObjectIsSeenAlready) {
  deleted("x", "nowhere");
  EXPECT_TRUE(ready("x"));
}

// A server that removes an object at once responds with the version that it had before.
TEST_F(WriteTrackerTest, DeleteIsNotSeenByTheVersionOfItsResponse) {
  deleted("x", "a", "5");
  EXPECT_FALSE(ready("x"));
  watch_line(bookmark_json("12"));
  EXPECT_FALSE(ready("x"));
}

TEST_F(WriteTrackerTest, AllWritesOfAKeyMustBeSeen) {
  wrote("x", "12");
  deleted("x", "a");
  deleted("x", "b");
  EXPECT_FALSE(ready("x"));
  watch_line(event_json("DELETED", {.name = "a", .version = "11"}));
  watch_line(event_json("MODIFIED", {.name = "c", .version = "12"}));
  EXPECT_FALSE(ready("x"));
  watch_line(event_json("DELETED", {.name = "b", .version = "13"}));
  EXPECT_TRUE(ready("x"));
}

TEST_F(WriteTrackerTest, RelistCountsAsSeeing) {
  deleted("x", "a");
  EXPECT_FALSE(ready("x"));
  watch_line(error_json(410, "Expired"));
  wait();
  reply({.body = list_json("20", {{.name = "b", .version = "6"}})});
  step();
  EXPECT_THAT(told_, ElementsAre("x"));
}

// Issue 11, 1.4: the key was released before the list had come.
TEST_F(WriteTrackerTest, DeadlineRequestsAListAndReleasesTheKeyAfterIt) {
  wrote("x", "12");
  EXPECT_FALSE(ready("x"));
  EXPECT_EQ(tracker_->deadline("x"), clock_.now() + seconds(30));
  clock_.advance(seconds(30));

  EXPECT_FALSE(ready("x"));
  reply({});  // A watch that ends as soon as it begins.
  step();
  EXPECT_FALSE(ready("x"));
  EXPECT_THAT(told_, IsEmpty());
  reply({.body = list_json("20", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500");
  EXPECT_THAT(told_, ElementsAre("x"));
  EXPECT_TRUE(ready("x"));
}

// Keys stood for 30 s behind a watch that brought nothing any more.
TEST_F(WriteTrackerTest, CacheThatLagsForSecondsIsVerified) {
  wrote("x", "12");
  EXPECT_FALSE(ready("x"));
  const auto tick_after = [this](seconds time) {
    reply({.lasts = time, .during = [this] { informer_->tick(clock_.now()); }});
    step();
  };
  tick_after(seconds(2));
  tick_after(seconds(1));
  EXPECT_THAT(api_.asked.back(), HasSubstr("watch")) << "too early at first";
  reply({.body = list_json("20", {{.name = "a", .version = "12"}})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500");
  EXPECT_THAT(told_, ElementsAre("x"));
}

// The watch may have missed an object that a verification does not show. One test is enough.
TEST_F(WriteTrackerTest, VerificationDoesNotCountAsSeeingADeletion) {
  deleted("x", "a");
  EXPECT_FALSE(ready("x"));
  clock_.advance(seconds(4));
  informer_->tick(clock_.now());
  reply({});
  step();
  reply({.body = list_json("20", {{.name = "a", .version = "5"}}), .lasts = seconds(1)});
  step();
  EXPECT_FALSE(ready("x"));
  EXPECT_THAT(told_, IsEmpty());

  clock_.advance(seconds(4));
  informer_->tick(clock_.now());
  watch_line("");
  watch_line("");
  EXPECT_THAT(api_.asked.back(), HasSubstr("watch")) << "nothing is listed a second time";
}

TEST_F(WriteTrackerTest, WriteWithoutAResponseIsSeenWhenTheCacheIsVerifiedAsOfItsFailure) {
  clock_.advance(seconds(1));
  tracker_->note_lost("x", *informer_, clock_.now());
  EXPECT_FALSE(ready("x"));
  reply({.body = event_json("MODIFIED", {.name = "b", .version = "30"}), .lasts = seconds(2)});
  step();
  EXPECT_FALSE(ready("x")) << "no version tells";
  reply({.body = list_json("31", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500");
  EXPECT_THAT(told_, ElementsAre("x"));
  EXPECT_TRUE(ready("x"));
}

// The verification that runs may have been answered before the second write came through.
TEST_F(WriteTrackerTest, LaterLostWriteWaitsForItsOwnVerification) {
  clock_.advance(seconds(1));
  tracker_->note_lost("x", *informer_, clock_.now());
  EXPECT_FALSE(ready("x"));
  reply({});
  step();
  reply({.body = list_json("20", {}), .during = [this] {
           clock_.advance(seconds(1));
           tracker_->note_lost("x", *informer_, clock_.now());
         }});
  step();
  EXPECT_FALSE(ready("x"));
  reply({});
  step();
  reply({.body = list_json("21", {})});
  step();
  EXPECT_THAT(told_, ElementsAre("x"));
}

// Issue 30, 1.7: no key was ready before the last of a series of lost writes was verified.
TEST_F(WriteTrackerTest, KeyOfALostWriteIsReadyAlthoughLaterWritesAreLostMeanwhile) {
  clock_.advance(seconds(1));
  tracker_->note_lost("x", *informer_, clock_.now());
  EXPECT_FALSE(ready("x"));
  reply({});
  step();
  reply({.body = list_json("20", {}), .during = [this] {
           tracker_->note_lost("y", *informer_, clock_.now());
           EXPECT_FALSE(ready("y"));
         }});
  step();
  EXPECT_THAT(told_, ElementsAre("x"));
  reply({.body = bookmark_json("21")});
  step();
  reply({.body = list_json("22", {})});
  step();
  EXPECT_THAT(told_, ElementsAre("x", "y"));
}

TEST_F(WriteTrackerTest, ListThatWasSentBeforeTheDeadlineReleasesNoKey) {
  deleted("x", "a");
  reply({.during = [this] { informer_->verify(clock_.now()); }});
  step();
  reply({.body = list_json("20", {{.name = "a", .version = "5"}}), .during = [this] {
           clock_.advance(seconds(30));
           EXPECT_FALSE(ready("x"));
         }});
  step();
  EXPECT_THAT(told_, IsEmpty());
  reply({.body = bookmark_json("21")});
  step();
  reply({.body = list_json("22", {{.name = "a", .version = "5"}})});
  step();
  EXPECT_THAT(told_, ElementsAre("x"));
}

TEST_F(WriteTrackerTest, KeyStaysWhileTheListThatItWaitsForFails) {
  deleted("x", "a");
  EXPECT_FALSE(ready("x"));
  clock_.advance(seconds(30));
  EXPECT_FALSE(ready("x"));
  reply({});
  step();
  for (int i = 0; i < 3; ++i) {
    reply({.end = api_error(500, Code::kInternal, "InternalError"), .lasts = seconds(1)});
    step();
    wait();
    EXPECT_FALSE(ready("x"));
  }
  EXPECT_GT(tracker_->deadline("x"), clock_.now() - seconds(30));
  // The list counts as seeing although the object is still there.
  reply({.body = list_json("20", {{.name = "a", .version = "5"}})});
  step();
  EXPECT_THAT(told_, ElementsAre("x"));
}

// Issue 11, 1.7: each change of a cache went through all keys that wait.
TEST_F(WriteTrackerTest, ChangeConfirmsOnlyWhatItShows) {
  constexpr int kKeys = 1000;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "key-" + std::to_string(i);
    wrote(key, std::to_string(1000 + i));
    deleted(key, "a");
    EXPECT_FALSE(ready(key));
  }
  for (int i = 0; i < 100; ++i) {
    watch_line(event_json("MODIFIED", {.name = "b", .version = std::to_string(20 + i)}));
  }
  EXPECT_THAT(told_, IsEmpty());
  watch_line(bookmark_json("1001"));
  EXPECT_THAT(told_, IsEmpty()) << "the deletions are outstanding";
  watch_line(event_json("DELETED", {.name = "a", .version = "1002"}));
  EXPECT_EQ(tracker_->size(), kKeys - 3U) << "all deletions, and three versions, are seen";
  EXPECT_THAT(told_, UnorderedElementsAre("key-0", "key-1", "key-2"));
}

TEST_F(WriteTrackerTest, WhatIsHandedOverWaitsOnInTheOtherTracker) {
  wrote("x", "12");
  deleted("y", "a");
  clock_.advance(seconds(1));
  tracker_->note_lost("z", *informer_, clock_.now());
  EXPECT_FALSE(ready("x"));
  Strings told;
  WriteTracker other({.on_ready = [&](std::vector<std::string> keys) {
    told.insert(told.end(), keys.begin(), keys.end());
  }});
  tracker_->hand_over(other);
  EXPECT_EQ(tracker_->size(), 0U);
  EXPECT_FALSE(other.ready("x", clock_.now()));
  EXPECT_FALSE(other.ready("y", clock_.now()));
  EXPECT_FALSE(other.ready("z", clock_.now()));
  reply({});
  step();
  reply({.body = list_json("12", {{.name = "b", .version = "6"}})});
  step();
  EXPECT_THAT(told, UnorderedElementsAre("x", "y", "z"));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(WriteTrackerTest, LaterWriteMovesTheDeadline) {
  wrote("x", "12");
  clock_.advance(seconds(20));
  wrote("x", "13");
  EXPECT_EQ(tracker_->deadline("x"), clock_.now() + seconds(30));
}

TEST_F(WriteTrackerTest, KeysThatAreNeverAskedForDoNotPileUp) {
  for (int i = 0; i < 1000; ++i) {
    wrote("key-" + std::to_string(i), std::to_string(100 + i));
    watch_line(bookmark_json(std::to_string(100 + i)));
  }
  EXPECT_LE(tracker_->size(), 64u);
}

TEST_F(WriteTrackerTest, KeyThatIsAskedForLateWaitsAsLongAsTheCacheLags) {
  const auto name = [](int i) { return "key-" + std::to_string(i); };
  for (int i = 0; i < 100; ++i) wrote(name(i), "1000");
  clock_.advance(seconds(31));
  for (int i = 100; i < 300; ++i) wrote(name(i), "1000");
  EXPECT_EQ(tracker_->size(), 300u);
  EXPECT_FALSE(ready(name(0))) << "the cache has not shown its write";

  reply({});  // A watch that ends as soon as it begins.
  step();
  reply({.body = list_json("1000", {})});
  step();

  EXPECT_THAT(told_, ElementsAre(name(0)));
  EXPECT_EQ(tracker_->size(), 0u);
}

/// Holds the informer that calls it until it is released.
class HoldingListener final : public Listener {
 public:
  void on_initial(std::vector<ObjectRef>) override {}
  void on_change(const Change&) override {}
  void on_progress(std::uint64_t) override {
    entered_.set_value();
    release_.get_future().wait();
  }
  void await_call() { entered_.get_future().wait(); }
  void release() { release_.set_value(); }

 private:
  std::promise<void> entered_;
  std::promise<void> release_;
};

/// Runs `act` and returns once the thread sleeps.
std::jthread blocked(std::function<void()> act) {
  std::promise<pid_t> id;
  std::jthread out([&id, act = std::move(act)] {
    id.set_value(::gettid());
    act();
  });
  const std::string file = "/proc/self/task/" + std::to_string(id.get_future().get()) + "/status";
  for (std::string line; line.find("sleeping") == std::string::npos;) {
    std::this_thread::yield();
    std::ifstream status(file);
    while (std::getline(status, line) && !line.starts_with("State:")) {
    }
  }
  return out;
}

TEST_F(WriteTrackerTest, ASyncThatWaitsForAWatcherOutlivesTheGrowthOfTheirList) {
  HoldingListener holder;
  informer_->add_listener(holder, Informer::PastContent::kSkip);
  std::jthread delivery([this] { watch_line(bookmark_json("11")); });
  holder.await_call();
  const auto write = [this, pods = informer_.get(), now = clock_.now()](const char* key) {
    tracker_->note_write(key, *pods, {"default", "a", "uid-a", "12"}, now);
  };
  std::jthread adds = blocked([&write] { write("x"); });
  std::jthread waits = blocked([&write] { write("y"); });
  std::unique_ptr<Informer> first = std::move(informer_);
  std::vector<std::unique_ptr<Informer>> others;
  for (int i = 0; i < 64; ++i) {
    make_informer();
    deleted("z", "a");
    others.push_back(std::move(informer_));
  }
  informer_ = std::move(first);

  holder.release();
  delivery.join();
  adds.join();
  waits.join();

  EXPECT_FALSE(ready("x"));
  EXPECT_FALSE(ready("y"));
  informer_->remove_listener(holder);
  tracker_.reset();  // It follows the other informers.
}

}  // namespace
}  // namespace davit::host
