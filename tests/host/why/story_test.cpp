#include "host/why/story.hpp"

#include <davit/abi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kStoryStart{std::chrono::hours(5)};

const JournalObject kWeb{"apps", "deployments", "shop", "web"};
const JournalObject kSet{"apps", "replicasets", "shop", "web-1"};
const JournalObject kPod{"", "pods", "shop", "web-1-x"};

/// The records of one controller, in order.
struct Controller {
  std::string name;
  std::vector<WorkRecord> acts = {};
  std::vector<WorkRecord> idle = {};
};

WorkRecord sync_of(const std::string& key, int at, std::vector<Write> writes = {},
                   std::vector<Wake> wakes = {}) {
  WorkRecord record;
  record.began = kStoryStart + milliseconds(at);
  record.generation = 1;
  record.key = key;
  record.writes = std::move(writes);
  record.wakes = std::move(wakes);
  return record;
}

Write create(const JournalObject& object, const std::string& kind, const std::string& owner) {
  Write write;
  write.verb = "create";
  write.object = object;
  write.owner_kind = kind;
  write.owner_name = owner;
  write.http_status = 201;
  return write;
}

Write remove(const JournalObject& object) {
  Write write;
  write.verb = "delete";
  write.object = object;
  write.http_status = 200;
  return write;
}

std::string kind_of(const std::string& /*group*/, const std::string& resource) {
  return resource == "replicasets" ? "ReplicaSet" : resource == "pods" ? "Pod" : "";
}

ControllerRecords::Each each_of(const std::vector<WorkRecord>& records) {
  return [&records](const ControllerRecords::Look& look) {
    for (const WorkRecord& each : records) look(each);
  };
}

Story tell(const std::vector<Controller>& controllers, const JournalObject& target = kWeb,
           const std::string& kind = "Deployment") {
  std::vector<ControllerRecords> records;
  records.reserve(controllers.size());
  for (const Controller& each : controllers) {
    records.push_back({each.name, each_of(each.acts), each_of(each.idle)});
  }
  return tell_story(target, kind, records, kind_of);
}

std::vector<std::string> keys_of(const std::vector<StoryEntry>& entries) {
  std::vector<std::string> out;
  out.reserve(entries.size());
  for (const StoryEntry& each : entries) {
    out.push_back(std::to_string(each.depth) + " " + each.controller + " " + each.record.key);
  }
  return out;
}

std::vector<std::string> names_of(const std::vector<StoryObject>& objects) {
  std::vector<std::string> out;
  out.reserve(objects.size());
  for (const StoryObject& each : objects) out.push_back(each.kind + " " + each.object.name);
  return out;
}

std::vector<Controller> rollout() {
  return {{"deployment-controller",
           {sync_of("shop/web", 0, {create(kSet, "Deployment", "web")},
                    {{Wake::Kind::kAdded, kWeb, "7", kStoryStart}}),
            sync_of("shop/other", 1,
                    {create({"apps", "replicasets", "shop", "other-1"}, "Deployment", "other")})}},
          // As the name comes first, its records are read before those of its owner's controller.
          {"a-replicaset-controller",
           {sync_of("shop/web-1", 2, {create(kPod, "ReplicaSet", "web-1")},
                    {{Wake::Kind::kAdded, kSet, "8", kStoryStart}})}}};
}

TEST(StoryTest, WhatTheObjectControlsBelongsToItsStory) {
  std::vector<Controller> controllers = rollout();
  std::swap(controllers[0], controllers[1]);

  const Story story = tell(controllers);

  EXPECT_THAT(keys_of(story.entries), ElementsAre("0 deployment-controller shop/web",
                                                  "1 a-replicaset-controller shop/web-1"));
  ASSERT_EQ(story.objects.size(), 3U);
  EXPECT_EQ(story.objects[0].object, kWeb);
  EXPECT_EQ(story.objects[1].object, kSet);
  EXPECT_EQ(story.objects[1].depth, 1U);
  EXPECT_EQ(story.objects[2].object, kPod);
  EXPECT_EQ(story.objects[2].kind, "Pod");
  EXPECT_EQ(story.objects[2].depth, 2U);
}

TEST(StoryTest, StoryOfAPodNamesTheSyncThatMadeItAndNothingAboveIt) {
  const Story story = tell(rollout(), kPod, "Pod");

  EXPECT_THAT(keys_of(story.entries), ElementsAre("0 a-replicaset-controller shop/web-1"));
}

TEST(StoryTest, SameNameElsewhereIsAnotherObject) {
  const JournalObject elsewhere{"apps", "deployments", "dev", "web"};

  const Story story = tell(rollout(), elsewhere);

  EXPECT_THAT(story.entries, IsEmpty());
  EXPECT_EQ(story.objects.size(), 1U);
}

TEST(StoryTest, EntriesOfAllControllersAreInTheOrderOfTheirTimes) {
  std::vector<Controller> controllers = rollout();
  controllers[0].acts.push_back(sync_of("shop/web", 9, {remove(kSet)}));
  controllers[1].acts.push_back(sync_of("shop/web-1", 5, {remove(kPod)}));

  const Story story = tell(controllers);

  EXPECT_THAT(
      keys_of(story.entries),
      ElementsAre("0 deployment-controller shop/web", "1 a-replicaset-controller shop/web-1",
                  "1 a-replicaset-controller shop/web-1", "0 deployment-controller shop/web"));
  EXPECT_TRUE(story.objects[1].is_deleted);
  EXPECT_TRUE(story.objects[2].is_deleted);
}

TEST(StoryTest, DeletionThatFailedDeletesNothing) {
  std::vector<Controller> controllers = rollout();
  Write refused = remove(kPod);
  refused.reason = "Forbidden";
  controllers[1].acts.push_back(sync_of("shop/web-1", 5, {refused}));

  EXPECT_FALSE(tell(controllers).objects[2].is_deleted);
}

TEST(StoryTest, CreateThatFailedNamesNoObject) {
  Write refused = create({"", "pods", "shop", "web-1-*"}, "ReplicaSet", "web-1");
  refused.http_status = 403;
  refused.reason = "Forbidden";
  std::vector<Controller> controllers = rollout();
  controllers[1].acts = {sync_of("shop/web-1", 2, {refused})};

  const Story story = tell(controllers);

  EXPECT_EQ(story.objects.size(), 2U);
  EXPECT_THAT(keys_of(story.entries), ElementsAre("0 deployment-controller shop/web",
                                                  "1 a-replicaset-controller shop/web-1"));
}

TEST(StoryTest, LastIdleSyncOfAKeyCountsUnlessItActedLater) {
  std::vector<Controller> controllers = rollout();
  controllers[0].idle = {sync_of("shop/web", 3), sync_of("shop/web", 4), sync_of("shop/other", 5)};
  controllers[1].idle = {sync_of("shop/web-1", 1)};

  const Story story = tell(controllers);

  ASSERT_THAT(keys_of(story.last), ElementsAre("0 deployment-controller shop/web"));
  EXPECT_EQ(story.last[0].record.began, kStoryStart + milliseconds(4));
}

TEST(StoryTest, KeysAreThoseOfTheControllersThatSyncSuchObjects) {
  const Story story = tell(rollout());

  ASSERT_EQ(story.keys.size(), 2U);
  EXPECT_EQ(story.keys[0].controller, "deployment-controller");
  EXPECT_EQ(story.keys[0].key, "shop/web");
  EXPECT_EQ(story.keys[1].controller, "a-replicaset-controller");
  EXPECT_EQ(story.keys[1].key, "shop/web-1");
}

TEST(StoryTest, ControllerWithoutRecordsIsRecognizedByItsName) {
  const Story story = tell({{"deployment-controller"}, {"job-controller"}});

  ASSERT_EQ(story.keys.size(), 1U);
  EXPECT_EQ(story.keys[0].controller, "deployment-controller");
}

TEST(StoryTest, ObjectThatOwnsItselfEnds) {
  const std::vector<Controller> controllers = {
      {"deployment-controller", {sync_of("shop/web", 0, {create(kWeb, "Deployment", "web")})}}};

  EXPECT_EQ(tell(controllers).objects.size(), 1U);
}

TEST(StoryTest, NoRecordsAreAStoryWithoutEntries) {
  const Story story = tell({});

  EXPECT_THAT(story.entries, IsEmpty());
  EXPECT_THAT(story.last, IsEmpty());
  EXPECT_EQ(story.objects.size(), 1U);
}

TEST(StoryTest, DeletedPodNamesItsControllersUpToTheTopWithWhatChangedThem) {
  Write shrink;
  shrink.verb = "patch";
  shrink.object = kSet;
  Write report = shrink;
  report.subresource = "status";
  const std::vector<Controller> controllers = {
      {"deployment-controller",
       {sync_of("shop/web", 0, {create(kSet, "Deployment", "web")},
                {{Wake::Kind::kAdded, kWeb, "7", kStoryStart}}),
        sync_of("shop/web", 20, {shrink}, {{Wake::Kind::kUpdated, kWeb, "9", kStoryStart}}),
        sync_of("shop/web", 25, {report})}},
      {"replicaset-controller",
       {sync_of("shop/web-1", 10, {create(kPod, "ReplicaSet", "web-1")}),
        sync_of("shop/web-1", 30, {remove(kPod)})}}};

  const Story story = tell(controllers, kPod, "Pod");

  EXPECT_THAT(names_of(story.owners), ElementsAre("ReplicaSet web-1", "Deployment web"));
  EXPECT_TRUE(story.objects.front().is_deleted);
  EXPECT_THAT(keys_of(story.entries),
              ElementsAre("0 replicaset-controller shop/web-1", "0 deployment-controller shop/web",
                          "0 replicaset-controller shop/web-1"))
      << "without the creation of its owner, and the status that was written";
}

TEST(StoryTest, OwnerThatDavitHasNeverSeenIsNamedByItsReference) {
  const Story story =
      tell({{"job-controller", {sync_of("shop/a", 0, {create(kPod, "Job", "a")})}}}, kPod, "Pod");

  EXPECT_THAT(names_of(story.owners), ElementsAre("Job a"));
  EXPECT_EQ(story.owners.front().object.resource, "");
}

TEST(StoryTest, SyncThatWasPutOffHasTheEventOfTheFirst) {
  WorkRecord first = sync_of("shop/web", 0, {}, {{Wake::Kind::kUpdated, kWeb, "7", kStoryStart}});
  first.again = milliseconds(50);
  WorkRecord second = sync_of("shop/web", 50);
  second.again = milliseconds(70);
  const WorkRecord other = sync_of("shop/other", 60);
  const WorkRecord last = sync_of("shop/web", 120, {create(kSet, "Deployment", "web")});

  const Story story = tell({{"deployment-controller", {last}, {first, second, other}}});

  ASSERT_EQ(story.entries.size(), 1U);
  const std::optional<PutOff>& put_off = story.entries.front().put_off;
  ASSERT_TRUE(put_off.has_value());
  EXPECT_EQ(put_off->began, second.began);
  EXPECT_EQ(put_off->again, second.again);
  ASSERT_EQ(put_off->wakes.size(), 1U);
  EXPECT_EQ(put_off->wakes.front().version, "7");
}

TEST(StoryTest, SyncAfterOneThatAskedForNothingWasNotPutOff) {
  const WorkRecord first =
      sync_of("shop/web", 0, {}, {{Wake::Kind::kUpdated, kWeb, "7", kStoryStart}});
  const WorkRecord last = sync_of("shop/web", 120, {create(kSet, "Deployment", "web")});

  const Story story = tell({{"deployment-controller", {last}, {first}}});

  ASSERT_EQ(story.entries.size(), 1U);
  EXPECT_FALSE(story.entries.front().put_off.has_value());
}

TEST(StoryTest, FailuresCountUntilALaterSyncEndsWell) {
  WorkRecord failed = sync_of("shop/web", 0, {create(kSet, "Deployment", "web")});
  failed.code = DAVIT_INTERNAL;
  failed.attempt = 14;
  const Story::Key key{"deployment-controller", "shop/web", 0};

  EXPECT_EQ(failures_in_a_row(tell({{"deployment-controller", {failed}}}), key), 15U);
  EXPECT_EQ(
      failures_in_a_row(tell({{"deployment-controller", {failed}, {sync_of("shop/web", 5)}}}), key),
      0U);
}

}  // namespace
}  // namespace davit::host
