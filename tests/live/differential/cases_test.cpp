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

/// The files of a page.
struct PageFiles {
  std::string cases;
  std::string recording;
  std::string definitions = {};  ///< A folder whose files are created first; empty: none.
  /// The words on expressions of policies are a part of what users see of them.
  Refusals refusals = Refusals::kWithoutTexts;
};

PageFiles files_of(const std::string& page) {
  return {std::string(DAVIT_CASES) + '/' + page + ".yaml",
          std::string(DAVIT_CASE_RECORDINGS) + '/' + page + ".gz", "",
          page == "policies" ? Refusals::kWhole : Refusals::kWithoutTexts};
}

/// Switches kinds on that pages are about and servers leave off.
ControlPlaneOptions with_all_kinds() {
  return {.apiserver_flags = {"--runtime-config=resource.k8s.io/v1beta2/devicetaintrules=true"}};
}

/// A published bundle of definitions: `definitions` is empty where it is not at hand.
PageFiles files_of_bundle(const std::string& bundle) {
  const char* const folder = std::getenv("DAVIT_BUNDLES");
  return {std::string(DAVIT_BUNDLE_CASES) + '/' + bundle + ".yaml",
          std::string(DAVIT_BUNDLE_RECORDINGS) + '/' + bundle + ".gz",
          folder == nullptr ? "" : std::string(folder) + '/' + bundle};
}

void must_succeed(checks::Server& server, const Operation& operation) {
  const std::string answer = answer_of(server, operation);
  ASSERT_TRUE(answer.starts_with(operation.method == "PUT" ? "200 " : "201 "))
      << operation.str() << "\n " << answer;
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

/// The documents of all YAML files of a folder, by their names, as JSON.
std::vector<Json> documents_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    files.push_back(each.path().string());
  }
  std::ranges::sort(files);
  constexpr std::string_view kMark = "\n---";
  std::vector<Json> out;
  for (const std::string& file : files) {
    const Result<std::string> text = read_text_file(file);
    if (!text) give_up(text.error().message());
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find(kMark, at), text->size());
      const YamlDocument document = parse_yaml(text->substr(at, end - at), file);
      const Result<std::string> json = to_json(document.root);
      if (!json) give_up(file + ": " + json.error().message());
      Json object = *parse_json(*json);
      if (object.is_object()) out.push_back(std::move(object));
      at = end + kMark.size();
    }
  }
  return out;
}

/// Makes the definitions, the namespace and the objects that updates are about.
void set_up(checks::Server& server, const PageFiles& files, const CasePage& page) {
  if (!files.definitions.empty()) {
    for (const Json& each : documents_in(files.definitions)) {
      const Operation create{"POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                             "application/json", to_text(each), ""};
      must_succeed(server, create);
      await_kind(server, create);
    }
  }
  must_succeed(server, {"POST", "/api/v1/namespaces", "application/json",
                        std::string(R"({"metadata":{"name":")") + kFuzzNamespace + R"("}})", ""});
  for (const Operation& each : page.setup) {
    must_succeed(server, each);
    if (each.target.ends_with("/customresourcedefinitions")) await_kind(server, each);
  }
}

void record_page(const PageFiles& files, checks::Server& server) {
  const CasePage cases = read_cases(files.cases);
  set_up(server, files, cases);
  std::vector<Exchange> exchanges;
  for (const Case& each : cases.cases) {
    exchanges.push_back({each.operation, answer_of(server, each.operation, files.refusals)});
  }
  write_exchanges(files.recording, exchanges);
}

/// The recording of `cases`, which it fits.
std::vector<Exchange> recording_of(const PageFiles& files, const CasePage& cases) {
  Result<std::vector<Exchange>> recorded = read_exchanges(files.recording);
  if (!recorded) give_up(recorded.error().message());
  const std::string advice =
      files.cases + " has changed; record it: docs/TESTING.md, \"Recordings\"";
  if (recorded->size() != cases.cases.size()) give_up(advice);
  for (std::size_t i = 0; i < cases.cases.size(); ++i) {
    if ((*recorded)[i].operation.str() != cases.cases[i].operation.str()) give_up(advice);
  }
  return *std::move(recorded);
}

/// `differences`: those that the page lists are expected of the server.
void replay_page(const PageFiles& files, checks::Server& server, bool differences) {
  const CasePage cases = read_cases(files.cases);
  const std::vector<Exchange> recorded = recording_of(files, cases);
  set_up(server, files, cases);
  for (std::size_t i = 0; i < cases.cases.size(); ++i) {
    const auto& [operation, answer] = recorded[i];
    const Case& each = cases.cases[i];
    const std::string given = answer_of(server, operation, files.refusals);
    if ((given == answer) == (!differences || each.differs.empty())) continue;
    ADD_FAILURE_AT(files.cases.c_str(), each.line)
        << operation.str() << "\n recorded: " << answer << "\n given: " << given
        << (given == answer ? "\n It differs no longer: remove the mark." : "");
  }
}

class RecordedCases : public testing::TestWithParam<const char*> {};

TEST_P(RecordedCases, SandboxJudgesAsRecorded) {
  test::SandboxApi sandbox({.device_taint_rules = true});
  replay_page(files_of(GetParam()), sandbox, true);
}

TEST_P(RecordedCases, RealServerStillJudgesAsRecorded) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane plane(with_all_kinds());
  HttpApi server(plane.server(), plane.ca_file(), [] {});
  if (std::getenv("DAVIT_DIFFERENTIAL_RECORD") != nullptr) {
    return record_page(files_of(GetParam()), server);
  }
  replay_page(files_of(GetParam()), server, false);
}

constexpr const char* kPages[] = {"access",  "autoscaling", "bundles", "certificates", "changes",
                                  "cluster", "definitions", "devices", "jobs",         "network",
                                  "pods",    "policies",    "storage", "workloads"};

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

/// Large bundles of definitions that others publish. They are not a part of the tree: the folder
/// that DAVIT_BUNDLES names has one folder for each.
class PublishedBundles : public testing::TestWithParam<const char*> {};

TEST_P(PublishedBundles, HaveGoodAndBadObjectsOnRecord) {
  constexpr std::ptrdiff_t kGoodMin = 5;
  constexpr std::ptrdiff_t kBadMin = 10;
  const PageFiles files = files_of_bundle(GetParam());
  const std::vector<Exchange> recorded = recording_of(files, read_cases(files.cases));
  const auto is_good = [](const Exchange& each) { return each.answer.starts_with("20"); };
  const auto is_bad = [](const Exchange& each) { return each.answer.starts_with("422 "); };
  EXPECT_GE(std::ranges::count_if(recorded, is_good), kGoodMin);
  EXPECT_GE(std::ranges::count_if(recorded, is_bad), kBadMin);
}

TEST_P(PublishedBundles, SandboxJudgesAsRecorded) {
  const PageFiles files = files_of_bundle(GetParam());
  if (files.definitions.empty()) GTEST_SKIP() << "DAVIT_BUNDLES is not set";
  test::SandboxApi sandbox;
  replay_page(files, sandbox, true);
}

TEST_P(PublishedBundles, RealServerStillJudgesAsRecorded) {
  const PageFiles files = files_of_bundle(GetParam());
  if (files.definitions.empty()) GTEST_SKIP() << "DAVIT_BUNDLES is not set";
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane plane;
  HttpApi server(plane.server(), plane.ca_file(), [] {});
  if (std::getenv("DAVIT_DIFFERENTIAL_RECORD") != nullptr) return record_page(files, server);
  replay_page(files, server, false);
}

constexpr const char* kBundles[] = {"argo-cd",     "cert-manager", "cluster-api",
                                    "crossplane",  "flux",         "external-secrets",
                                    "gateway-api", "istio",        "karpenter"};

INSTANTIATE_TEST_SUITE_P(Bundles, PublishedBundles, testing::ValuesIn(kBundles),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace davit::live
