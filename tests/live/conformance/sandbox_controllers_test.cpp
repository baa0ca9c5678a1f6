/// `davit sandbox` with the controllers of the plugins in its own process. Needs kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

/// The number of ready pods; "" for none.
std::string ready(const Sandbox& sandbox, const std::string& deployment) {
  return sandbox.kubectl({"get", "deployment", deployment, "-o=jsonpath={.status.readyReplicas}"})
      .out;
}

TEST(SandboxControllersTest, ADeploymentBecomesReadyOnASandboxAloneAndASignalEndsBoth) {
  Sandbox sandbox({"--controllers=*"});
  const Outcome created =
      sandbox.kubectl({"create", "deployment", "web", "--image=nginx", "--replicas=3"});
  ASSERT_EQ(created.code, 0) << created.err;

  EXPECT_TRUE(eventually(minutes(4), [&] { return ready(sandbox, "web") == "3"; }))
      << sandbox.output();
  EXPECT_THAT(sandbox.output(), HasSubstr("deployment-controller, "));

  // A plugin's worker and a watch that a client holds may not hold the end up; the watch would last
  // five minutes at least.
  Process client({"kubectl", "--kubeconfig", sandbox.kubeconfig(), "get", "pods", "--watch"},
                 sandbox.kubeconfig() + ".log");
  EXPECT_TRUE(
      eventually(minutes(4), [&] { return client.output().find("web-") != std::string::npos; }));
  sandbox.process().signal(SIGINT);
  EXPECT_EQ(sandbox.process().wait(minutes(2)), 0) << sandbox.output();
}

TEST(SandboxControllersTest, ItsStartPrintsNoLogUnlessItIsAskedFor) {
  const auto started = [](const std::vector<std::string>& flags) {
    Sandbox sandbox(flags);
    EXPECT_TRUE(eventually(minutes(4), [&] {
      return sandbox.output().find("Ctrl-C stops it.\n") != std::string::npos;
    }));
    return sandbox.output();
  };
  const std::string output = started({"--controllers=*"});
  EXPECT_THAT(output, HasSubstr("\nStatus page: http://127.0.0.1:"));
  EXPECT_LE(std::count(output.begin(), output.end(), '\n'), 8) << output;

  EXPECT_THAT(started({"--controllers=*", "-v=1"}), HasSubstr("Serving health and metrics"));
}

TEST(SandboxControllersTest, ThePluginsCollectorAndNamespaceControllerTakeThePlacesOfItsOwn) {
  Sandbox sandbox({"--controllers=*,garbage-collector-controller,namespace-controller"});
  const auto names = [&sandbox](const std::string& kinds) {
    return sandbox.kubectl({"get", kinds, "-o=name", "--namespace=x"}).out;
  };
  ASSERT_EQ(sandbox.kubectl({"create", "namespace", "x"}).code, 0);
  for (const std::string cascade : {"background", "foreground"}) {
    const Outcome created = sandbox.kubectl(
        {"create", "deployment", "web", "--image=nginx", "--replicas=3", "--namespace=x"});
    ASSERT_EQ(created.code, 0) << created.err;
    EXPECT_TRUE(eventually(minutes(4), [&] { return !names("pods").empty(); }));
    const Outcome deleted =
        sandbox.kubectl({"delete", "deployment", "web", "--namespace=x", "--cascade=" + cascade});
    ASSERT_EQ(deleted.code, 0) << deleted.err;
    EXPECT_TRUE(
        eventually(minutes(4), [&] { return names("deployments,replicasets,pods").empty(); }))
        << cascade << ": " << sandbox.output();
  }
  const Outcome emptied = sandbox.kubectl({"delete", "namespace", "x", "--timeout=240s"});
  EXPECT_EQ(emptied.code, 0) << emptied.err << sandbox.output();
}

TEST(SandboxControllersTest, ThePluginsControllersOfServiceAccountsTakeThePlacesOfItsOwn) {
  Sandbox sandbox(
      {"--controllers=*,serviceaccount-controller,"
       "root-ca-certificate-publisher-controller"});
  ASSERT_EQ(sandbox.kubectl({"create", "namespace", "x"}).code, 0);
  ASSERT_EQ(sandbox.kubectl({"create", "serviceaccount", "robot", "--namespace=x"}).code, 0);
  ASSERT_EQ(sandbox
                .kubectl({"create", "--namespace=x", "-f", "-"},
                         R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"t","annotations":
                             {"kubernetes.io/service-account.name":"robot"}},
                             "type":"kubernetes.io/service-account-token"})")
                .code,
            0);
  const auto is_there = [&sandbox](const std::string& kind, const std::string& name,
                                   const std::string& part) {
    return !sandbox.kubectl({"get", kind, name, "--namespace=x", "-o=jsonpath=" + part})
                .out.empty();
  };
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return is_there("serviceaccount", "default", "{.metadata.uid}") &&
           is_there("configmap", "kube-root-ca.crt", "{.data.ca\\.crt}") &&
           is_there("secret", "t", "{.data.token}");
  })) << sandbox.output();

  const std::string token = sandbox
                                .kubectl({"get", "secret", "t", "--namespace=x",
                                          "-o=go-template={{.data.token|base64decode}}"})
                                .out;
  const Outcome asked = sandbox.kubectl({"--kubeconfig=/dev/null", "--server=" + sandbox.server(),
                                         "--certificate-authority=" + sandbox.ca_file(),
                                         "--token=" + token, "get", "pods", "--namespace=x"});
  EXPECT_THAT(asked.err, HasSubstr("User \"system:serviceaccount:x:robot\" cannot list"));
}

TEST(SandboxControllersTest, ControllersThatAreLeftOutDoNothing) {
  Sandbox sandbox({"--controllers=*,-replicaset"});
  ASSERT_EQ(sandbox.kubectl({"create", "deployment", "web", "--image=nginx"}).code, 0);

  EXPECT_TRUE(eventually(minutes(4), [&] {
    return sandbox.kubectl({"get", "replicasets", "-o=name"}).out.find("web-") != std::string::npos;
  })) << sandbox.output();

  EXPECT_EQ(sandbox.kubectl({"get", "pods", "-o=name"}).out, "");
}

}  // namespace
}  // namespace davit::live
