/// The HTTPS port on a real API server: its TokenReview and SubjectAccessReview decide.
#include "tests/live/conformance/fixture.hpp"
#include "tests/support/tls_client.hpp"

namespace davit::live {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ServingTest : public LiveTest {
 protected:
  [[nodiscard]] static std::filesystem::path certificates() {
    return cluster().scratch() / "serving";
  }
  std::string scrape(const std::string& path, const std::string& token = "") const {
    const std::string header = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    return test::tls_get(
               static_cast<std::uint16_t>(port_), path,
               {.authority = read_file(certificates() / "davit.crt"), .own = {}, .headers = header})
        .text;
  }

  const int port_ = free_port();
};

TEST_F(ServingTest, AServiceAccountScrapesWhatItsRightsAllow) {
  const std::filesystem::path manifest = cluster().scratch() / "serving.yaml";
  write_file(manifest,
             "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
             "leaderElection: {enabled: false}\nplugins:\n- name: ttl\n");
  for (const char* account : {"scraper", "stranger"}) {
    cluster().must({"create", "serviceaccount", account, "--namespace", "kube-system"});
  }
  cluster().must({"create", "clusterrole", "scrape", "--verb=get", "--non-resource-url=/metrics"});
  cluster().must({"create", "clusterrolebinding", "scrape", "--clusterrole=scrape",
                  "--serviceaccount=kube-system:scraper"});
  const auto davit = cluster().davit_with(
      cluster().kubeconfig_of_roles(manifest),
      {"--manifest=" + manifest.string(), "--bind-address=127.0.0.1",
       "--secure-port=" + std::to_string(port_), "--cert-dir=" + certificates().string()});
  ASSERT_TRUE(eventually(kWaitLimit, [&] {
    return scrape("/readyz").find(" 200 ") != std::string::npos;
  })) << davit->output();

  const std::string metrics = scrape("/metrics", cluster().service_account_token("scraper"));
  EXPECT_THAT(metrics, StartsWith("HTTP/1.1 200 ")) << davit->output();
  EXPECT_THAT(metrics, HasSubstr("\napiserver_delegated_authz_request_total{code=\"201\"} 1\n"));
  EXPECT_THAT(scrape("/metrics", cluster().service_account_token("stranger")),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(scrape("/metrics", "no.such.token"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(scrape("/metrics"), StartsWith("HTTP/1.1 403 ")) << "as kube-controller-manager";
  EXPECT_THAT(scrape("/healthz"), EndsWith("\r\n\r\nok"));
}

}  // namespace
}  // namespace davit::live
