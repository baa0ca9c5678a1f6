// The black-box checks on a real kube-apiserver: what the sandbox is measured against.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

TEST(ApiChecks, HoldOnARealServerButForTheListedDifferences) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane plane;
  HttpApi server(plane.server(), plane.ca_file(), [&plane] {
    plane.compact();
    plane.stop_apiserver(SIGTERM);
    plane.start_apiserver();
  });
  const std::string release = server_release();
  checks::Runner runner(server, checks::load_differences(release));

  for (const checks::Check& check : checks::load_checks()) {
    if (!checks::knows(release, check)) continue;
    for (const std::string& each : runner.play(check)) ADD_FAILURE() << check.title << "\n" << each;
  }
}

TEST(ApiChecks, HoldOnTheSandboxAsAProgram) {
  Sandbox sandbox({"--nodes=0", "--controllers=events"});  // Nothing else that writes by itself.
  HttpApi server(sandbox.server(), sandbox.ca_file(), [] {});
  checks::Runner runner(server, checks::load_differences("sandbox-program"));

  for (const checks::Check& check : checks::load_checks()) {
    for (const std::string& each : runner.play(check)) ADD_FAILURE() << check.title << "\n" << each;
  }
}

}  // namespace
}  // namespace davit::live
