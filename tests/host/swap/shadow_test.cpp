// A build that runs beside the one that serves, and writes nothing.
#include "host/swap/shadow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ShadowTest : public SwapTest {
 protected:
  /// A sync of v1 that the begin of a shadow finds under way would be counted, and its writes not.
  void start() {
    SwapTest::start();
    while (set_->serving().state().plugins[0].controllers[0].syncs.syncs == 0) {
      std::this_thread::yield();
    }
  }
  /// A shadow of `build` begins.
  ShadowReport begin(const std::string& build) {
    place(build);
    return set_->shadows().start({"sample", file()});
  }
  /// Until both have made so many syncs since the begin; then all that they meant counts.
  ShadowReport compare(std::size_t syncs) {
    for (;;) {
      ShadowReport report = set_->shadows().compare("sample");
      const ShadowDifference& all = report.difference;
      if (!report.ok() || (all.serving.syncs >= syncs && all.shadow.syncs >= syncs)) {
        clock_.advance(std::chrono::minutes(1));
        return set_->shadows().compare("sample");
      }
      std::this_thread::yield();
    }
  }
  static std::vector<std::string> objects(const ShadowDifference::Side& side) {
    std::vector<std::string> out;
    for (const IntendedWrite& each : side.only) out.push_back(each.verb + " " + each.object);
    return out;
  }
  [[nodiscard]] std::size_t of_other_builds(const std::string& build) const {
    std::size_t count = 0;
    for (const std::string& name : asked()) count += name.starts_with(build + "-") ? 0 : 1;
    return count;
  }
};

TEST_F(ShadowTest, TheSameBuildMeansTheSame) {
  start();
  const ShadowReport begun = begin("v1");
  ASSERT_TRUE(begun.ok()) << begun.text;
  EXPECT_EQ(begun.keys, 1U);
  add_pod("b");

  const ShadowReport report = compare(2);

  EXPECT_THAT(objects(report.difference.serving), IsEmpty());
  EXPECT_THAT(objects(report.difference.shadow), IsEmpty());
  EXPECT_EQ(report.difference.alike, 2U);
  EXPECT_EQ(report.difference.pending, 0U);
}

TEST_F(ShadowTest, AnotherBuildShowsExactlyTheWritesThatDifferAndSendsNone) {
  start();
  ASSERT_TRUE(begin("v2").ok());
  add_pod("b");

  const ShadowReport report = compare(2);

  EXPECT_THAT(objects(report.difference.serving),
              ElementsAre("create default/v1-a", "create default/v1-b"));
  EXPECT_THAT(objects(report.difference.shadow),
              ElementsAre("create default/v2-a", "create default/v2-b"));
  EXPECT_EQ(report.difference.alike, 0U);
  EXPECT_EQ(report.from.version, "v1");
  EXPECT_EQ(report.to.version, "v2");
  EXPECT_EQ(of_other_builds("v1"), 0U) << "nothing of the shadow reaches the server";
}

TEST_F(ShadowTest, ABuildThatMeansNothingLacksWhatTheOtherWrites) {
  start();
  ASSERT_TRUE(begin("quiet").ok());
  const ShadowReport report = compare(1);
  EXPECT_THAT(objects(report.difference.serving), ElementsAre("create default/v1-a"));
  EXPECT_THAT(objects(report.difference.shadow), IsEmpty());
}

TEST_F(ShadowTest, WhatIsTooNewIsNotADifferenceYet) {
  start();
  ASSERT_TRUE(begin("v2").ok());
  for (;;) {
    const ShadowDifference now = set_->shadows().compare("sample").difference;
    EXPECT_THAT(objects(now.shadow), IsEmpty());
    if (now.pending == 2) break;
    std::this_thread::yield();
  }
}

TEST_F(ShadowTest, CommitIsASwapForTheBuildInTheShadow) {
  start();
  ASSERT_TRUE(begin("v2").ok());
  ASSERT_TRUE(set_->serving().state().plugins[0].shadow);

  const SwapReport report = set_->commit_shadow("sample");

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.to.version, "v2");
  EXPECT_EQ(set_->serving().state().plugins[0].build.version, "v2");
  EXPECT_FALSE(set_->serving().state().plugins[0].shadow);
  EXPECT_THAT(set_->serving().state().residents, IsEmpty());
  add_pod("b");
  transport_.await_requests(2);
}

TEST_F(ShadowTest, CommitOfAFileThatIsAnotherByNowIsRefused) {
  start();
  ASSERT_TRUE(begin("v2").ok());
  place("quiet");
  const SwapReport report = set_->commit_shadow("sample");
  EXPECT_EQ(report.outcome, SwapOutcome::kRefused);
  EXPECT_EQ(set_->serving().state().plugins[0].build.version, "v1");
}

TEST_F(ShadowTest, DropLeavesNothingBehind) {
  start();
  ASSERT_TRUE(begin("v2").ok());

  const SwapReport dropped = set_->shadows().drop("sample");

  EXPECT_TRUE(dropped.ok()) << dropped.text;
  EXPECT_EQ(dropped.resident, "");
  EXPECT_THAT(set_->serving().state().residents, IsEmpty());
  EXPECT_EQ(set_->shadows().compare("sample").outcome, SwapOutcome::kUnknown);
  EXPECT_EQ(set_->shadows().drop("sample").outcome, SwapOutcome::kUnknown);
  EXPECT_EQ(set_->serving().state().plugins[0].build.version, "v1");
  ASSERT_TRUE(begin("v2").ok()) << "another one may begin";
}

TEST_F(ShadowTest, EveryChangeOfThePluginEndsItsShadow) {
  start();
  ASSERT_TRUE(begin("v2").ok());
  ASSERT_TRUE(swap().ok());
  EXPECT_EQ(set_->shadows().compare("sample").outcome, SwapOutcome::kUnknown);
  ASSERT_TRUE(begin("v1").ok());
  ASSERT_TRUE(set_->unload("sample").ok());
  EXPECT_EQ(set_->shadows().compare("sample").outcome, SwapOutcome::kUnknown);
  EXPECT_THAT(set_->serving().state().residents, IsEmpty());
}

struct RefusedCase {
  const char* build;
  SwapOutcome outcome;
};
constexpr RefusedCase kRefusedCases[] = {
    {"init_fails", SwapOutcome::kInitFailed},
    {"renamed", SwapOutcome::kLacksController},
    {"other_plugin", SwapOutcome::kOtherPlugin},
};

TEST_F(ShadowTest, ABuildThatCouldNotBeSwappedInCastsNoShadow) {
  start();
  for (const RefusedCase& each : kRefusedCases) {
    EXPECT_EQ(begin(each.build).outcome, each.outcome) << each.build;
    EXPECT_FALSE(set_->serving().state().plugins[0].shadow) << each.build;
  }
  EXPECT_EQ(set_->shadows().start({"nobody", file()}).outcome, SwapOutcome::kUnknown);
  ASSERT_TRUE(begin("v2").ok());
  EXPECT_EQ(begin("v2").outcome, SwapOutcome::kBusy) << "one at a time";
  EXPECT_EQ(set_->serving().state().plugins[0].build.version, "v1");
}

TEST_F(ShadowTest, AShadowMayReadMoreThanTheCachesKept) {
  start();
  ASSERT_TRUE(begin("wider").ok());
  const ShadowReport report = compare(1);
  EXPECT_THAT(objects(report.difference.shadow), ElementsAre("create default/v2-a-n1"));
  EXPECT_THAT(objects(report.difference.serving), ElementsAre("create default/v1-a"));
}

TEST_F(ShadowTest, SyncsThatFailInTheShadowAreCountedAndHarmNothing) {
  start();
  ASSERT_TRUE(begin("sync_fails").ok());
  const ShadowReport report = compare(1);
  EXPECT_GE(report.difference.shadow.failed, 1U);
  EXPECT_EQ(report.difference.serving.failed, 0U);
  EXPECT_THAT(objects(report.difference.serving), ElementsAre("create default/v1-a"));
}

struct MomentCase {
  const char* name;
  const char* body;
  const char* without;
};
constexpr MomentCase kMomentCases[] = {
    {"Nothing", R"({"a":"b"})", R"({"a":"b"})"},
    {"Time", R"({"t":"2026-01-02T03:04:05Z"})", R"({"t":"<time>"})"},
    {"MicroTime", R"({"t":"2026-01-02T03:04:05.123456Z","u":1})", R"({"t":"<time>","u":1})"},
    {"NoTime", R"({"t":"2026-01-02"})", R"({"t":"2026-01-02"})"},
    {"Version", R"({"metadata":{"resourceVersion":"17"}})",
     R"({"metadata":{"resourceVersion":"*"}})"},
    {"CutInAVersion", R"({"resourceVersion":"1)", R"({"resourceVersion":"*")"},
    {"CutInATime", R"("2026-01-02T03:04:05)", R"("<time>")"},
};

TEST(IntendedWritesTest, WhatEachMomentChangesIsNotADifference) {
  for (const MomentCase& each : kMomentCases) {
    EXPECT_EQ(without_moments(each.body), each.without) << each.name;
  }
}

TEST(IntendedWritesTest, WritesAreNamedAndBounded) {
  ApiRequest patch;
  patch.verb = Verb::kPatch;
  patch.path = {"apps", "v1", "replicasets", "status", "default", "web"};
  patch.body = std::string(10'000, 'x');
  const IntendedWrite write = intended_write(patch, "web");
  EXPECT_EQ(write.verb + "|" + write.resource + "|" + write.object,
            "patch|apps/v1 replicasets/status|default/web");
  EXPECT_LT(write.content.size(), 3000U);
  patch.body.back() = 'y';
  EXPECT_NE(write, intended_write(patch, "web")) << "they differ beyond the cut";

  patch.body = "{}";
  IntendedWrites writes;
  writes.begin(IntendedWrites::Mode::kRecord);
  for (int i = 0; i < 5000; ++i) writes.note(intended_write(patch, std::to_string(i)), Time{});
  EXPECT_EQ(writes.content().writes.size() + writes.content().beyond, 5000U);
  EXPECT_GT(writes.content().beyond, 0U);
}

TEST(IntendedWritesTest, BodiesOfSecretsAreComparedAndNotShown) {
  ApiRequest create;
  create.verb = Verb::kCreate;
  create.path = {"", "v1", "secrets", "", "default", ""};
  create.body = R"({"data":{"password":"aHVudGVyMg=="}})";
  const IntendedWrite one = intended_write(create, "s");
  EXPECT_EQ(one.content, "(confidential)");
  EXPECT_EQ(one, intended_write(create, "s"));
  create.body = R"({"data":{"password":"c3dvcmRmaXNo"}})";
  EXPECT_NE(one, intended_write(create, "s"));
}

}  // namespace
}  // namespace davit::host
