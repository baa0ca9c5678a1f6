/// Objects of 1.4 MB that are legal and, as JSON, six times as large.
#include "host/api/rest_client.hpp"
#include "tests/live/conformance/fixture.hpp"
#include "tests/support/holdings.hpp"

namespace davit::live {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string pod_spec(const std::string& args) {
  return R"({"containers":[{"name":"c","image":"nginx:1","args":[")" + args + R"("]}]})";
}

class PoisonLiveTest : public LiveTest {
 protected:
  static testing::AssertionResult rolls_out(const std::string& name) {
    const Outcome outcome = cluster().kubectl(
        {"rollout", "status", "deployment/" + name, kRolloutTimeout, "--namespace", ns()});
    if (outcome.code == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure() << outcome.out << outcome.err;
  }
  /// Creates "bomb". Not with kubectl, which writes each `<` as six bytes too: the server takes no
  /// more than 3 MiB.
  static void create(const std::string& group, const std::string& kind, const std::string& spec) {
    host::ApiRequest request;
    request.verb = host::Verb::kCreate;
    request.path = {group, "v1", kind == "Pod" ? "pods" : "deployments", "", ns(), ""};
    request.body = R"({"apiVersion":")" + (group.empty() ? "" : group + "/") + R"(v1","kind":")" +
                   kind + R"(","metadata":{"name":"bomb"},"spec":)" + spec + "}";
    const Status created = cluster().client().call(request).status;
    EXPECT_TRUE(created.ok()) << created.message();
  }
  /// A page of the host's health server.
  static std::string page(int port, const std::string& path) {
    const std::string url = "http://127.0.0.1:" + std::to_string(port);
    return cluster().kubectl({"--server", url, "get", "--raw", path}).out;
  }
};

TEST_F(PoisonLiveTest, RolloutsContinueBesideObjectsOf8MiBOfJson) {
  const auto kubelet = cluster().kubelet();
  const int port = free_port();
  const auto davit = cluster().davit({"--leader-elect=false", "--port=" + std::to_string(port)});
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=3"});
  ASSERT_TRUE(rolls_out("web"));
  const long before_kib = test::Holdings::of(std::to_string(davit->pid())).anonymous_kib;

  const std::string args(1'400'000, '<');
  create("", "Pod", pod_spec(args));
  create("apps", "Deployment",
         R"({"replicas":1,"selector":{"matchLabels":{"app":"bomb"}},)"
         R"("template":{"metadata":{"labels":{"app":"bomb"}},"spec":)" +
             pod_spec(args) + "}}");
  kubectl({"set", "image", "deployment/web", "nginx=nginx:2"});
  EXPECT_TRUE(rolls_out("web"));
  EXPECT_TRUE(rolls_out("bomb"));

  // The same by list: a host that begins now.
  const int second_port = free_port();
  const auto second = cluster().davit(
      {"--leader-elect=false", "--dry-run", "--port=" + std::to_string(second_port)});
  ASSERT_TRUE(eventually(kWaitLimit, [&] {
    return page(second_port, "/readyz?verbose").find("readyz check passed") != std::string::npos;
  })) << second->output();
  for (const int each : {port, second_port}) {
    EXPECT_THAT(page(each, "/readyz?verbose"), HasSubstr("[+]informer-freshness ok"));
    const std::string metrics = page(each, "/metrics");
    EXPECT_THAT(metrics, HasSubstr("davit_informer_skipped_objects{"));
    EXPECT_THAT(metrics, Not(HasSubstr("davit_informer_skipped_objects_total{")));
  }

  if (!test::kMemoryIsTheProgramsOwn) return;
  // Memory goes back. Nothing collects the ReplicaSet and its pod, which are 1.4 MB each.
  constexpr long kLeftKib = 12 * 1024;
  kubectl({"delete", "pod/bomb", "deployment/bomb", "--wait=false"});
  EXPECT_TRUE(eventually(kWaitLimit,
                         [&] {
                           return test::Holdings::of(std::to_string(davit->pid())).anonymous_kib <=
                                  before_kib + kLeftKib;
                         }))
      << before_kib << " KiB before, "
      << test::Holdings::of(std::to_string(davit->pid())).anonymous_kib << " KiB now";
}

}  // namespace
}  // namespace davit::live
