/// Whole hosts with a cloud provider that hangs, crashes or ignores cancellation. Needs kubectl.
/// Ids: docs/spec/cloud.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <sstream>

#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr char kSlowCloudManifest[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
plugins:
- name: cloud
- path: )" DAVIT_SLOW_CLOUD_PLUGIN R"(
  controllers: {slow-cloud: {enabled: true}}
)";

/// A leader may miss renewals as long as a busy machine may take.
const std::vector<std::string> kLease = {"--leader-elect-lease-duration=15s",
                                         "--leader-elect-renew-deadline=12s",
                                         "--leader-elect-retry-period=1s"};

class SlowCloudTest : public testing::Test {
 protected:
  SlowCloudTest() { write_file(scratch_.path() / "manifest.yaml", kSlowCloudManifest); }

  /// `name`: of its log.
  [[nodiscard]] std::unique_ptr<Process> davit(const std::string& name,
                                               const std::vector<std::string>& flags) const {
    std::vector<std::string> argv = {
        DAVIT_PROGRAM,
        "run",
        "--port=0",
        "--kubeconfig=" + sandbox_.kubeconfig(),
        "--manifest=" + (scratch_.path() / "manifest.yaml").string(),
        "--state-dir=" + (scratch_.path() / (name + "-state")).string()};
    argv.insert(argv.end(), flags.begin(), flags.end());
    return std::make_unique<Process>(
        argv, scratch_.path() / (name + ".log"),
        std::vector<std::string>{"DAVIT_SLOW_CLOUD=" + scratch_.path().string()});
  }
  static void stop(Process& host) {
    host.signal(SIGTERM);
    EXPECT_EQ(host.wait(minutes(4)), 0) << host.output();
  }
  [[nodiscard]] static bool says(const Process& host, const std::string& text) {
    return eventually(minutes(4), [&] { return host.output().find(text) != std::string::npos; });
  }

  // ---- The provider

  void ask(const std::string& what) const { write_file(scratch_.path() / what, ""); }
  void take_back(const std::string& what) const { std::filesystem::remove(scratch_.path() / what); }
  /// Its calls, a line each.
  [[nodiscard]] std::string calls() const {
    std::ostringstream text;
    text << std::ifstream(scratch_.path() / "calls").rdbuf();
    return text.str();
  }
  [[nodiscard]] bool has_called(const std::string& line) const {
    return eventually(minutes(4), [&] { return calls().find(line) != std::string::npos; });
  }

  // ---- The cluster

  void create(const std::string& object) const {
    const Outcome made = sandbox_.kubectl({"create", "-f", "-"}, object);
    EXPECT_EQ(made.code, 0) << made.err;
  }
  void create_service() const {
    create(
        "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
        "spec: {type: LoadBalancer, ports: [{port: 80}]}\n");
  }
  [[nodiscard]] bool has_address() const {
    return eventually(minutes(4), [&] {
      return sandbox_
                 .kubectl(
                     {"get", "service", "s", "-o=jsonpath={.status.loadBalancer.ingress[*].ip}"})
                 .out == "192.0.2.77";
    });
  }

  [[nodiscard]] bool has_node(const std::string& name) const {
    return !sandbox_.kubectl({"get", "node", name, "--ignore-not-found", "-o=name"}).out.empty();
  }

  ScratchDir scratch_;
  Sandbox sandbox_;
};

TEST_F(SlowCloudTest, CLD055_AnotherReplicaEnsuresWhatAKilledLeaderHadBegun) {
  const auto first = davit("first", kLease);
  ASSERT_TRUE(says(*first, "Successfully acquired lease")) << first->output();
  const auto second = davit("second", kLease);
  ASSERT_TRUE(says(*second, "Attempting to acquire leader lease")) << second->output();
  ask("hang-s");
  create_service();
  ASSERT_TRUE(has_called("ensure s " + std::to_string(first->pid()) + "\n")) << first->output();

  first->signal(SIGKILL);
  EXPECT_EQ(first->wait(minutes(4)), 128 + SIGKILL);
  take_back("hang-s");

  EXPECT_TRUE(has_address()) << second->output();
  EXPECT_THAT(calls(), HasSubstr("ensure s " + std::to_string(second->pid()) + "\n"));
  stop(*second);
}

TEST_F(SlowCloudTest, CLD056_TheReportOfACrashNamesTheProviderAndItsCall) {
  ask("crash");
  create_service();
  const auto crashing = davit("crashing", {"--leader-elect=false"});
  // Under a sanitizer its handler comes after davit's, and exits.
  EXPECT_THAT(crashing->wait(minutes(4)).value_or(0), AnyOf(128 + SIGSEGV, 1, 66));
  EXPECT_THAT(crashing->output(), HasSubstr("in plugin slow-cloud, build "));
  EXPECT_THAT(crashing->output(), HasSubstr("controller slow-cloud, ensure load balancer"));

  take_back("crash");
  const auto well = davit("well", {"--leader-elect=false"});
  EXPECT_TRUE(has_address()) << well->output();
  stop(*well);
}

TEST_F(SlowCloudTest, CLD096_AMachineForWhichTheProviderHangsHoldsUpNoOther) {
  for (const char* const name : {"n1", "n2"}) {
    create("apiVersion: v1\nkind: Node\nmetadata: {name: " + std::string(name) + "}\n");
  }
  ask("hang-n1");
  ask("gone-n2");
  const auto host = davit("host", {"--leader-elect=false", "--node-monitor-period=1s"});
  EXPECT_TRUE(has_called("exists n1 ")) << host->output();
  EXPECT_TRUE(eventually(minutes(4), [&] { return !has_node("n2"); })) << host->output();
  EXPECT_TRUE(has_node("n1"));

  ask("gone-n1");
  take_back("hang-n1");
  EXPECT_TRUE(eventually(minutes(4), [&] { return !has_node("n1"); })) << host->output();
  stop(*host);
}

TEST_F(SlowCloudTest, CLD125_AProviderThatIgnoresItsCancellationIsNamedAndHoldsNothingUp) {
  ask("hang-s");
  ask("deaf");
  create_service();
  const auto host = davit("host", {"--leader-elect=false", "--controller-shutdown-timeout=1s"});
  ASSERT_TRUE(has_called("ensure s ")) << host->output();
  host->signal(SIGTERM);
  EXPECT_TRUE(host->wait(minutes(4))) << "it does not end\n" << host->output();
  EXPECT_THAT(host->output(), ContainsRegex("A controller did not stop in time[^\n]*slow-cloud"));
}

TEST_F(SlowCloudTest, AProviderThatHeedsItsCancellationEndsInTime) {
  ask("hang-s");
  create_service();
  const auto host = davit("host", {"--leader-elect=false", "--controller-shutdown-timeout=40s"});
  ASSERT_TRUE(has_called("ensure s ")) << host->output();
  stop(*host);
  EXPECT_THAT(host->output(), Not(HasSubstr("did not stop in time")));
}

}  // namespace
}  // namespace davit::live
