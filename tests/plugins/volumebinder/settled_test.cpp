/// Events that need no sync, and those that look like them and need one.
#include <algorithm>

#include "tests/plugins/volumebinder/fixture.hpp"

namespace davit::volumebinder {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class SettledTest : public BinderTest {
 protected:
  void SetUp() override { start(); }
  /// The keys of the syncs since the last call.
  [[nodiscard]] std::vector<std::string> synced() {
    run();
    std::vector<std::string> out;
    for (const testing::SyncRecord& each : cluster_.syncs()) out.push_back(each.key);
    cluster_.clear_records();
    return out;
  }
};

TEST_F(SettledTest, ABindingIsOneSync) {
  add_volume("v");
  (void)synced();
  add_claim("c");
  EXPECT_THAT(synced(), ElementsAre("ns/c"));
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(SettledTest, AReleaseOfARetainedVolumeIsOneSync) {
  bind();
  (void)synced();
  cluster_.erase<Claim>({"ns", "c"});
  EXPECT_THAT(synced(), ElementsAre("v"));
  EXPECT_EQ(volume_phase(), "Released");
}

TEST_F(SettledTest, AProvisionedVolumeIsBoundByOneSync) {
  add_class("ext");
  add_claim_of_class("c", "ext");
  EXPECT_THAT(synced(), ElementsAre("ns/c")) << "it asks the driver";
  add_claimed("v", "c", claim_uid(), R"({"spec":{"storageClassName":"ext"}})");
  const std::vector<std::string> seen = synced();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "ns/c"), 1);
  EXPECT_LE(std::count(seen.begin(), seen.end(), "v"), 1);
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(SettledTest, ChangesThatDoNotMatterCauseNoSync) {
  bind();
  (void)synced();
  const std::string annotation = R"({"metadata":{"annotations":{"a":"b"},"finalizers":["a.b/c"]}})";
  cluster_.merge<Claim>({"ns", "c"}, annotation);
  cluster_.merge<Volume>({"", "v"}, annotation);
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(SettledTest, WhatSomeoneUndoesIsRepairedAtOnce) {
  bind();
  for (const char* undone :
       {R"({"status":{"phase":"Pending"}})", R"({"status":{"accessModes":null}})",
        R"({"metadata":{"annotations":null}})"}) {
    cluster_.merge<Claim>({"ns", "c"}, undone);
    run();
    EXPECT_TRUE(is_bound("v", "c")) << undone;
    EXPECT_EQ(claim()["status"]["accessModes"].dump(), R"(["ReadWriteOnce"])") << undone;
  }
  for (const char* undone :
       {R"({"status":{"phase":"Available"}})", R"({"spec":{"claimRef":null}})"}) {
    cluster_.merge<Volume>({"", "v"}, undone);
    run();
    EXPECT_TRUE(is_bound("v", "c")) << undone;
  }
}

TEST_F(SettledTest, AClaimThatGoesWhileItIsBoundReleasesItsVolume) {
  add_volume("v");
  run();
  cluster_.on_request([this, is_first = true](const testing::RequestRecord& request) mutable {
    if (!is_first || request.verb != Verb::kPatch) return;
    is_first = false;
    cluster_.erase<Claim>({"ns", "c"});
  });
  add_claim("c");
  cluster_.advance(5s);  // Less than until the next pass.
  EXPECT_EQ(volume_phase(), "Released");
}

TEST_F(SettledTest, AnotherClaimThatNamesATakenVolumeIsReportedAtOnce) {
  add_volume("v");
  add_claim("d", R"({"spec":{"volumeName":"v","resources":{"requests":{"storage":"9Gi"}}}})");
  run();
  add_claim("c");
  cluster_.advance(5s);
  EXPECT_TRUE(is_bound("v", "c"));
  EXPECT_GE(times(R"(Warning FailedBinding volume "v" already bound to a different claim.)"), 1);
}

}  // namespace
}  // namespace davit::volumebinder
