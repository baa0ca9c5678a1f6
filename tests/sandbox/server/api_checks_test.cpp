// The black-box checks that a real kube-apiserver passes, on the sandbox as a library.
#include <gtest/gtest.h>

#include <algorithm>

#include "sandbox/kinds/resource.hpp"
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

/// Whether some check makes objects of `resource`.
bool is_checked(const std::vector<checks::Check>& all, const Resource& resource) {
  const std::string group_version =
      (resource.group.empty() ? "/api/" : "/apis/") + resource.api_version();
  return std::ranges::any_of(all, [&](const checks::Check& check) {
    const auto is = [&](const std::string& name, const std::string& value) {
      return std::ranges::find(check.variables, std::pair(name, value)) != check.variables.end();
    };
    return is("discovery", group_version) && is("plural", resource.name);
  });
}

TEST(ApiChecksTest, EveryStoredResourceIsInTheListOfAllKinds) {
  const std::vector<checks::Check> all = checks::load_checks();
  for (const ResourcePtr& each : builtin_resources()) {
    if (std::ranges::find(each->verbs, "watch") == each->verbs.end()) continue;
    EXPECT_TRUE(is_checked(all, *each)) << each->qualified_name() << " of " << each->api_version();
  }
}

}  // namespace
}  // namespace davit::sandbox
