#include "host/serving/access_control.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/base64.hpp>

#include "lib/kube/json.hpp"
#include "lib/net/certificates.hpp"
#include "tests/host/serving/recording_serving_metrics.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

/// The certificate of a PEM text, in DER.
std::string der_of(std::string pem) {
  pem.erase(0, pem.find('\n'));
  pem.resize(pem.find("-----END"));
  std::erase(pem, '\n');
  return *decode_base64(pem);
}

/// The API server knows the token "good", of ann in the group ops, and lets ann get /metrics.
test::ScriptedResponse api_server(const HttpRequest& request) {
  const Json body = *parse_json(request.body);
  Json status = Json::object();
  if (body.get("kind").text() == "TokenReview") {
    const bool known = body.text_at({"spec", "token"}) == "good";
    status.set("authenticated", known);
    if (known) {
      status.set("user", json_literal(R"({"username":"ann","uid":"u1","groups":["ops"],
                                          "extra":{"scopes":["a","b"]}})"));
    }
  } else {
    const bool allowed = body.text_at({"spec", "user"}) == "ann" &&
                         body.text_at({"spec", "nonResourceAttributes", "path"}) == "/metrics";
    status.set("allowed", allowed);
    if (body.text_at({"spec", "user"}) == "bob") status.set("reason", "no rule");
  }
  return {201, to_text(Json::object({{"kind", body.get("kind")},
                                     {"apiVersion", body.get("apiVersion")},
                                     {"status", status}}))};
}

class AccessControlTest : public testing::Test {
 protected:
  AccessControlTest() { transport_.set_script(api_server); }

  static HttpServerRequest request(const std::string& path, const std::string& token = "") {
    HttpServerRequest made;
    made.method = "GET";
    made.target = path;
    if (!token.empty()) made.headers = {{"authorization", "Bearer " + token}};
    return made;
  }
  HttpServerRequest request_as(const std::string& path, const KeyPair& authority,
                               const CertificateRequest& holder) {
    HttpServerRequest made = request(path);
    const Result<KeyPair> pair = issue_certificate(authority, holder, clock_.wall_now());
    made.peer = PeerCertificate{};
    made.peer->chain = std::make_shared<const std::vector<std::string>>(
        std::vector<std::string>{der_of(pair->certificate)});
    return made;
  }
  /// The response, once the API server has given its answers.
  HttpServerResponse ask(const HttpServerRequest& request) {
    HttpServerResponse response = control().handle(request);
    while (response.deferred) {
      threads_.wait_idle();
      std::optional<HttpServerResponse> known = response.deferred->take();
      if (known) response = *std::move(known);
    }
    return response;
  }
  HttpServerResponse ask(const std::string& path, const std::string& token = "") {
    return ask(request(path, token));
  }
  AccessControl& control() {
    if (!control_) {
      trust_ = std::make_unique<TrustSource>(authentication_);
      EXPECT_TRUE(trust_->apply(config_map_).ok());
      control_ = std::make_unique<AccessControl>(
          authentication_, authorization_,
          AccessControl::Seams{*trust_, reviews_, threads_, clock_, metrics_,
                               [this](const HttpServerRequest& served) {
                                 HttpServerResponse page;
                                 page.body = "page of " + served.target;
                                 ++pages_;
                                 return page;
                               }},
          Logger(sink_));
    }
    return *control_;
  }
  /// "tokenreviews", "subjectaccessreviews": how many requests there were.
  std::size_t sent(const std::string& resource) const {
    std::size_t count = 0;
    for (const HttpRequest& each : transport_.requests()) {
      count += each.target.find("/" + resource) != std::string::npos ? 1 : 0;
    }
    return count;
  }

  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  test::RecordingRestMetrics rest_metrics_;
  test::RecordingServingMetrics metrics_;
  test::FakeTransport transport_;
  std::unique_ptr<Random> random_ = make_system_random();
  RestClient client_{transport_, clock_, rest_metrics_, Logger(sink_), {.rate = {0, 0}}};
  AccessReviews reviews_{client_, client_, {clock_, *random_, metrics_}};
  AuthenticationSettings authentication_;
  AuthorizationSettings authorization_;
  Json config_map_ = Json::object();
  std::unique_ptr<TrustSource> trust_;
  int pages_ = 0;
  std::unique_ptr<AccessControl> control_;
  RequestThreads threads_;  // Last: its jobs use the others.
};

TEST_F(AccessControlTest, ProbesNeedNoCredentials) {
  for (const char* path : {"/healthz", "/readyz?verbose", "/livez"}) {
    const HttpServerResponse response = control().handle(request(path));
    EXPECT_FALSE(response.deferred) << path;
    EXPECT_EQ(response.status, 200) << path;
  }
  EXPECT_TRUE(transport_.requests().empty());
}

TEST_F(AccessControlTest, AnonymousRequestIsForbiddenAsInKubeControllerManager) {
  const HttpServerResponse response = ask("/metrics");

  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.content_type, "application/json");
  const Json status = *parse_json(response.body);
  EXPECT_EQ(status.get("message").text(),
            "forbidden: User \"system:anonymous\" cannot get path \"/metrics\"");
  EXPECT_EQ(status.get("reason").text(), "Forbidden");
  EXPECT_EQ(sent("tokenreviews"), 0U);
  const Json review = *parse_json(transport_.requests()[0].body);
  EXPECT_EQ(to_text(review.get("spec")),
            R"({"groups":["system:unauthenticated"],"nonResourceAttributes":)"
            R"({"path":"/metrics","verb":"get"},"user":"system:anonymous"})");
  EXPECT_EQ(ask("/healthz/ping").status, 403) << "only the path itself is for everybody";
}

TEST_F(AccessControlTest, AnswersOfTheServerCountForTenSeconds) {
  EXPECT_EQ(ask("/metrics", "good").body, "page of /metrics");
  EXPECT_EQ(to_text(parse_json(transport_.requests()[1].body)->get("spec")),
            R"({"extra":{"scopes":["a","b"]},"groups":["ops","system:authenticated"],)"
            R"("nonResourceAttributes":{"path":"/metrics","verb":"get"},"uid":"u1","user":"ann"})");

  clock_.advance(seconds(9));
  const HttpServerResponse again = control().handle(request("/metrics", "good"));
  EXPECT_EQ(again.body, "page of /metrics") << "from the cache, at once";
  EXPECT_EQ(sent("tokenreviews") + sent("subjectaccessreviews"), 2U);

  clock_.advance(seconds(2));
  EXPECT_EQ(ask("/metrics", "good").status, 200);
  EXPECT_EQ(sent("tokenreviews"), 2U);
  EXPECT_EQ(sent("subjectaccessreviews"), 2U);
  EXPECT_EQ(metrics_.of("token hit"), 1);
  EXPECT_EQ(metrics_.of("token miss"), 2);
  EXPECT_EQ(metrics_.of("authn 201"), 2);
  EXPECT_EQ(metrics_.of("fetch ok"), 2);
}

TEST_F(AccessControlTest, RejectedTokenIsUnauthorizedAndItsAccessIsNotReviewed) {
  const HttpServerResponse response = ask("/metrics", "bad");

  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(parse_json(response.body)->get("message").text(), "Unauthorized");
  EXPECT_EQ(sent("subjectaccessreviews"), 0U);
  EXPECT_EQ(ask("/metrics", "bad").status, 401);
  EXPECT_EQ(sent("tokenreviews"), 1U) << "the answer is kept, too";
  EXPECT_EQ(pages_, 0);
}

TEST_F(AccessControlTest, DeniedAccessIsForbiddenAndTheAnswerKept) {
  EXPECT_EQ(ask("/configz", "good").status, 403);
  EXPECT_EQ(ask("/configz", "good").status, 403);
  EXPECT_EQ(sent("subjectaccessreviews"), 1U);
  clock_.advance(seconds(11));
  EXPECT_EQ(ask("/configz", "good").status, 403);
  EXPECT_EQ(sent("subjectaccessreviews"), 2U);
}

TEST_F(AccessControlTest, OneReviewServesAllWhoBringTheSameToken) {
  transport_.respond(test::open_response(201));
  std::vector<HttpServerResponse> responses;
  for (int i = 0; i < 20; ++i) responses.push_back(control().handle(request("/metrics", "good")));
  transport_.await_requests(1);
  transport_.send(0, R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1",)"
                     R"("status":{"authenticated":true,"user":{"username":"ann"}}})");
  transport_.finish(0);
  threads_.wait_idle();

  for (HttpServerResponse& each : responses) {
    ASSERT_TRUE(each.deferred);
    std::optional<HttpServerResponse> known = each.deferred->take();
    threads_.wait_idle();
    if (!known) known = each.deferred->take();
    ASSERT_TRUE(known);
    EXPECT_EQ(known->status, 200);
  }
  EXPECT_EQ(sent("tokenreviews"), 1U);
}

TEST_F(AccessControlTest, WithoutTheApiServerOnlyProbesAndKeptAnswersAreServed) {
  EXPECT_EQ(ask("/metrics", "good").status, 200);
  transport_.set_script([](const HttpRequest&) { return test::broken(Break::kRefused); });

  EXPECT_EQ(ask("/metrics", "good").status, 200) << "both answers are kept";
  const HttpServerResponse unknown = ask("/metrics", "other");
  EXPECT_EQ(unknown.status, 503);
  EXPECT_THAT(unknown.headers, testing::Contains(testing::Pair("Retry-After", "1")));
  EXPECT_EQ(ask("/configz", "good").status, 503) << "the access is not kept";
  EXPECT_EQ(ask("/healthz", "other").status, 200) << "a probe is served, whatever its token";
  clock_.advance(seconds(11));
  EXPECT_EQ(ask("/metrics", "good").status, 503);
  EXPECT_EQ(metrics_.of("fetch error"), 3);
  EXPECT_EQ(metrics_.of("authn <error>"), 3);
  EXPECT_EQ(sink_.count("Cannot review a token"), 2U);
}

TEST_F(AccessControlTest, ALongPathDoesNotFillTheLog) {
  transport_.set_script([](const HttpRequest&) { return test::broken(Break::kRefused); });
  constexpr std::size_t kLong = 60'000;
  EXPECT_EQ(ask("/" + std::string(kLong, 'a')).status, 503);
  std::size_t bytes = 0;
  for (const std::string& line : sink_.lines()) bytes += line.size();
  EXPECT_EQ(sink_.count("Cannot review an access"), 1U);
  EXPECT_LT(bytes, 2'000U);
}

TEST_F(AccessControlTest, EachRequestIsCountedByItsCredentialsAndItsAccess) {
  EXPECT_EQ(ask("/metrics", "good").status, 200);
  EXPECT_EQ(ask("/configz", "good").status, 403);
  EXPECT_EQ(ask("/healthz").status, 200);
  EXPECT_EQ(ask("/metrics", "bad").status, 401);
  EXPECT_EQ(metrics_.of("authentication success"), 3);
  EXPECT_EQ(metrics_.of("authentication error"), 1);
  EXPECT_EQ(metrics_.of("user ann"), 2);
  EXPECT_EQ(metrics_.of("user system:anonymous"), 1);
  EXPECT_EQ(metrics_.of("authorization allowed"), 2);
  EXPECT_EQ(metrics_.of("authorization no-opinion"), 1) << "no rule allows it";

  transport_.set_script([](const HttpRequest&) { return test::broken(Break::kRefused); });
  EXPECT_EQ(ask("/flagz", "good").status, 503);
  EXPECT_EQ(ask("/metrics", "other").status, 503);
  EXPECT_EQ(metrics_.of("authorization error"), 1);
  EXPECT_EQ(metrics_.of("authentication error"), 2);
}

TEST_F(AccessControlTest, AnAccessThatARuleDeniesCountsAsDeniedAndOneThatIsAlsoAllowedAsAnError) {
  std::string status = R"({"denied":true})";
  transport_.set_script([&status](const HttpRequest&) -> test::ScriptedResponse {
    return {201, R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
                 R"("status":)" +
                     status + "}"};
  });

  EXPECT_EQ(ask("/metrics").status, 403);
  EXPECT_EQ(metrics_.of("authorization denied"), 1);
  status = R"({"denied":true,"allowed":true})";
  EXPECT_EQ(ask("/configz").status, 503);
  EXPECT_EQ(metrics_.of("authorization error"), 1);
}

TEST_F(AccessControlTest, CredentialsThatMayReadAPageAreKnownForTenMinutes) {
  EXPECT_FALSE(control().is_known(request("/metrics", "good")));
  EXPECT_EQ(ask("/configz", "good").status, 403);
  EXPECT_FALSE(control().is_known(request("/metrics", "good"))) << "it may read nothing yet";
  EXPECT_EQ(ask("/healthz", "good").status, 200);
  EXPECT_FALSE(control().is_known(request("/metrics", "good"))) << "everybody may read that";

  EXPECT_EQ(ask("/metrics", "good").status, 200);
  EXPECT_TRUE(control().is_known(request("/configz", "good")));
  EXPECT_FALSE(control().is_known(request("/metrics", "other")));
  EXPECT_FALSE(control().is_known(request("/metrics")));

  clock_.advance(KnownClients::kTime);
  EXPECT_FALSE(control().is_known(request("/metrics", "good")));
}

TEST_F(AccessControlTest, HoldersOfCertificatesAreKnownByTheirUser) {
  const KeyPair authority = *make_authority("authority", clock_.wall_now());
  config_map_.set("client-ca-file", authority.certificate);
  const auto as = [&](const std::string& name, const std::string& group) {
    return request_as("/metrics", authority, {.common_name = name, .organizations = {group}});
  };
  const HttpServerRequest ann = as("ann", "ops");
  const HttpServerRequest root = as("root", "system:masters");

  EXPECT_EQ(ask(ann).status, 200);
  EXPECT_EQ(ask(root).status, 200);

  EXPECT_TRUE(control().is_known(ann));
  EXPECT_TRUE(control().is_known(root));
  EXPECT_FALSE(control().is_known(as("bob", "ops")));
}

TEST(KnownClientsTest, TheOneThatWasAcceptedLongestAgoGivesWay) {
  KnownClients known;
  Time now{};
  for (std::size_t i = 0; i < KnownClients::kEntriesMax; ++i) {
    known.accepted(std::to_string(i), now += seconds(1));
  }
  known.accepted("0", now += seconds(1));
  EXPECT_TRUE(known.has("1", now));

  known.accepted("one more", now += seconds(1));

  EXPECT_FALSE(known.has("1", now));
  EXPECT_TRUE(known.has("0", now));
  EXPECT_TRUE(known.has("2", now));
}

TEST_F(AccessControlTest, MastersMayDoEverythingWithoutAReview) {
  const KeyPair authority = *make_authority("ca", clock_.wall_now());
  config_map_ = Json::object({{"client-ca-file", authority.certificate}});

  const HttpServerResponse response = ask(request_as(
      "/anything", authority, {.common_name = "root", .organizations = {"system:masters"}}));

  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(transport_.requests().empty());
  EXPECT_EQ(metrics_.of("client certificate"), 1);
}

TEST_F(AccessControlTest, CertificateOfAnotherAuthorityIsNotAnonymous) {
  const KeyPair authority = *make_authority("ca", clock_.wall_now());
  const KeyPair other = *make_authority("other", clock_.wall_now());
  config_map_ = Json::object({{"client-ca-file", authority.certificate}});
  HttpServerRequest asked = request_as("/metrics", other, {.common_name = "ann"});

  EXPECT_EQ(ask(asked).status, 401);
  EXPECT_TRUE(transport_.requests().empty());
  asked.headers = {{"Authorization", "Bearer good"}};
  EXPECT_EQ(ask(asked).status, 200) << "a token that is good counts nevertheless";
}

TEST_F(AccessControlTest, WithoutAnAuthorityCertificatesAreNotLookedAt) {
  const KeyPair other = *make_authority("other", clock_.wall_now());

  EXPECT_EQ(ask(request_as("/metrics", other, {.common_name = "ann"})).status, 403)
      << "the request is anonymous";
}

TEST_F(AccessControlTest, TrustedProxyNamesTheUser) {
  const KeyPair proxies = *make_authority("proxies", clock_.wall_now());
  config_map_ = Json::object({{"requestheader-client-ca-file", proxies.certificate},
                              {"requestheader-allowed-names", R"(["front-proxy"])"},
                              {"requestheader-username-headers", R"(["X-Remote-User"])"},
                              {"requestheader-uid-headers", R"(["X-Remote-Uid"])"},
                              {"requestheader-group-headers", R"(["X-Remote-Group"])"},
                              {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"}});
  const HttpHeaders headers = {{"x-remote-user", "bob"},
                               {"X-Remote-Group", "g1"},
                               {"X-Remote-Group", "g2"},
                               {"X-Remote-Uid", "7"},
                               {"X-Remote-Extra-A%2fB", "one"}};
  HttpServerRequest asked = request_as("/metrics", proxies, {.common_name = "front-proxy"});
  asked.headers = headers;

  const HttpServerResponse response = ask(asked);
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr("cannot get path \\\"/metrics\\\": no rule"));
  EXPECT_EQ(to_text(parse_json(transport_.requests()[0].body)->get("spec")),
            R"({"extra":{"a/b":["one"]},"groups":["g1","g2","system:authenticated"],)"
            R"("nonResourceAttributes":{"path":"/metrics","verb":"get"},"uid":"7","user":"bob"})");

  asked = request_as("/metrics", proxies, {.common_name = "stranger"});
  asked.headers = headers;
  EXPECT_EQ(ask(asked).status, 401) << "its name is not in the list";
}

TEST_F(AccessControlTest, PathsForEverybodyMayBePrefixes) {
  authorization_.always_allow_paths = {"/metrics*"};

  EXPECT_EQ(ask("/metrics/slis").status, 200);
  EXPECT_EQ(ask("/healthz").status, 403);
}

TEST_F(AccessControlTest, AFailureThatPassesIsTriedAgain) {
  transport_.respond({500, "{}"});
  EXPECT_TRUE(control().handle(request("/metrics", "good")).deferred);
  clock_.await_waiters(1);
  clock_.advance(seconds(1));  // The first pause is 500 ms and a jitter of 100 ms at most.

  EXPECT_EQ(ask("/metrics", "good").status, 200);
  EXPECT_EQ(sent("tokenreviews"), 2U);
  EXPECT_EQ(metrics_.of("authn 500"), 1);
}

TEST(TrustSourceTest, ABrokenPartOfTheConfigMapLeavesTheOldOne) {
  const WallTime now = make_system_clock()->wall_now();
  const KeyPair authority = *make_authority("ca", now);
  TrustSource source{AuthenticationSettings()};
  ASSERT_TRUE(source.apply(Json::object({{"client-ca-file", authority.certificate}})).ok());

  EXPECT_THAT(source.apply(Json::object({{"client-ca-file", "garbage"}})).message(),
              HasSubstr("client-ca-file"));
  EXPECT_TRUE(source.current()->authorities);
  EXPECT_TRUE(source.apply(Json::object()).ok());
  EXPECT_FALSE(source.current()->authorities) << "the ConfigMap names none any more";
}

TEST(TrustSourceTest, AFileThatCannotBeReadIsNamed) {
  const auto opened = TrustSource::open({.client_ca_file = "/does/not/exist"});

  EXPECT_THAT(opened.error().message(), HasSubstr("--client-ca-file: /does/not/exist: "));
}

}  // namespace
}  // namespace davit::host
