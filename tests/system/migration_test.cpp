// A host that shares controllers with another component by a leader migration.
#include <gtest/gtest.h>

#include "tests/support/temp_directory.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

constexpr char kMigration[] = R"(apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: shared
controllerLeaders:
- {name: replicaset-controller, component: davit}
)";
constexpr char kManifest[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
leaderElection: {enableLeaderMigration: true, leaderMigrationConfig: migration.yaml}
health: {port: 0}
)";

// Issue 30, 1.10: it stayed a standby for ever, since nothing stood for the lease of the migration.
TEST(MigrationTest, AControllerOfTheMigrationThatIsLoadedLaterWorks) {
  TempDirectory directory;
  directory.write("migration.yaml", kMigration);
  WholeHost system(3);
  system.start({.directories = {DAVIT_DEPLOYMENT_DIRECTORY},
                .controllers = {"deployment-controller"},
                .manifest = directory.write("davit.yaml", kManifest),
                .election = WholeHostOptions::Election::kByManifest});

  const SwapReport loaded = system.host().load(DAVIT_REPLICASET_DIRECTORY "/replicaset.so");
  ASSERT_TRUE(loaded.ok()) << loaded.text;

  system.send(Verb::kCreate, deployment(""), web_deployment(2));
  system.await(deployment(""), rolled_out(2));
}

}  // namespace
}  // namespace davit::host
