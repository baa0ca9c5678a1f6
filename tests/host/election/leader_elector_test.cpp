#include "host/election/leader_elector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/time.hpp>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_lease_server.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/scarcity.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;

class FakeMetrics final : public LeaderElectionMetrics {
 public:
  void leader_election_role(std::string_view name, Role role) override {
    roles.push(std::string(name) + (role == Role::kLeader ? " 1" : " 0"));
  }
  void leader_election_slow_path(std::string_view) override { slow.push(1); }

  test::Collector<std::string> roles;
  test::Collector<int> slow;
};

class NoEventApi final : public EventApi {
 public:
  Status create(const Event& event, std::stop_token) override {
    messages.push(event.regarding.kind + " " + event.reason + " " + event.message);
    return {};
  }
  Status patch(const Event&, std::stop_token) override { return {}; }
  std::vector<Status> create_all(std::span<const Event> events, std::stop_token stop) override {
    for (const Event& event : events) (void)create(event, stop);
    return std::vector<Status>(events.size());
  }

  test::Collector<std::string> messages;
};

class LeaderElectorTest : public testing::Test {
 protected:
  LeaderElectionOptions options() const {
    LeaderElectionOptions made;
    made.identity = "a";
    return made;
  }

  LeaderElectionHandlers handlers() {
    return {
        [this] { story_.push("started"); },
        [this](ElectionEnd end) { story_.push(end == ElectionEnd::kLost ? "lost" : "stopped"); },
        [this](std::string_view holder) { story_.push("leader " + std::string(holder)); },
        [this](const LeaderElection::WentBack& lease) {
          story_.push("back from " + lease.known + " to " + lease.version);
        }};
  }

  LeaderElector make() {
    return {options(), server_, clock_, *random_, metrics_, &events_, Logger(sink_), handlers()};
  }

  /// Lets the leader renew once more, two seconds later.
  void renew() {
    clock_.await_waiters(1);
    server_.take_requests();
    clock_.advance(seconds(2));
    server_.await_requests(1);
    clock_.await_waiters(1);
  }

  test::FakeClock clock_;
  test::RecordingLogSink sink_{2};
  std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::FakeLeaseServer server_;
  FakeMetrics metrics_;
  NoEventApi event_api_;
  EventRecorder events_{event_api_, clock_, *random_, Logger(sink_), {"node-1", 1000}};
  test::Collector<std::string> story_;
};

TEST_F(LeaderElectorTest, WinnerIsReportedToEverybody) {  // RT-100
  LeaderElector elector = make();
  EXPECT_FALSE(elector.may_write());
  ASSERT_TRUE(elector.start().ok());

  EXPECT_THAT(story_.await(2), ElementsAre("leader a", "started"));
  EXPECT_TRUE(elector.is_leader());
  EXPECT_TRUE(elector.may_write());
  EXPECT_EQ(elector.holder(), "a");
  EXPECT_THAT(metrics_.roles.entries(), ElementsAre("davit 0", "davit 1"));
  EXPECT_THAT(event_api_.messages.await(1), ElementsAre("Lease LeaderElection a became leader"));
  elector.stop(LeaderElector::Release::kNo);
  EXPECT_EQ(sink_.count("Successfully acquired lease lock=kube-system/davit identity=a"), 1U);
  EXPECT_EQ(sink_.count("Attempting to acquire leader lease... lock=kube-system/davit identity=a"),
            1U);
}

TEST_F(LeaderElectorTest, WithoutAThreadTheStartFailsAndNothingIsNotified) {
  LeaderElector elector = make();
  Status started;
  {
    const test::NoThreads scarce;
    started = elector.start();
    EXPECT_EQ(scarce.wanted(), 1U);
  }
  elector.stop(LeaderElector::Release::kYes);

  EXPECT_EQ(started.code(), Code::kUnavailable);
  EXPECT_EQ(started.message(), "cannot start a thread for leader election");
  EXPECT_FALSE(elector.may_write());
  EXPECT_TRUE(story_.entries().empty()) << "neither started nor stopped leading";
}

TEST_F(LeaderElectorTest, FenceFallsWhenTheLeaseIsNotRenewed) {
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);
  renew();

  EXPECT_TRUE(elector.may_write());
  server_.fail(Status(Code::kUnavailable, "no connection"));
  server_.before_response([this](Duration timeout) { clock_.advance(timeout); });
  clock_.advance(seconds(2));

  story_.await(3);
  EXPECT_FALSE(elector.may_write());
}

TEST_F(LeaderElectorTest, OlderVersionOfTheLeaseIsReportedOnce) {
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);
  renew();
  const std::string backup = server_.document();
  renew();
  const auto version = [](const std::string& lease) {
    return parse_lease(lease)->resource_version;
  };
  const std::string back = "back from " + version(server_.document()) + " to " + version(backup);

  server_.restore(backup);
  renew();
  renew();

  elector.stop(LeaderElector::Release::kNo);
  EXPECT_THAT(story_.entries(), ElementsAre("leader a", "started", back, "stopped"));
}

TEST_F(LeaderElectorTest, FenceFallsWhileTheMachineIsSuspended) {
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);
  ASSERT_TRUE(elector.may_write());

  clock_.suspend(seconds(16));

  EXPECT_FALSE(elector.may_write()) << "others may have taken the lease, and no timer has run yet";
  elector.stop(LeaderElector::Release::kNo);
}

TEST_F(LeaderElectorTest, LeaderThatCannotRenewGivesUpAtTheDeadline) {  // RT-104
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);
  clock_.await_waiters(1);
  server_.fail(Status(Code::kUnavailable, "no connection"));
  const Time last_renewal = clock_.now();

  for (int i = 0; i < 6; ++i) {
    clock_.advance(seconds(2));
    if (i < 5) clock_.await_waiters(1);
  }

  EXPECT_THAT(story_.await(3), ElementsAre("leader a", "started", "lost"));
  EXPECT_EQ(clock_.now() - last_renewal, seconds(12));
  EXPECT_FALSE(elector.is_leader());
  EXPECT_EQ(sink_.count("Failed to renew lease"), 1U);
  EXPECT_EQ(sink_.count("lock=kube-system/davit identity=a"), 3U) << "attempt, win and loss";
  EXPECT_EQ(server_.record().holder, "a") << "what is lost is not released";
  EXPECT_THAT(metrics_.roles.entries(), ElementsAre("davit 0", "davit 1", "davit 0"));
}

TEST_F(LeaderElectorTest, RequestsEndAfterHalfTheRenewDeadlineAndNeverAfterIt) {  // RT-109
  test::Collector<Duration> timeouts;
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);
  clock_.await_waiters(1);
  server_.fail(Status(Code::kUnavailable, "timed out"));
  server_.before_response([&](Duration timeout) {
    timeouts.push(timeout);
    clock_.advance(timeout);
  });
  clock_.advance(seconds(2));

  EXPECT_THAT(story_.await(3), Contains("lost"));
  EXPECT_THAT(timeouts.entries(), ElementsAre(seconds(5), seconds(5)));
}

TEST_F(LeaderElectorTest, LeaderStopsAtOnceWhenAnotherHolds) {
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);
  clock_.await_waiters(1);
  const std::string now = format_micro_time(clock_.wall_now());
  server_.set(lease_json("kube-system", "davit", {"b", 15, now, now, 1}));

  clock_.advance(seconds(2));

  EXPECT_THAT(story_.await(4), ElementsAre("leader a", "started", "leader b", "lost"));
  EXPECT_FALSE(elector.may_write());
  EXPECT_EQ(sink_.count("Another host took the lease holder=b lock=kube-system/davit identity=a"),
            1U);
}

TEST_F(LeaderElectorTest, CandidateThatWaitsNamesTheHolderOnceAndItself) {
  const std::string now = format_micro_time(clock_.wall_now());
  server_.set(lease_json("kube-system", "davit", {"b", 15, now, now, 1}));
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  for (int i = 0; i < 2; ++i) {
    clock_.await_waiters(1);
    server_.take_requests();
    clock_.advance(seconds(5));
    server_.await_requests(1);
  }
  clock_.await_waiters(1);
  elector.stop(LeaderElector::Release::kNo);

  EXPECT_EQ(sink_.count("Waiting for the lease lock=kube-system/davit holder=b identity=a"), 1U);
}

TEST_F(LeaderElectorTest, StopWithReleaseGivesTheLeaseBack) {  // RT-106
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);

  elector.stop(LeaderElector::Release::kYes);

  EXPECT_EQ(server_.record().holder, "");
  EXPECT_EQ(server_.record().duration_seconds, 1);
  EXPECT_FALSE(elector.may_write());
  EXPECT_THAT(story_.entries(), ElementsAre("leader a", "started", "leader ", "stopped"));
  EXPECT_TRUE(events_.flush(Time::max()));
  EXPECT_THAT(event_api_.messages.entries(), Contains("Lease LeaderElection a stopped leading"));
}

TEST_F(LeaderElectorTest, StopWithoutReleaseLeavesTheLease) {  // RT-107
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);

  elector.stop(LeaderElector::Release::kNo);

  EXPECT_EQ(server_.record().holder, "a");
}

TEST_F(LeaderElectorTest, StandbyTriesAgainAfterAJitteredPauseAndWins) {  // RT-101
  const std::string now = format_micro_time(clock_.wall_now());
  server_.set(lease_json("kube-system", "davit", {"b", 15, now, now, 1}));
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());

  EXPECT_THAT(story_.await(1), ElementsAre("leader b"));
  while (server_.record().holder != "a") {
    clock_.await_waiters(1);
    clock_.advance(milliseconds(100));
    clock_.await_waiters(1);
  }

  EXPECT_GE(clock_.now() - test::FakeClock::kStart, seconds(15));
  EXPECT_LT(clock_.now() - test::FakeClock::kStart, seconds(20));
  EXPECT_THAT(story_.await(3), ElementsAre("leader b", "leader a", "started"));
}

TEST_F(LeaderElectorTest, ElectorThatWaitsToStandTakesASilentLeaseAtOnceWhenItMay) {
  const std::string now = format_micro_time(clock_.wall_now());
  server_.set(lease_json("kube-system", "davit", {"b", 15, now, now, 1}));
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start(LeaderElector::Stand::kWait).ok());
  story_.await(1);
  for (int i = 0; i < 8; ++i) {
    clock_.await_waiters(1);
    clock_.advance(seconds(5));
  }
  clock_.await_waiters(1);
  EXPECT_EQ(server_.record().holder, "b") << "it only watches";
  const Time allowed = clock_.now();

  elector.stand();

  EXPECT_THAT(story_.await(3), ElementsAre("leader b", "leader a", "started"));
  EXPECT_EQ(clock_.now(), allowed) << "the holder's silence has been observed before";
  elector.stop(LeaderElector::Release::kNo);
}

TEST_F(LeaderElectorTest, StoppedStandbyNeverLed) {
  const std::string now = format_micro_time(clock_.wall_now());
  server_.set(lease_json("kube-system", "davit", {"b", 15, now, now, 1}));
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  clock_.await_waiters(1);

  elector.stop(LeaderElector::Release::kYes);

  EXPECT_THAT(story_.entries(), ElementsAre("leader b", "stopped"));
  EXPECT_EQ(server_.record().holder, "b");
}

TEST_F(LeaderElectorTest, HealthFailsWhenALeaderDoesNotNoticeThatItCannotRenew) {  // RT-110
  test::Door hang;
  test::Collector<int> hanging;
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);
  clock_.await_waiters(1);
  server_.before_response([&](Duration) {
    hanging.push(1);
    hang.pass();
  });
  clock_.advance(seconds(2));
  hanging.await(1);

  clock_.advance(seconds(33));
  EXPECT_TRUE(elector.health().ok());
  clock_.advance(milliseconds(1));
  EXPECT_EQ(elector.health().message(), "failed election to renew leadership on lease davit");
  EXPECT_FALSE(elector.may_write());
  server_.before_response(nullptr);
  hang.open();
}

TEST_F(LeaderElectorTest, SlowPathIsCounted) {  // RT-103
  LeaderElector elector = make();
  ASSERT_TRUE(elector.start().ok());
  story_.await(2);
  clock_.await_waiters(1);
  server_.set(server_.document());

  clock_.advance(seconds(2));

  EXPECT_THAT(metrics_.slow.await(1), ElementsAre(1));
}

}  // namespace
}  // namespace davit::host
