/// Services of type LoadBalancer that get addresses out of pools, as a user sees them. Needs
/// kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

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
          addresses: )";

std::string service(const std::string& name) {
  return "apiVersion: v1\nkind: Service\nmetadata: {name: " + name +
         "}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n";
}

class PoolsLiveTest : public testing::Test {
 protected:
  void start(const std::string& addresses) {
    const std::filesystem::path manifest = scratch_.path() / "manifest.yaml";
    write_file(manifest, kManifest + ("[" + addresses + "]\n"));
    davit_ = sandbox_.davit({"--leader-elect=false", "--concurrent-service-syncs=8",
                             "--manifest=" + manifest.string()});
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

  /// The addresses that all Services show at one moment.
  [[nodiscard]] std::vector<std::string> addresses() const {
    std::istringstream all(
        sandbox_
            .kubectl({"get", "services",
                      "-o=jsonpath={range .items[*]}{.status.loadBalancer.ingress[*].ip} {end}"})
            .out);
    std::vector<std::string> out;
    for (std::string each; all >> each;) out.push_back(each);
    return out;
  }
  /// Waits until Services show so many addresses, of which none is shown twice at any moment.
  [[nodiscard]] testing::AssertionResult show(std::size_t wanted) {
    std::vector<std::string> shown;
    bool is_twice = false;
    const bool done = eventually(minutes(4), [&] {
      shown = addresses();
      is_twice = std::set<std::string>(shown.begin(), shown.end()).size() != shown.size();
      return is_twice || shown.size() == wanted;
    });
    if (done && !is_twice) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << (is_twice ? "one is shown twice: " : "") << testing::PrintToString(shown) << "\n"
           << davit_->output();
  }

  ScratchDir scratch_;
  Sandbox sandbox_;
  std::unique_ptr<Process> davit_;
};

TEST_F(PoolsLiveTest, CLD157_FiftyOfManyServicesGetFiftyAddressesAndTheOthersThoseThatAreFreed) {
  start("10.9.0.1-10.9.0.50");
  std::string all;
  for (int i = 0; i < 60; ++i) all += service("s" + std::to_string(i)) + "---\n";
  const Outcome made = sandbox_.kubectl({"create", "-f", "-"}, all);
  ASSERT_EQ(made.code, 0) << made.err;
  ASSERT_TRUE(show(50));

  std::vector<std::string> deletion = {"delete", "services", "--timeout=240s"};
  for (int i = 0; i < 60 && deletion.size() < 13; ++i) {
    if (!address("s" + std::to_string(i)).empty()) deletion.push_back("s" + std::to_string(i));
  }
  const Outcome deleted = sandbox_.kubectl(deletion);
  ASSERT_EQ(deleted.code, 0) << deleted.err << davit_->output();
  EXPECT_TRUE(show(50));
  EXPECT_EQ(std::ranges::count(addresses(), std::string("10.9.0.1")), 1);
}

TEST_F(PoolsLiveTest, AFreedAddressGoesToTheServiceThatWaits) {
  start("192.168.1.200-192.168.1.201");
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
