/// Rows CERT077 to CERT091.
#include "plugins/bootstrap/bootstrap_signer.hpp"

#include "tests/plugins/bootstrap/fixture.hpp"

namespace davit::bootstrap {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class BootstrapSignerTest : public BootstrapTest {
 protected:
  static constexpr const char* kController = "bootstrap-signer-controller";
  static constexpr const char* kKey = "jws-kubeconfig-abcdef";
  static constexpr const char* kOfChanged =
      "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..9Os76D1lqU-_T4fpV4IWN3KZakG4QZRBHrKYUoEAxYU";

  void SetUp() override {
    ASSERT_TRUE(cluster_.start(kController, &BootstrapSigner::open).ok());
    settle();
  }
  /// `data` in JSON.
  void add_info(const std::string& data, const std::string& more = "") {
    cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cluster-info",
        "namespace":"kube-public","uid":"uid-info"},"data":)" +
                 data + more + "}");
    settle();
  }
  void sign_changed() {
    add_info(R"({"kubeconfig":"changed","other":"kept"})");
    add_token(good());
    ASSERT_THAT(signatures(), ElementsAre(Pair(kKey, kOfChanged)));
    cluster_.clear_records();
  }
  void merge_info(const std::string& patch) {
    cluster_.merge<ConfigMap>({"kube-public", "cluster-info"}, patch);
    settle();
  }
  [[nodiscard]] Json info() { return cluster_.json<ConfigMap>({"kube-public", "cluster-info"}); }
  [[nodiscard]] Data signatures() {
    Data out;
    const Json map = info();
    const Json* const data = map.find("data");
    if (data == nullptr) return out;
    for (const std::string& key : data->keys()) {
      if (key.starts_with("jws-")) out[key] = data->find(key)->text();
    }
    return out;
  }
};

TEST_F(BootstrapSignerTest, CERT077_ATokenSignsTheKubeconfig) {
  sign_changed();
  EXPECT_EQ(info().text_at({"data", "other"}), "kept");
}

TEST_F(BootstrapSignerTest, CERT078_TheSignatureFollowsTheKubeconfig) {
  sign_changed();
  merge_info(R"({"data":{"kubeconfig":"apiVersion: v1\nkind: Config\nclusters: []\n"}})");
  EXPECT_THAT(signatures(), ElementsAre(Pair(kKey,
                                             "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9.."
                                             "6noRUKYc6IcJatsCC4tJjBE6Jx8UClLwzsstr66SXaM")));
  EXPECT_EQ(info().text_at({"data", "other"}), "kept");
}

TEST_F(BootstrapSignerTest, CERT079_AnOverwrittenSignatureIsRestored) {
  sign_changed();
  merge_info(R"({"data":{"jws-kubeconfig-abcdef":"forged"}})");
  EXPECT_THAT(signatures(), ElementsAre(Pair(kKey, kOfChanged)));
}

TEST_F(BootstrapSignerTest, CERT080_ASecondTokenSignsToo) {
  sign_changed();
  Data second = good();
  second["token-id"] = "second";
  add_token(second, {.name = "bootstrap-token-second", .uid = "uid-second"});
  EXPECT_THAT(signatures(), SizeIs(2));
  EXPECT_THAT(requests(), ElementsAre("patch configmaps/cluster-info 200"));
}

TEST_F(BootstrapSignerTest, CERT081_WithoutTheTokenTheSignatureGoes) {
  sign_changed();
  cluster_.remove<TokenSecret>({"kube-system", "bootstrap-token-abcdef"});
  settle();
  EXPECT_THAT(signatures(), IsEmpty());
}

TEST_F(BootstrapSignerTest, ADeletionDuringAnOutageRemovesTheSignature) {
  sign_changed();
  cluster_.begin_outage("secrets");
  cluster_.erase<TokenSecret>({"kube-system", "bootstrap-token-abcdef"});
  cluster_.end_outage("secrets");
  cluster_.advance(1min);
  EXPECT_THAT(signatures(), IsEmpty());
}

TEST_F(BootstrapSignerTest, CERT082_ATokenForOtherUsesDoesNotSign) {
  sign_changed();
  for (const char* usage : {"false", "True", ""}) {
    Data data = good();
    data["usage-bootstrap-signing"] = usage;
    if (std::string_view(usage).empty()) data.erase("usage-bootstrap-signing");
    add_token(data);
    EXPECT_THAT(signatures(), IsEmpty()) << usage;
    add_token(good());
    EXPECT_THAT(signatures(), SizeIs(1));
  }
}

TEST_F(BootstrapSignerTest, CERT083_SignaturesOfNoTokenGo) {
  add_info(R"({"kubeconfig":"changed","jws-kubeconfig-zzzzzz":"x","jws-kubeconfig-":"y",
               "jws-other":"kept"})");
  EXPECT_THAT(signatures(), ElementsAre(Pair("jws-other", "kept")));
}

TEST_F(BootstrapSignerTest, CERT084_WhatIsNoTokenDoesNotSign) {
  add_info(R"({"kubeconfig":"changed"})");
  Data other = good();
  other["token-id"] = "mismat";
  add_token(other, {.name = "bootstrap-token-aaaaaa", .uid = "1"});
  other["token-id"] = "longid7";
  add_token(other, {.name = "bootstrap-token-longid7", .uid = "2"});
  add_token(good(), {.name = "foo-token", .uid = "3"});
  add_token(good(), {.type = "Opaque", .uid = "4"});
  add_token(good(), {.ns = "default", .uid = "5"});
  other["token-id"] = "ABCDEF";
  add_token(other, {.name = "bootstrap-token-ABCDEF", .uid = "6"});
  for (const char* missing : {"token-id", "token-secret"}) {
    Data data = good();
    data["token-id"] = "bbbbbb";
    data[missing] = "";
    add_token(data, {.name = "bootstrap-token-bbbbbb", .uid = "7"});
  }
  EXPECT_THAT(signatures(), IsEmpty());
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(BootstrapSignerTest, CERT085_ASecretOfOneCharacterSigns) {
  add_info(R"({"kubeconfig":"apiVersion: v1\nkind: Config\nclusters: []\n"})");
  Data data = good();
  data["token-id"] = "short1";
  data["token-secret"] = "x";
  add_token(data, {.name = "bootstrap-token-short1"});
  EXPECT_THAT(signatures(), ElementsAre(Pair("jws-kubeconfig-short1",
                                             "eyJhbGciOiJIUzI1NiIsImtpZCI6InNob3J0MSJ9.."
                                             "jY3ZrKSppcD7jtnSHce0j0F-Q3_1OJ46wqsGQPL3Xv8")));
}

TEST_F(BootstrapSignerTest, CERT086_WithoutAKubeconfigNothingIsWritten) {
  add_info(R"({"jws-kubeconfig-zzzzzz":"x"})");
  add_token(good());
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_THAT(signatures(), SizeIs(1));
}

TEST_F(BootstrapSignerTest, CERT087_AnEmptyKubeconfigIsSigned) {
  add_info(R"({"kubeconfig":""})");
  add_token(good());
  EXPECT_THAT(signatures(), ElementsAre(Pair(kKey,
                                             "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9.."
                                             "MO2tlCpY1xB334qWeOe_XEv9c6DIMRNmKJZImOzY17k")));
}

TEST_F(BootstrapSignerTest, CERT088_TheBytesOfUtf8AreSigned) {
  add_info(R"({"kubeconfig":"é"})");
  add_token(good());
  EXPECT_THAT(signatures(), ElementsAre(Pair(kKey,
                                             "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9.."
                                             "P4vHtYaEhde8UofmzaEVvwN8T1RL_2rzP5DGDCu2AEs")));
}

TEST_F(BootstrapSignerTest, CERT089_AConfigMapThatComesLaterIsSigned) {
  add_token(good());
  EXPECT_THAT(requests(), IsEmpty());
  add_info(R"({"kubeconfig":"changed"})");
  EXPECT_THAT(signatures(), ElementsAre(Pair(kKey, kOfChanged)));
}

TEST_F(BootstrapSignerTest, CERT090_AnImmutableConfigMapIsTriedEverMoreRarely) {
  add_info(R"({"kubeconfig":"changed"})", R"(,"immutable":true)");
  add_token(good());
  ASSERT_THAT(requests(), SizeIs(1));
  EXPECT_EQ(requests()[0], "patch configmaps/cluster-info 422");
  cluster_.advance(1h);
  EXPECT_LT(requests().size(), 25U);
  EXPECT_THAT(signatures(), IsEmpty());
}

TEST_F(BootstrapSignerTest, CERT091_AnExpiredTokenDoesNotSign) {
  add_info(R"({"kubeconfig":"changed"})");
  for (const char* end : {"2024-05-01T12:00:00Z", "2024-05-01T13:00:00+01:00", "tomorrow"}) {
    add_token(good_until(end));
    EXPECT_THAT(signatures(), IsEmpty()) << end;
  }
  add_token(good_until("2024-05-01T12:00:00.5Z"));
  EXPECT_THAT(signatures(), SizeIs(1));
}

TEST_F(BootstrapSignerTest, CERT093_AnExpiryWakesNobody) {
  add_info(R"({"kubeconfig":"changed"})");
  add_token(good_until("2024-05-01T12:00:06Z"));
  cluster_.advance(10s);
  EXPECT_THAT(signatures(), SizeIs(1));
  cluster_.resync("configmaps");
  settle();
  EXPECT_THAT(signatures(), IsEmpty());
}

TEST_F(BootstrapSignerTest, AFailedWriteIsTriedAgain) {
  add_info(R"({"kubeconfig":"changed"})");
  cluster_.fail_next({.verb = Verb::kPatch, .http_status = 409, .reason = "Conflict"});
  cluster_.fail_next({.verb = Verb::kPatch, .http_status = 500});
  add_token(good());
  cluster_.advance(1s);
  EXPECT_THAT(signatures(), ElementsAre(Pair(kKey, kOfChanged))) << "X3";
}

TEST_F(BootstrapSignerTest, DataThatIsNotBase64DoesNotSign) {
  add_info(R"({"kubeconfig":"changed"})");
  cluster_.add(R"({"apiVersion":"v1","kind":"Secret","type":"bootstrap.kubernetes.io/token",
      "metadata":{"name":"bootstrap-token-abcdef","namespace":"kube-system"},
      "data":{"token-id":"*","token-secret":"=","usage-bootstrap-signing":"dHJ1"}})");
  settle();
  EXPECT_THAT(signatures(), IsEmpty());
}

TEST_F(BootstrapSignerTest, AnotherBuildWritesNothingUntilTheKubeconfigChanges) {
  sign_changed();
  ASSERT_TRUE(cluster_.swap(kController, &BootstrapSigner::open).ok());
  settle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  merge_info(R"({"data":{"kubeconfig":"other"}})");
  EXPECT_THAT(cluster_.writes(), SizeIs(1));
  EXPECT_THAT(signatures(), SizeIs(1));
  merge_info(R"({"data":{"kubeconfig":"changed"}})");
  EXPECT_THAT(signatures(), ElementsAre(Pair(kKey, kOfChanged)));
}

}  // namespace
}  // namespace davit::bootstrap
