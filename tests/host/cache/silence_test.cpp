// Silent watches, and watches whose server is lost.
#include "host/cache/silence.hpp"

#include <gmock/gmock.h>

#include "tests/host/cache/verification_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SilenceGaugeTest, BusyWatchIsRenewedAfterTheShortestSilence) {
  SilenceGauge gauge;
  const Time start{};
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(gauge.limit()) << "no habit is known yet";
    gauge.received(start + seconds(i));
  }
  EXPECT_EQ(gauge.limit(), SilenceGauge::kShortest);
}

TEST(SilenceGaugeTest, HeartbeatsMayMissOne) {
  SilenceGauge gauge;
  for (int i = 0; i < 10; ++i) gauge.received(Time(seconds(10 * i)));
  EXPECT_EQ(gauge.limit(), seconds(25));
}

TEST(SilenceGaugeTest, IdleResourceCostsFewerAndFewerRequests) {
  SilenceGauge gauge;
  for (int i = 0; i < 10; ++i) gauge.received(Time(seconds(i)));
  gauge.renewed();
  EXPECT_EQ(gauge.limit(), 2 * SilenceGauge::kShortest);
  gauge.renewed();
  EXPECT_EQ(gauge.limit(), 4 * SilenceGauge::kShortest);
  gauge.received(Time(seconds(100)));
  EXPECT_GT(gauge.limit(), seconds(200)) << "the pause that there was is usual now";
}

TEST(SilenceGaugeTest, LimitAfterLongPausesAndManyRenewalsIsADay) {
  SilenceGauge gauge;
  for (int i = 0; i < 10; ++i) gauge.received(Time(std::chrono::hours(20 * i)));
  for (int i = 0; i < 100; ++i) {
    gauge.renewed();
    EXPECT_EQ(gauge.limit(), SilenceGauge::kLongest);
  }
}

class SilenceTest : public CacheTest {
 protected:
  void fill() {
    make_plain_informer();
    reply({.body = list_json("7", {{.name = "a", .version = "3"}}), .lasts = milliseconds(10)});
    step();
  }
  [[nodiscard]] Freshness freshness() const { return informer_->freshness(); }
  /// A watch that is looked at every second, and lasts so long unless it is cut.
  void watch(const std::string& body, Duration lasts, Status end = {}) {
    reply({.body = body, .end = std::move(end), .lasts = {}, .during = [this, lasts] {
             const Time until = clock_.now() + lasts;
             while (clock_.now() < until && !is_cut()) {
               clock_.advance(seconds(1));
               informer_->tick(clock_.now());
             }
             lasted_ = clock_.now() - (until - lasts);
           }});
    step();
  }
  [[nodiscard]] bool is_cut() const { return api_.stop.stop_requested(); }

  Duration lasted_{0};
};

// Issue 11, 1.2: nodes turned Unknown while their watch was stalled.
TEST_F(SilenceTest, LimitedSilenceMakesAQuietWatchEndBeforeItIsOver) {
  fill();
  informer_->limit_silence(seconds(25));
  watch("", seconds(20));
  EXPECT_THAT(api_.asked[1], HasSubstr("timeoutSeconds=20"));
  EXPECT_EQ(freshness().confirmed, clock_.now()) << "the server has ended it";
  EXPECT_EQ(log_.count("A watch was silent"), 0U);
}

TEST_F(SilenceTest, StalledWatchIsRenewedWithinTheLimit) {
  fill();
  informer_->limit_silence(seconds(25));
  watch("", minutes(10));
  EXPECT_LE(lasted_, seconds(25));
  EXPECT_EQ(log_.count("A watch was silent for too long"), 1U);
  watch("", seconds(20));
  EXPECT_THAT(api_.asked[2], StartsWith("watch resourceVersion=7&"));
}

TEST_F(SilenceTest, BusyWatchIsLongAndRenewedWhenItIsSilentBeyondWhatIsUsual) {
  fill();
  informer_->limit_silence(seconds(25));
  for (int i = 0; i < 6; ++i) {
    watch(event_json("MODIFIED", {.name = "a", .version = std::to_string(10 + i)}), seconds(5));
  }
  EXPECT_THAT(api_.asked.back(), Not(HasSubstr("timeoutSeconds=20")));
  watch("", minutes(10));
  EXPECT_EQ(lasted_, SilenceGauge::kShortest);
}

TEST_F(SilenceTest, WatchWithoutALimitIsRenewedBeyondWhatIsUsual) {
  fill();
  for (int i = 0; i < 6; ++i) {
    watch(event_json("MODIFIED", {.name = "a", .version = std::to_string(10 + i)}), seconds(5));
  }
  watch("", minutes(10));
  EXPECT_EQ(lasted_, SilenceGauge::kShortest);
  watch("", minutes(10));
  EXPECT_EQ(lasted_, 2 * SilenceGauge::kShortest);
  EXPECT_EQ(log_.count("A watch was silent for too long"), 0U) << "that may be normal";
}

TEST_F(SilenceTest, FollowingIsNotInterruptedByAConnectionThatIsCutAndRecreated) {
  fill();
  const std::optional<Time> since = freshness().followed_since;
  ASSERT_TRUE(since);
  for (int i = 0; i < 5; ++i) watch("", seconds(10), {Code::kUnavailable, "cut"});
  EXPECT_EQ(freshness().followed_since, since);
}

TEST_F(SilenceTest, FollowingRestartsWhenTheServerWasLostForLong) {
  fill();
  const Time confirmed = *freshness().confirmed;
  const Time lost = clock_.now();
  while (clock_.now() - lost < seconds(10)) {
    reply({.end = {Code::kUnavailable, "connection refused"}, .lasts = milliseconds(1)});
    step();
    wait();
  }
  EXPECT_EQ(freshness().confirmed, confirmed);
  EXPECT_LE(freshness().followed_since, lost);
  const Time back = clock_.now();
  watch("", seconds(20));
  EXPECT_EQ(freshness().followed_since, back);
}

TEST_F(SilenceTest, FollowingRestartsWhenAWatchWasStalled) {
  fill();
  informer_->limit_silence(seconds(25));
  watch(event_json("MODIFIED", {.name = "a", .version = "8"}), minutes(1));
  const Time renewed = clock_.now();
  watch(event_json("MODIFIED", {.name = "a", .version = "9"}), seconds(20));
  EXPECT_EQ(freshness().followed_since, renewed);
}

TEST_F(SilenceTest, FollowingContinuesWhenASilentWatchHadNothingToSay) {
  fill();
  informer_->limit_silence(seconds(25));
  const std::optional<Time> since = freshness().followed_since;
  watch(event_json("MODIFIED", {.name = "a", .version = "8"}), minutes(1));
  watch("", seconds(20));
  EXPECT_EQ(freshness().followed_since, since);
}

TEST_F(SilenceTest, WatchThatFoundNoServerConfirmsNothing) {
  fill();
  const std::optional<Time> confirmed = freshness().confirmed;
  reply({.lasts = seconds(10), .opens = false});
  step();
  EXPECT_EQ(freshness().confirmed, confirmed);
  EXPECT_GE(wait(), milliseconds(800));
}

class ContactTest : public CacheTest {
 protected:
  void fail(int times) {
    for (int i = 0; i < times; ++i) {
      if (i > 0) wait();
      reply({.end = {Code::kUnavailable, "connection refused"}, .lasts = milliseconds(1)});
      step();
    }
  }
  void fill() {
    make_plain_informer();
    reply({.body = list_json("7", {}), .lasts = milliseconds(10)});
    step();
  }
  /// The reflector wants to wait; nothing passes.
  [[nodiscard]] bool waits() { return informer_->reflector().step(stop_.get_token()).has_value(); }
};

// Issue 11, 1.2: watches came back 64 to 80 s after the server did.
TEST_F(ContactTest, LostServerIsTriedAgainAsSoonAsItRespondsToAnotherRequest) {
  fill();
  fail(6);
  EXPECT_TRUE(waits());
  contact_.responded();
  reply({.body = bookmark_json("9")});
  EXPECT_FALSE(waits());
  EXPECT_THAT(api_.asked.back(), StartsWith("watch resourceVersion=7&"));
}

TEST_F(ContactTest, BackOffStartsAgainAfterAResponseToAnother) {
  fill();
  fail(6);
  EXPECT_TRUE(waits());
  contact_.responded();
  fail(1);
  EXPECT_LE(wait(), milliseconds(1600));
}

TEST_F(ContactTest, ServerThatStaysLostIsNotAskedForEachResponseToOthers) {
  fill();
  fail(6);
  EXPECT_TRUE(waits());
  contact_.responded();
  fail(1);
  EXPECT_TRUE(waits());
  contact_.responded();
  EXPECT_TRUE(waits()) << "less than a second has passed";
}

TEST_F(ContactTest, RefusedRequestIsNotTriedEarlier) {
  fill();
  reply({.end = api_error(403, Code::kForbidden, "Forbidden"), .lasts = milliseconds(1)});
  step();
  EXPECT_TRUE(waits());
  contact_.responded();
  EXPECT_TRUE(waits());
}

// Issue 11, 1.3.
TEST_F(VerificationTest, LargeContentIsVerifiedByItsVersionAndNeverListedAgain) {
  fill_large();
  const Time asked = ask();
  reply({.body = list_json("20", {{.name = "p0", .version = "3"}}, "more")});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=1");
  EXPECT_FALSE(listener_.verified);
  reply({.body = event_json("MODIFIED", {.name = "p1", .version = "19"}) + bookmark_json("20"),
         .lasts = seconds(3)});
  step();
  EXPECT_THAT(api_.asked.back(), HasSubstr("resourceVersion=7&"));
  EXPECT_THAT(api_.asked.back(), HasSubstr("timeoutSeconds=3"));
  ASSERT_TRUE(listener_.verified);
  EXPECT_GE(*listener_.verified, asked);
  EXPECT_EQ(listener_.changes_before, 1) << "the change came first";
  EXPECT_EQ(informer_->store().size(), 501U) << "a probe is no content";
}

// Each question began the probe again, so that it never ended. Issue 30, 1.7: as long as there was
// a later question, listeners did not hear of the answers to the earlier ones.
TEST_F(VerificationTest, VerificationUnderWayIsNotRestartedButReportedAndFollowedByAnother) {
  fill_large();
  const Time asked = ask();
  reply({.body = list_json("20", {}), .lasts = seconds(1), .during = [this] {
           clock_.advance(seconds(1));
           informer_->verify(clock_.now());
         }});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=1");
  reply({.body = bookmark_json("20"), .lasts = seconds(3)});
  step();
  EXPECT_THAT(api_.asked.back(), HasSubstr("timeoutSeconds=3")) << "the first one continues";
  ASSERT_TRUE(listener_.verified);
  EXPECT_GE(*listener_.verified, asked);
  const Time first = *listener_.verified;
  EXPECT_LT(first, clock_.now() - seconds(3)) << "it is not yet the later one";
  reply({.body = list_json("21", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=1");
  reply({.body = bookmark_json("21"), .lasts = seconds(3)});
  step();
  EXPECT_GT(*listener_.verified, first);
}

TEST_F(VerificationTest, DelayedWatchVerifiesNothing) {
  fill_large();
  ask();
  reply({.body = list_json("20", {})});
  step();
  reply({.body = event_json("MODIFIED", {.name = "p1", .version = "12"}),
         .end = {Code::kUnavailable, "cut"}});
  step();
  EXPECT_FALSE(listener_.verified);
}

// Issue 30, 1.2: the proper end of the watch counted, whatever its server's cache had seen.
TEST_F(VerificationTest, WatchThatEndsWithoutEvidenceIsFollowedByAConsistentList) {
  for (const std::string& events : {std::string(), bookmark_json("19")}) {
    api_.asked.clear();
    listener_.verified.reset();
    fill_large();
    ask();
    reply({.body = list_json("20", {})});
    step();
    reply({.body = events, .lasts = seconds(3)});
    step();
    EXPECT_FALSE(listener_.verified) << events;
    reply({.body = list_json("21", {{.name = "p0", .version = "20"}})});
    step();
    EXPECT_EQ(api_.asked.back(), "list limit=500") << "without a version: the latest state";
    EXPECT_TRUE(listener_.verified);
    EXPECT_EQ(version_of("p0"), "20");
  }
}

TEST_F(VerificationTest, WatchThatStandsStillIsFollowedByAConsistentList) {
  fill_large();
  ask();
  reply({.body = list_json("20", {})});
  step();
  reply({.lasts = seconds(9), .during = [this] { informer_->tick(clock_.now()); }});
  step();
  EXPECT_FALSE(listener_.verified);
  reply({.body = list_json("21", {{.name = "p0", .version = "20"}})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500") << "without a version: the latest state";
  EXPECT_TRUE(listener_.verified);
}

TEST_F(VerificationTest, EventBeyondTheVersionIsEvidence) {
  fill_large();
  ask();
  reply({.body = list_json("20", {})});
  step();
  reply({.body = event_json("MODIFIED", {.name = "p1", .version = "23"}), .lasts = seconds(3)});
  step();
  EXPECT_TRUE(listener_.verified);
}

/// A server whose etcd was restored from a backup: its versions begin again below ours.
class RestoredServerTest : public VerificationTest {
 protected:
  void expect_no_proof() { EXPECT_EQ(log_.count("The server's versions have gone back"), 0U); }
  void expect_relist_after_step() {
    EXPECT_EQ(log_.count("The server's versions have gone back"), 1U);
    reply({.body = list_json("5", {{.name = "p0", .version = "3", .node = "other"}})});
    step();
    EXPECT_EQ(api_.asked.back(), "list limit=500");
    EXPECT_EQ(informer_->store().size(), 1U);
    EXPECT_EQ(informer_->store().resource_version(), "5");
    const ObjectRef held = informer_->store().get("default", "p0");
    EXPECT_EQ(held.root()["spec"]["nodeName"].string(), "other")
        << "the version 3 of another history is another state";
    EXPECT_EQ(log_.count("The server's versions have gone back"), 1U);
  }
};

// Issue 30, 1.6: the probe satisfied the goal, and the content of before counted as verified.
TEST_F(RestoredServerTest, ProbeBelowTheKnownVersionHasEverythingListedAgain) {
  fill_large();
  ask();
  reply({.body = list_json("5", {})});
  step();
  EXPECT_FALSE(listener_.verified);
  expect_relist_after_step();
  EXPECT_TRUE(listener_.verified);
}

TEST_F(RestoredServerTest, ListBelowTheKnownVersionIsMadeAgainWithoutSharingObjects) {
  fill_small();
  ask();
  reply({.body = list_json("5", {{.name = "a", .version = "3"}})});
  step();
  expect_relist_after_step();
}

TEST_F(RestoredServerTest, StreamedContentBelowTheKnownVersionIsNotTaken) {
  make_informer();
  reply({.body = event_json("ADDED", {.name = "p0", .version = "3"}) + initial_end_json("7"),
         .during = [this] { informer_->request_relist(RelistReason::kStaleCache); }});
  step();
  reply({.body = event_json("ADDED", {.name = "p0", .version = "3"}) + initial_end_json("5")});
  step();
  EXPECT_EQ(informer_->store().resource_version(), "7");
  EXPECT_EQ(log_.count("The server's versions have gone back"), 1U);
  reply({.body = event_json("ADDED", {.name = "p0", .version = "4"}) + initial_end_json("5")});
  step();
  EXPECT_EQ(informer_->store().resource_version(), "5");
}

TEST_F(RestoredServerTest, BookmarkBelowTheKnownVersionHasEverythingListedAgain) {
  fill_small();
  reply({.body = bookmark_json("6")});
  step();
  expect_no_proof();
  reply({.body = list_json("6", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500") << "without a version: the latest state";
  expect_relist_after_step();
}

// A watch may get the older progress of a lagging member of etcd.
TEST_F(RestoredServerTest, BookmarkBelowTheKnownVersionIsNoProof) {
  fill_small();
  reply({.body = bookmark_json("6")});
  step();
  EXPECT_EQ(informer_->store().resource_version(), "7");
  reply({.body = list_json("8", {{.name = "a", .version = "3"}})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500") << "without a version: the latest state";
  EXPECT_EQ(informer_->store().resource_version(), "8");
  expect_no_proof();
}

TEST_F(RestoredServerTest, ListThatMayBeOlderIsNoProof) {
  fill_small();
  reply({.body = error_json(410, "Expired")});
  step();
  wait();
  reply({.body = list_json("5", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list resourceVersion=7");
  expect_no_proof();
  reply({.body = list_json("7", {{.name = "a", .version = "3"}})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500") << "without a version: the latest state";
  EXPECT_EQ(informer_->store().size(), 1U);
  expect_no_proof();
}

TEST_F(RestoredServerTest, StreamedContentThatMayBeOlderIsNoProof) {
  make_informer();
  reply({.body = event_json("ADDED", {.name = "p0", .version = "3"}) + initial_end_json("7") +
                 error_json(410, "Expired")});
  step();
  wait();
  reply({.body = initial_end_json("5")});
  step();
  EXPECT_THAT(api_.asked.back(), HasSubstr("resourceVersion=7&"));
  expect_no_proof();
  EXPECT_EQ(informer_->store().resource_version(), "7");
  reply({.body = event_json("ADDED", {.name = "p0", .version = "3"}) + initial_end_json("8")});
  step();
  EXPECT_THAT(api_.asked.back(), Not(HasSubstr("resourceVersion=")));
  EXPECT_EQ(informer_->store().resource_version(), "8");
  expect_no_proof();
}

// Such a server sends nothing to a watch at a version that it has not reached yet.
TEST_F(RestoredServerTest, WatchWithoutBookmarksOfAServerThatSendsSomeIsFollowedByAProbe) {
  fill_large();
  reply({.body = bookmark_json("9")});
  step();
  reply({.lasts = minutes(5)});
  step();
  reply({.body = list_json("5", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=1");
  expect_relist_after_step();
}

TEST_F(RestoredServerTest, ProbeOfAClusterThatStandsStillOnlyContinuesTheWatch) {
  fill_large();
  reply({.body = bookmark_json("9")});
  step();
  reply({.lasts = minutes(5)});
  step();
  reply({.body = list_json("12", {})});
  step();
  reply({.lasts = minutes(5)});
  step();
  EXPECT_THAT(api_.asked.back(), StartsWith("watch resourceVersion=9&"));
  EXPECT_THAT(api_.asked.back(), Not(HasSubstr("timeoutSeconds=3&")));
}

TEST_F(VerificationTest, SmallContentIsListedAgain) {
  fill_small();
  const Time asked = ask();
  reply({.body = list_json("20", {{.name = "a", .version = "15"}})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500");
  ASSERT_TRUE(listener_.verified);
  EXPECT_GE(*listener_.verified, asked);
  EXPECT_EQ(listener_.changes_before, 1);
}

TEST_F(VerificationTest, FirstContentThatIsTooOldIsVerifiedWhenItIsComplete) {
  make_plain_informer();
  informer_->add_listener(listener_);
  reply({.body = list_json("7", {}), .during = [this] { informer_->verify(clock_.now()); }});
  step();
  EXPECT_FALSE(listener_.verified);
  reply({});  // A watch that ends as soon as it begins.
  step();
  reply({.body = list_json("9", {})});
  step();
  EXPECT_TRUE(listener_.verified);
}

TEST_F(VerificationTest, ProbeThatIsRefusedIsFollowedByAList) {
  fill_large();
  ask();
  reply({.end = api_error(500, Code::kInternal, "InternalError"), .lasts = milliseconds(1)});
  step();
  wait();
  reply({.body = list_json("20", {})});
  step();
  EXPECT_TRUE(listener_.verified);
}

}  // namespace
}  // namespace davit::host
