/// Taints in slices. Rows DRA-63 to DRA-65.
#include "tests/plugins/devicetaint/fixture.hpp"

namespace davit::devicetaint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using SlicesTest = DeviceTaintTest;

TEST_F(SlicesTest, DRA63_ATaintOfADeviceEvictsItsPod) {
  start("");
  put_slice("s1", 1, "dev-3", taint());
  pass(1s);
  EXPECT_TRUE(is_evicted("p3"));
  EXPECT_EQ(deletions(), 1U);
}

TEST_F(SlicesTest, DRA63_WithRulesToo) {
  start();
  put_slice("s1", 1, "dev-3", taint());
  pass(1s);
  EXPECT_TRUE(is_evicted("p3"));
}

TEST_F(SlicesTest, OtherEffectsOfTaintsEvictNobody) {
  start();
  put_slice("s1", 1, "dev-3", taint("NoSchedule"));
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(SlicesTest, DRA64_ANewerGenerationDecides) {
  put_claim("c3", "dev-3", "p3", R"([{"operator":"Exists","tolerationSeconds":60}])");
  start();
  put_slice("s1", 1, "dev-3", taint());
  pass(2s);
  put_slice("s2", 2);
  pass(5min);
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kCalledOff));
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(SlicesTest, DRA65_ASliceThatGoesTakesItsTaintsAlong) {
  put_claim("c3", "dev-3", "p3", R"([{"operator":"Exists","tolerationSeconds":60}])");
  start();
  put_slice("s1", 1, "dev-3", taint());
  pass(2s);
  cluster_.erase<Slice>({"", "s1"});
  pass(5min);
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kCalledOff));
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(SlicesTest, ATaintWithoutATimeCountsFromWhenItIsSeen) {
  put_claim("c3", "dev-3", "p3", R"([{"operator":"Exists","tolerationSeconds":5}])");
  start();
  put_slice("s1", 1, "dev-3", R"([{"key":"k","effect":"NoExecute"}])");
  pass(4s);
  EXPECT_FALSE(is_evicted("p3"));
  pass(2s);
  EXPECT_TRUE(is_evicted("p3"));
}

TEST_F(SlicesTest, ADeviceOfAnotherDriverIsAnother) {
  start();
  Json slice = cluster_.json<Slice>({"", "s1"});
  slice["metadata"]["name"] = "other";
  slice["metadata"].erase("uid");
  slice["spec"]["driver"] = "e.example.com";
  slice["spec"]["devices"].items().at(0)["taints"] = Json::must(taint());
  cluster_.add(slice);
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(SlicesTest, AttributesThatChangeCauseNoSync) {
  start();
  const std::size_t before = cluster_.syncs().size();
  cluster_.merge<Slice>({"", "s1"}, R"({"metadata":{"labels":{"a":"b"}}})");
  pass(1s);
  EXPECT_EQ(cluster_.syncs().size(), before);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

}  // namespace
}  // namespace davit::devicetaint
