#include "host/health/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(QueryTest, PairsAreTakenApartAndDecoded) {
  EXPECT_THAT(parse_query("verbose&exclude=a%20b+c&&x=1=2"),
              ElementsAre(Pair("verbose", ""), Pair("exclude", "a b c"), Pair("x", "1=2")));
  EXPECT_THAT(parse_query(""), ElementsAre());
}

TEST(QueryTest, BrokenEscapesStayAsTheyAre) {
  EXPECT_THAT(parse_query("a=%2&b=%zz&c=%"),
              ElementsAre(Pair("a", "%2"), Pair("b", "%zz"), Pair("c", "%")));
}

}  // namespace
}  // namespace davit::host
