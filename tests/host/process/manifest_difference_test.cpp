#include "host/process/manifest_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using Kind = PluginStep::Kind;
using Enabled = DesiredController::Enabled;
using testing::ElementsAre;
using testing::IsEmpty;

DesiredController on(const std::string& name, const std::string& config = "") {
  return {name, std::nullopt, config, Enabled::kYes};
}
DesiredController off(const std::string& name) { return {name, std::nullopt, "", Enabled::kNo}; }

DesiredPlugin plugin(std::vector<DesiredController> controllers) {
  return {.name = "p",
          .file = "/p.so",
          .digest = "d",
          .sha256 = "",
          .controllers = std::move(controllers)};
}

struct StepsCase {
  const char* name;
  std::vector<DesiredController> now;
  std::vector<DesiredController> wanted;
  std::vector<PluginStep> steps;
};
const StepsCase kStepsCases[] = {
    {"TheSame", {on("a"), on("b")}, {on("a"), on("b")}, {}},
    {"OneOff", {on("a"), on("b")}, {on("a"), off("b")}, {{Kind::kDisable, "b"}}},
    {"OneOn", {on("a"), off("b")}, {on("a"), on("b")}, {{Kind::kEnable, "b"}}},
    {"AllOff", {on("a"), on("b")}, {off("a"), off("b")}, {{Kind::kUnload, "p"}}},
    {"FirstOn", {off("a"), off("b")}, {off("a"), on("b")}, {{Kind::kLoad, "p"}}},
    {"OtherConfig", {on("a"), on("b")}, {on("a", "{}"), on("b")}, {{Kind::kConfigure, "a"}}},
    {"OtherWorkers", {on("a")}, {{"a", 7, "", Enabled::kYes}}, {{Kind::kSwap, "p"}}},
    {"OtherWorkersAndConfig", {on("a")}, {{"a", 7, "{}", Enabled::kYes}}, {{Kind::kSwap, "p"}}},
    {"OtherConfigOfAnIdleOne", {on("a"), off("b")}, {on("a"), {"b", 7, "{}", Enabled::kNo}}, {}},
    {"EachAtOnce",
     {on("a"), on("b"), off("c")},
     {on("a", "{}"), off("b"), on("c")},
     {{Kind::kDisable, "b"}, {Kind::kConfigure, "a"}, {Kind::kEnable, "c"}}},
    {"OneForTheOther",
     {on("a"), off("b")},
     {off("a"), on("b")},
     {{Kind::kDisable, "a"}, {Kind::kEnable, "b"}}},
};

TEST(DesiredStateTest, PluginIsFoundHoweverThePathOfItsFileIsWritten) {
  const TempDirectory directory;
  const std::filesystem::path file = directory.write("plugins/p.so", "content");
  DesiredState state;
  state.plugins.push_back(plugin({}));
  state.plugins.back().file = file;
  const std::filesystem::path folder = file.parent_path();
  std::filesystem::create_symlink(file, folder / "link.so");
  for (const std::filesystem::path& each :
       {file, folder / "../plugins/./p.so", folder / "link.so"}) {
    EXPECT_EQ(state.plugin_at(each), &state.plugins.front()) << each;
  }
  EXPECT_EQ(state.plugin_at(folder / "other.so"), nullptr);
  EXPECT_EQ(state.plugin_named("p"), &state.plugins.front());
  EXPECT_EQ(state.plugin_named("q"), nullptr);
}

TEST(ManifestDifferenceTest, OnlyWhatDiffersIsDone) {
  for (const StepsCase& each : kStepsCases) {
    const DesiredPlugin now = plugin(each.now);
    const DesiredPlugin wanted = plugin(each.wanted);
    EXPECT_EQ(steps_between(&now, &wanted), each.steps) << each.name;
  }
}

TEST(ManifestDifferenceTest, PluginsComeAndGo) {
  const DesiredPlugin some = plugin({on("a")});
  const DesiredPlugin idle = plugin({off("a")});
  EXPECT_THAT(steps_between(nullptr, &some), ElementsAre(PluginStep{Kind::kLoad, "p"}));
  EXPECT_THAT(steps_between(&some, nullptr), ElementsAre(PluginStep{Kind::kUnload, "p"}));
  EXPECT_THAT(steps_between(nullptr, &idle), IsEmpty());
  EXPECT_THAT(steps_between(&idle, nullptr), IsEmpty());
}

TEST(ManifestDifferenceTest, AnotherFileOrDigestWantedIsASwapAndAnotherContentIsNot) {
  const DesiredPlugin now = plugin({on("a")});
  DesiredPlugin wanted = now;
  wanted.digest = "e";
  EXPECT_THAT(steps_between(&now, &wanted), IsEmpty());
  wanted.file = "/q.so";
  EXPECT_THAT(steps_between(&now, &wanted), ElementsAre(PluginStep{Kind::kSwap, "p"}));
  wanted.file = now.file;
  wanted.sha256 = "e";
  EXPECT_THAT(steps_between(&now, &wanted), ElementsAre(PluginStep{Kind::kSwap, "p"}));
}

TEST(ManifestDifferenceTest, WhatAHostReadsOnlyAtItsStartIsNamed) {
  const Manifest now;
  EXPECT_THAT(fixed_settings_that_differ(now, now), IsEmpty());
  Manifest wanted;
  wanted.client.qps = 7;
  wanted.leader_election.ns = "other";
  wanted.quarantine.window = std::chrono::minutes(1);
  wanted.journal.bytes = 0;
  wanted.tracing.headers = {{"api-key", "another"}};
  wanted.swap = {.watch_for = std::chrono::seconds(30), .max_error_percent = 5};
  wanted.controllers = {"-a"};
  wanted.plugin_directories = {"/elsewhere"};
  EXPECT_THAT(fixed_settings_that_differ(now, wanted),
              ElementsAre("client.qps", "leaderElection.namespace", "tracing", "swap.watchFor",
                          "swap.maxErrorPercent", "quarantine.window", "journal.bytes"));
}

}  // namespace
}  // namespace davit::host
