#include "host/config/plugin_signatures.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

TEST(PluginVersionTest, VersionsAreOrderedAsSemanticVersions) {
  constexpr const char* kAscending[] = {"0.9",
                                        "1.0.0-alpha",
                                        "1.0.0-alpha.1",
                                        "1.0.0-beta.2",
                                        "1.0.0-beta.11",
                                        "1.0.0~rc.1",
                                        "1.0.0",
                                        "1.0.1",
                                        "1.2",
                                        "v1.10",
                                        "2",
                                        "18446744073709551617"};
  for (std::size_t i = 0; i < std::size(kAscending); ++i) {
    for (std::size_t j = 0; j < std::size(kAscending); ++j) {
      EXPECT_EQ(compare_versions(kAscending[i], kAscending[j]), i <=> j)
          << kAscending[i] << " and " << kAscending[j];
    }
  }
}

TEST(PluginVersionTest, MissingNumbersAreZeroAndTheBuildDoesNotCount) {
  EXPECT_EQ(compare_versions("1.0", "1.0.0"), std::strong_ordering::equal);
  EXPECT_EQ(compare_versions("1.01+a", "1.1+b"), std::strong_ordering::equal);
}

TEST(PluginVersionTest, OtherFormsHaveNoOrder) {
  for (const char* text : {"", "v", "new", "1.", "1..2", "1-", "1:2", ".1"}) {
    EXPECT_EQ(compare_versions(text, "1"), std::nullopt) << text;
    EXPECT_EQ(compare_versions("1", text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace davit::host
