/// A cluster as kubeadm makes it, with davit in place of kube-controller-manager: the flags of its
/// static pod, nodes that join without pod CIDRs, and pods with addresses out of them. Needs
/// kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "tests/live/story/story.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::StartsWith;

constexpr std::size_t kNodes = 3;
constexpr milliseconds kInterval{250};  // Each question is a kubectl.
const std::vector<std::string> kNodeFlags = {"--nodes=" + std::to_string(kNodes),
                                             "--wait-for-pod-cidr", "--lease-period=10s"};

/// The differences between a real server and the sandbox.
struct Server {
  Kubectl kubectl;
  std::function<std::unique_ptr<Process>(const std::vector<std::string>&)> davit;
  std::string kubeconfig;
  std::string ca_file;
  std::string account_key;
};

/// The flags of kubeadm's static pod, except for the key that signs certificates.
std::vector<std::string> kubeadm_flags(const Server& server) {
  return {"--allocate-node-cidrs=true",
          "--authentication-kubeconfig=" + server.kubeconfig,
          "--authorization-kubeconfig=" + server.kubeconfig,
          "--bind-address=127.0.0.1",
          "--client-ca-file=" + server.ca_file,
          "--cluster-cidr=10.244.0.0/16",
          "--cluster-name=kubernetes",
          "--controllers=*,bootstrapsigner,tokencleaner",
          "--kubeconfig=" + server.kubeconfig,
          "--leader-elect=true",
          "--requestheader-client-ca-file=" + server.ca_file,
          "--root-ca-file=" + server.ca_file,
          "--service-account-private-key-file=" + server.account_key,
          "--service-cluster-ip-range=10.0.0.0/24",
          "--use-service-account-credentials=true"};
}

/// Pods that stay where they are, one on each node.
constexpr char kAgent[] = R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: "c:1"}]}
)";

/// As a kubelet registers it, and to be run by the simulator.
std::string joining_node(const std::string& name) {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
         ", annotations: {sandbox.davit.dev/node: running}}\n";
}

class KubeadmClusterTest : public testing::Test {
 protected:
  /// A node's pod CIDRs with blanks between, by name.
  using Blocks = std::map<std::string, std::string>;

  /// Gives davit its manifest and its rights, and starts it.
  void start(Server server) {
    server_ = std::move(server);
    std::vector<std::string> argv = {DAVIT_PROGRAM, "manifest", "from-flags", "--",
                                     "kube-controller-manager"};
    for (const std::string& each : kubeadm_flags(server_)) argv.push_back(each);
    const Outcome made = run(argv);
    ASSERT_EQ(made.code, 0) << made.err;
    write_file(manifest(), made.out);
    const Outcome roles = run({DAVIT_PROGRAM, "rbac", "--manifest", manifest()});
    ASSERT_EQ(roles.code, 0) << roles.err;
    const Outcome applied = server_.kubectl({"apply", "-f", "-"}, roles.out);
    ASSERT_EQ(applied.code, 0) << applied.err;
    start_davit();
  }
  void start_davit() { davit_ = server_.davit({"--manifest=" + manifest(), "--secure-port=0"}); }
  void stop_davit() {
    davit_->signal(SIGTERM);
    EXPECT_EQ(davit_->wait(minutes(4)), 0) << davit_->output();
  }
  [[nodiscard]] std::string ask(const std::string& words, const std::string& format) const {
    std::vector<std::string> args = {"get"};
    std::istringstream in(words);
    for (std::string word; in >> word;) args.push_back(word);
    args.push_back("--output=go-template=" + format);
    return server_.kubectl(args, "").out;
  }
  /// Leaves out nodes that have none.
  [[nodiscard]] Blocks blocks() const {
    Blocks out;
    std::istringstream lines(
        ask("nodes",
            "{{range .items}}{{if .spec.podCIDR}}{{.metadata.name}} {{.spec.podCIDR}} "
            "{{range .spec.podCIDRs}}{{.}}{{end}}{{\"\\n\"}}{{end}}{{end}}"));
    std::string name;
    std::string first;
    for (std::string all; lines >> name >> first >> all;) {
      EXPECT_EQ(first, all) << name << " has one block";
      out[name] = all;
    }
    return out;
  }
  /// The addresses of the DaemonSet's pods, by node. A node that has left may still have one.
  [[nodiscard]] std::map<std::string, std::string> addresses() const {
    std::map<std::string, std::string> out;
    std::istringstream lines(ask("pods --selector=app=agent",
                                 "{{range .items}}{{if .status.podIP}}{{.spec.nodeName}} "
                                 "{{.status.podIP}}{{\"\\n\"}}{{end}}{{end}}"));
    std::string node;
    for (std::string address; lines >> node >> address;) out[node] = address;
    return out;
  }
  /// Waits until so many nodes are ready, each with a block of its own and a running pod in it.
  void await_nodes(std::size_t count) const {
    const std::string number = std::to_string(count);
    Blocks now;
    std::map<std::string, std::string> pods;
    const auto runs = [&] {
      now = blocks();
      if (now.size() != count) return false;
      pods = addresses();
      std::erase_if(pods, [&now](const auto& each) { return !now.contains(each.first); });
      return pods.size() == count &&
             ask("daemonset/agent", "{{.status.numberAvailable}}") == number;
    };
    ASSERT_TRUE(eventually(minutes(4), runs, kInterval))
        << server_.kubectl({"describe", "nodes"}, "").out << davit_->output();
    std::set<std::string> distinct;
    for (const auto& [node, block] : now) {
      EXPECT_TRUE(block.starts_with("10.244.") && block.ends_with(".0/24")) << node << ' ' << block;
      EXPECT_TRUE(distinct.insert(block).second) << block << " is also that of " << node;
      const std::string prefix = block.substr(0, block.rfind('.') + 1);
      EXPECT_THAT(pods.at(node), StartsWith(prefix)) << node;
    }
  }
  void must(const std::vector<std::string>& args, const std::string& input = "") const {
    const Outcome outcome = server_.kubectl(args, input);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  /// Nodes join, davit restarts, a node leaves and another one comes.
  void live() {
    must({"create", "-f", "-"}, kAgent);
    await_nodes(kNodes);
    const Blocks first = blocks();
    must({"create", "-f", "-"}, joining_node("late"));
    await_nodes(kNodes + 1);

    stop_davit();
    must({"create", "-f", "-"}, joining_node("later"));
    start_davit();
    await_nodes(kNodes + 2);
    Blocks now = blocks();
    for (const auto& [node, block] : first) EXPECT_EQ(now[node], block) << node;

    must({"delete", "node", "late"});
    const auto has_left = [this] { return !blocks().contains("late"); };
    EXPECT_TRUE(eventually(minutes(4), has_left, kInterval));
    must({"create", "-f", "-"}, joining_node("last"));
    await_nodes(kNodes + 2);
    const Outcome events = server_.kubectl(
        {"get", "events", "--all-namespaces",
         "--output=jsonpath={.items[?(@.source.component==\"cidrAllocator\")].reason}"},
        "");
    EXPECT_EQ(events.out + events.err, "");
    stop_davit();
  }
  [[nodiscard]] std::string manifest() const { return (scratch_.path() / "davit.yaml").string(); }

  const ScratchDir scratch_;
  Server server_;
  std::unique_ptr<Process> davit_;
};

TEST_F(KubeadmClusterTest, ARealServerHasDavitAloneAndItsNodesGetPodCidrs) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlaneOptions options;
  options.admission = Admission::kServiceAccounts;
  ControlPlane cluster(options);
  start(
      {.kubectl = [&cluster](const std::vector<std::string>& args,
                             const std::string& input) { return cluster.kubectl(args, input); },
       .davit = [&cluster](const std::vector<std::string>& flags) { return cluster.davit(flags); },
       .kubeconfig = cluster.kubeconfig(),
       .ca_file = cluster.ca_file(),
       .account_key = cluster.account_key_file()});
  const auto nodes = cluster.nodes(kNodeFlags);
  if (!HasFailure()) live();
}

TEST_F(KubeadmClusterTest, ASandboxHasDavitAloneAndItsNodesGetPodCidrs) {
  std::vector<std::string> flags = kNodeFlags;
  flags.emplace_back("--controllers=nodes,scheduler,events");
  Sandbox sandbox(flags);
  const std::string key = (scratch_.path() / "sa.key").string();
  write_key_pair(key, scratch_.path() / "sa.pub");
  start(
      {.kubectl = [&sandbox](const std::vector<std::string>& args,
                             const std::string& input) { return sandbox.kubectl(args, input); },
       .davit = [&sandbox](const std::vector<std::string>& flags) { return sandbox.davit(flags); },
       .kubeconfig = sandbox.kubeconfig(),
       .ca_file = sandbox.ca_file(),
       .account_key = key});
  if (!HasFailure()) live();
}

}  // namespace
}  // namespace davit::live
