#include "host/config/leader_migration.hpp"

#include <gmock/gmock.h>

namespace davit::host {
namespace {

using testing::ElementsAre;

std::vector<std::string> mistakes_of(const std::string& text) {
  std::vector<std::string> out;
  for (const Mistake& each : parse_leader_migration(text, "m.yaml").mistakes) {
    out.push_back(each.str());
  }
  return out;
}

std::string migration_head(const std::string& version) {
  return "apiVersion: controllermanager.config.k8s.io/" + version +
         "\nkind: LeaderMigrationConfiguration\nleaderName: shared\n";
}

TEST(LeaderMigrationTest, EachControllerHasALeaseHO060) {
  const LeaderMigrationResult result = parse_leader_migration(
      migration_head("v1") +
          "controllerLeaders:\n- {name: a, component: davit}\n- {name: b, component: '*'}\n"
          "- {name: c, component: kube-controller-manager}\n",
      "m.yaml");

  ASSERT_THAT(result.mistakes, testing::IsEmpty());
  EXPECT_EQ(result.migration.leader_name, "shared");
  EXPECT_EQ(result.migration.lease_of("a", "davit"), ControllerLease::kMigration);
  EXPECT_EQ(result.migration.lease_of("b", "davit"), ControllerLease::kMigration);
  EXPECT_EQ(result.migration.lease_of("c", "davit"), ControllerLease::kElsewhere);
  EXPECT_EQ(result.migration.lease_of("c", "kube-controller-manager"), ControllerLease::kMigration);
  EXPECT_EQ(result.migration.lease_of("d", "davit"), ControllerLease::kMain);
}

TEST(LeaderMigrationTest, AllVersionsOfUpstreamAreRead) {
  EXPECT_THAT(mistakes_of(migration_head("v1beta1") + "resourceLock: leases\n"),
              testing::IsEmpty());
  EXPECT_THAT(mistakes_of(migration_head("v1alpha1") + "resourceLock: leases\n"),
              testing::IsEmpty());
  EXPECT_THAT(mistakes_of(migration_head("v2")), testing::SizeIs(1));
}

TEST(LeaderMigrationTest, MistakesNameFileLineAndFieldHO059) {
  EXPECT_THAT(
      mistakes_of(migration_head("v1") + "foo: 1\n"),
      ElementsAre("m.yaml:4:1: unknown key \"foo\" (allowed: apiVersion, controllerLeaders, "
                  "kind, leaderName)"));
  EXPECT_THAT(mistakes_of(migration_head("v1alpha1") + "resourceLock: endpoints\n"),
              ElementsAre("m.yaml:4:15: resourceLock must be one of leases, not the string "
                          "\"endpoints\""));
  EXPECT_THAT(mistakes_of(migration_head("v1") + "controllerLeaders:\n- {name: a}\n"),
              ElementsAre("m.yaml:5:3: controllerLeaders[0].component is missing"));
  EXPECT_THAT(mistakes_of(migration_head("v1") + "leaderName: twice\n"), testing::SizeIs(1));
}

}  // namespace
}  // namespace davit::host
