#include "host/election/leader_election.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/time.hpp>

#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_lease_server.hpp"

namespace davit::host {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using Outcome = LeaderElection::Outcome;

LeaderElectionOptions candidate(std::string identity) {
  LeaderElectionOptions options;
  options.identity = std::move(identity);
  return options;
}

class LeaderElectionTest : public testing::Test {
 protected:
  Result<std::string> send(const LeaderElection::Request& request) {
    switch (request.verb) {
      case LeaderElection::Verb::kCreate:
        return server_.create(request.body, seconds(5), {});
      case LeaderElection::Verb::kUpdate:
        return server_.update(request.body, seconds(5), {});
      case LeaderElection::Verb::kGet:
        break;
    }
    return server_.get(seconds(5), {});
  }

  Outcome attempt(LeaderElection& election) {
    std::optional<LeaderElection::Request> request =
        election.begin(clock_.now(), clock_.wall_now(), clock_.boot_now());
    while (request) request = election.on_response(send(*request), clock_.now());
    return election.outcome();
  }

  void give_lease_to(std::string holder, std::int64_t transitions = 0) {
    const std::string long_ago = format_micro_time(clock_.wall_now() - hours(1));
    server_.set(lease_json("kube-system", "davit",
                           {std::move(holder), 15, long_ago, long_ago, transitions}));
  }

  test::FakeClock clock_;
  test::FakeLeaseServer server_;
  LeaderElection a_{candidate("a")};
  LeaderElection b_{candidate("b")};
};

TEST_F(LeaderElectionTest, FirstCandidateMakesTheLease) {  // RT-100
  EXPECT_EQ(attempt(a_), Outcome::kHeld);

  const std::string now = format_micro_time(clock_.wall_now());
  EXPECT_EQ(server_.record(), (LeaseRecord{"a", 15, now, now, 0}));
  EXPECT_THAT(server_.take_requests(), ElementsAre("GET", "POST"));
  EXPECT_TRUE(a_.is_leader());
  EXPECT_EQ(a_.lease().uid, "u1");
}

// Issue 29, 2.10: a process that crashed, and the one after it, had to wait for its own lease.
TEST_F(LeaderElectionTest, LeaseOfAProcessThatHasProvablyEndedIsTakenAtOnce) {
  LeaderElectionOptions options = candidate("a");
  options.departed = {"gone-1", "gone-2"};
  LeaderElection after(options);
  give_lease_to("gone-2", 4);
  (void)server_.take_requests();

  EXPECT_EQ(attempt(after), Outcome::kHeld);

  EXPECT_THAT(server_.take_requests(), ElementsAre("GET", "PUT"));
  const std::string now = format_micro_time(clock_.wall_now());
  EXPECT_EQ(server_.record(), (LeaseRecord{"a", 15, now, now, 5}));
}

TEST_F(LeaderElectionTest, LeaseOfAProcessOfWhichNothingIsProvenIsWaitedFor) {
  LeaderElectionOptions options = candidate("a");
  options.departed = {"gone-1"};
  LeaderElection after(options);
  for (const char* holder : {"b", "gone-", "gone-11", "GONE-1"}) {
    give_lease_to(holder);
    EXPECT_EQ(attempt(after), Outcome::kNotHeld) << holder;
  }
}

TEST_F(LeaderElectionTest, LeaseOfAnEndedProcessGoesToWhoeverWritesFirst) {
  LeaderElectionOptions options = candidate("a");
  options.departed = {"gone"};
  LeaderElection after(options);
  give_lease_to("gone");
  auto update = after.on_response(
      send(after.begin(clock_.now(), clock_.wall_now(), clock_.boot_now())), clock_.now());
  ASSERT_TRUE(update);
  give_lease_to("b");  // Its version has changed since the read.

  EXPECT_FALSE(after.on_response(send(*update), clock_.now()));
  EXPECT_EQ(after.outcome(), Outcome::kNotHeld);
  EXPECT_EQ(attempt(after), Outcome::kNotHeld);
  EXPECT_EQ(server_.record().holder, "b");
}

TEST_F(LeaderElectionTest, LeaseOfADeadHolderIsTakenAFullTermAfterItWasFirstSeen) {  // RT-101
  give_lease_to("b", 4);
  EXPECT_EQ(attempt(a_), Outcome::kNotHeld) << "however old its renew time";
  clock_.advance(milliseconds(14999));
  EXPECT_EQ(attempt(a_), Outcome::kNotHeld);

  clock_.advance(milliseconds(1));

  EXPECT_EQ(attempt(a_), Outcome::kHeld);
  const std::string now = format_micro_time(clock_.wall_now());
  EXPECT_EQ(server_.record(), (LeaseRecord{"a", 15, now, now, 5}));
}

TEST_F(LeaderElectionTest, LeaderRenewsWithOnePutAndKeepsItsTerm) {  // RT-102
  attempt(a_);
  const LeaseRecord first = server_.record();
  server_.take_requests();

  for (int i = 0; i < 3; ++i) {
    clock_.advance(seconds(2));
    EXPECT_EQ(attempt(a_), Outcome::kHeld);
  }

  EXPECT_THAT(server_.take_requests(), ElementsAre("PUT", "PUT", "PUT"));
  EXPECT_EQ(server_.record().acquire_time, first.acquire_time);
  EXPECT_EQ(server_.record().transitions, first.transitions);
  EXPECT_EQ(server_.record().renew_time, format_micro_time(clock_.wall_now()));
}

TEST_F(LeaderElectionTest, ForeignTouchCostsAConflictAndTheSlowPath) {  // RT-103
  attempt(a_);
  server_.set(server_.document());
  server_.take_requests();

  EXPECT_EQ(attempt(a_), Outcome::kHeld);

  EXPECT_THAT(server_.take_requests(), ElementsAre("PUT", "GET", "PUT"));
  EXPECT_TRUE(a_.took_slow_path());
  EXPECT_EQ(a_.request_error().code(), Code::kConflict);
}

TEST_F(LeaderElectionTest, WallClocksDecideNothing) {  // RT-105
  attempt(b_);
  clock_.shift_wall(hours(1));
  EXPECT_EQ(attempt(a_), Outcome::kNotHeld);
  clock_.shift_wall(hours(-2));
  clock_.advance(seconds(15));

  EXPECT_EQ(attempt(a_), Outcome::kHeld);
}

TEST_F(LeaderElectionTest, RenewalsKeepACandidateAway) {
  attempt(b_);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(attempt(a_), Outcome::kNotHeld);
    clock_.advance(seconds(2));
    EXPECT_EQ(attempt(b_), Outcome::kHeld);
  }
}

TEST_F(LeaderElectionTest, ReleasedLeaseIsFreeAtOnce) {  // RT-106
  attempt(a_);
  EXPECT_EQ(attempt(b_), Outcome::kNotHeld);

  const auto request = a_.release_update(send(a_.begin_release()), clock_.wall_now());
  ASSERT_TRUE(request && *request);
  EXPECT_TRUE(send(**request));
  a_.released(clock_.now());

  EXPECT_FALSE(a_.is_leader());
  EXPECT_EQ(server_.record().holder, "");
  EXPECT_EQ(server_.record().duration_seconds, 1);
  EXPECT_EQ(attempt(b_), Outcome::kHeld);
  EXPECT_EQ(server_.record().transitions, 1);
}

TEST_F(LeaderElectionTest, LeaseOfAnotherIsNotReleased) {
  give_lease_to("b");

  const auto request = a_.release_update(send(a_.begin_release()), clock_.wall_now());

  ASSERT_TRUE(request);
  EXPECT_FALSE(*request);
}

TEST_F(LeaderElectionTest, LeaderThatSeesAnotherHolderHasLost) {
  attempt(a_);
  give_lease_to("b");

  EXPECT_EQ(attempt(a_), Outcome::kLost);
  EXPECT_FALSE(a_.is_leader());
}

TEST_F(LeaderElectionTest, LeadershipThatAnotherHadMeanwhileIsLostEvenIfTheLeaseIsFreeAgain) {
  attempt(a_);
  const LeaseRecord own = server_.record();
  clock_.suspend(seconds(30));
  give_lease_to("", own.transitions + 1);  // Taken and released.

  EXPECT_EQ(attempt(a_), Outcome::kLost);
  EXPECT_FALSE(a_.is_leader());
  EXPECT_EQ(server_.record().holder, "") << "a new life of the process has to win it";
}

TEST_F(LeaderElectionTest, AnotherTermOfTheOwnIdentityIsLostToo) {
  for (const bool counts : {true, false}) {
    LeaderElection leader{candidate("a")};
    server_.set("");
    attempt(leader);
    LeaseRecord record = server_.record();
    counts ? record.transitions += 2
           : (record.acquire_time = format_micro_time(clock_.wall_now() + seconds(20)), 0);
    server_.set(*with_record(server_.document(), record));

    EXPECT_EQ(attempt(leader), Outcome::kLost) << "transitions " << counts;
  }
}

TEST_F(LeaderElectionTest, RenewalWithoutAResponseIsOfTheOwnTerm) {
  attempt(a_);
  clock_.advance(seconds(2));
  const LeaderElection::Request renewal =
      a_.begin(clock_.now(), clock_.wall_now(), clock_.boot_now());
  ASSERT_TRUE(send(renewal));
  auto next = a_.on_response(Status(Code::kUnavailable, "lost"), clock_.now());
  while (next) next = a_.on_response(send(*next), clock_.now());

  EXPECT_EQ(a_.outcome(), Outcome::kHeld);
}

TEST_F(LeaderElectionTest, LeaseThatIsGoneAfterItsTimeHasRunOutIsLost) {
  attempt(a_);
  clock_.suspend(seconds(30));
  server_.set("");

  EXPECT_EQ(attempt(a_), Outcome::kLost) << "another candidate may have made and had it";
  EXPECT_FALSE(a_.is_leader());
  EXPECT_EQ(server_.document(), "");
}

TEST_F(LeaderElectionTest, ObservedSilenceCountsForALaterAttempt) {
  give_lease_to("b", 4);
  a_.observe(send({LeaderElection::Verb::kGet, {}}), clock_.now());
  EXPECT_EQ(a_.holder(), "b");
  clock_.advance(seconds(15));

  EXPECT_EQ(attempt(a_), Outcome::kHeld);
  EXPECT_EQ(server_.record().transitions, 5);
}

TEST_F(LeaderElectionTest, LeaderWithoutResponseKeepsTrying) {
  attempt(a_);
  server_.fail(Status(Code::kUnavailable, "no connection"));

  EXPECT_EQ(attempt(a_), Outcome::kNotHeld);
  EXPECT_EQ(a_.request_error().message(), "no connection");
  server_.fail(std::nullopt);
  EXPECT_EQ(attempt(a_), Outcome::kHeld);
}

TEST_F(LeaderElectionTest, DeletedLeaseIsRecreatedWithItsTerm) {  // HO-061
  attempt(a_);
  const LeaseRecord first = server_.record();
  clock_.advance(seconds(2));
  server_.set("");
  server_.take_requests();

  EXPECT_EQ(attempt(a_), Outcome::kHeld);

  EXPECT_THAT(server_.take_requests(), ElementsAre("PUT", "GET", "POST"));
  EXPECT_EQ(server_.record().acquire_time, first.acquire_time);
  EXPECT_EQ(server_.record().transitions, first.transitions);
}

TEST_F(LeaderElectionTest, LeaseInAnOlderVersionShowsThatTheServerWasRestored) {
  attempt(a_);
  b_.observe(server_.get(seconds(5), {}), clock_.now());
  const std::string backup = server_.document();
  for (int i = 0; i < 2; ++i) {
    clock_.advance(seconds(2));
    EXPECT_EQ(attempt(a_), Outcome::kHeld);
    EXPECT_EQ(attempt(b_), Outcome::kNotHeld);
  }
  EXPECT_FALSE(a_.went_back() || b_.went_back());

  server_.restore(backup);
  attempt(b_);
  clock_.advance(seconds(2));
  attempt(a_);

  for (const LeaderElection* each : {&a_, &b_}) {
    ASSERT_TRUE(each->went_back());
    EXPECT_EQ(each->went_back()->known, "3");
    EXPECT_EQ(each->went_back()->version, "1");
  }
}

TEST_F(LeaderElectionTest, LeaseThatTheBackupLacksIsMadeInAnOlderVersion) {
  attempt(a_);
  clock_.advance(seconds(2));
  attempt(a_);

  server_.restore("");
  attempt(a_);

  ASSERT_TRUE(a_.went_back());
  EXPECT_EQ(a_.went_back()->version, "1");
}

TEST_F(LeaderElectionTest, LeaseThatIsCreatedAgainIsNotThatOfARestoredServer) {
  attempt(a_);
  clock_.advance(seconds(2));
  attempt(a_);
  server_.set("");

  EXPECT_EQ(attempt(a_), Outcome::kHeld);

  EXPECT_FALSE(a_.went_back());
}

TEST_F(LeaderElectionTest, OfTwoThatMakeTheLeaseOneLoses) {  // RT-111
  LeaderElection::Request a = a_.begin(clock_.now(), clock_.wall_now(), clock_.boot_now());
  LeaderElection::Request b = b_.begin(clock_.now(), clock_.wall_now(), clock_.boot_now());
  auto a_next = a_.on_response(send(a), clock_.now());
  auto b_next = b_.on_response(send(b), clock_.now());
  ASSERT_TRUE(a_next && b_next);

  EXPECT_FALSE(a_.on_response(send(*a_next), clock_.now()));
  EXPECT_FALSE(b_.on_response(send(*b_next), clock_.now()));

  EXPECT_EQ(a_.outcome(), Outcome::kHeld);
  EXPECT_EQ(b_.outcome(), Outcome::kNotHeld);
  EXPECT_EQ(b_.request_error().code(), Code::kAlreadyExists);
}

TEST_F(LeaderElectionTest, ResponseThatIsNotALeaseFailsTheAttempt) {
  server_.set(R"({"kind":"Lease","metadata":{},"spec":{"holderIdentity":7}})");

  EXPECT_EQ(attempt(a_), Outcome::kNotHeld);
  EXPECT_EQ(a_.request_error().code(), Code::kWrongType);
}

TEST(LeaderElectionOptionsTest, ContradictingTimesAreRefused) {  // RT-108
  EXPECT_TRUE(LeaderElection::check(candidate("a")).ok());

  LeaderElectionOptions slow = candidate("a");
  slow.retry_period = seconds(9);
  EXPECT_EQ(LeaderElection::check(slow).code(), Code::kInvalid);

  LeaderElectionOptions short_lease = candidate("a");
  short_lease.lease_duration = seconds(10);
  EXPECT_EQ(LeaderElection::check(short_lease).code(), Code::kInvalid);

  EXPECT_EQ(LeaderElection::check(candidate("")).code(), Code::kInvalid);
}

}  // namespace
}  // namespace davit::host
