/// Services of type LoadBalancer that get addresses out of pools, as a user sees them. Needs
/// kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

constexpr char kManifest[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
plugins:
- name: cloud
- name: pools
  controllers:
    pools:
      enabled: true
      config:
        pools:
        - name: lan
          addresses: [192.168.1.200-192.168.1.201]
)";

std::string service(const std::string& name) {
  return "apiVersion: v1\nkind: Service\nmetadata: {name: " + name +
         "}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n";
}

class PoolsLiveTest : public testing::Test {
 protected:
  PoolsLiveTest() {
    const std::filesystem::path manifest = scratch_.path() / "manifest.yaml";
    write_file(manifest, kManifest);
    davit_ = sandbox_.davit({"--leader-elect=false", "--manifest=" + manifest.string()});
  }

  void create(const std::string& name) const {
    const Outcome made = sandbox_.kubectl({"create", "-f", "-"}, service(name));
    EXPECT_EQ(made.code, 0) << made.err;
  }
  [[nodiscard]] std::string address(const std::string& name) const {
    return sandbox_
        .kubectl({"get", "service", name, "-o=jsonpath={.status.loadBalancer.ingress[*].ip}"})
        .out;
  }
  [[nodiscard]] testing::AssertionResult gets(const std::string& name, const std::string& wanted) {
    if (eventually(minutes(4), [&] { return address(name) == wanted; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << name << " has " << address(name) << "\n"
                                       << davit_->output();
  }

  ScratchDir scratch_;
  Sandbox sandbox_;
  std::unique_ptr<Process> davit_;
};

TEST_F(PoolsLiveTest, AFreedAddressGoesToTheServiceThatWaits) {
  create("first");
  ASSERT_TRUE(gets("first", "192.168.1.200"));
  create("second");
  ASSERT_TRUE(gets("second", "192.168.1.201"));
  create("third");
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return sandbox_.kubectl({"get", "events"}).out.find("no free address in pools lan") !=
           std::string::npos;
  })) << davit_->output();
  EXPECT_EQ(address("third"), "");

  const Outcome deleted = sandbox_.kubectl({"delete", "service", "first", "--timeout=240s"});
  EXPECT_EQ(deleted.code, 0) << deleted.err << davit_->output();
  EXPECT_TRUE(gets("third", "192.168.1.200"));
  EXPECT_EQ(address("second"), "192.168.1.201");
}

}  // namespace
}  // namespace davit::live
