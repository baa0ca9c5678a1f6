/// Endpoints and EndpointSlices follow their pods, driven with kubectl: on the sandbox, on a real
/// server, and on one that is too old for slices.
#include <algorithm>
#include <functional>

#include "tests/live/conformance/fixture.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

constexpr std::chrono::milliseconds kPause{200};

/// Waits until `read` gives `value`.
testing::AssertionResult reads(const std::function<std::string()>& read, const std::string& value) {
  std::string last;
  if (eventually(
          kWaitLimit, [&] { return (last = read()) == value; }, kPause)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "it is \"" << last << "\", not \"" << value << "\"";
}

enum class Where { kSandbox, kRealServer };

void PrintTo(Where where, std::ostream* out) {
  *out << (where == Where::kSandbox ? "sandbox" : "real server");
}

class EndpointsLifeTest : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    if (GetParam() == Where::kSandbox) {
      sandbox_ = std::make_unique<Sandbox>();
      davit_ = sandbox_->davit({"--leader-elect=false"});
      return;
    }
    if (assets().empty()) GTEST_SKIP() << no_assets();
    cluster_ = std::make_unique<ControlPlane>();
    nodes_ = cluster_->nodes();
    collector_ = cluster_->controller_manager("garbagecollector");
    davit_ = cluster_->davit({"--leader-elect=false"});
  }
  void TearDown() override {
    if (HasFailure()) std::cout << davit_->output() << "\n";
  }

  [[nodiscard]] Outcome run_kubectl(const std::vector<std::string>& args) const {
    return sandbox_ ? sandbox_->kubectl(args) : cluster_->kubectl(args);
  }
  std::string kubectl(const std::vector<std::string>& args) {
    const Outcome outcome = run_kubectl(args);
    EXPECT_EQ(outcome.code, 0) << args[0] << " " << args[1] << ": " << outcome.err;
    return outcome.out;
  }
  /// The numbers of ready and of not ready addresses in Endpoints.
  [[nodiscard]] std::string endpoints() {
    return counts("endpoints/web", "{.subsets[*].addresses[*].ip}") + " " +
           counts("endpoints/web", "{.subsets[*].notReadyAddresses[*].ip}");
  }
  /// The numbers of endpoints in the slices that are ready, serving and terminating.
  [[nodiscard]] std::string slices() {
    std::string out;
    for (const char* condition : {"ready", "serving", "terminating"}) {
      if (!out.empty()) out += ' ';
      out += counts("endpointslices", "{.items[*].endpoints[?(@.conditions." +
                                          std::string(condition) + "==true)].targetRef.name}");
    }
    return out;
  }
  [[nodiscard]] std::string first_pod() {
    return kubectl({"get", "pods", "-l", "app=web", "-o", "jsonpath={.items[0].metadata.name}"});
  }

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<ControlPlane> cluster_;
  std::unique_ptr<Process> nodes_;
  std::unique_ptr<Process> collector_;
  std::unique_ptr<Process> davit_;

 private:
  /// The number of words that the path finds.
  [[nodiscard]] std::string counts(const std::string& what, const std::string& path) {
    std::vector<std::string> args = {"get", what, "-o", "jsonpath=" + path};
    if (what == "endpointslices") args.insert(args.end(), {"-l", "kubernetes.io/service-name=web"});
    const std::string words = run_kubectl(args).out;
    return std::to_string(words.empty() ? 0 : 1 + std::count(words.begin(), words.end(), ' '));
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, EndpointsLifeTest,
                         testing::Values(Where::kSandbox, Where::kRealServer),
                         [](const testing::TestParamInfo<Where>& each) {
                           return each.param == Where::kSandbox ? "OnTheSandbox" : "OnARealServer";
                         });

TEST_P(EndpointsLifeTest, FollowPodsAsTheyBecomeReadyUnreadyAndTerminate) {
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=3"});
  kubectl({"expose", "deployment", "web", "--port=80", "--target-port=8080"});
  EXPECT_TRUE(reads([&] { return endpoints(); }, "3 0"));
  EXPECT_TRUE(reads([&] { return slices(); }, "3 3 0"));

  const std::string pod = first_pod();
  kubectl({"annotate", "pod", pod, "sandbox.davit.dev/ready=false"});
  EXPECT_TRUE(reads([&] { return endpoints(); }, "2 1"));
  EXPECT_TRUE(reads([&] { return slices(); }, "2 2 0"));

  kubectl({"annotate", "pod", pod, "sandbox.davit.dev/ready-"});
  EXPECT_TRUE(reads([&] { return endpoints(); }, "3 0"));
  EXPECT_TRUE(reads([&] { return slices(); }, "3 3 0"));

  // It terminates for longer than this test takes, and keeps serving. It is replaced at once.
  kubectl({"annotate", "pod", pod, "sandbox.davit.dev/stop-seconds=600"});
  kubectl({"delete", "pod", pod, "--wait=false", "--grace-period=900"});
  EXPECT_TRUE(reads([&] { return endpoints(); }, "3 0"));
  EXPECT_TRUE(reads([&] { return slices(); }, "3 4 1"));

  kubectl({"delete", "service", "web"});
  EXPECT_TRUE(reads([&] { return endpoints(); }, "0 0"));
  EXPECT_TRUE(reads([&] { return slices(); }, "0 0 0")) << "the collector takes them";
}

class EndpointsOnOldServerTest : public LiveTest {};

TEST_F(EndpointsOnOldServerTest, SlicesAreSkippedAndEndpointsWork) {
  const auto nodes = cluster().nodes();
  const auto davit = cluster().davit({"--leader-elect=false"});
  EXPECT_TRUE(prints(*davit, "endpointslice-controller"));
  EXPECT_TRUE(prints(*davit, "discovery.k8s.io/v1"));

  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=2"});
  kubectl({"expose", "deployment", "web", "--port=80", "--target-port=8080"});
  EXPECT_TRUE(reads(
      [&] {
        const std::string ips = field("endpoints/web", "{.subsets[*].addresses[*].ip}");
        return std::to_string(std::count(ips.begin(), ips.end(), '.'));
      },
      "6"))
      << "two addresses";
  EXPECT_TRUE(davit->running());
}

}  // namespace
}  // namespace davit::live
