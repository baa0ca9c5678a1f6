#include "lib/kube/validation/field_path.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

TEST(FieldPathTest, IsWrittenAsTheApiWritesIt) {
  const FieldPath spec("spec");
  const FieldPath containers = spec.child("containers");
  const FieldPath container = containers.index(2);
  const FieldPath limits = container.child("resources.limits");

  EXPECT_EQ(limits.key("cpu").text(), "spec.containers[2].resources.limits[cpu]");
  EXPECT_EQ(container.text("name"), "spec.containers[2].name");
  EXPECT_EQ(FieldPath().text("data"), "data");
}

}  // namespace
}  // namespace davit
