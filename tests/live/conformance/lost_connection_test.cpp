/// Nodes are well while davit, not they, loses its connection: no node is written off, no pod
/// evicted.
#include <chrono>
#include <set>
#include <sstream>

#include "tests/live/conformance/fixture.hpp"
#include "tests/live/support/nodes.hpp"
#include "tests/live/support/tcp_proxy.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;

/// Three nodes that renew their Leases every 10 s, as kubelets do, with a pod each; watched from
/// the moment at which they are all well.
class LostConnectionTest : public LiveTest {
 protected:
  static constexpr int kNodes = 3;

  void begin(const std::string& kubeconfig) {
    nodes_ = cluster().nodes({"--nodes=" + std::to_string(kNodes), "--lease-period=10s"});
    davit_ = cluster().davit_with(
        kubeconfig, {"--controllers=node-lifecycle-controller,taint-eviction-controller",
                     "--leader-elect=false", "-v", "4"});
    ASSERT_TRUE(eventually(kWaitLimit, [] { return well_nodes(cluster()) == kNodes; }));
    // A start that the loss meets ends after ten seconds, as upstream's.
    for (const char* controller : {"node-lifecycle-controller", "taint-eviction-controller"}) {
      ASSERT_TRUE(prints(*davit_, std::string(controller) + "] \"Started workers\""))
          << davit_->output();
    }
    for (int i = 1; i <= kNodes; ++i) {
      const std::string number = std::to_string(i);
      kubectl({"create", "-f", "-"}, "apiVersion: v1\nkind: Pod\nmetadata: {name: pod-" + number +
                                         "}\nspec:\n  nodeName: node-" + number +
                                         "\n  containers: [{name: nginx, image: 'nginx:1'}]\n");
    }
  }

  /// The harm done to healthy nodes and pods within `time`; none is expected.
  std::set<std::string> harm_within(seconds time) {
    std::set<std::string> harm;
    static_cast<void>(eventually(
        time,
        [&] {
          // The server may be away for a moment.
          for (const std::string& line : node_lines(cluster())) {
            if (!is_well(line)) harm.insert(line);
          }
          const Outcome pods = cluster().kubectl(
              {"get", "pods", "--namespace", ns(), "--output",
               "jsonpath={range .items[*]}{.metadata.name} {.metadata.deletionTimestamp}{'\\n'}"
               "{end}"});
          std::istringstream names(pods.out);
          int count = 0;
          for (std::string name; std::getline(names, name); ++count) {
            if (!name.ends_with(" ")) harm.insert(name);
          }
          if (pods.code == 0 && count != kNodes) harm.insert("a pod is gone");
          return false;
        },
        milliseconds(500)));
    return harm;
  }

  std::unique_ptr<Process> nodes_;
  std::unique_ptr<Process> davit_;
};

TEST_F(LostConnectionTest, NoNodeIsWrittenOffWhileTheWatchesAreStalled) {
  TcpProxy proxy(cluster().port());
  begin(cluster().kubeconfig_through(proxy.port()));
  // Past the time in which the habits of the watches are learned.
  ASSERT_THAT(harm_within(seconds(45)), IsEmpty());

  proxy.stall();
  const int before = proxy.accepted();
  // Requests for Nodes and Leases; those of pods are long silent and may wait. SilenceTest has the
  // limit of 30 s, on which a busy machine acts later; without one they were renewed after two
  // minutes.
  EXPECT_TRUE(eventually(seconds(90), [&] { return proxy.accepted() >= before + 2; }))
      << davit_->output();
  EXPECT_THAT(harm_within(seconds(75)), IsEmpty()) << davit_->output();
}

TEST_F(LostConnectionTest, NoNodeIsWrittenOffWhileConnectionsAreHalfOpen) {
  TcpProxy proxy(cluster().port());
  begin(cluster().kubeconfig_through(proxy.port()));
  ASSERT_THAT(harm_within(seconds(20)), IsEmpty());
  proxy.freeze();
  EXPECT_THAT(harm_within(seconds(90)), IsEmpty()) << davit_->output();
}

TEST_F(LostConnectionTest, NoNodeIsWrittenOffWhileTheServerIsKilledAgainAndAgain) {
  begin(cluster().kubeconfig());
  for (int i = 0; i < 3; ++i) {
    cluster().stop_apiserver(SIGKILL);
    // As long as a machine takes to start it again.
    static_cast<void>(eventually(seconds(8), [] { return false; }));
    cluster().start_apiserver();
    EXPECT_THAT(harm_within(seconds(25)), IsEmpty()) << davit_->output();
  }
  EXPECT_THAT(harm_within(seconds(60)), IsEmpty()) << davit_->output();
  EXPECT_TRUE(davit_->running());
}

}  // namespace
}  // namespace davit::live
