// Good and bad objects of every kind, as kube-apiserver v1.36.2 judged them, and to the sandbox.
//
// DAVIT_DIFFERENTIAL_RECORD=1 writes the recordings again.
#include "tests/live/differential/cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/live/differential/recording.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/live/support/process.hpp"
#include "tests/support/sandbox_api.hpp"

namespace davit::live {
namespace {

std::string page_file(const std::string& page) {
  return std::string(DAVIT_CASES) + '/' + page + ".yaml";
}
std::string case_recording(const std::string& page) {
  return std::string(DAVIT_CASE_RECORDINGS) + '/' + page + ".gz";
}

void must_create(checks::Server& server, const Operation& operation) {
  const std::string answer = answer_of(server, operation);
  ASSERT_TRUE(answer.starts_with("201 ")) << operation.str() << "\n " << answer;
}

/// A real server serves a new kind only after a moment.
void await_kind(checks::Server& server, const Operation& definition) {
  const Json spec = json_literal(definition.body).get("spec");
  const std::string path = "/apis/" + spec.text_at({"group"}) + '/' +
                           spec.get("versions").items().front().text_at({"name"}) + '/' +
                           spec.text_at({"names", "plural"});
  const auto is_served = [&] {
    return server.send("GET", path, {{"Authorization", "Bearer admin-token"}}, "").status == 200;
  };
  ASSERT_TRUE(eventually(std::chrono::minutes(5), is_served)) << path;
}

/// Makes the namespace and the objects that updates are about.
void set_up(checks::Server& server, const CasePage& page) {
  must_create(server, {"POST", "/api/v1/namespaces", "application/json",
                       std::string(R"({"metadata":{"name":")") + kFuzzNamespace + R"("}})", ""});
  for (const Operation& each : page.setup) {
    must_create(server, each);
    if (each.target.ends_with("/customresourcedefinitions")) await_kind(server, each);
  }
}

/// The words on expressions of policies are a part of what users see of them.
Refusals refusals_of(const std::string& page) {
  return page == "policies" ? Refusals::kWhole : Refusals::kWithoutTexts;
}

void record_page(const std::string& page, checks::Server& server) {
  const CasePage cases = read_cases(page_file(page));
  set_up(server, cases);
  std::vector<Exchange> exchanges;
  for (const Case& each : cases.cases) {
    exchanges.push_back({each.operation, answer_of(server, each.operation, refusals_of(page))});
  }
  write_exchanges(case_recording(page), exchanges);
}

/// `differences`: those that the page lists are expected of the server.
void replay_page(const std::string& page, checks::Server& server, bool differences) {
  const CasePage cases = read_cases(page_file(page));
  const Result<std::vector<Exchange>> recorded = read_exchanges(case_recording(page));
  ASSERT_TRUE(recorded) << recorded.error().message();
  const char* const kAdvice = ".yaml has changed; record it: docs/TESTING.md, \"Recordings\"";
  ASSERT_EQ(recorded->size(), cases.cases.size()) << page << kAdvice;
  set_up(server, cases);
  for (std::size_t i = 0; i < cases.cases.size(); ++i) {
    const auto& [operation, answer] = (*recorded)[i];
    const Case& each = cases.cases[i];
    ASSERT_EQ(operation.str(), each.operation.str()) << page << kAdvice;
    const std::string given = answer_of(server, operation, refusals_of(page));
    if ((given == answer) == (!differences || each.differs.empty())) continue;
    ADD_FAILURE_AT(page_file(page).c_str(), each.line)
        << operation.str() << "\n recorded: " << answer << "\n given: " << given
        << (given == answer ? "\n It differs no longer: remove the mark." : "");
  }
}

class RecordedCases : public testing::TestWithParam<const char*> {};

TEST_P(RecordedCases, SandboxJudgesAsRecorded) {
  test::SandboxApi sandbox;
  replay_page(GetParam(), sandbox, true);
}

TEST_P(RecordedCases, RealServerStillJudgesAsRecorded) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane plane;
  HttpApi server(plane.server(), plane.ca_file(), [] {});
  if (std::getenv("DAVIT_DIFFERENTIAL_RECORD") != nullptr) return record_page(GetParam(), server);
  replay_page(GetParam(), server, false);
}

constexpr const char* kPages[] = {"access",   "autoscaling", "bundles",  "certificates", "changes",
                                  "cluster",  "definitions", "jobs",     "network",      "pods",
                                  "policies", "storage",     "workloads"};

INSTANTIATE_TEST_SUITE_P(Pages, RecordedCases, testing::ValuesIn(kPages),
                         [](const auto& each) { return std::string(each.param); });

TEST(CasePages, EveryPageIsPlayed) {
  std::vector<std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(DAVIT_CASES)) {
    if (each.path().extension() == ".yaml") files.push_back(each.path().stem());
  }
  std::ranges::sort(files);
  EXPECT_EQ(files, std::vector<std::string>(std::begin(kPages), std::end(kPages)));
}

}  // namespace
}  // namespace davit::live
