#include "host/journal/controller_journal.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <thread>
#include <vector>

#include "host/journal/journal.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;

constexpr Time kStart{std::chrono::hours(5)};
constexpr std::uint64_t kQueue = 7;
constexpr std::size_t kBytesMax = 1'000'000;

class ControllerJournalTest : public testing::Test {
 protected:
  ControllerJournalTest() : journal_(*host_.of("deployment-controller")) { journal_.begin(kStart); }

  void wake(std::string_view key, std::string_view version, std::uint64_t queue = kQueue) {
    journal_.woke(queue, key,
                  {Wake::Kind::kUpdated, "apps", "replicasets", "default", "web-1", version},
                  kStart);
  }
  void sync(std::string_view key, std::int32_t code = 0, std::vector<Write> writes = {}) {
    JournaledWork work(journal_, {.queue = "q", .queue_handle = kQueue, .key = key}, kStart);
    for (Write& each : writes) work.wrote(std::move(each));
    work.end({.code = code, .error = code == 0 ? "" : "refused"}, kStart + milliseconds(2));
  }
  [[nodiscard]] std::vector<WorkRecord> idle() const {
    std::vector<WorkRecord> out;
    for (const auto& chunk : journal_.snapshot().idle) chunk->read(out);
    return out;
  }

  Journal host_{kBytesMax};
  ControllerJournal& journal_;
};

TEST_F(ControllerJournalTest, SyncHasTheWakesOfItsKeyThatCameBeforeIt) {
  wake("default/web", "10");
  wake("default/web", "11");
  wake("default/other", "12");

  sync("default/web");
  wake("default/web", "13");

  ASSERT_EQ(idle().size(), 1U);
  const WorkRecord record = idle().front();
  ASSERT_EQ(record.wakes.size(), 2U);
  EXPECT_EQ(record.wakes[0].version, "10");
  EXPECT_EQ(record.wakes[1].version, "11");
  sync("default/web");
  ASSERT_EQ(idle().back().wakes.size(), 1U);
  EXPECT_EQ(idle().back().wakes[0].version, "13");
}

TEST_F(ControllerJournalTest, SameKeyOfAnotherQueueIsAnotherKey) {
  wake("default/web", "10", kQueue + 1);

  sync("default/web");

  EXPECT_TRUE(idle().front().wakes.empty());
}

TEST_F(ControllerJournalTest, OnlySyncsThatWroteOrFailedAreRecent) {
  sync("default/idle");
  sync("default/failed", 3);
  sync("default/wrote", 0, {Write{.verb = "patch"}});

  const std::vector<WorkRecord> recent = journal_.recent(10);

  ASSERT_EQ(recent.size(), 2U);
  EXPECT_EQ(recent[0].key, "default/wrote") << "the newest first";
  EXPECT_EQ(recent[1].key, "default/failed");
  EXPECT_EQ(recent[1].error, "refused");
  EXPECT_EQ(journal_.recent(1).size(), 1U);
  ASSERT_EQ(idle().size(), 1U);
}

TEST_F(ControllerJournalTest, WorkThatRunsIsShownWithTheRequestThatItWaitsFor) {
  JournaledWork work(journal_, {.queue = "q", .queue_handle = kQueue, .key = "default/web"},
                     kStart);
  work.requests("create pods", kStart + milliseconds(1));

  ASSERT_EQ(journal_.snapshot().running.size(), 1U);
  const ControllerJournal::Running running = journal_.snapshot().running.front();
  EXPECT_EQ(running.key, "default/web");
  EXPECT_EQ(running.request, "create pods");
  EXPECT_EQ(running.requested, kStart + milliseconds(1));

  work.end({}, kStart + milliseconds(2));
  EXPECT_TRUE(journal_.snapshot().running.empty());
}

TEST_F(ControllerJournalTest, ManyWakesOfOneKeyAreCounted) {
  for (int i = 0; i < 100; ++i) wake("default/web", std::to_string(i));

  sync("default/web");

  const WorkRecord record = idle().front();
  EXPECT_EQ(record.wakes.size() + record.more_wakes, 100U);
  EXPECT_LE(record.wakes.size(), 10U);
}

TEST_F(ControllerJournalTest, WakesOfKeysThatAreNeverSyncedStayBelowTheBound) {
  for (int i = 0; i < 100'000; ++i) wake("default/web-" + std::to_string(i), "1");

  EXPECT_LT(journal_.bytes(), kBytesMax);
  wake("default/last", "99");
  sync("default/last");
  EXPECT_EQ(idle().front().wakes.size(), 1U) << "later ones are still kept";
}

TEST_F(ControllerJournalTest, HundredThousandWritesStayBelowTheBoundAndTheLastOnesAreInOrder) {
  constexpr int kWrites = 100'000;
  for (int i = 0; i < kWrites; ++i) {
    const std::string name = "web-" + std::to_string(i);
    wake("default/" + name, std::to_string(i));
    sync("default/" + name, 0, {Write{.verb = "create", .object = {"", "pods", "default", name}}});
    ASSERT_LE(journal_.bytes(), kBytesMax);
  }

  const std::vector<WorkRecord> kept = journal_.recent(kWrites);
  ASSERT_GT(kept.size(), 1000U);
  ASSERT_LT(kept.size(), static_cast<std::size_t>(kWrites));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::string name = "web-" + std::to_string(kWrites - 1 - static_cast<int>(i));
    ASSERT_EQ(kept[i].key, "default/" + name) << "none is missing between";
    ASSERT_EQ(kept[i].writes.at(0).object.name, name);
    ASSERT_EQ(kept[i].wakes.at(0).object.name, "web-1");
  }
}

TEST_F(ControllerJournalTest, IdleSyncsDoNotDisplaceThoseThatWrote) {
  sync("default/wrote", 0, {Write{.verb = "patch"}});

  for (int i = 0; i < 100'000; ++i) sync("default/web-" + std::to_string(i));

  EXPECT_LE(journal_.bytes(), kBytesMax);
  ASSERT_EQ(journal_.recent(10).size(), 1U);
  EXPECT_EQ(journal_.recent(10)[0].key, "default/wrote");
}

TEST_F(ControllerJournalTest, GenerationsOfASwappedPluginAreOneChain) {
  wake("default/web", "10");
  for (const std::uint64_t generation : {1U, 2U}) {
    JournaledWork work(
        journal_,
        {.queue = "q", .queue_handle = kQueue, .key = "default/web", .generation = generation},
        kStart);
    work.wrote({.verb = "patch"});
    work.end({}, kStart);
    journal_.begin(kStart + milliseconds(10));  // The new build begins, too.
    wake("default/web", "11");
  }

  const std::vector<WorkRecord> recent = journal_.recent(10);
  ASSERT_EQ(recent.size(), 2U);
  EXPECT_EQ(recent[0].generation, 2U);
  EXPECT_EQ(recent[0].wakes.at(0).version, "11") << "it came while the first build served";
  EXPECT_EQ(recent[1].generation, 1U);
  EXPECT_EQ(journal_.snapshot().acts_since, kStart);
}

TEST_F(ControllerJournalTest, NamesOfAnyBytesComeBackAsTheyWere) {
  const std::string names[] = {"",         "ü/ö\"'<&>",    std::string("a\0b", 3),
                               "\xff\xfe", "\n\t\x1b[31m", std::string(5000, 'x')};
  for (const std::string& name : names) {
    sync(name, 0, {Write{.verb = "patch", .object = {name, name, name, name}, .version = name}});

    const WorkRecord back = journal_.recent(1).at(0);
    EXPECT_EQ(back.key, name);
    EXPECT_EQ(back.writes.at(0).object, (JournalObject{name, name, name, name}));
    EXPECT_EQ(back.writes.at(0).version, name);
  }
}

TEST_F(ControllerJournalTest, LongTextIsCutBetweenLetters) {
  const std::string umlauts = [] {
    std::string text = "x";
    for (int i = 0; i < 2000; ++i) text += "ü";
    return text;
  }();

  const std::string cut = journal_text(umlauts);

  EXPECT_LT(cut.size(), 700U);
  EXPECT_EQ(cut.find("…"), cut.size() - 3);
  EXPECT_EQ((cut.size() - 3 - 1) % 2, 0U) << "each letter is whole";
}

TEST(InactiveJournalTest, StandbyKeepsNothing) {
  Journal host(kBytesMax);
  ControllerJournal& journal = *host.of("deployment-controller");

  journal.woke(kQueue, "default/web", {.name = "web"}, kStart);

  EXPECT_EQ(journal.bytes(), 0U);
}

TEST(JournalOfHostTest, ControllerHasOneJournalWhicheverBuildAsks) {
  Journal journal;

  ControllerJournal* const first = journal.of("deployment-controller");

  EXPECT_EQ(journal.of("deployment-controller"), first);
  EXPECT_EQ(journal.find("deployment-controller"), first);
  EXPECT_EQ(journal.find("job-controller"), nullptr);
  EXPECT_EQ(journal.controllers(), std::vector<std::string>{"deployment-controller"});
}

TEST(JournalOfHostTest, MemoryOfAllControllersIsCounted) {
  Journal journal(kBytesMax);
  EXPECT_EQ(journal.bytes_max(), kBytesMax);
  EXPECT_EQ(journal.bytes(), 0U);
  for (const char* const name : {"deployment-controller", "job-controller"}) {
    ControllerJournal& one = *journal.of(name);
    one.begin(kStart);
    JournaledWork work(one, {.queue = "q", .queue_handle = kQueue, .key = "default/web"}, kStart);
    work.end({}, kStart);
  }

  EXPECT_EQ(journal.bytes(), journal.find("deployment-controller")->bytes() +
                                 journal.find("job-controller")->bytes());
  EXPECT_GT(journal.bytes(), 0U);
}

void sync_of(ControllerJournal& journal, const std::string& key, Time now) {
  JournaledWork work(journal, {.queue = "q", .queue_handle = kQueue, .key = key}, now);
  work.wrote({.verb = "create", .object = {"", "pods", "default", key}});
  work.end({}, now);
}

TEST(JournalOfHostTest, AllControllersTogetherKeepToTheLimit) {
  Journal host(kBytesMax);
  for (int i = 0; i < 60'000; ++i) {
    ControllerJournal& one = *host.of("controller-" + std::to_string(i % 24));
    one.begin(kStart);
    const std::string key = "default/web-" + std::to_string(i);
    one.woke(kQueue, key, {.kind = Wake::Kind::kUpdated, .name = key}, kStart);
    sync_of(one, key, kStart + milliseconds(i));

    ASSERT_LE(host.bytes(), kBytesMax);
  }
  std::size_t sum = 0;
  for (const std::string& name : host.controllers()) sum += host.find(name)->bytes();
  EXPECT_EQ(host.bytes(), sum) << "what is counted is what there is";
  EXPECT_GT(host.bytes(), kBytesMax / 2);
}

TEST(JournalOfHostTest, OldestRecordsGoFirstWhoseverTheyAre) {
  Journal host(kBytesMax);
  ControllerJournal& quiet = *host.of("quiet-controller");
  ControllerJournal& busy = *host.of("busy-controller");
  for (ControllerJournal* each : {&quiet, &busy}) each->begin(kStart);
  sync_of(quiet, "default/old", kStart);
  for (int i = 0; i < 2'000; ++i) {
    sync_of(busy, "default/web-" + std::to_string(i), kStart + milliseconds(i));
  }
  sync_of(quiet, "default/kept", kStart + milliseconds(2'000));
  ASSERT_EQ(quiet.recent(10).size(), 2U) << "what is not needed is not dropped";

  for (int i = 2'000; i < 20'000; ++i) {
    sync_of(busy, "default/web-" + std::to_string(i), kStart + milliseconds(i));
  }

  EXPECT_TRUE(quiet.recent(10).empty());
  EXPECT_GE(quiet.snapshot().acts_since, kStart + milliseconds(2'000))
      << "it says since when it has everything";
  const std::vector<WorkRecord> kept = busy.recent(20'000);
  EXPECT_GT(kept.size(), 3'000U) << "one controller may use what the others do not";
  EXPECT_EQ(kept.front().key, "default/web-19999");
}

TEST(JournalOfHostTest, LongestQueueOfWakesGoesFirst) {
  Journal host(kBytesMax);
  ControllerJournal& quiet = *host.of("quiet-controller");
  ControllerJournal& busy = *host.of("busy-controller");
  for (ControllerJournal* each : {&quiet, &busy}) each->begin(kStart);
  quiet.woke(kQueue, "default/web", {.name = "web"}, kStart);

  for (int i = 0; i < 100'000; ++i) {
    busy.woke(kQueue, "default/web-" + std::to_string(i), {.name = "web"}, kStart);
  }

  sync_of(quiet, "default/web", kStart);
  EXPECT_EQ(quiet.recent(1).at(0).wakes.size(), 1U);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(JournalOfHostTest, MemoryIsWhatTheAllocatorCounts) {
  const auto heap_bytes = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
  Journal host(kJournalBytes);
  ControllerJournal& one = *host.of("deployment-controller");
  one.begin(kStart);
  const std::size_t before = heap_bytes();
  for (int i = 0; i < 200'000; ++i) {
    const std::string key = "default/a-name-that-is-not-in-place-" + std::to_string(i);
    one.woke(kQueue, key, {.kind = Wake::Kind::kAdded, .ns = "default", .name = key}, kStart);
    if (i % 2 == 0) sync_of(one, key, kStart + milliseconds(i));
  }

  const double taken = static_cast<double>(heap_bytes() - before);

  EXPECT_GT(static_cast<double>(host.bytes()), taken * 0.95);
  EXPECT_LT(static_cast<double>(host.bytes()), taken * 1.1);
}
#endif

TEST(JournalOfHostTest, WithoutMemoryThereIsNone) {
  Journal journal(0);

  EXPECT_EQ(journal.of("deployment-controller"), nullptr);
}

TEST_F(ControllerJournalTest, ManyThreadsWriteAndReadAtOnce) {
  constexpr int kRounds = 500;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      const std::string key = "default/web-" + std::to_string(thread);
      for (int i = 0; i < kRounds; ++i) {
        wake(key, std::to_string(i));
        sync(key, 0, {Write{.verb = "patch", .object = {"", "pods", "default", key}}});
        (void)journal_.snapshot();
      }
    });
  }
  threads.clear();

  EXPECT_EQ(journal_.recent(10'000).size(), 4U * kRounds);
}

}  // namespace
}  // namespace davit::host
