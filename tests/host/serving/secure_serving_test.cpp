#include "host/serving/secure_serving.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <thread>

#include "lib/net/certificate_pool.hpp"
#include "lib/net/certificates.hpp"
#include "tests/host/serving/recording_serving_metrics.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"
#include "tests/support/temp_directory.hpp"
#include "tests/support/tls_client.hpp"

namespace davit::host {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// Every token is ann's, and ann may read all.
test::ScriptedResponse accept(const HttpRequest& request) {
  const bool is_token = request.body.find("TokenReview") != std::string::npos;
  return {201, is_token ? R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1",)"
                          R"("status":{"authenticated":true,"user":{"username":"ann"}}})"
                        : R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
                          R"("status":{"allowed":true}})"};
}

class SecureServingTest : public testing::Test {
 protected:
  SecureServingTest() {
    manifest_.serving.bind_address = "127.0.0.1";
    manifest_.health.port = 0;
    manifest_.serving.certificate_directory = (directory_.path() / "certs").string();
  }
  Result<std::unique_ptr<SecureServing>> make() {
    return SecureServing::open(
        manifest_,
        SecureServing::Seams{
            transport_, *clock_, *random_, rest_metrics_, metrics_,
            [](const HttpServerRequest& request) {
              HttpServerResponse page;
              page.body = "page of " + request.target;
              return page;
            },
            [](const HttpServerRequest& request) { return request.path() == "/healthz"; }},
        Logger(sink_));
  }
  void open() {
    auto made = make();
    ASSERT_TRUE(made) << made.error().message();
    serving_ = *std::move(made);
  }
  std::string ask(const std::string& target, const std::string& headers = "") {
    return test::tls_get(
               serving_->port(), target,
               {.authority = directory_.read("certs/davit.crt"), .own = {}, .headers = headers})
        .text;
  }

  TempDirectory directory_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<Random> random_ = make_system_random();
  test::RecordingLogSink sink_;
  test::RecordingRestMetrics rest_metrics_;
  test::RecordingServingMetrics metrics_;
  test::FakeTransport transport_;
  Manifest manifest_;
  std::unique_ptr<SecureServing> serving_;
};

TEST_F(SecureServingTest, ProbesAreServedWhileIdleConnectionsHang) {
  open();
  std::deque<test::HttpClient> idle;
  for (std::size_t i = 0; i < HttpServerOptions().connections_max; ++i) {
    idle.emplace_back(serving_->port());
    ASSERT_TRUE(idle.back().connected());
  }

  EXPECT_THAT(ask("/healthz"), EndsWith("page of /healthz"));
}

TEST_F(SecureServingTest, RefusalsHaveTheHeadersOfPages) {
  transport_.respond({403, R"({"kind":"Status","apiVersion":"v1","code":403})"});
  open();

  for (const char* target : {"/healthz", "/metrics"}) {
    const std::string response = ask(target);
    EXPECT_THAT(response, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n")) << target;
    EXPECT_THAT(response, HasSubstr("\r\nContent-Security-Policy: default-src 'none';")) << target;
  }
}

TEST_F(SecureServingTest, CipherSuitesWithoutForwardSecrecyAreNamedAndLeftOut) {
  manifest_.serving.cipher_suites = {"TLS_RSA_WITH_AES_128_GCM_SHA256",
                                     "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"};
  open();

  EXPECT_EQ(sink_.count("Cipher suites without forward secrecy are left out"), 1U);
  EXPECT_EQ(sink_.count("TLS_RSA_WITH_AES_128_GCM_SHA256"), 1U);
  EXPECT_EQ(sink_.count("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"), 0U);
}

// Issue 29, 2.8: client certificates of these kubeconfigs ended unseen.
TEST_F(SecureServingTest, TheFirstEndAmongTheClientCertificatesForReviewsIsKnown) {
  const auto kubeconfig = [this](const std::string& name, WallTime made) {
    const KeyPair authority = *make_authority("ca", made);
    const KeyPair pair =
        *issue_certificate(authority, {.common_name = "x", .use = CertificateUse::kClient}, made);
    const std::string certificate = directory_.write(name + ".crt", pair.certificate);
    return directory_.write(
        name,
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
        "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', "
        "insecure-skip-tls-verify: true}}]\n"
        "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
        "users: [{name: u, user: {client-certificate: " +
            certificate + ", client-key: " + directory_.write(name + ".key", pair.key) + "}}]\n");
  };
  open();
  EXPECT_FALSE(serving_->client_certificate_end({})) << "the host's own kubeconfig is used";
  serving_.reset();

  const WallTime now = clock_->wall_now();
  manifest_.authentication.kubeconfig = kubeconfig("authn", now);
  manifest_.authorization.kubeconfig = kubeconfig("authz", now - std::chrono::hours(48));
  open();
  EXPECT_EQ(serving_->client_certificate_end({}),
            certificate_times(directory_.read("authz.crt"))->not_after);
}

// They name programs that davit runs, and the server whose reviews it believes.
TEST_F(SecureServingTest, KubeconfigsForReviewsAreJudgedAsThatOfTheHost) {
  using std::filesystem::perms;
  const std::string file =
      directory_.write("reviews",
                       "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                       "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                       "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                       "users: [{name: u, user: {token: t}}]\n");
  for (std::string* const each :
       {&manifest_.authentication.kubeconfig, &manifest_.authorization.kubeconfig}) {
    *each = file;
    std::filesystem::permissions(file, perms::owner_all | perms::others_write);
    const auto refused = make();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Code::kForbidden);
    EXPECT_THAT(refused.error().message(), HasSubstr("kubeconfig: kubeconfig " + file + ": "));

    std::filesystem::permissions(file, perms::owner_all | perms::others_read);
    open();
    serving_.reset();
    each->clear();
  }
  EXPECT_EQ(sink_.count("Other users can read the kubeconfig"), 2U);
}

TEST_F(SecureServingTest, ProbesAreServedWhileTheApiServerHangs) {
  transport_.set_script([](const HttpRequest&) { return test::open_response(0); });
  open();
  std::jthread waiting([this] { (void)ask("/metrics", "Authorization: Bearer new\r\n"); });
  transport_.await_requests(1);

  EXPECT_THAT(ask("/healthz"), EndsWith("page of /healthz"));
  serving_.reset();
}

// Issue 29, 1.2: each scrape got 503 while reviews of strangers were slow.
TEST_F(SecureServingTest, KnownClientsAreServedWhileSlowReviewsOfStrangersTakeAllPlaces) {
  transport_.set_script([](const HttpRequest& request) {
    const bool is_stranger = request.body.find("system:anonymous") != std::string::npos;
    return is_stranger ? test::open_response(0) : accept(request);
  });
  open();
  const std::string token = "Authorization: Bearer good\r\n";
  ASSERT_THAT(ask("/metrics", token), EndsWith("page of /metrics"));

  constexpr std::size_t kStrangers = 40;
  test::Collector<std::string> refused;
  std::vector<std::jthread> strangers;
  for (std::size_t i = 0; i < kStrangers; ++i) {
    strangers.emplace_back([&, i] { refused.push(ask("/metrics/" + std::to_string(i))); });
  }
  // All others have a place then, and keep it.
  for (const std::string& each : refused.await(kStrangers - HttpServerOptions().others_max)) {
    EXPECT_THAT(each, StartsWith("HTTP/1.1 503 "));
  }

  EXPECT_THAT(ask("/metrics", token), EndsWith("page of /metrics"));
  EXPECT_THAT(ask("/configz", token), EndsWith("page of /configz")) << "also with a new review";
  EXPECT_THAT(ask("/healthz"), EndsWith("page of /healthz"));
  EXPECT_THAT(ask("/metrics", "Authorization: Bearer unknown\r\n"), StartsWith("HTTP/1.1 503 "));
  serving_.reset();
}

TEST_F(SecureServingTest, TokensAreReviewedAndAnswersAwaited) {
  transport_.set_script(accept);
  open();

  EXPECT_THAT(ask("/metrics", "Authorization: Bearer good\r\n"), EndsWith("page of /metrics"));
  EXPECT_THAT(test::http_get(serving_->port(), "/healthz"), StartsWith("HTTP/1.0 400 "));
}

TEST_F(SecureServingTest, AnUnreadableConfigMapEndsTheStartUnlessItIsTolerated) {
  const auto forbid = [this] {
    transport_.respond(
        {403, R"({"kind":"Status","apiVersion":"v1","reason":"Forbidden","code":403})"});
  };
  open();
  forbid();
  const Status refused = serving_->look_up_trust({});
  EXPECT_THAT(refused.message(), HasSubstr("kube-system/extension-apiserver-authentication"));
  EXPECT_EQ(sink_.count("apply what davit rbac prints"), 1U);

  transport_.respond(
      {404, R"({"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404})"});
  EXPECT_TRUE(serving_->look_up_trust({}).ok()) << "no ConfigMap is no failure";

  manifest_.authentication.tolerate_lookup_failure = true;
  open();
  forbid();
  EXPECT_TRUE(serving_->look_up_trust({}).ok());

  manifest_.authentication.skip_lookup = true;
  open();
  const std::size_t before = transport_.requests().size();
  EXPECT_TRUE(serving_->look_up_trust({}).ok());
  EXPECT_EQ(transport_.requests().size(), before) << "nothing is looked up";
}

}  // namespace
}  // namespace davit::host
