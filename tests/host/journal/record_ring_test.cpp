#include "host/journal/record_ring.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::host {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Time kRingStart{std::chrono::hours(5)};
constexpr std::size_t kChunkBytes = 65'536;

WorkRecord record_at(Time began, const std::string& key) {
  WorkRecord record;
  record.began = began;
  record.key = key;
  record.queue = "deployment";
  return record;
}

std::vector<WorkRecord> all_of(const RecordRing& ring) {
  std::vector<WorkRecord> out;
  for (const auto& chunk : ring.snapshot()) chunk->read(out);
  return out;
}

void expect_equal(const Write& back, const Write& write) {
  EXPECT_EQ(back.verb, write.verb);
  EXPECT_EQ(back.object, write.object);
  EXPECT_EQ(back.subresource, write.subresource);
  EXPECT_EQ(back.owner_kind, write.owner_kind);
  EXPECT_EQ(back.owner_name, write.owner_name);
  EXPECT_EQ(back.http_status, write.http_status);
  EXPECT_EQ(back.version, write.version);
  EXPECT_EQ(back.reason, write.reason);
  EXPECT_EQ(back.message, write.message);
  EXPECT_EQ(back.began, write.began);
  EXPECT_EQ(back.took, write.took);
  EXPECT_EQ(back.attempts, write.attempts);
  EXPECT_EQ(back.is_dry_run, write.is_dry_run);
}

void expect_equal(const WorkRecord& back, const WorkRecord& record) {
  EXPECT_EQ(back.began, record.began);
  EXPECT_EQ(back.took, record.took);
  EXPECT_EQ(back.generation, record.generation);
  EXPECT_EQ(back.queue, record.queue);
  EXPECT_EQ(back.key, record.key);
  EXPECT_EQ(back.is_timer, record.is_timer);
  EXPECT_EQ(back.attempt, record.attempt);
  EXPECT_EQ(back.code, record.code);
  EXPECT_EQ(back.error, record.error);
  EXPECT_EQ(back.again, record.again);
  EXPECT_EQ(back.is_retried, record.is_retried);
  EXPECT_EQ(back.more_wakes, record.more_wakes);
  EXPECT_EQ(back.more_writes, record.more_writes);
  ASSERT_EQ(back.wakes.size(), 1U);
  EXPECT_EQ(back.wakes[0].kind, record.wakes[0].kind);
  EXPECT_EQ(back.wakes[0].object, record.wakes[0].object);
  EXPECT_EQ(back.wakes[0].version, record.wakes[0].version) << "zeros in front are part of it";
  EXPECT_EQ(back.wakes[0].at, record.wakes[0].at);
  ASSERT_EQ(back.writes.size(), 1U);
  expect_equal(back.writes[0], record.writes[0]);
}

TEST(RecordRingTest, RecordComesBackWithEveryMember) {
  WorkRecord record = record_at(kRingStart, "default/web");
  record.took = microseconds(1500);
  record.generation = 3;
  record.attempt = 2;
  record.code = -7;
  record.error = "the server refused";
  record.again = milliseconds(600);
  record.is_retried = true;
  record.more_wakes = 4;
  record.more_writes = 5;
  record.wakes.push_back({Wake::Kind::kDeleted,
                          {"apps", "replicasets", "default", "web-1"},
                          "0123",
                          kRingStart - milliseconds(3)});
  record.writes.push_back({.verb = "create",
                           .object = {"", "pods", "default", "web-1-x"},
                           .subresource = "eviction",
                           .owner_kind = "ReplicaSet",
                           .owner_name = "web-1",
                           .http_status = 201,
                           .version = "18446744073709551615",
                           .reason = "Forbidden",
                           .message = "exceeded quota",
                           .began = kRingStart + microseconds(20),
                           .took = microseconds(900),
                           .attempts = 2,
                           .is_dry_run = true});
  RecordRing ring(kChunkBytes);

  ring.append(record);

  const std::vector<WorkRecord> kept = all_of(ring);
  ASSERT_EQ(kept.size(), 1U);
  const WorkRecord& back = kept.front();
  expect_equal(back, record);
}

TEST(RecordRingTest, EmptyRingHasNoMemoryAndForgotNothing) {
  const RecordRing ring(kChunkBytes);

  EXPECT_EQ(ring.bytes(), 0U);
  EXPECT_TRUE(ring.snapshot().empty());
  EXPECT_FALSE(ring.reaches_back_to());
}

TEST(RecordRingTest, OldestRecordsGoFirst) {
  RecordRing ring(4'000);
  for (int i = 0; i < 2'000; ++i) {
    ring.append(record_at(kRingStart + milliseconds(i), "default/web-" + std::to_string(i)));
  }
  const std::size_t full = ring.bytes();
  EXPECT_FALSE(ring.reaches_back_to()) << "nothing was forgotten";

  ring.forget_oldest();

  EXPECT_LT(ring.bytes(), full);
  const std::vector<WorkRecord> kept = all_of(ring);
  ASSERT_FALSE(kept.empty());
  EXPECT_LT(kept.size(), 2'000U);
  EXPECT_EQ(kept.back().key, "default/web-1999");
  EXPECT_EQ(ring.reaches_back_to(), kept.front().began);
  EXPECT_EQ(ring.oldest(), kept.front().began);
  for (std::size_t i = 1; i < kept.size(); ++i) {
    ASSERT_EQ(kept[i].began - kept[i - 1].began, milliseconds(1)) << "none is missing between";
  }
}

TEST(RecordRingTest, RingThatForgotEverythingSaysSinceWhen) {
  RecordRing ring(kChunkBytes);
  ring.append(record_at(kRingStart, "one"));
  ring.append(record_at(kRingStart + milliseconds(1), "two"));

  ring.forget_oldest();
  ring.forget_oldest();

  EXPECT_EQ(ring.bytes(), 0U);
  EXPECT_FALSE(ring.oldest());
  EXPECT_EQ(ring.reaches_back_to(), kRingStart + milliseconds(1));
}

TEST(RecordRingTest, RecordsOfNamesThatRepeatAreSmall) {
  constexpr int kRecords = 10'000;
  RecordRing ring(kChunkBytes);
  for (int i = 0; i < kRecords; ++i) {
    WorkRecord record = record_at(kRingStart + milliseconds(i), "default/web");
    record.wakes.push_back({Wake::Kind::kUpdated,
                            {"apps", "replicasets", "default", "web-1"},
                            std::to_string(100'000 + i),
                            record.began});
    ring.append(record);
  }

  EXPECT_LT(ring.bytes() / kRecords, 60U);
}

TEST(RecordRingTest, SnapshotStaysAsItWasWhenRecordsCome) {
  RecordRing ring(kChunkBytes);
  ring.append(record_at(kRingStart, "one"));

  const RecordRing::Snapshot before = ring.snapshot();
  ring.append(record_at(kRingStart, "two"));

  std::vector<WorkRecord> read;
  for (const auto& chunk : before) chunk->read(read);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].key, "one");
}

}  // namespace
}  // namespace davit::host
