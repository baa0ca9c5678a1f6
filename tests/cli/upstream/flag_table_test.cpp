#include "cli/upstream/flag_table.hpp"

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
  EXPECT_EQ(find_upstream_flag("concurrent-ephemeralvolume-syncs").reason(),
            "davit has no ephemeral-volume-controller");
  EXPECT_EQ(find_upstream_flag("cidr-allocator-type").reason(),
            "davit has no node-ipam-controller");
  EXPECT_EQ(find_upstream_flag("emulated-version").reason(), "davit behaves as v1.36");
}

TEST(FlagTableTest, ThePageIsMadeOfTheTable) {
  const Result<std::string> page = read_text_file(DAVIT_TESTS "/../docs/FLAGS.md");
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(*page, flags_page()) << "run: davit manifest flags > docs/FLAGS.md";
}

}  // namespace
}  // namespace davit::host
