/// Row RQ64: more kinds than a controller could once follow.
#include "tests/support/many_kinds.hpp"

#include "tests/plugins/resourcequota/fixture.hpp"

namespace davit::resourcequota {
namespace {

using test::ManyKinds;

// Issue 30, 3.6: custom kinds took the places of the built-in ones that come later by name.
TEST_F(QuotaTest, RQ64_QuotasCountBuiltInKindsBeside1200CustomOnes) {
  for (int i = 0; i < ManyKinds::kCount; ++i) {
    ASSERT_EQ(send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                   ManyKinds::definition(i))
                  .http_status,
              201);
  }
  const int last = ManyKinds::kCount - 1;
  const std::string kind = "count/" + ManyKinds::plural(last) + "." + ManyKinds::group(last);
  add("storage.k8s.io/v1", "CSIStorageCapacity", "c", R"("storageClassName":"s")");
  cluster_.add(pod("p"));
  start();
  quota(R"({"pods":"5","count/csistoragecapacities.storage.k8s.io":"5",")" + kind + R"(":"5"})");
  ASSERT_EQ(
      send("POST", ManyKinds::collection(last, "t"), ManyKinds::object(last, R"({"name":"a"})"))
          .http_status,
      201);

  recalculate();

  EXPECT_EQ(used(), "count/csistoragecapacities.storage.k8s.io=1 " + kind + "=1 pods=1");
}

}  // namespace
}  // namespace davit::resourcequota
