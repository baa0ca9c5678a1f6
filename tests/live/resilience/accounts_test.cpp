/// --use-service-account-credentials on a real server: each controller writes as its own account
/// and has the rights of that account only.
#include <algorithm>

#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"

namespace davit::live {
namespace {

const std::string kAccountPrefix = "system:serviceaccount:kube-system:";
constexpr char kManifestOfThree[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
client: {useServiceAccountCredentials: true}
controllers: [deployment-controller, replicaset-controller, job-controller]
)";

class AccountsTest : public ResilienceTest {
 protected:
  [[nodiscard]] ControlPlaneOptions options() override { return audit_.options(); }

  /// Grants what `davit rbac` prints for the manifest.
  void grant_roles() const {
    const Outcome roles = run({DAVIT_PROGRAM, "rbac", "--manifest", manifest()});
    ASSERT_EQ(roles.code, 0) << roles.err;
    (void)cluster().must({"apply", "-f", "-"}, roles.out);
  }
  /// Takes all rights from the account of the job controller.
  void withdraw_rights_on_jobs() const {
    (void)cluster().must({"delete", "clusterrolebinding", "davit:controller:job-controller",
                          "system:controller:job-controller"});
    const std::vector<std::string> question = {"auth", "can-i", "create", "pods",
                                               "--as=" + kAccountPrefix + "job-controller"};
    ASSERT_TRUE(
        eventually(kWaitLimit, [&] { return cluster().kubectl(question).out.starts_with("no"); }));
  }
  [[nodiscard]] std::string manifest() const {
    const std::filesystem::path path = cluster().scratch() / "davit.yaml";
    write_file(path, kManifestOfThree);
    return path.string();
  }
  [[nodiscard]] bool is_forbidden(const std::string& controller) const {
    return std::ranges::any_of(audit_.forbidden(), [&](const AuditedWrite& each) {
      return each.user == kAccountPrefix + controller;
    });
  }
  [[nodiscard]] std::size_t written(const std::string& controller, const std::string& what) const {
    return count(audit_.writes(), kAccountPrefix + controller, what);
  }

  AuditLog audit_;
};

TEST_F(AccountsTest, EachControllerWritesAsItsAccountAndOneWithoutRightsIsRefusedAlone) {
  // Given
  grant_roles();
  withdraw_rights_on_jobs();
  const auto davit = cluster().davit({"--manifest=" + manifest(), "--secure-port=0"});

  // When
  create_jobs(cluster(), 1, 1);
  ASSERT_TRUE(eventually(kWaitLimit, [this] { return is_forbidden("job-controller"); }))
      << davit->output();
  create_deployments(cluster(), 1, kReplicas);

  // Then
  EXPECT_TRUE(all_rolled_out(1));
  EXPECT_EQ(written("deployment-controller", "create replicasets"), 1U);
  EXPECT_EQ(written("replicaset-controller", "create pods"), std::size_t{kReplicas});
  EXPECT_EQ(written("job-controller", "create pods"), 0U);

  // And once the controller has its rights, its job is done.
  grant_roles();
  EXPECT_TRUE(eventually(kWaitLimit, [this] { return completed(cluster(), 1); }));
  EXPECT_EQ(written("job-controller", "create pods"), 1U);
  EXPECT_EQ(count(audit_.writes(), "admin", "create pods"), 0U) << "none as the host";
}

}  // namespace
}  // namespace davit::live
