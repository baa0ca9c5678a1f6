// The facts that the tables of upstream are made from must be those of a real release.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/process.hpp"

namespace davit::live {
namespace {

constexpr int kMinorOfTheTables = 36;

TEST(TablesLiveTest, DocumentsOfARealReleaseMakeTheFactsOfTheTree) {
  if (assets().empty()) GTEST_SKIP() << "needs KUBEBUILDER_ASSETS with kube-apiserver and etcd";
  ASSERT_EQ(server_minor(), kMinorOfTheTables) << "the tables are those of another release";
  std::vector<std::string> command = {"python3", "-B",       DAVIT_TABLES,
                                      "compare", "--assets", assets()};
  // The source of the release is seldom on a machine; without it the facts of the server are
  // compared only.
  if (const char* source = std::getenv("DAVIT_KUBERNETES_SOURCE")) {
    command.insert(command.end(), {"--source", source});
  }

  const Outcome outcome = run(command);

  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace davit::live
