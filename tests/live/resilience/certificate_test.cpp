/// The host's client certificate is replaced in the midst of a rollout.
#include "sandbox/http/certificates.hpp"
#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"

namespace davit::live {
namespace {

using testing::IsEmpty;

constexpr int kDeploymentsOfAll = 2;
constexpr std::size_t kPodsOfDeployments = kDeploymentsOfAll * kReplicas;

/// davit with a certificate in files; the audit log tells the certificates apart by their users.
class CertificateTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    make_administrators({"first", "second"});
  }
  [[nodiscard]] ControlPlaneOptions options() override {
    const Result<sandbox::KeyPair> made = sandbox::make_authority("clients", now());
    if (!made) give_up(made.error().message());
    authority_ = *made;
    write_file(folder_.path() / "ca.crt", authority_.certificate);
    ControlPlaneOptions out = audit_.options();
    out.apiserver_flags.push_back("--client-ca-file=" + (folder_.path() / "ca.crt").string());
    return out;
  }

  [[nodiscard]] std::filesystem::path certificate() const { return folder_.path() / "tls.crt"; }
  [[nodiscard]] std::filesystem::path key() const { return folder_.path() / "tls.key"; }
  /// First the key, then the certificate: for a moment they do not belong together.
  void put_certificate_of(const std::string& user) const {
    const Result<sandbox::KeyPair> pair =
        sandbox::issue_certificate(authority_, {.common_name = user}, now());
    if (!pair) give_up(pair.error().message());
    write_file(key(), pair->key);
    write_file(certificate(), pair->certificate);
  }

  [[nodiscard]] static WallTime now() { return make_system_clock()->wall_now(); }
  [[nodiscard]] std::size_t created_by(const std::string& user) const {
    return count(audit_.writes(), user, "create pods");
  }

  ScratchDir folder_;
  sandbox::KeyPair authority_;
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
      eventually(kPatience, [this] { return created_by("first") >= kPodsOfDeployments / 6; }));

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

}  // namespace
}  // namespace davit::live
