#include "lib/net/accept.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string_view> types_of(std::string_view header) {
  std::vector<std::string_view> out;
  for (const AcceptEntry& each : parse_accept(header)) out.push_back(each.type);
  return out;
}

TEST(AcceptTest, NothingMeansAnything) {
  EXPECT_THAT(types_of(""), ElementsAre("*/*"));
  EXPECT_THAT(types_of("  "), ElementsAre("*/*"));
}

TEST(AcceptTest, EntriesStandInTheOrderOfTheirQuality) {
  EXPECT_THAT(types_of("a/a;q=0.1, b/b;q=0.9, c/c"), ElementsAre("c/c", "b/b", "a/a"));
  EXPECT_THAT(types_of("a/a,b/b"), ElementsAre("a/a", "b/b"));
  EXPECT_THAT(types_of("a/a;q=0"), IsEmpty());
  EXPECT_THAT(types_of("a/a;q=x,b/b;q=9"), ElementsAre("a/a", "b/b"));
}

TEST(AcceptTest, WildcardsComeLastAmongEquals) {
  EXPECT_THAT(types_of("*/*, a/*, a/a"), ElementsAre("a/a", "a/*", "*/*"));
}

TEST(AcceptTest, ParametersAreTakenApart) {
  const auto entries =
      parse_accept("application/json ; as=Table;v=v1; g=meta.k8s.io;pretty=1;q=0.5");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].as, "Table");
  EXPECT_EQ(entries[0].version, "v1");
  EXPECT_EQ(entries[0].group, "meta.k8s.io");
  EXPECT_TRUE(entries[0].pretty);
  EXPECT_EQ(entries[0].quality, 500);
  EXPECT_EQ(entries[0].text, "application/json ; as=Table;v=v1; g=meta.k8s.io;pretty=1");
}

TEST(AcceptTest, WildcardsTakeTypes) {
  EXPECT_TRUE(parse_accept("application/*")[0].takes("application/json"));
  EXPECT_FALSE(parse_accept("text/*")[0].takes("application/json"));
  EXPECT_TRUE(parse_accept("*")[0].takes("application/json"));
}

TEST(AcceptTest, NonsenseIsRejectedOrTakesNothing) {
  for (const char* header : {",", ";;;", ";q=", "=,=;=", "a;q=1;q=0.2;b", "q=0.5"}) {
    for (const AcceptEntry& each : parse_accept(header)) {
      EXPECT_FALSE(each.takes("application/json")) << header;
    }
  }
}

}  // namespace
}  // namespace davit::sandbox
