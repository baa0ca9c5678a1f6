// Pods where the admission of ServiceAccounts is on.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

using namespace std::chrono_literals;

const std::string kSpace = "/api/v1/namespaces/default";
const std::string kPod =
    R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})";

class ServiceAccountTest : public testing::Test {
 protected:
  static ApiServerOptions with_accounts() {
    ApiServerOptions options;
    options.admission.service_accounts = AdmissionOptions::ServiceAccounts::kOn;
    return options;
  }
  /// The response of `deferred` within `time`.
  std::optional<HttpServerResponse> wait_for(HttpDeferredResponse& deferred, Duration time) {
    const Time end = sandbox_.clock.now() + time;
    std::optional<HttpServerResponse> known = deferred.take();
    while (!known && deferred.next_take() <= end) {
      sandbox_.clock.advance(deferred.next_take() - sandbox_.clock.now());
      known = deferred.take();
    }
    return known;
  }

  Sandbox sandbox_{with_accounts()};
};

TEST_F(ServiceAccountTest, PodWaitsForTheDefaultAccountOfANewNamespace) {
  const Reply early = sandbox_.post(kSpace + "/pods", kPod);
  EXPECT_EQ(early.message(),
            "pods \"p\" is forbidden: error looking up service account default/default: "
            "serviceaccount \"default\" not found");
  ASSERT_NE(early.deferred, nullptr);
  EXPECT_FALSE(wait_for(*early.deferred, 1s));

  EXPECT_EQ(sandbox_.post(kSpace + "/serviceaccounts", R"({"metadata":{"name":"default"}})").code,
            201);

  const std::optional<HttpServerResponse> known = wait_for(*early.deferred, 100ms);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->status, 201) << known->body;
  const Json spec = sandbox_.get(kSpace + "/pods/p").body.get("spec");
  EXPECT_EQ(spec.get("serviceAccountName").text(), "default");
  EXPECT_EQ(spec.get("serviceAccount").text(), "default");
  const Json& mount = spec.get("containers").items()[0].get("volumeMounts").items()[0];
  EXPECT_EQ(mount.get("mountPath").text(), "/var/run/secrets/kubernetes.io/serviceaccount");
}

TEST_F(ServiceAccountTest, PodIsRefusedWithoutADefaultAccount) {
  const Reply early = sandbox_.post(kSpace + "/pods", kPod);
  ASSERT_NE(early.deferred, nullptr);

  const std::optional<HttpServerResponse> known = wait_for(*early.deferred, 2s);

  ASSERT_TRUE(known);
  EXPECT_EQ(known->status, 403);
  EXPECT_EQ(known->deferred, nullptr);
}

TEST_F(ServiceAccountTest, AccountThatAPodNamesIsNotWaitedFor) {
  const Reply response = sandbox_.post(
      kSpace + "/pods", R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"robot",
                            "containers":[{"name":"c","image":"i"}]}})");

  EXPECT_EQ(response.code, 403);
  EXPECT_EQ(response.deferred, nullptr);
}

}  // namespace
}  // namespace davit::sandbox
