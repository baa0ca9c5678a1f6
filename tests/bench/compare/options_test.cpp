#include "bench/compare/options.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace davit::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Options> parse(const std::vector<std::string_view>& arguments) {
  return parse_options(arguments);
}

TEST(CompareOptionsTest, WithoutFlagsAllRoundsRunThreeTimes) {
  const Result<Options> options = parse({});

  ASSERT_TRUE(options);
  EXPECT_EQ(options->rounds.size(), std::size(kRounds));
  EXPECT_EQ(options->repeat, 3);
}

TEST(CompareOptionsTest, FlagsSetNumbersRoundsAndTheChart) {
  const Result<Options> options = parse({"--repeat=1", "--watched-nodes=7", "--rounds=whole,start",
                                         "--chart=out.svg", "--write-window=0s", "--delays=yes"});

  ASSERT_TRUE(options);
  EXPECT_EQ(options->repeat, 1);
  EXPECT_EQ(options->watched_nodes, 7);
  EXPECT_THAT(options->rounds, ElementsAre("start", "whole"));
  EXPECT_EQ(options->chart, "out.svg");
  EXPECT_EQ(options->write_window, "0s");
  EXPECT_TRUE(options->delays);
}

struct MistakeCase {
  std::string_view argument;
  const char* message;
};

constexpr MistakeCase kMistakes[] = {
    {"--podz=3",
     "unknown flag --podz; the flags are --rounds, --chart, --write-window, --delays, --repeat, "
     "--pods"},
    {"--pods", "write --pods as --name=value"},
    {"--pods=many", "--pods must be a number from 1 to 1000000, not \"many\""},
    {"--pods=5x", "not \"5x\""},
    {"--pods=", "not \"\""},
    {"--repeat=0", "--repeat must be a number from 1 to 100, not \"0\""},
    {"--qps=99999999999", "not \"99999999999\""},
    {"--rounds=rollouts", "no round \"rollouts\"; give a list with commas of start, fill, rollout"},
    {"--rounds=start,", "no round \"\""},
    {"--chart=", "--chart needs a file name"},
    {"--delays=maybe", "--delays must be yes or no, not \"maybe\""},
    {"--write-window=long", "--write-window must be a duration such as 100ms, not \"long\""},
};

TEST(CompareOptionsTest, AMistakeNamesTheFlagAndWhatItMayBe) {
  for (const MistakeCase& each : kMistakes) {
    const Result<Options> options = parse({each.argument});

    ASSERT_FALSE(options) << each.argument;
    EXPECT_EQ(options.error().code(), Code::kInvalid);
    EXPECT_THAT(options.error().message(), HasSubstr(each.message));
  }
}

}  // namespace
}  // namespace davit::bench
