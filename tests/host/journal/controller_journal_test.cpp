#include "host/journal/controller_journal.hpp"

#include <gtest/gtest.h>

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
  ControllerJournalTest() { journal_.begin(kStart); }

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

  ControllerJournal journal_{kBytesMax};
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
  ControllerJournal journal(kBytesMax);

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
