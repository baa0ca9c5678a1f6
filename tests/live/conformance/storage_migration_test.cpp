/// StorageVersionMigrations on `davit sandbox` with its plugins. Needs kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

std::string migration(const std::string& name, const std::string& resource) {
  return R"({"apiVersion":"storagemigration.k8s.io/v1beta1","kind":"StorageVersionMigration",
      "metadata":{"name":")" +
         name + R"("},"spec":{"resource":{"group":"","resource":")" + resource + R"("}}})";
}

TEST(StorageMigrationTest, AMigrationSucceedsOnASandboxWithItsGate) {
  Sandbox sandbox({"--controllers=*", "--feature-gates=StorageVersionMigrator=true"});
  const Outcome made = sandbox.kubectl({"create", "configmap", "c", "--from-literal=a=b"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Outcome created = sandbox.kubectl({"create", "-f", "-"}, migration("m", "configmaps"));
  ASSERT_EQ(created.code, 0) << created.err;

  const auto condition = [&sandbox](const std::string& type) {
    return sandbox
        .kubectl({"get", "storageversionmigration", "m",
                  R"(-o=jsonpath={.status.conditions[?(@.type==")" + type + R"(")].status})"})
        .out;
  };
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return condition("Succeeded") == "True" && condition("Running") == "False";
  })) << sandbox.output();

  const Outcome changed = sandbox.kubectl({"replace", "-f", "-"}, migration("m", "secrets"));
  EXPECT_NE(changed.code, 0);
  EXPECT_THAT(changed.err, HasSubstr("field is immutable"));
}

TEST(StorageMigrationTest, WithoutItsGateTheSandboxDoesNotHaveTheKind) {
  Sandbox sandbox;
  EXPECT_NE(sandbox.kubectl({"get", "storageversionmigrations"}).code, 0);
}

}  // namespace
}  // namespace davit::live
