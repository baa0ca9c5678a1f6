#include "host/process/neighbour.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"

namespace davit::host {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kLease =
    R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{)"
    R"("namespace":"kube-system","name":"kube-controller-manager","uid":"u",)"
    R"("resourceVersion":"1"},)";

class NeighbourTest : public ::testing::Test {
 protected:
  void respond(int status, std::string body, HttpHeaders headers = {}) {
    test::ScriptedResponse made;
    made.status = status;
    made.body = std::move(body);
    for (auto& each : headers) made.headers.push_back(std::move(each));
    transport_.respond(std::move(made));
  }
  /// Whether a start is warned if the Lease is read so.
  bool is_warned(int status, const std::string& lease) {
    const std::size_t before = log_.lines().size();
    transport_.set_script([=](const HttpRequest& request) {
      test::ScriptedResponse made;
      const bool pods = request.target.find("/pods") != std::string::npos;
      made.status = pods ? 200 : status;
      made.body = pods
                      ? R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
                        R"("items":[]})"
                      : lease;
      return made;
    });
    EXPECT_TRUE(check({}, {"job-controller"}, {"*"}, NeighbourTerms::Beside::kWarn).ok());
    return log_.lines().size() > before;
  }
  bool is_warned_of_one_that_renewed(const std::string& time) {
    return is_warned(200,
                     kLease + R"("spec":{"holderIdentity":"m","renewTime":")" + time + R"("}})");
  }
  /// The Lease of a holder that renewed it so many seconds after the start.
  void respond_lease(int second) {
    respond(200, kLease + R"("spec":{"holderIdentity":"master-1_1","leaseDurationSeconds":15,
        "renewTime":"2026-01-01T00:00:0)" +
                     std::to_string(second) + R"(.000000Z"}})");
  }
  /// The pods of the holder's node: one kube-controller-manager for each list of flags.
  void respond_pods(const std::vector<std::string>& flags_of_each) {
    std::string items;
    for (const std::string& flags : flags_of_each) {
      items += (items.empty() ? "" : ",") +
               std::string(R"({"metadata":{"namespace":"kube-system","name":"m","uid":"u",)"
                           R"("resourceVersion":"1"},"spec":{"containers":[)"
                           R"({"name":"kube-controller-manager",)"
                           R"("command":["kube-controller-manager",)") +
               flags + "]}]}}";
    }
    respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
                 R"("items":[)" +
                     items + "]}");
  }
  Status check(const LeaderElectionSettings& election, const std::vector<std::string>& controllers,
               const std::vector<std::string>& list = {"*"},
               NeighbourTerms::Beside beside = NeighbourTerms::Beside::kRefuse) {
    return check_neighbour(client_, clock_, {election, controllers, list, beside}, Logger(log_),
                           {});
  }
  /// The same, with one look at a holder that renews.
  Status check_beside_a_live_one(const LeaderElectionSettings& election,
                                 const std::vector<std::string>& controllers) {
    respond_lease(0);
    respond_pods({});
    auto checked = std::async(std::launch::async, [&] { return check(election, controllers); });
    clock_.await_waiters(1);
    respond_lease(2);
    clock_.advance(std::chrono::seconds(1));
    return checked.get();
  }
  /// The lines of a start with these controllers, chosen by the operator, while a
  /// kube-controller-manager without a pod is at work.
  std::vector<std::string> warnings(const LeaderElectionSettings& election,
                                    const std::vector<std::string>& controllers) {
    respond_lease(0);
    respond_pods({});
    EXPECT_TRUE(check(election, controllers, controllers).ok());
    return log_.lines();
  }

  test::FakeClock clock_;
  test::RecordingLogSink log_{5};
  test::RecordingRestMetrics metrics_;
  test::FakeTransport transport_;
  RestClient client_{transport_, clock_, metrics_, Logger(log_), RestOptions{.rate = {100, 100}}};
};

TEST_F(NeighbourTest, HolderIsAtWorkWhileItRenewsItsLease) {
  EXPECT_TRUE(is_warned_of_one_that_renewed("2025-12-31T23:59:30.000000Z"));
  EXPECT_EQ(transport_.requests().at(0).target.substr(0, 77),
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-ma");
  EXPECT_FALSE(is_warned_of_one_that_renewed("2025-12-31T23:58:30.000000Z")) << "gone for 90 s";
  EXPECT_TRUE(is_warned_of_one_that_renewed("2026-01-01T00:00:20.000000Z")) << "its clock is ahead";
}

TEST_F(NeighbourTest, UnknownNeighbourCountsAsNone) {
  EXPECT_FALSE(is_warned_of_one_that_renewed("soon"));
  EXPECT_FALSE(is_warned(403, R"({"kind":"Status","reason":"Forbidden","code":403})"));
  EXPECT_FALSE(is_warned(200, "{"));
}

TEST_F(NeighbourTest, ControllersThatBothHaveAreNamedAtTheStart) {
  const std::vector<std::string> all = {"deployment-controller", "my-controller",
                                        "replicaset-controller"};

  EXPECT_THAT(warnings({}, all),
              ElementsAre(AllOf(HasSubstr("start it with --controllers=*,-NAME"),
                                HasSubstr("holder=master-1_1"),
                                HasSubstr("controllers=deployment-controller,replicaset-"))));
}

TEST_F(NeighbourTest, HostWithoutElectionIsNotApartFromAnyLease) {
  LeaderElectionSettings election;
  election.enabled = false;
  election.name = "kube-controller-manager";

  EXPECT_THAT(warnings(election, {"job-controller"}), SizeIs(1));
}

TEST_F(NeighbourTest, MigratingHostIsWarnedOfControllersUnderItsOwnLease) {
  LeaderElectionSettings election;
  election.migrates = true;
  election.migration = {"davit-migration", {{"deployment-controller", "davit"}}};

  EXPECT_THAT(warnings(election, {"deployment-controller", "job-controller"}),
              ElementsAre(AllOf(HasSubstr("the leader migration does not list"),
                                EndsWith("controllers=job-controller"))));
}

TEST_F(NeighbourTest, ControllersThatALeaseKeepsApartNeedNoWarning) {
  LeaderElectionSettings migrates;
  migrates.migrates = true;
  migrates.migration = {"davit-migration", {{"deployment-controller", "*"}}};
  EXPECT_THAT(warnings(migrates, {"deployment-controller"}), IsEmpty());

  LeaderElectionSettings same_lease;
  same_lease.name = "kube-controller-manager";
  EXPECT_THAT(warnings(same_lease, {"deployment-controller"}), IsEmpty());
  same_lease.ns = "elsewhere";
  EXPECT_THAT(warnings(same_lease, {"deployment-controller"}), SizeIs(1));
}

TEST_F(NeighbourTest, StartBesideALiveHolderThatRunsTheSameControllersIsRefused) {
  const Status refused =
      check_beside_a_live_one({}, {"deployment-controller", "my-controller", "job-controller"});

  EXPECT_EQ(refused.code(), Code::kConflict);
  EXPECT_THAT(refused.message(),
              AllOf(HasSubstr("master-1_1 is active"),
                    HasSubstr("of this host: deployment-controller,job-controller. "),
                    HasSubstr("--allow-kube-controller-manager")));
  EXPECT_THAT(
      transport_.requests().at(1).target,
      HasSubstr("/api/v1/namespaces/kube-system/pods?fieldSelector=spec.nodeName%3Dmaster-1"));
}

TEST_F(NeighbourTest, LeaseThatIsNotRenewedIsThatOfAProcessThatIsGone) {
  respond_lease(0);
  respond_pods({});
  transport_.set_script([](const HttpRequest&) {
    return test::ScriptedResponse{.body = kLease +
                                          R"("spec":{"holderIdentity":"master-1_1",)"
                                          R"("renewTime":"2026-01-01T00:00:00.000000Z"}})"};
  });
  const Time start = clock_.now();
  auto checked = std::async(std::launch::async, [&] { return check({}, {"job-controller"}); });
  transport_.await_requests(2);  // From here on only the time that passes ends it.
  while (checked.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    clock_.advance(std::chrono::seconds(1));
  }
  const Status status = checked.get();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_GE(clock_.now() - start, std::chrono::seconds(15)) << "the lease's duration";
}

TEST_F(NeighbourTest, LeaseThatIsGivenBackHasNoHolder) {
  respond_lease(0);
  respond_pods({});
  auto checked = std::async(std::launch::async, [&] { return check({}, {"job-controller"}); });
  clock_.await_waiters(1);
  respond(200,
          kLease + R"("spec":{"holderIdentity":"","renewTime":"2026-01-01T00:00:01.000000Z"}})");
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(checked.get().ok());
}

TEST_F(NeighbourTest, WaitForTheHoldersRenewalEndsWithTheStart) {
  std::stop_source stop;
  respond_lease(0);
  respond_pods({});
  auto checked = std::async(std::launch::async, [&] {
    return check_neighbour(client_, clock_,
                           {LeaderElectionSettings(), std::vector<std::string>{"job-controller"},
                            std::vector<std::string>{"*"}},
                           Logger(log_), stop.get_token());
  });
  clock_.await_waiters(1);
  stop.request_stop();
  EXPECT_EQ(checked.get().code(), Code::kCancelled);
}

TEST_F(NeighbourTest, AllowedNeighbourIsWarnedOf) {
  respond_lease(0);
  respond_pods({});
  EXPECT_TRUE(check({}, {"job-controller"}, {"*"}, NeighbourTerms::Beside::kWarn).ok());
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("start it with --controllers=*,-NAME")));
}

TEST_F(NeighbourTest, LeftoverThatSharesNoControllerNeedsNoWarning) {
  respond_lease(0);
  respond_pods({R"("--controllers=*,-job,-cronjob")"});

  EXPECT_TRUE(check({}, {"job-controller", "cronjob-controller"}).ok());

  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("runs none of the controllers of this host")));
}

TEST_F(NeighbourTest, PodSaysWhichControllersBothHaveWhateverTheOperatorChose) {
  respond_lease(0);
  respond_pods({R"("--leader-elect-resource-name=leftover","--controllers=-job")",
                R"("--controllers=*,-job")"});
  auto checked = std::async(std::launch::async, [&] {
    const std::vector<std::string> both = {"job-controller", "cronjob-controller"};
    return check({}, both, both);
  });
  clock_.await_waiters(1);
  respond_lease(2);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_THAT(checked.get().message(), HasSubstr("of this host: cronjob-controller. "));
}

TEST_F(NeighbourTest, HostWithControllersOfItsOwnDoesNotAsk) {
  EXPECT_THAT(warnings({}, {"my-controller"}), IsEmpty());
  EXPECT_THAT(transport_.requests(), IsEmpty());
}

TEST_F(NeighbourTest, ThrottlingServerDoesNotDelayTheStart) {
  constexpr std::chrono::seconds kAsked{4};
  for (int i = 0; i < 2; ++i) {
    respond(429, R"({"kind":"Status","reason":"TooManyRequests","code":429})",
            {{"retry-after", "4"}});
  }
  respond(404, R"({"kind":"Status","reason":"NotFound","code":404})");

  auto found = std::async(std::launch::async, [this] { return check({}, {"job-controller"}); });
  for (int i = 0; i < 2; ++i) {
    clock_.await_waiters(1);
    clock_.advance(kAsked);
  }

  EXPECT_TRUE(found.get().ok());
  EXPECT_EQ(transport_.requests().size(), 2U) << "after five seconds nobody asks any more";
}

TEST_F(NeighbourTest, ServerReportsItsVersion) {
  respond(200, R"({"major":"1","minor":"30","gitVersion":"v1.30.1"})");
  EXPECT_EQ(*server_version(client_, {}), "v1.30.1");
  EXPECT_EQ(transport_.requests().at(0).target, "/version");

  respond(500, "");
  EXPECT_FALSE(server_version(client_, {}));
  respond(200, R"({"kind":"Status"})");
  EXPECT_EQ(server_version(client_, {}).error().code(), Code::kUnavailable);
}

}  // namespace
}  // namespace davit::host
