#include "cli/neighbour.hpp"

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
  /// Who is found when the Lease was renewed at this time of 2026-01-01.
  std::string neighbour(const std::string& renewed) {
    respond(200,
            kLease + R"("spec":{"holderIdentity":"master-1","renewTime":")" + renewed + R"("}})");
    return active_controller_manager(client_, test::FakeClock::kWallStart, {});
  }
  /// The lines of a start with these controllers while a kube-controller-manager is at work.
  std::vector<std::string> warnings(const LeaderElectionSettings& election,
                                    const std::vector<std::string>& controllers) {
    respond(200, kLease + R"("spec":{"holderIdentity":"master-1",
        "renewTime":"2026-01-01T00:00:00.000000Z"}})");
    warn_of_controller_manager(client_, test::FakeClock::kWallStart, election, controllers,
                               Logger(log_), {});
    return log_.lines();
  }

  test::FakeClock clock_;
  test::RecordingLogSink log_{5};
  test::RecordingRestMetrics metrics_;
  test::FakeTransport transport_;
  RestClient client_{transport_, clock_, metrics_, Logger(log_), RestOptions{.rate = {100, 100}}};
};

TEST_F(NeighbourTest, HolderIsAtWorkWhileItRenewsItsLease) {
  EXPECT_EQ(neighbour("2025-12-31T23:59:30.000000Z"), "master-1");
  EXPECT_EQ(transport_.requests().at(0).target.substr(0, 77),
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-ma");
  EXPECT_EQ(neighbour("2025-12-31T23:58:30.000000Z"), "") << "gone for 90 s";
  EXPECT_EQ(neighbour("2026-01-01T00:00:20.000000Z"), "master-1") << "its clock is ahead";
}

TEST_F(NeighbourTest, UnknownNeighbourCountsAsNone) {
  EXPECT_EQ(neighbour("soon"), "");
  respond(403, R"({"kind":"Status","reason":"Forbidden","code":403})");
  EXPECT_EQ(active_controller_manager(client_, test::FakeClock::kWallStart, {}), "");
  respond(200, "{");
  EXPECT_EQ(active_controller_manager(client_, test::FakeClock::kWallStart, {}), "");
}

TEST_F(NeighbourTest, ControllersThatBothHaveAreNamedAtTheStart) {
  const std::vector<std::string> all = {"deployment-controller", "my-controller",
                                        "replicaset-controller"};

  EXPECT_THAT(warnings({}, all),
              ElementsAre(AllOf(HasSubstr("start it with --controllers=*,-NAME"),
                                HasSubstr("holder=master-1"),
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

  auto found = std::async(std::launch::async, [this] {
    return active_controller_manager(client_, test::FakeClock::kWallStart, {});
  });
  for (int i = 0; i < 2; ++i) {
    clock_.await_waiters(1);
    clock_.advance(kAsked);
  }

  EXPECT_EQ(found.get(), "");
  EXPECT_EQ(transport_.requests().size(), 2U) << "after five seconds nobody asks any more";
}

TEST_F(NeighbourTest, ServerReportsItsVersion) {
  respond(200, R"({"major":"1","minor":"30","gitVersion":"v1.30.1"})");
  EXPECT_EQ(*server_version(client_, {}), "v1.30.1");
  EXPECT_EQ(transport_.requests().at(0).target, "/version");

  respond(500, "");
  EXPECT_FALSE(server_version(client_, {}));
}

}  // namespace
}  // namespace davit::host
