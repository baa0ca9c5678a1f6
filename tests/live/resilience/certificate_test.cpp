/// Certificates of the host and of the API server are replaced in the midst of a rollout.
#include "lib/net/certificates.hpp"
#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"

namespace davit::live {
namespace {

using testing::IsEmpty;

constexpr int kDeploymentsOfAll = 2;
constexpr std::size_t kPodsOfDeployments = kDeploymentsOfAll * kReplicas;

WallTime now() { return make_system_clock()->wall_now(); }

KeyPair authority_named(const std::string& name) {
  const Result<KeyPair> made = make_authority(name, now());
  if (!made) give_up(made.error().message());
  return *made;
}

/// davit with a certificate in files; the audit log shows the certificates' users.
class CertificateTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    make_administrators({"first", "second"});
  }
  [[nodiscard]] ControlPlaneOptions options() override {
    authority_ = authority_named("clients");
    write_file(folder_.path() / "ca.crt", authority_.certificate);
    ControlPlaneOptions out = audit_.options();
    out.apiserver_flags.push_back("--client-ca-file=" + (folder_.path() / "ca.crt").string());
    return out;
  }

  [[nodiscard]] std::filesystem::path certificate() const { return folder_.path() / "tls.crt"; }
  [[nodiscard]] std::filesystem::path key() const { return folder_.path() / "tls.key"; }
  /// First the key, then the certificate: for a moment they do not belong together.
  void put_certificate_of(const std::string& user) const {
    const Result<KeyPair> pair = issue_certificate(authority_, {.common_name = user}, now());
    if (!pair) give_up(pair.error().message());
    write_file(key(), pair->key);
    write_file(certificate(), pair->certificate);
  }

  [[nodiscard]] std::size_t created_by(const std::string& user) const {
    return count(audit_.writes(), user, "create pods");
  }

  ScratchDir folder_;
  KeyPair authority_;
  AuditLog audit_;
};

TEST_F(CertificateTest, ReplacedCertificateIsUsedInTheMidstOfARollout) {
  put_certificate_of("first");
  // Few requests, so that the certificate changes in the midst of the rollout.
  const auto davit = cluster().davit(
      {"--leader-elect=false", "--kube-api-qps=10", "--kube-api-burst=10",
       "--kubeconfig=" + cluster().kubeconfig_with_certificate(certificate(), key())});
  create_deployments(cluster(), kDeploymentsOfAll, kReplicas);
  ASSERT_TRUE(
      eventually(kWaitLimit, [this] { return created_by("first") >= kPodsOfDeployments / 6; }));

  put_certificate_of("second");

  EXPECT_TRUE(all_rolled_out(kDeploymentsOfAll));
  EXPECT_GT(created_by("second"), 0U);
  EXPECT_EQ(created_by("first") + created_by("second"), kPodsOfDeployments) << "no pod too many";
  // A request that was queued with the former certificate may come after one with the new.
  const std::size_t before = audit_.writes().size();
  update_deployments(cluster(), kDeploymentsOfAll, "registry.example.com/app:v2");
  EXPECT_TRUE(all_rolled_out(kDeploymentsOfAll));
  const std::vector<AuditedWrite> later = audit_.writes_after_first(before);
  EXPECT_EQ(count(later, "first", "create pods"), 0U);
  EXPECT_EQ(count(later, "second", "create pods"), kPodsOfDeployments);
  EXPECT_THAT(repeated(audit_.writes(), "second"), IsEmpty());
  EXPECT_TRUE(davit->running());
}

/// An API server whose serving certificate comes from files; its clients trust one authority.
class ServingCertificateTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    make_administrators({"bob"});
  }
  [[nodiscard]] ControlPlaneOptions options() override {
    write_file(folder_.path() / "ca.crt", trusted_.certificate);
    put_certificate_of(trusted_);
    ControlPlaneOptions out = audit_.options();
    out.ca_file = folder_.path() / "ca.crt";
    out.apiserver_flags.push_back("--tls-cert-file=" + (folder_.path() / "tls.crt").string());
    out.apiserver_flags.push_back("--tls-private-key-file=" +
                                  (folder_.path() / "tls.key").string());
    return out;
  }

  void put_certificate_of(const KeyPair& authority) const {
    const CertificateRequest request{.common_name = "kube-apiserver",
                                     .use = CertificateUse::kServer,
                                     .addresses = {"127.0.0.1"}};
    const Result<KeyPair> pair = issue_certificate(authority, request, now());
    if (!pair) give_up(pair.error().message());
    write_file(folder_.path() / "tls.key", pair->key);
    write_file(folder_.path() / "tls.crt", pair->certificate);
  }

  [[nodiscard]] std::size_t created() const { return count(audit_.writes(), "bob", "create pods"); }

  const KeyPair trusted_ = authority_named("servers");
  const KeyPair unknown_ = authority_named("strangers");
  ScratchDir folder_;
  AuditLog audit_;
};

TEST_F(ServingCertificateTest, RolloutWaitsWhileTheServersCertificateIsOfAnUnknownAuthority) {
  const auto davit =
      cluster().davit({"--leader-elect=false", "--kube-api-qps=10", "--kube-api-burst=10",
                       "--kubeconfig=" + cluster().kubeconfig_for("bob-token")});
  create_deployments(cluster(), kDeploymentsOfAll, kReplicas);
  ASSERT_TRUE(eventually(kWaitLimit, [this] { return created() >= kPodsOfDeployments / 6; }));

  cluster().stop_apiserver(SIGKILL);
  const std::size_t before = created();
  put_certificate_of(unknown_);
  cluster().launch_apiserver();
  ASSERT_TRUE(says(*davit, "certificate problem"));
  EXPECT_EQ(created(), before);
  ASSERT_LT(before, kPodsOfDeployments) << "in the midst of the rollout";
  put_certificate_of(trusted_);  // kube-apiserver reads it again without a restart.

  EXPECT_TRUE(all_rolled_out(kDeploymentsOfAll));
  // A creation that the kill cuts off before its response is made again.
  EXPECT_LE(created(), kPodsOfDeployments + 1);
  EXPECT_THAT(repeated(audit_.writes(), "bob"), IsEmpty());
  EXPECT_TRUE(davit->running());
}

}  // namespace
}  // namespace davit::live
