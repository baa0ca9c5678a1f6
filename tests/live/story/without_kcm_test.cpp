/// A cluster without kube-controller-manager: an API server, simulated nodes with their scheduler,
/// and davit with all plugins. Needs kubectl.
///
/// DAVIT_STORY_SECONDS sets for how long chapters follow each other (CI: 1, so one chapter; by
/// hand: 3600), DAVIT_STORY_SWAPS how often each plugin is swapped meanwhile (CI: 3; by hand: 50).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>
#include <sstream>
#include <thread>

#include "tests/live/soak/environment.hpp"
#include "tests/live/story/story.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kNodes = 3;
/// The threads of davit with all plugins: three that share the watches of the server's 60
/// resources, and one to three for each of 39 controllers. With one for each watch there would be
/// 50 more.
constexpr int kThreadsMax = 100;

std::set<std::string> shipped_plugins() {
  const Outcome listed = run({DAVIT_PROGRAM, "plugin", "list"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  std::set<std::string> out;
  std::istringstream lines(listed.out);
  for (std::string line; std::getline(lines, line);) out.insert(line.substr(0, line.find(' ')));
  return out;
}

/// A manifest with all plugins. Tokens are signed with `key`.
std::string manifest(const std::set<std::string>& plugins, const std::string& key,
                     const std::string& root_ca) {
  std::string out = "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugins:\n";
  for (const std::string& each : plugins) {
    out += "- name: " + each + '\n';
    if (each != "serviceaccount") continue;
    out +=
        "  controllers:\n    serviceaccount-token-controller:\n      config:\n"
        "        serviceAccountKeyFile: " +
        key + "\n        rootCAFile: " + root_ca +
        "\n    root-ca-certificate-publisher-controller:\n      config:\n        rootCAFile: " +
        root_ca + '\n';
  }
  return out;
}

/// Without election: a server that is away for longer than a lease would end davit, and a
/// supervisor would have to start it again. A controller of tokens that has a key cannot be
/// switched off (SA43 of docs/spec/serviceaccount.md).
std::vector<std::string> davit_flags(const std::filesystem::path& manifest,
                                     const std::filesystem::path& socket) {
  return {"--manifest=" + manifest.string(),
          "--controllers=*,bootstrapsigner,tokencleaner,selinux-warning-controller,"
          "-serviceaccount-token-controller",
          "--leader-elect=false",
          "--kube-api-qps=500",
          "--kube-api-burst=1000",
          "--control-socket=" + socket.string()};
}

/// Swaps every plugin so many times, in turn; the commands that failed.
std::vector<std::string> swap_all(const std::set<std::string>& plugins, int swaps,
                                  const std::filesystem::path& socket) {
  std::vector<std::string> failed;
  for (int i = 0; i < swaps; ++i) {
    for (const std::string& plugin : plugins) {
      const Outcome swapped =
          run({DAVIT_PROGRAM, "ctl", "swap", plugin, "--control-socket=" + socket.string()});
      if (swapped.code != 0) failed.push_back(plugin + ": " + swapped.err);
    }
  }
  return failed;
}

class WithoutKcmTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path socket() const { return scratch_.path() / "davit.sock"; }
  [[nodiscard]] std::filesystem::path write_manifest(const std::string& key,
                                                     const std::string& root_ca) const {
    const std::filesystem::path file = scratch_.path() / "davit.yaml";
    write_file(file, manifest(plugins_, key, root_ca));
    return file;
  }
  void await_davit(Process& davit) const {
    EXPECT_TRUE(eventually(minutes(4), [&] {
      return run({DAVIT_PROGRAM, "ctl", "status", "--control-socket=" + socket().string()}).code ==
             0;
    })) << davit.output();
  }
  static void stop(Process& davit) {
    davit.signal(SIGTERM);
    EXPECT_EQ(davit.wait(minutes(4)), 0) << davit.output();
  }

  const ScratchDir scratch_;
  const std::set<std::string> plugins_ = shipped_plugins();
};

/// The server's answer to a list of pods with the token that the chapter's Secret carries.
std::string answer_to_token(const ControlPlane& cluster, const std::string& ns) {
  const std::string token = cluster.must({"get", "secret", "robot-token", "--namespace=" + ns,
                                          "--output=go-template={{.data.token|base64decode}}"});
  return cluster.kubectl({"get", "pods", "--namespace=" + ns, "--token=" + token}).err;
}

TEST_F(WithoutKcmTest, ARealServerLivesThroughARestart) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlaneOptions options;
  options.admission = Admission::kServiceAccounts;
  ControlPlane cluster(options);
  const auto davit = cluster.davit(
      davit_flags(write_manifest(cluster.account_key_file(), cluster.ca_file()), socket()));
  await_davit(*davit);
  EXPECT_LT(cost_of(davit->pid()).threads, kThreadsMax) << "watches share threads";
  const auto nodes = cluster.nodes({"--nodes=" + std::to_string(kNodes), "--lease-period=10s"});
  const Story story([&cluster](const std::vector<std::string>& args,
                               const std::string& input) { return cluster.kubectl(args, input); },
                    plugins_, kNodes);

  const auto until = steady_clock::now() + seconds(from_environment("DAVIT_STORY_SECONDS", 1));
  for (int chapter = 1; chapter == 1 || steady_clock::now() < until; ++chapter) {
    const std::string ns = "story-" + std::to_string(chapter);
    story.begin(ns);
    EXPECT_THAT(answer_to_token(cluster, ns),
                HasSubstr("User \"system:serviceaccount:" + ns + ":robot\" cannot list"));
    cluster.stop_apiserver(SIGKILL);
    cluster.start_apiserver();
    story.change(ns);
    story.end(ns);
    ASSERT_FALSE(HasFailure()) << davit->output();
    std::cout << "chapter " << chapter << " is over" << std::endl;
  }
  stop(*davit);
}

TEST_F(WithoutKcmTest, SwapsOfEveryPluginAndARestartChangeNothingOfTheEndOnASandbox) {
  Sandbox sandbox({"--controllers=nodes,scheduler,events", "--nodes=" + std::to_string(kNodes),
                   "--data=" + (scratch_.path() / "cluster").string()});
  const std::string key = (scratch_.path() / "sa.key").string();
  write_key_pair(key, scratch_.path() / "sa.pub");
  const auto davit = sandbox.davit(davit_flags(write_manifest(key, sandbox.ca_file()), socket()));
  await_davit(*davit);
  const Story story([&sandbox](const std::vector<std::string>& args,
                               const std::string& input) { return sandbox.kubectl(args, input); },
                    plugins_, kNodes);
  std::set<std::string> swapped = plugins_;
  swapped.erase("pools");  // Off without pools of addresses.
  std::vector<std::string> failed;
  {
    const std::jthread swapping(
        [&] { failed = swap_all(swapped, from_environment("DAVIT_STORY_SWAPS", 3), socket()); });
    story.begin("story");
    story.change("story");
  }
  EXPECT_THAT(failed, IsEmpty());
  // Not before: a swap that cannot read its objects fails, as it should.
  sandbox.restart();
  story.await_changed("story");
  story.end("story");
  ASSERT_FALSE(HasFailure()) << davit->output();
  stop(*davit);
}

}  // namespace
}  // namespace davit::live
