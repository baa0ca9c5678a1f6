#include "lib/cel/types.hpp"

#include <gtest/gtest.h>

#include "lib/cel/declarations.hpp"
#include "lib/cel/field_names.hpp"
#include "lib/cel/range.hpp"

namespace davit::cel {
namespace {

TEST(TypesTest, LiteralsReadWhatMessagesShow) {
  for (const char* each : {"int", "list(map(string, dyn))", "type(bool)", "null"}) {
    EXPECT_EQ(to_text(*type_literal(each)), each);
  }
  EXPECT_EQ(to_text(*type_literal("optional(IP)")), "optional_type(net.IP)");
  EXPECT_EQ(to_text(*type_literal("list(Quantity)")), "list(kubernetes.Quantity)");
}

TEST(TypesTest, FunctionsHaveTheirOverloadsInOrder) {
  const std::vector<Overload>* index = find_function("_[_]");
  ASSERT_NE(index, nullptr);
  EXPECT_EQ(index->front().id, "index_list");
  EXPECT_TRUE(index->front().generic);
  EXPECT_EQ(find_function("_<_")->size(), 14U);
  EXPECT_EQ(find_function("sort")->size(), 8U);
  EXPECT_EQ(find_function("startsWith")->front().style, Overload::Style::kMember);
  EXPECT_EQ(find_function("startswith"), nullptr);
}

TEST(TypesTest, FieldsHaveTheNamesThatExpressionsUse) {
  EXPECT_EQ(escaped_field("name"), "name");
  EXPECT_EQ(escaped_field("a-b.c/d"), "a__dash__b__dot__c__slash__d");
  EXPECT_EQ(escaped_field("a__b"), "a__underscores__b");
  EXPECT_EQ(escaped_field("namespace"), "__namespace__");
  EXPECT_EQ(escaped_field("_x_"), "_x_");
  EXPECT_EQ(escaped_field("1st"), std::nullopt);
  EXPECT_EQ(escaped_field("a$b"), std::nullopt);
  EXPECT_EQ(escaped_field(""), std::nullopt);
}

TEST(TypesTest, RangesStopAtTheLargestNumber) {
  const Range unknown;
  EXPECT_EQ((unknown + exactly(1)), (Range{1, kUnbounded}));
  EXPECT_EQ((unknown * exactly(2)).max, kUnbounded);
  EXPECT_EQ(scaled(exactly(15), 0.1), exactly(2));
  EXPECT_EQ(scaled(unknown, 2).max, kUnbounded);
}

}  // namespace
}  // namespace davit::cel
