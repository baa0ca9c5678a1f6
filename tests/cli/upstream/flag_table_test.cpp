#include "host/upstream/flag_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/upstream/flags_page.hpp"
#include "lib/base/text_file.hpp"

namespace davit::host {
namespace {

TEST(FlagTableTest, NoFlagStandsTwiceAndUnderscoresAreDashes) {
  std::set<std::string_view> names;
  for (const FlagGroup& group : upstream_flag_groups()) {
    for (const UpstreamFlag& flag : group.flags) {
      EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    }
  }
  EXPECT_TRUE(find_upstream_flag("concurrent_rc_syncs"));
  EXPECT_FALSE(find_upstream_flag("concurrent-rc"));
}

TEST(FlagTableTest, AFlagWithoutEffectHasAReason) {
  EXPECT_EQ(find_upstream_flag("emulated-version").reason(), "davit behaves as v1.36");
}

TEST(FlagTableTest, EachControllerThatDavitLacksSaysWhatStopsWithoutIt) {
  for (const UpstreamController& each : upstream_controllers()) {
    EXPECT_EQ(each.plugin.empty(), !each.stops.empty()) << each.name;
  }
}

TEST(FlagTableTest, AFlagOfAMissingControllerNamesIt) {
  const auto missing = [](std::string_view flag) {
    const UpstreamController* const found = find_upstream_flag(flag).missing();
    return found == nullptr ? std::string_view() : found->name;
  };
  EXPECT_EQ(missing("concurrent-service-syncs"), "") << "davit has it";
  EXPECT_EQ(missing("emulated-version"), "") << "a generic flag";
  EXPECT_EQ(missing("concurrent-job-syncs"), "") << "davit has it";
  EXPECT_EQ(missing("log-dir"), "") << "no controller's";
  for (const FlagGroup& group : upstream_flag_groups()) {
    for (const UpstreamFlag& flag : group.flags) {
      const UpstreamController* const found = find_upstream_flag(flag.name).missing();
      EXPECT_TRUE(found == nullptr || found->plugin.empty())
          << flag.name << " is called missing, and davit has " << found->name;
      if (flag.use == FlagUse::kTaken || !flag.note.empty()) continue;
      EXPECT_NE(missing(flag.name), "") << flag.name << " has neither a controller nor a reason";
    }
  }
}

TEST(FlagTableTest, ThePageIsMadeOfTheTable) {
  const Result<std::string> page = read_text_file(DAVIT_TESTS "/../docs/FLAGS.md");
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(*page, flags_page()) << "run: davit manifest flags > docs/FLAGS.md";
}

}  // namespace
}  // namespace davit::host
