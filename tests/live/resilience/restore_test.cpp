/// etcd is restored from a backup while davit runs.
#include "tests/live/resilience/resilience_fixture.hpp"

namespace davit::live {
namespace {

/// Longer than an outage has to be to count as one.
constexpr std::chrono::seconds kRestoreTime{8};

class RestoreTest : public ResilienceTest {
 protected:
  /// Without election: nothing but the outage shows the restore, and no lease is lost by it.
  [[nodiscard]] std::unique_ptr<Process> davit() const {
    return cluster().davit(
        {"--leader-elect=false", "--controllers=deployment-controller,replicaset-controller"});
  }
  void create(const std::string& deployment) const {
    cluster().must({"create", "deployment", deployment, "--image=registry.example.com/app:v1",
                    "--namespace=default"});
  }
  /// Raises the server's version by more than a server writes when it starts: a restore whose
  /// versions have passed the known ones cannot be noticed.
  void write_much() const {
    std::string maps;
    for (int i = 0; i < 300; ++i) {
      maps += "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m" + std::to_string(i) +
              ", namespace: default}\n";
    }
    cluster().must({"create", "-f", "-"}, maps);
  }
  [[nodiscard]] testing::AssertionResult pod_appears(const std::string& deployment) const {
    const std::string prefix = "\"name\":\"" + deployment + "-";
    const auto is_there = [&] {
      return cluster().read("/api/v1/namespaces/default/pods").find(prefix) != std::string::npos;
    };
    if (eventually(kWaitLimit, is_there)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << deployment << " has no pod";
  }
};

TEST_F(RestoreTest, AHostEndsAndTheNextOneWorksOnTheRestoredState) {
  const std::unique_ptr<Process> first = davit();
  create("early");
  ASSERT_TRUE(pod_appears("early"));
  cluster().back_up();
  write_much();
  create("late");
  ASSERT_TRUE(pod_appears("late"));

  cluster().restore(kRestoreTime);

  EXPECT_TRUE(says(*first, "The API server was restored to an older state"));
  EXPECT_EQ(first->wait(kWaitLimit), 1);
  const std::unique_ptr<Process> second = davit();
  create("after");
  EXPECT_TRUE(pod_appears("after"));
  const std::string deployments = cluster().read("/apis/apps/v1/namespaces/default/deployments");
  EXPECT_EQ(deployments.find(R"("name":"late")"), std::string::npos);
  EXPECT_TRUE(second->running());
}

}  // namespace
}  // namespace davit::live
