// Objects that nothing acts on.
#include <gtest/gtest.h>

#include <string>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";
const std::string kJob = R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},
    "spec":{"template":{"spec":{"restartPolicy":"Never","containers":[
        {"name":"c","image":"i"}]}}}})";

std::string warning_of(const Reply& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "Warning") return value;
  }
  return "";
}

TEST(ControllerWarningTest, NewObjectThatNothingActsOnIsWarnedOf) {
  ApiServerOptions options;
  options.without_controller = {"jobs.batch"};
  Sandbox sandbox(options);
  const std::string warning =
      "299 - \"this sandbox has no controller for Jobs: nothing happens to them unless you run "
      "one\"";

  EXPECT_EQ(warning_of(sandbox.post(kJobs, kJob)), warning);
  EXPECT_EQ(warning_of(sandbox.post(kJobs, kJob)), "") << "refused, for there is one";
  EXPECT_EQ(warning_of(sandbox.patch(kJobs + "/j", "merge", R"({"metadata":{"labels":{}}})")), "");
  EXPECT_EQ(warning_of(sandbox.patch(kJobs + "/k?fieldManager=m", "apply", kJob)), "")
      << "refused, for the names differ";
  EXPECT_EQ(warning_of(sandbox.post("/api/v1/namespaces/default/configmaps",
                                    R"({"metadata":{"name":"c"}})")),
            "");
}

TEST(ControllerWarningTest, LibraryWarnsOfNothingByItself) {
  Sandbox sandbox;

  EXPECT_EQ(warning_of(sandbox.post(kJobs, kJob)), "");
}

}  // namespace
}  // namespace davit::sandbox
