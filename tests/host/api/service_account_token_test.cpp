#include "host/api/service_account_token.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <map>

#include "host/api/service_accounts.hpp"
#include "tests/host/api/rest_fixture.hpp"
#include "tests/host/credentials/credentials_fixture.hpp"
#include "tests/support/fitting_body.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr char kNotFoundBody[] =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound",)"
    R"("message":"not found","code":404})";
constexpr char kForbiddenBody[] =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden",)"
    R"("message":"not yours","code":403})";

/// A server with the account "web-controller" unless the test takes it away.
class ServiceAccountTokenTest : public RestTest {
 protected:
  void SetUp() override {
    transport_.set_script([this](const HttpRequest& request) { return serve(request); });
  }

  test::ScriptedResponse serve(const HttpRequest& request) {
    const std::string what = request.method + " " + request.target;
    const auto found = instead_.find(what);
    if (found != instead_.end() && !found->second.empty()) {
      test::ScriptedResponse next = found->second.front();
      found->second.erase(found->second.begin());
      return next;
    }
    if (request.target.find("/token?") != std::string::npos) {
      return response_of(201, R"({"kind":"TokenRequest",)"
                              R"("apiVersion":"authentication.k8s.io/v1","status":{"token":"T)" +
                                  std::to_string(++tokens_) + R"(","expirationTimestamp":")" +
                                  expires_ + "\"}}");
    }
    return response_of(200, test::fitting_body(request));
  }

  static constexpr char kGet[] =
      "GET /api/v1/namespaces/kube-system/serviceaccounts/web?timeout=10s";
  static constexpr char kToken[] =
      "POST /api/v1/namespaces/kube-system/serviceaccounts/web/token?timeout=10s";

  [[nodiscard]] std::vector<std::string> sent() const {
    std::vector<std::string> out;
    for (const HttpRequest& each : transport_.requests()) {
      const std::string_view target = each.target;
      out.push_back(each.method + " " + std::string(target.substr(0, target.find('?'))));
    }
    return out;
  }
  static std::string authorization(Credentials& credentials) {
    const Result<Credential> got = credentials.get();
    return got ? got->authorization : "error: " + got.error().message();
  }

  std::map<std::string, std::vector<test::ScriptedResponse>> instead_;
  int tokens_ = 0;
  std::string expires_ = "2026-01-01T01:00:00Z";  // kWallStart + 1 h.
  RestClient root_ = client();
  std::stop_source stop_;
  ServiceAccountToken token_{root_, "web", DryRun::kOff, Logger(sink_, "sa"), stop_.get_token()};
};

TEST_F(ServiceAccountTokenTest, TheFirstRequestGetsATokenForAnHourHO040) {
  EXPECT_EQ(authorization(token_), "Bearer T1");

  EXPECT_THAT(sent(), ElementsAre("GET /api/v1/namespaces/kube-system/serviceaccounts/web",
                                  "POST /api/v1/namespaces/kube-system/serviceaccounts/web/token"));
  EXPECT_EQ(transport_.requests()[1].body,
            R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",)"
            R"("spec":{"expirationSeconds":3600}})");
}

TEST_F(ServiceAccountTokenTest, ATokenIsRenewedAfterFourFifthsOfItsLifetimeHO041) {
  EXPECT_EQ(authorization(token_), "Bearer T1");
  clock_.advance(minutes(48) - seconds(1));
  EXPECT_EQ(authorization(token_), "Bearer T1");
  clock_.advance(seconds(1));
  EXPECT_EQ(authorization(token_), "Bearer T2");
}

TEST_F(ServiceAccountTokenTest, TheLifetimeGoesOnWhileTheMachineIsSuspended) {
  EXPECT_EQ(authorization(token_), "Bearer T1");
  clock_.suspend(minutes(50));
  EXPECT_EQ(authorization(token_), "Bearer T2");
}

TEST_F(ServiceAccountTokenTest, ALifetimeThatIsOverAtOnceCountsAsTenMinutes) {
  expires_ = "2025-12-31T00:00:00Z";
  EXPECT_EQ(authorization(token_), "Bearer T1");
  clock_.advance(minutes(8) - seconds(1));
  EXPECT_EQ(authorization(token_), "Bearer T1");
  clock_.advance(seconds(1));
  EXPECT_EQ(authorization(token_), "Bearer T2");
}

TEST_F(ServiceAccountTokenTest, A401IsFollowedByANewTokenHO042) {
  const Credential first = *token_.get();
  token_.rejected(first);
  EXPECT_EQ(authorization(token_), "Bearer T2");

  token_.rejected(first);
  EXPECT_EQ(authorization(token_), "Bearer T2") << "the 401 was for the token before";
}

TEST_F(ServiceAccountTokenTest, ThreeFailuresAreFollowedByAFourthAttemptHO043) {
  for (int i = 0; i < 3; ++i) instead_[kToken].push_back(response_of(403, kForbiddenBody));
  EXPECT_EQ(with_steps({milliseconds(500), milliseconds(1000), milliseconds(2000)},
                       [&] { return authorization(token_); }),
            "Bearer T1");
  EXPECT_EQ(sent().size(), 8U) << "each attempt looks for the account";
}

TEST_F(ServiceAccountTokenTest, ARefusalSaysWhichRightsTheHostNeeds) {
  for (int i = 0; i < 4; ++i) instead_[kToken].push_back(response_of(403, kForbiddenBody));
  EXPECT_EQ(with_steps({milliseconds(500), milliseconds(1000), milliseconds(2000)},
                       [&] { return authorization(token_); }),
            "error: failed to get a token of ServiceAccount kube-system/web: not yours; the host's "
            "own identity needs the rights that davit rbac --use-service-account-credentials "
            "prints");
}

TEST_F(ServiceAccountTokenTest, AMissingAccountAndItsNamespaceAreCreatedHO044) {
  instead_[kGet].push_back(response_of(404, kNotFoundBody));
  instead_["GET /api/v1/namespaces/kube-system?timeout=10s"].push_back(
      response_of(404, kNotFoundBody));

  EXPECT_EQ(authorization(token_), "Bearer T1");

  EXPECT_THAT(sent(), ElementsAre("GET /api/v1/namespaces/kube-system/serviceaccounts/web",
                                  "GET /api/v1/namespaces/kube-system", "POST /api/v1/namespaces",
                                  "POST /api/v1/namespaces/kube-system/serviceaccounts",
                                  "POST /api/v1/namespaces/kube-system/serviceaccounts/web/token"));
  EXPECT_EQ(transport_.requests()[3].body,
            R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"web"}})");
}

TEST_F(ServiceAccountTokenTest, AnAccountThatWasDeletedIsCreatedForTheNextToken) {
  const Credential first = *token_.get();
  instead_[kGet].push_back(response_of(404, kNotFoundBody));
  token_.rejected(first);
  EXPECT_EQ(authorization(token_), "Bearer T2");
  EXPECT_THAT(sent(), Contains("POST /api/v1/namespaces/kube-system/serviceaccounts"));
}

TEST_F(ServiceAccountTokenTest, ADryRunCreatesNoAccount) {
  ServiceAccountToken token(root_, "web", DryRun::kServer, Logger(sink_, "sa"), stop_.get_token());
  for (int i = 0; i < 4; ++i) instead_[kGet].push_back(response_of(404, kNotFoundBody));
  EXPECT_THAT(with_steps({milliseconds(500), milliseconds(1000), milliseconds(2000)},
                         [&] { return authorization(token); }),
              HasSubstr("a dry run does not create the ServiceAccount"));
  EXPECT_EQ(sent().size(), 4U);
}

TEST_F(ServiceAccountTokenTest, TheOldTokenIsUsedWhileItCannotBeRenewed) {
  EXPECT_EQ(authorization(token_), "Bearer T1");
  clock_.advance(minutes(50));
  for (int i = 0; i < 4; ++i) instead_[kToken].push_back(response_of(403, kForbiddenBody));
  EXPECT_EQ(with_steps({milliseconds(500), milliseconds(1000), milliseconds(2000)},
                       [&] { return authorization(token_); }),
            "Bearer T1");
  EXPECT_EQ(authorization(token_), "Bearer T1") << "at once, not after four more attempts";
  clock_.advance(ServiceAccountToken::kRenewalPause);
  EXPECT_EQ(authorization(token_), "Bearer T2");
}

TEST_F(ServiceAccountTokenTest, RequestsThatWaitForOneFetchShareItsFailure) {
  for (int i = 0; i < 4; ++i) instead_[kToken].push_back(response_of(403, kForbiddenBody));
  auto first = std::async(std::launch::async, [&] { return authorization(token_); });
  clock_.await_waiters(1);
  auto second = std::async(std::launch::async, [&] { return authorization(token_); });
  for (const milliseconds step : {milliseconds(500), milliseconds(1000), milliseconds(2000)}) {
    clock_.await_waiters(1);
    clock_.advance(step);
  }
  EXPECT_THAT(first.get(), HasSubstr("not yours"));
  // It either waited for the first one, or came after it and has a token by its own attempt.
  EXPECT_THAT(second.get(), testing::AnyOf(HasSubstr("not yours"), "Bearer T1"));
}

TEST_F(ServiceAccountTokenTest, AHostThatStopsDoesNotWaitForAToken) {
  instead_[kToken].push_back(response_of(403, kForbiddenBody));
  auto waiting = std::async(std::launch::async, [&] { return authorization(token_); });
  clock_.await_waiters(1);
  stop_.request_stop();
  EXPECT_THAT(waiting.get(), HasSubstr("not yours"));
}

TEST_F(ServiceAccountTokenTest, AResponseWithoutATokenIsAnError) {
  for (int i = 0; i < 4; ++i) {
    instead_[kToken].push_back(response_of(
        201, R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{}})"));
  }
  EXPECT_THAT(with_steps({milliseconds(500), milliseconds(1000), milliseconds(2000)},
                         [&] { return authorization(token_); }),
              HasSubstr("lacks status.token"));
}

TEST_F(ServiceAccountTokenTest, ATokenThatNoHeaderCanCarryIsAnErrorThatDoesNotShowIt) {
  for (int i = 0; i < 4; ++i) {
    instead_[kToken].push_back(response_of(
        201,
        R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":")" +
            std::string(65'535, 's') + R"(","expirationTimestamp":")" + expires_ + "\"}}"));
  }
  EXPECT_THAT(with_steps({milliseconds(500), milliseconds(1000), milliseconds(2000)},
                         [&] { return authorization(token_); }),
              testing::AllOf(HasSubstr("the response to a TokenRequest has 65542 bytes"),
                             testing::Not(HasSubstr("sssss"))));
  EXPECT_EQ(sink_.count("sssss"), 0U);
}

TEST_F(ServiceAccountTokenTest, RequestsOfAnAccountBringItsTokenAndAccountsAreSeparate) {
  test::FakeTransport anonymous;
  anonymous.set_script([](const HttpRequest&) { return response_of(200); });
  ServiceAccounts accounts(anonymous, root_, DryRun::kOff, Logger(sink_, "sa"));
  Collector response;

  Transport& web = accounts.transport("web");
  static_cast<void>(web.start({}, response));
  static_cast<void>(accounts.transport("job").start({}, response));

  EXPECT_EQ(&accounts.transport("web"), &web) << "one token for each account";
  EXPECT_THAT(anonymous.requests()[0].headers, Contains(Pair("Authorization", "Bearer T1")));
  EXPECT_THAT(anonymous.requests()[1].headers, Contains(Pair("Authorization", "Bearer T2")));
  EXPECT_EQ(account_user("web"), "system:serviceaccount:kube-system:web");
}

}  // namespace
}  // namespace davit::host
