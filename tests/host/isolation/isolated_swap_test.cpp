#include "host/isolation/isolated_swap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/isolation/sealed_file.hpp"
#include "lib/base/await_stop.hpp"
#include "lib/base/random.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using Begin = IsolatedProcessTerms::Begin;
using PluginPhase = IsolatedPluginState::Phase;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two builds of a plugin, which behave as their names say; see fake_child.cpp.
class IsolatedSwapTest : public testing::Test {
 protected:
  std::unique_ptr<IsolatedPlugin> open(const std::string& behaviour, Begin begin) {
    const std::filesystem::path program = directory_.path() / behaviour;
    std::filesystem::create_symlink(DAVIT_FAKE_CHILD, program);
    IsolatedPlugin::Terms terms;
    terms.process = {.program = program,
                     .landlock = LandlockNeed::kOptional,
                     .settings = {.plugin = behaviour,
                                  .path = "build.so",
                                  .sha256 = "",
                                  .controllers = {{"one", {}, ""}},
                                  .server = "https://10.0.0.1:6443",
                                  .tls_server_name = "",
                                  .ca = "",
                                  .manifest = ""},
                     .memory_bytes = 0,
                     .may_connect = [](const SocketAddress&) { return false; },
                     .begin = begin};
    terms.plugin = make_sealed_file("plugin", "content").value();
    terms.on_crash = [](const IsolatedProcessState&) {
      return IsolatedPlugin::Terms::Restart::kNo;
    };
    IsolatedProcessSeams seams{.clock = *clock_,
                               .log = Logger(sink_),
                               .token = [] { return Result<std::string>(std::string("token")); },
                               .dial = {},
                               .may_write_until = [] { return BootTime(); }};
    std::unique_ptr<IsolatedPlugin> made =
        IsolatedPlugin::open(std::move(terms), std::move(seams), *random_).value();
    made->lead();
    return made;
  }
  /// One that works, to be replaced.
  std::unique_ptr<IsolatedPlugin> open_old() {
    auto old = open("old_build", Begin::kAtOnce);
    EXPECT_TRUE(old->await_running(later()));
    await_line("begins plugin=old_build");
    return old;
  }
  IsolatedSwapReport swap(IsolatedPlugin& from, IsolatedPlugin& to) {
    return swap_processes(from, to, {{"one"}, std::chrono::minutes(1), *clock_});
  }
  [[nodiscard]] Time later() const { return clock_->now() + std::chrono::minutes(5); }
  /// The lines of children, without what is before their text.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const std::string& each : sink_.lines()) out.push_back(each.substr(each.find(": ") + 2));
    return out;
  }
  void await_line(const std::string& line) const {
    const auto has_come = [&] {
      const std::vector<std::string> all = lines();
      return std::find(all.begin(), all.end(), line) != all.end();
    };
    while (!has_come())
      (void)await_stop(*clock_, clock_->now() + std::chrono::milliseconds(10), {});
  }

  TempDirectory directory_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::RecordingLogSink sink_;
};

TEST_F(IsolatedSwapTest, NextBuildReadsTheStateAndBeginsAfterTheOldOneHasEnded) {
  const auto from = open_old();
  const auto to = open("new_build", Begin::kOnOrder);
  const IsolatedSwapReport report = swap(*from, *to);

  ASSERT_TRUE(report.status.ok()) << report.status.message();
  EXPECT_EQ(report.state_bytes, 5U);
  EXPECT_THAT(report.state_left, IsEmpty());
  EXPECT_EQ(from->state().phase, PluginPhase::kStopped);
  EXPECT_EQ(from->state().process.why_ended, "");
  await_line("begins plugin=new_build");
  EXPECT_THAT(lines(),
              ElementsAre("begins plugin=old_build", "reads seven in format 3 plugin=new_build",
                          "begins plugin=new_build"));
}

TEST_F(IsolatedSwapTest, NextBuildThatTakesNoStateIsNamed) {
  const auto from = open_old();
  const auto to = open("build_without_state", Begin::kOnOrder);
  const IsolatedSwapReport report = swap(*from, *to);
  EXPECT_TRUE(report.status.ok()) << report.status.message();
  EXPECT_THAT(report.state_left, ElementsAre("one"));
  EXPECT_EQ(report.state_bytes, 0U);
}

TEST_F(IsolatedSwapTest, OldBuildServesIfTheNextOneRefusesTheState) {
  const auto from = open_old();
  const auto to = open("refusing_build", Begin::kOnOrder);
  const IsolatedSwapReport report = swap(*from, *to);
  EXPECT_EQ(report.status.message(), "controller one: the new build: too\\x0aold");
  EXPECT_EQ(from->state().phase, PluginPhase::kRunning);
  await_line("resumes plugin=old_build");
}

TEST_F(IsolatedSwapTest, OldBuildServesIfTheNextOneCannot) {
  const auto from = open_old();
  const auto to = open("fails", Begin::kOnOrder);
  const IsolatedSwapReport report = swap(*from, *to);
  EXPECT_THAT(report.status.message(),
              HasSubstr("the new build does not serve: it cannot serve: no server"));
  EXPECT_EQ(from->state().phase, PluginPhase::kRunning);
  EXPECT_THAT(lines(), testing::Contains("begins plugin=old_build"));
}

TEST_F(IsolatedSwapTest, ProcessThatRunsIsAskedAndItsMetricsAreRead) {
  const auto plugin = open("new_build", Begin::kAtOnce);
  ASSERT_TRUE(plugin->await_running(later()));
  const Result<Answered> page =
      plugin->ask({.text = "/debug/why", .answer_bytes_max = 100}, later());
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->body, "page /debug/why");
  while (plugin->metrics().empty()) {
    (void)await_stop(*clock_, clock_->now() + std::chrono::milliseconds(10), {});
  }
  EXPECT_EQ(plugin->metrics(), "page /metrics");

  plugin->stop();
  EXPECT_EQ(plugin->ask({.text = "/x", .answer_bytes_max = 100}, later()).error().code(),
            Code::kUnavailable);
  EXPECT_EQ(plugin->metrics(), "");
}

}  // namespace
}  // namespace davit::host
