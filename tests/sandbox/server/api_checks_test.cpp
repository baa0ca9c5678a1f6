// The black-box checks that a real kube-apiserver passes, on the sandbox as a library.
#include <gtest/gtest.h>

#include "tests/support/sandbox_api.hpp"

namespace davit::sandbox {
namespace {

TEST(ApiChecksTest, HoldOnTheSandboxButForTheListedDifferences) {
  test::SandboxApi server;
  checks::Runner runner(server, checks::load_differences("sandbox"));

  for (const checks::Check& check : checks::load_checks()) {
    for (const std::string& each : runner.play(check)) ADD_FAILURE() << check.title << "\n" << each;
  }
}

}  // namespace
}  // namespace davit::sandbox
