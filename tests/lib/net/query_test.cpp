#include "lib/net/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(QueryTest, PairsAreTakenApartAndDecoded) {
  EXPECT_THAT(parse_query("verbose&exclude=a%20b+c&&x=1=2"),
              ElementsAre(Pair("verbose", ""), Pair("exclude", "a b c"), Pair("x", "1=2")));
  EXPECT_THAT(parse_query(""), ElementsAre());
}

TEST(QueryTest, PairsWithABrokenEscapeOrASemicolonAreDropped) {
  EXPECT_THAT(parse_query("a=%2&%zz=b&c=%&d=1;e=2&f=%3B"), ElementsAre(Pair("f", ";")));
}

}  // namespace
}  // namespace davit
