// A host follows its manifest while it runs.
#include "host/process/manifest_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "cli/local_cluster.hpp"
#include "cli/options.hpp"
#include "host/process/host_plan.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kHead =
    "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nleaderElection: {enabled: false}\n"
    "health: {port: 0}\n";
const std::string kDeployment = "  - path: " DAVIT_DEPLOYMENT_DIRECTORY "/deployment.so\n";
const std::string kReplicaSet = "  - path: " DAVIT_REPLICASET_DIRECTORY "/replicaset.so\n";
const std::string kNodes = "  - path: " DAVIT_NODELIFECYCLE_DIRECTORY "/nodelifecycle.so\n";

class ManifestFollowerTest : public testing::Test {
 protected:
  ~ManifestFollowerTest() override {
    if (host_) {
      EXPECT_TRUE(host_->stop());
    }
  }

  void write(const std::string& text) { directory_.write("davit.yaml", text); }
  void start(const std::string& plugins) { start_with("plugins:\n" + plugins); }
  void start_with(const std::string& rest) {
    write(kHead + rest);
    RunOptions options;
    options.manifest = (directory_.path() / "davit.yaml").string();
    const SettingsResult merged = merge_settings(options);
    std::ostringstream mistakes;
    std::optional<HostPlan> plan = HostPlan::make(merged.settings, mistakes);
    ASSERT_TRUE(plan) << mistakes.str();
    Result<std::unique_ptr<HostProcess>> opened = HostProcess::open(
        merged.settings.manifest, ConnectionConfig{}, std::move(plan->controllers()),
        HostSeams{*clock_, *random_, sink_, &cluster_->transport()}, [] {});
    ASSERT_TRUE(opened) << opened.error().message();
    host_ = std::move(*opened);
    host_->want(plan->desired());
    const Status started = host_->start({});
    ASSERT_TRUE(started.ok()) << started.message();
    follower_ = std::make_unique<ManifestFollower>(
        *host_, [options] { return merge_settings(options); }, merged.settings, plan->desired(),
        Logger(sink_));
  }
  /// The manifest is edited.
  void edit(const std::string& text) {
    write(text);
    follower_->changed(directory_.path() / "davit.yaml");
  }
  void edit_plugins(const std::string& plugins) { edit(kHead + "plugins:\n" + plugins); }

  /// The host's notes about its manifest.
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> lines;
    for (const auto& each : host_->checks().notes()) lines.push_back(each.name + " " + each.text);
    return lines;
  }
  [[nodiscard]] std::uint64_t generation(const std::string& plugin) const {
    for (const PluginState& each : host_->plugins().serving().state().plugins) {
      if (each.name == plugin) return each.build.generation;
    }
    return 0;
  }

  TempDirectory directory_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::RecordingLogSink sink_;
  std::unique_ptr<LocalCluster> cluster_ =
      std::move(*LocalCluster::open({*clock_, *random_, Logger(sink_)}, {}));
  std::unique_ptr<HostProcess> host_;
  std::unique_ptr<ManifestFollower> follower_;
};

TEST_F(ManifestFollowerTest, PluginsComeAndGoAndTheOthersStayAsTheyAre) {
  start(kDeployment);
  edit_plugins(kDeployment + kReplicaSet);
  EXPECT_THAT(host_->plugins().serving().controllers(),
              ElementsAre("deployment-controller", "replicaset-controller"));
  EXPECT_THAT(follower_->files(),
              Contains(std::filesystem::path(DAVIT_REPLICASET_DIRECTORY) / "replicaset.so"));

  edit_plugins(kReplicaSet);
  EXPECT_THAT(host_->plugins().serving().controllers(), ElementsAre("replicaset-controller"));
  EXPECT_EQ(generation("replicaset"), 1U);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ManifestFollowerTest, ControllersGoOnAndOff) {
  start(kNodes);
  edit_plugins(kNodes + "    controllers: {taint-eviction-controller: {enabled: false}}\n");
  EXPECT_THAT(host_->plugins().serving().controllers(), ElementsAre("node-lifecycle-controller"));
  edit_plugins(kNodes);
  EXPECT_THAT(host_->plugins().serving().controllers(),
              ElementsAre("node-lifecycle-controller", "taint-eviction-controller"));
  EXPECT_EQ(generation("nodelifecycle"), 1U);
}

TEST_F(ManifestFollowerTest, OtherWorkersAndConfigMakeAnotherGeneration) {
  start(kDeployment + kReplicaSet);
  edit_plugins(kDeployment + kReplicaSet +
               "    controllers: {replicaset-controller: {workers: 7}}\n");
  EXPECT_EQ(generation("replicaset"), 2U);
  EXPECT_EQ(generation("deployment"), 1U);
}

TEST_F(ManifestFollowerTest, AConfigThatThePluginRefusesLeavesTheOldOneAtWork) {
  start(kNodes);
  edit_plugins(kNodes + "    controllers: {node-lifecycle-controller: {config: {colour: red}}}\n");
  EXPECT_EQ(generation("nodelifecycle"), 1U);
  EXPECT_THAT(notes(), ElementsAre(AllOf(StartsWith("manifest plugin nodelifecycle: "),
                                         HasSubstr("colour"))));
  edit_plugins(kNodes);
  EXPECT_EQ(generation("nodelifecycle"), 1U) << "as before: nothing to do";
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ManifestFollowerTest, AConfigThatARunningControllerRefusesIsNotedUntilItIsMended) {
  const std::string plugin = "  - path: " DAVIT_SWAP_SAMPLES "/configurable.so\n";
  const auto named = [&plugin](const std::string& name) {
    return plugin + "    controllers: {sample-controller: {config: {name: " + name + "}}}\n";
  };
  start(named("green"));
  edit_plugins(named("7"));
  EXPECT_THAT(notes(), ElementsAre("manifest plugin sample: controller sample-controller keeps its "
                                   "old configuration: name is no short text"));
  edit_plugins(named("blue"));
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_EQ(generation("sample"), 1U) << "it runs on in every case";
}

TEST_F(ManifestFollowerTest, AConfigThatAControllerTakesOnlyAtItsStartIsASwap) {
  start(kNodes);
  edit_plugins(kNodes +
               "    controllers: {node-lifecycle-controller: {config: {nodeEvictionRate: 0.2}}}\n");
  EXPECT_EQ(generation("nodelifecycle"), 2U);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ManifestFollowerTest, NonsenseChangesNothingAndIsReportedWithItsPlace) {
  start(kDeployment);
  const std::string where = (directory_.path() / "davit.yaml").string();
  edit(kHead + "plugins: [\n");
  EXPECT_THAT(notes(), Contains(StartsWith("manifest " + where + ":")));
  edit(kHead + "colour: red\nplugins: []\n");
  EXPECT_THAT(notes(), ElementsAre(StartsWith("manifest " + where + ":5:1: ")));
  edit_plugins("  - name: nobody\n");
  EXPECT_THAT(notes(), ElementsAre(StartsWith("manifest " + where + ":6:5: ")));
  std::filesystem::remove(where);
  follower_->changed(where);
  EXPECT_THAT(notes(), ElementsAre(StartsWith("manifest " + where)));
  EXPECT_THAT(host_->plugins().serving().controllers(), ElementsAre("deployment-controller"));
  EXPECT_THAT(sink_.lines(),
              Contains(AllOf(HasSubstr("The manifest is invalid"), HasSubstr(where + ":5:1"))));

  edit_plugins(kDeployment);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ManifestFollowerTest, WhatNeedsARestartIsNamedAndNotApplied) {
  start(kDeployment);
  edit(kHead + "client: {qps: 7}\nplugins:\n" + kDeployment);
  EXPECT_THAT(notes(),
              ElementsAre("manifest client.qps has changed: restart the host to apply it"));
  EXPECT_EQ(generation("deployment"), 1U);
}

TEST_F(ManifestFollowerTest, CommandsOfDavitCtlStayUnlessTheManifestChangesThem) {
  start(kDeployment + kReplicaSet);
  ASSERT_TRUE(host_->plugins().disable("deployment-controller").ok());
  edit_plugins(kDeployment + kReplicaSet +
               "    controllers: {replicaset-controller: {workers: 7}}\n");
  EXPECT_THAT(host_->plugins().serving().controllers(), ElementsAre("replicaset-controller"));
  edit_plugins(kReplicaSet + "    controllers: {replicaset-controller: {workers: 7}}\n");
  EXPECT_THAT(notes(), IsEmpty()) << "it is off already";
}

TEST_F(ManifestFollowerTest, WhatMeetsAnotherOrderIsDoneAfterIt) {
  start(kDeployment);
  const std::jthread others([this] {
    for (int i = 0; i < 5; ++i) (void)host_->plugins().swap({"deployment", {}});
  });
  edit_plugins(kDeployment + kReplicaSet);
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_EQ(host_->plugins().serving().controllers().size(), 2U);
  edit_plugins(kDeployment);
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_EQ(host_->plugins().serving().controllers().size(), 1U);
}

class PluginDirectoryTest : public ManifestFollowerTest {
 protected:
  PluginDirectoryTest() { std::filesystem::create_directory(plugins()); }

  [[nodiscard]] std::filesystem::path plugins() const { return directory_.path() / "plugins"; }
  /// The file of a plugin comes, as a copy that is whole.
  void place(const std::string& plugin, const char* from) {
    std::filesystem::copy_file(std::filesystem::path(from) / (plugin + ".so"),
                               plugins() / (plugin + ".so"));
    if (follower_) follower_->changed(plugins());
  }
  void remove(const std::string& plugin) {
    std::filesystem::remove(plugins() / (plugin + ".so"));
    follower_->changed(plugins());
  }
  void start_all() { start_with("pluginDirectories: [" + plugins().string() + "]\n"); }
};

TEST_F(PluginDirectoryTest, WithoutAListThePluginsOfTheDirectoryAreTheList) {
  place("deployment", DAVIT_DEPLOYMENT_DIRECTORY);
  start_all();
  EXPECT_THAT(follower_->files(), Contains(plugins()));

  place("replicaset", DAVIT_REPLICASET_DIRECTORY);
  EXPECT_THAT(host_->plugins().serving().controllers(),
              ElementsAre("deployment-controller", "replicaset-controller"));
  EXPECT_THAT(follower_->files(), Contains(plugins() / "replicaset.so"));
  remove("deployment");
  EXPECT_THAT(host_->plugins().serving().controllers(), ElementsAre("replicaset-controller"));
  EXPECT_EQ(generation("replicaset"), 1U);
  std::filesystem::copy_file(std::filesystem::path(DAVIT_DEPLOYMENT_DIRECTORY) / "deployment.so",
                             plugins() / "deployment.so");
  follower_->changed(plugins() / "deployment.so");
  EXPECT_THAT(host_->plugins().serving().controllers(),
              ElementsAre("replicaset-controller", "deployment-controller"))
      << "told by its own name when it was there before";
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(PluginDirectoryTest, AFileThatIsNotAPluginChangesNothingAndIsReported) {
  place("deployment", DAVIT_DEPLOYMENT_DIRECTORY);
  start_all();
  directory_.write("plugins/half.so", "half");
  follower_->changed(plugins());
  EXPECT_THAT(notes(), ElementsAre(AllOf(StartsWith("manifest "), HasSubstr("half.so"))));
  EXPECT_THAT(host_->plugins().serving().controllers(), ElementsAre("deployment-controller"));
  remove("half");
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(PluginDirectoryTest, AListInTheManifestIsStrongerThanTheDirectory) {
  place("deployment", DAVIT_DEPLOYMENT_DIRECTORY);
  start_all();
  edit_plugins(kDeployment);
  EXPECT_THAT(follower_->files(), Not(Contains(plugins())));
}

}  // namespace
}  // namespace davit::host
