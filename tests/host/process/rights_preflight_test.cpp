#include "host/process/rights_preflight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/transport/rest_metrics.hpp"
#include "lib/kube/json.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

DeclaredController controller(const std::string& name, const std::string& resource) {
  DeclaredController out;
  out.name = name;
  out.rules = {{"apps", resource, "", {"patch"}}};
  return out;
}

/// A server with RBAC on which an identity lacks the right to some resources.
class RightsPreflightTest : public ::testing::Test {
 protected:
  RightsPreflightTest() {
    terms_.election.enabled = false;
    transport_.set_script([this](const HttpRequest& request) {
      const Json spec = json_literal(request.body).get("spec");
      const std::string resource = spec.text_at({"resourceAttributes", "resource"});
      test::ScriptedResponse out;
      out.status = status_;
      if (status_ != 201) return out;
      const char* const allowed = lacking_.contains(resource) ? "false" : "true";
      out.body = R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
                 R"("metadata":{},"spec":{},"status":{"allowed":)" +
                 std::string(allowed) + "}}";
      return out;
    });
  }
  /// Steps once, and returns the number of reviews that it sent.
  std::size_t step() {
    const std::size_t before = transport_.requests().size();
    next_ = preflight_.step({});
    return transport_.requests().size() - before;
  }
  /// The same at the time that the last step asked for.
  std::size_t step_when_due() {
    clock_.advance(next_ - clock_.now());
    return step();
  }
  /// Without controllers that lack nothing.
  RightsPreflight::Missing missing() {
    RightsPreflight::Missing out = reported_;
    std::erase_if(out, [](const auto& each) { return each.second.empty(); });
    return out;
  }

  RightsTerms terms_;
  std::set<std::string> lacking_;
  int status_ = 201;
  std::vector<DeclaredController> controllers_ = {controller("a", "deployments"),
                                                  controller("b", "replicasets")};
  std::uint64_t refusals_ = 0;
  bool is_leader_ = true;
  RightsPreflight::Missing reported_;
  Time next_{};
  test::FakeClock clock_;
  test::FakeTransport transport_;
  test::RecordingLogSink log_;
  NoRestMetrics metrics_;
  RestClient client_{transport_, clock_, metrics_, Logger(log_), RestOptions{.rate = {-1, 1}}};
  RightsPreflight preflight_{
      terms_,
      {.clock = clock_,
       .controllers = [this] { return controllers_; },
       .client_of = [this](const std::string& account) -> RestClient* {
         return account.empty() || is_leader_ ? &client_ : nullptr;
       },
       .refusals = [this] { return refusals_; },
       .report = [this](const RightsPreflight::Missing& all) { reported_ = all; }},
      Logger(log_)};
};

TEST_F(RightsPreflightTest, RightsThatAreMissingAreReportedWithTheControllersThatNeedThem) {
  lacking_ = {"replicasets"};

  EXPECT_GT(step(), 10U);

  EXPECT_THAT(missing(), ElementsAre(Pair("b", ElementsAre("patch replicasets.apps"))));
  EXPECT_TRUE(reported_.contains("a"));
  EXPECT_TRUE(reported_.contains("davit"));
  EXPECT_EQ(log_.count("Rights are missing; `davit rbac` prints roles with them"), 1U);
  EXPECT_THAT(lines_of(reported_),
              ElementsAre("b lacks rights: patch replicasets.apps; `davit rbac --check` prints all "
                          "of them as rules"));
}

TEST_F(RightsPreflightTest, AfterTheStartOnlyMissingRightsAreAskedAgainUntilThePeriodEnds) {
  lacking_ = {"replicasets"};
  const std::size_t all = step();

  EXPECT_EQ(step_when_due(), 1U);
  EXPECT_EQ(log_.count("Rights are missing; `davit rbac` prints roles with them"), 1U);
  clock_.advance(RightsPreflight::kPeriod);
  EXPECT_EQ(step(), all);
}

TEST_F(RightsPreflightTest, RightThatIsGrantedIsSeenAndAllAreReviewedAgain) {
  lacking_ = {"replicasets"};
  const std::size_t all = step();
  lacking_.clear();

  EXPECT_EQ(step_when_due(), 1U);
  EXPECT_THAT(missing(), IsEmpty());
  EXPECT_EQ(log_.count("No right is missing any more"), 1U);
  EXPECT_EQ(step_when_due(), all);
  EXPECT_EQ(step_when_due(), 0U);
}

TEST_F(RightsPreflightTest, RefusedRequestHasAllRightsReviewedAgainButNotWithoutEnd) {
  const std::size_t all = step();
  lacking_ = {"deployments"};
  clock_.advance(RightsPreflight::kAfterRefusal);
  ++refusals_;

  EXPECT_EQ(step(), all);
  EXPECT_THAT(missing(), ElementsAre(Pair("a", ElementsAre("patch deployments.apps"))));
  ++refusals_;
  EXPECT_EQ(step_when_due(), 1U) << "the missing one alone";
  clock_.advance(RightsPreflight::kAfterRefusal);
  EXPECT_EQ(step(), all);
}

TEST_F(RightsPreflightTest, ServerThatDoesNotReviewLeavesRightsUnknown) {
  for (const int status : {403, 404, 500}) {
    status_ = status;
    clock_.advance(RightsPreflight::kPeriod);
    EXPECT_EQ(step(), 1U) << status;
    EXPECT_THAT(missing(), IsEmpty()) << status;
  }
  EXPECT_GE(log_.count("Cannot review rights"), 1U);
}

TEST_F(RightsPreflightTest, MissingRightStaysMissingWhileTheServerDoesNotReview) {
  lacking_ = {"replicasets"};
  step();
  status_ = 500;

  step_when_due();

  EXPECT_THAT(missing(), ElementsAre(Pair("b", ElementsAre("patch replicasets.apps"))));
}

TEST_F(RightsPreflightTest, RightsOfANewControllerAreReviewedAtOnceAndThoseOfAnOldOneForgotten) {
  lacking_ = {"daemonsets", "replicasets"};
  step();
  controllers_ = {controller("c", "daemonsets")};

  EXPECT_EQ(step_when_due(), 1U);

  EXPECT_THAT(missing(), ElementsAre(Pair("c", ElementsAre("patch daemonsets.apps"))));
  EXPECT_FALSE(reported_.contains("b"));
}

TEST_F(RightsPreflightTest, LineNamesSomeOfManyRights) {
  RightsPreflight::Missing many;
  for (const char* each : {"a", "b", "c", "d", "e", "f", "g"}) many["x"].insert(each);
  EXPECT_THAT(lines_of(many), ElementsAre(HasSubstr("x lacks rights: a, b, c, d, e and 2 more;")));
}

}  // namespace
}  // namespace davit::host
