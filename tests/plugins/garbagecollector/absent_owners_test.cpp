#include "plugins/garbagecollector/absent_owners.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/plugins/garbagecollector/graph_builder.hpp"

namespace davit::garbage {
namespace {

TEST(AbsentOwnersTest, AnOwnerIsFoundInItsNamespaceAndWithoutOne) {
  AbsentOwners absent;
  absent.add(object("a"));
  absent.add(object("b", ""));
  EXPECT_TRUE(absent.contains(reference("a"), "ns"));
  EXPECT_FALSE(absent.contains(reference("a"), "elsewhere"));
  EXPECT_TRUE(absent.contains(reference("b"), "ns"));
  EXPECT_TRUE(absent.contains(reference("b"), "elsewhere"));
  Reference other_kind = reference("a");
  other_kind.kind = "Secret";
  EXPECT_FALSE(absent.contains(other_kind, "ns"));
}

TEST(AbsentOwnersTest, TheOwnerThatWasUnusedForLongestGivesWay) {
  AbsentOwners absent;
  for (std::size_t i = 0; i < AbsentOwners::kMax; ++i) absent.add(object(std::to_string(i)));
  ASSERT_TRUE(absent.contains(reference("0"), "ns")) << "a use";
  absent.add(object("new"));
  EXPECT_TRUE(absent.contains(reference("0"), "ns"));
  EXPECT_FALSE(absent.contains(reference("1"), "ns"));
  EXPECT_TRUE(absent.contains(reference("new"), "ns"));
}

TEST(AbsentOwnersTest, AnOwnerThatIsSeenIsForgottenUnderEachOfItsNames) {
  AbsentOwners absent;
  Identity other_version = object("a");
  other_version.api_version = "v2";
  for (const Identity& each : {object("a"), object("a", ""), other_version, object("b")}) {
    absent.add(each);
  }
  absent.forget("a-uid");
  absent.forget("never-seen");
  EXPECT_FALSE(absent.contains(reference("a"), "ns"));
  EXPECT_FALSE(absent.contains({"v2", "ConfigMap", "a", "a-uid"}, "ns"));
  EXPECT_TRUE(absent.contains(reference("b"), "ns"));
}

}  // namespace
}  // namespace davit::garbage
