/// Row GC91: more kinds than a controller could once follow.
#include "tests/support/many_kinds.hpp"

#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using test::ManyKinds;

class ManyKindsTest : public GarbageTest {
 protected:
  ManyKindsTest() {
    for (int i = 0; i < ManyKinds::kCount; ++i) {
      create_in("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", ManyKinds::definition(i),
                {});
    }
  }

  Thing create_of_kind(int i, const Thing& owner) {
    return create_in(ManyKinds::collection(i, "ns"),
                     ManyKinds::object(i, R"({"name":"NAME","ownerReferences":OWNERS})"),
                     "d" + std::to_string(i), {.owners = list({own(owner)})});
  }
};

// Issue 30, 3.6: the last two hundred were refused.
TEST_F(ManyKindsTest, GC91_ObjectsOfTheLastOf1200KindsAreCollected) {
  start();
  const Thing o = create("o");
  std::vector<Thing> dependents;
  for (int i = 99; i < ManyKinds::kCount; i += 100) dependents.push_back(create_of_kind(i, o));
  run();

  erase(o);
  run();

  for (const Thing& each : dependents) EXPECT_FALSE(exists(each)) << each.name;
  EXPECT_EQ(sync_errors(), 0);
}

}  // namespace
}  // namespace davit::garbage
