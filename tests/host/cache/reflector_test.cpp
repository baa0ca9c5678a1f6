#include "host/cache/reflector.hpp"

#include <gmock/gmock.h>

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReflectorTest : public CacheTest {
 protected:
  void fill(std::string_view version, const std::vector<PodSpec>& pods) {
    reply({.body = list_json(version, pods)});
    step();
  }
  const Status expired_ = api_error(410, Code::kExpired, "Expired");
};

// RT-050
TEST_F(ReflectorTest, CapableServerStreamsTheFirstContentAndIsNeverAskedForAList) {
  make_informer();
  bool synced_before_the_end = true;
  reply({.body = event_json("ADDED", {.name = "a", .version = "3"}) +
                 event_json("ADDED", {.name = "b", .version = "4"}),
         .end = {Code::kUnavailable, "cut"},
         .during = [&] { synced_before_the_end = informer_->has_synced(); }});
  reply({.body = event_json("ADDED", {.name = "a", .version = "3"}) + initial_end_json("9") +
                 event_json("MODIFIED", {.name = "a", .version = "10"})});

  step();
  EXPECT_FALSE(synced_before_the_end);
  EXPECT_FALSE(informer_->has_synced());
  step();

  EXPECT_TRUE(informer_->has_synced());
  EXPECT_EQ(version_of("a"), "10");
  EXPECT_EQ(informer_->store().resource_version(), "10");
  EXPECT_EQ(informer_->store().size(), 1u);
  for (const std::string& query : api_.asked) {
    EXPECT_THAT(query, StartsWith("watch allowWatchBookmarks=true&timeoutSeconds="));
    EXPECT_THAT(query, HasSubstr("&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"));
    EXPECT_THAT(query, Not(HasSubstr("resourceVersion=")));
    const int timeout = std::stoi(query.substr(query.find("timeoutSeconds=") + 15));
    EXPECT_GE(timeout, 300);
    EXPECT_LT(timeout, 600);
  }
}

// A takeover waited for as long as the server's watches stood still.
TEST_F(ReflectorTest, StreamingListThatStandsStillIsFollowedByAPlainList) {
  make_informer();
  reply({.lasts = seconds(91), .during = [this] { informer_->tick(clock_.now()); }});
  step();
  reply({.body = list_json("7", {{.name = "a", .version = "3"}})});
  step();

  EXPECT_THAT(api_.asked[0], HasSubstr("sendInitialEvents"));
  EXPECT_THAT(api_.asked[1], StartsWith("list resourceVersion=0"));
  EXPECT_TRUE(informer_->has_synced());
}

// RT-051
TEST_F(ReflectorTest, ServerWithoutStreamingListsGetsAPlainListAtOnce) {
  make_informer();
  reply({.end = api_error(422, Code::kInvalid, "Invalid"), .lasts = milliseconds(1)});
  reply({.body = list_json("7", {{.name = "a", .version = "3"}})});
  step();
  step();
  step();

  ASSERT_EQ(api_.asked.size(), 3u);
  EXPECT_EQ(api_.asked[1], "list resourceVersion=0&limit=500");
  EXPECT_THAT(api_.asked[2], StartsWith("watch resourceVersion=7&allowWatchBookmarks=true"));
  EXPECT_THAT(api_.asked[2], Not(HasSubstr("sendInitialEvents")));
  EXPECT_TRUE(informer_->has_synced());
}

// RT-052
TEST_F(ReflectorTest, StreamingListThatEndsEarlyStartsAfreshAndShowsNothing) {
  make_informer();
  reply({.body = event_json("ADDED", {.name = "gone", .version = "3"})});
  step();
  EXPECT_EQ(informer_->store().size(), 0u);
  reply({.body = event_json("ADDED", {.name = "b", .version = "4"}) + initial_end_json("9")});
  step();

  EXPECT_EQ(version_of("gone"), "(none)") << "each attempt collects again";
  EXPECT_EQ(version_of("b"), "4");
}

TEST_F(ReflectorTest, StreamingListThatEndsAtOnceWithoutAnEventFallsBack) {
  make_informer();
  reply({.lasts = milliseconds(200)});
  step();
  step();
  EXPECT_EQ(api_.asked[1], "list resourceVersion=0&limit=500");
}

TEST_F(ReflectorTest, ChangesDuringAStreamingListAreInItsContent) {
  make_informer();
  reply({.body = event_json("ADDED", {.name = "a", .version = "3"}) +
                 event_json("ADDED", {.name = "b", .version = "4"}) +
                 event_json("MODIFIED", {.name = "a", .version = "5"}) +
                 event_json("DELETED", {.name = "b", .version = "6"}) + initial_end_json("6")});
  step();
  EXPECT_EQ(version_of("a"), "5");
  EXPECT_EQ(version_of("b"), "(none)");
}

TEST_F(ReflectorTest, PagesFollowEachOtherAndAppearTogether) {
  make_plain_informer();
  reply({.body = list_json("7", {{.name = "a", .version = "3"}}, "token/1")});
  reply({.body = list_json("8", {{.name = "b", .version = "4"}})});
  step();
  EXPECT_EQ(informer_->store().size(), 0u);
  step();

  EXPECT_EQ(api_.asked[1], "list limit=500&continue=token%2F1");
  EXPECT_EQ(informer_->store().size(), 2u);
  EXPECT_EQ(informer_->store().resource_version(), "7") << "the first page's version counts";
}

// RT-053
TEST_F(ReflectorTest, ExpiredPageIsFollowedByOneListWithoutPages) {
  make_plain_informer();
  reply({.body = list_json("7", {{.name = "a", .version = "3"}}, "next")});
  reply({.end = expired_});
  reply({.body = list_json("9", {{.name = "b", .version = "8"}})});
  step();
  step();
  step();

  EXPECT_EQ(api_.asked[2], "list resourceVersion=0");
  EXPECT_EQ(version_of("a"), "(none)");
  EXPECT_EQ(version_of("b"), "8");
  EXPECT_EQ(informer_->store().resource_version(), "9");
}

// RT-054
TEST_F(ReflectorTest, ExpiredListIsRepeatedAtOnceForTheMostRecentState) {
  make_plain_informer();
  reply({.end = expired_});
  step();
  step();
  EXPECT_EQ(api_.asked[1], "list limit=500");
}

// RT-055
TEST_F(ReflectorTest, VersionThatIsTooLargeForTheServerIsDropped) {
  make_plain_informer();
  fill("100", {});
  reply({.end = api_error(500, Code::kUnavailable, "InternalError"), .lasts = seconds(0)});
  step();  // The watch.
  wait();
  reply({.end = api_error(504, Code::kUnavailable, "Timeout", {"ResourceVersionTooLarge"})});
  step();
  step();

  EXPECT_EQ(api_.asked[2], "list resourceVersion=100");
  EXPECT_EQ(api_.asked[3], "list limit=500");
}

// RT-056
TEST_F(ReflectorTest, RefusedListIsRetriedWithGrowingGapsAndOneClearLine) {
  make_informer();
  const Status forbidden = api_error(403, Code::kForbidden, "Forbidden");
  double base = 0.8;
  const Time start = clock_.now();
  while (clock_.now() - start < seconds(120)) {
    reply({.end = forbidden, .lasts = seconds(0)});
    reply({.end = forbidden, .lasts = seconds(0)});
    step();
    step();
    const double gap = std::chrono::duration<double>(wait()).count();
    EXPECT_GE(gap, base);
    EXPECT_LT(gap, base * 2);
    base = std::min(30.0, base * 2);
  }
  EXPECT_EQ(base, 30.0);
  reply({.end = forbidden, .lasts = seconds(0)});
  reply({.end = forbidden, .lasts = seconds(0)});
  step();
  step();
  EXPECT_LT(wait(), milliseconds(1600)) << "two minutes after the last reset it starts again";

  EXPECT_EQ(log_.count("E : Failed to list resource=pods verb=list"), 1u);
  EXPECT_EQ(log_.count("grant the verbs get, list and watch on pods"), 1u);
}

// RT-057
TEST_F(ReflectorTest, EndedWatchContinuesAtOnceBehindItsLastEvent) {
  make_plain_informer();
  fill("7", {});
  reply({.body = event_json("ADDED", {.name = "a", .version = "12"})});
  step();
  step();
  EXPECT_THAT(api_.asked[2], StartsWith("watch resourceVersion=12&"));
}

// RT-058
TEST_F(ReflectorTest, WatchThatEndsAtOnceIsAnErrorAndListsAgain) {
  make_plain_informer();
  fill("7", {});
  reply({.lasts = milliseconds(200)});
  step();
  EXPECT_EQ(log_.count("W : Watch ended with an error"), 1u);
  EXPECT_GE(wait(), milliseconds(800));
  step();
  EXPECT_EQ(api_.asked[2], "list resourceVersion=7");
}

// RT-059
TEST_F(ReflectorTest, ExpiredWatchListsAtItsVersionAndThenWithoutOne) {
  make_plain_informer();
  fill("7", {{.name = "a", .version = "3"}});
  reply({.body = error_json(410, "Expired")});
  step();
  EXPECT_EQ(version_of("a"), "3") << "errors never empty the store";
  wait();
  reply({.end = expired_});
  step();
  step();
  EXPECT_EQ(api_.asked[2], "list resourceVersion=7");
  EXPECT_EQ(api_.asked[3], "list limit=500");
}

// RT-059
TEST_F(ReflectorTest, ExpiredWatchStreamsAtItsVersionAndThenWithoutOne) {
  make_informer();
  reply({.body = initial_end_json("7") + error_json(410, "Expired")});
  step();
  wait();
  reply({.end = expired_});
  step();
  step();
  EXPECT_THAT(api_.asked[1], StartsWith("watch resourceVersion=7&allowWatchBookmarks"));
  EXPECT_THAT(api_.asked[1], HasSubstr("sendInitialEvents"));
  EXPECT_THAT(api_.asked[2], StartsWith("watch allowWatchBookmarks"));
  EXPECT_THAT(api_.asked[2], HasSubstr("sendInitialEvents"));
}

// RT-060
TEST_F(ReflectorTest, BookmarksMoveTheVersionOfTheNextWatch) {
  make_plain_informer();
  fill("7", {});
  reply({.body = bookmark_json("10") + bookmark_json("20") + bookmark_json("30")});
  step();
  step();
  EXPECT_THAT(api_.asked[2], StartsWith("watch resourceVersion=30&"));
  EXPECT_EQ(informer_->store().version(), 30u);
}

// RT-061
TEST_F(ReflectorTest, ThrottledWatchIsTriedAgainAtTheSameVersion) {
  make_plain_informer();
  fill("50", {});
  reply({.body = error_json(429, "TooManyRequests")});
  step();
  EXPECT_GE(wait(), milliseconds(800));
  step();
  EXPECT_THAT(api_.asked[2], StartsWith("watch resourceVersion=50&"));
}

// RT-062
TEST_F(ReflectorTest, UnreachableServerIsOnlyAskedForWatches) {
  make_plain_informer();
  fill("7", {{.name = "a", .version = "3"}});
  for (int i = 0; i < 5; ++i) {
    reply({.end = {Code::kUnavailable, "connection refused"}, .lasts = milliseconds(1)});
    step();
    EXPECT_GE(wait(), milliseconds(800) * (1 << i));
  }
  reply({.body = event_json("MODIFIED", {.name = "a", .version = "8"})});
  step();

  for (std::size_t i = 1; i < api_.asked.size(); ++i) {
    EXPECT_THAT(api_.asked[i], StartsWith("watch resourceVersion=7&"));
  }
  EXPECT_EQ(version_of("a"), "8");
  EXPECT_EQ(log_.count("E : Cannot reach the server"), 1u);
}

// RT-063
TEST_F(ReflectorTest, CorruptEventIsWarnedAboutAndListedAround) {
  make_plain_informer();
  fill("7", {});
  reply({.body = "{\"type\":\"ADDED\" \"object\":{\"kind\":\"Pod\"}}\n"});
  step();
  EXPECT_EQ(log_.count("W : Watch ended with an error"), 1u);
  wait();
  fill("9", {{.name = "a", .version = "8"}});
  reply({.body = event_json("MODIFIED", {.name = "a", .version = "11"})});
  step();
  EXPECT_EQ(version_of("a"), "11");
}

// RT-064
TEST_F(ReflectorTest, EventOfAnotherKindIsFollowedByAList) {
  make_plain_informer();
  fill("7", {});
  reply({.body = event_json("ADDED", {.name = "a", .version = "8"}) +
                 event_json("MODIFIED", {.name = "b", .version = "9", .kind = "Node"})});
  step();
  EXPECT_EQ(version_of("b"), "(none)");
  EXPECT_EQ(log_.count("of kind \"Node\" and apiVersion \"v1\" instead of pods of v1"), 1U);
  wait();
  fill("9", {{.name = "b", .version = "9"}});
  EXPECT_THAT(api_.asked[2], StartsWith("list resourceVersion=8"));
  EXPECT_EQ(version_of("b"), "9");
}

// RT-065
TEST_F(ReflectorTest, StopEndsAHangingListWithoutAnError) {
  make_plain_informer();
  reply({.during = [this] { stop_.request_stop(); }});
  step();
  EXPECT_FALSE(informer_->has_synced());
  EXPECT_EQ(log_.count("E "), 0u);
}

TEST_F(ReflectorTest, CutListIsNoContent) {
  make_plain_informer();
  const std::string body = list_json("7", {{.name = "a", .version = "3"}});
  reply({.body = body.substr(0, body.size() - 2)});
  step();
  EXPECT_FALSE(informer_->has_synced());
  EXPECT_GE(wait(), milliseconds(800));
}

TEST_F(ReflectorTest, ServerWithoutAWatchCacheIsAlwaysAskedForPages) {
  make_plain_informer();
  reply({.body = list_json("7", {}, "next")});
  reply({.body = list_json("7", {})});
  step();
  step();
  reply({.lasts = milliseconds(1)});
  step();
  wait();
  step();
  EXPECT_EQ(api_.asked[3], "list resourceVersion=7&limit=500");
}

TEST_F(ReflectorTest, BodiesMayBeCutAnywhere) {
  for (const std::size_t chunk : {1, 2, 3, 7, 64, 1000}) {
    make_plain_informer();
    reply({.body = list_json("7", {{.name = "a", .version = "3"}, {.name = "b", .version = "4"}}),
           .chunk = chunk});
    reply({.body = event_json("DELETED", {.name = "a", .version = "8"}) + bookmark_json("9"),
           .chunk = chunk});
    step();
    step();
    EXPECT_EQ(informer_->store().size(), 1u);
    EXPECT_EQ(informer_->store().resource_version(), "9");
  }
}

TEST_F(ReflectorTest, WatchThatOutlivesItsTimeoutIsCutAndContinuesAtItsVersion) {
  make_plain_informer();
  fill("7", {});
  reply({.lasts = seconds(631), .during = [this] { informer_->tick(clock_.now()); }});
  step();
  step();
  EXPECT_THAT(api_.asked[2], StartsWith("watch resourceVersion=7&"));
  EXPECT_EQ(log_.count("A watch was silent for too long"), 1u);
}

TEST_F(ReflectorTest, SilenceIsOnlySuspiciousWhereBookmarksCame) {
  make_plain_informer();
  fill("7", {});
  reply({.lasts = seconds(200), .during = [this] { informer_->tick(clock_.now()); }});
  step();
  EXPECT_EQ(log_.count("A watch was silent for too long"), 0u);
  reply({.body = bookmark_json("9"), .lasts = seconds(200), .during = [this] {
           informer_->tick(clock_.now());
         }});
  step();
  EXPECT_EQ(log_.count("A watch was silent for too long"), 1u);
}

TEST_F(ReflectorTest, RequestedRelistEndsTheWatchAndListsTheMostRecentState) {
  make_plain_informer();
  fill("7", {});
  reply({.during = [this] { informer_->request_relist(RelistReason::kStaleCache); }});
  step();
  reply({.body = list_json("20", {}),
         .during = [this] { informer_->request_relist(RelistReason::kStaleCache); }});
  step();
  EXPECT_EQ(api_.asked[2], "list limit=500");
  EXPECT_EQ(informer_->store().version(), 20u) << "a relist under way is not cut by another wish";
}

}  // namespace
}  // namespace davit::host
