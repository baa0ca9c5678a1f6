// Admission policies in force, as kube-apiserver v1.36.2 enforces them, and the sandbox.
//
// DAVIT_DIFFERENTIAL_RECORD=1 writes the recording again.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/live/differential/cases.hpp"
#include "tests/live/differential/recording.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/live/support/process.hpp"
#include "tests/support/sandbox_api.hpp"

namespace davit::live {
namespace {

constexpr std::string_view kGroup = "/apis/admissionregistration.k8s.io/v1/";

/// A kind of policies, and what is recorded of it.
struct PolicyKind {
  std::string policies;
  std::string bindings;
  const char* page;
  const char* recording;
  std::string last_spec;     ///< A policy that refuses everything.
  std::string refused = {};  ///< The begin of its refusal.
};

PolicyKind validating() {
  return {"validatingadmissionpolicies",
          "validatingadmissionpolicybindings",
          DAVIT_POLICIES,
          DAVIT_POLICY_RECORDING,
          R"({"policy":{"validations":[{"expression":"false"}]}})",
          "422 "};
}

PolicyKind mutating() {
  return {"mutatingadmissionpolicies",
          "mutatingadmissionpolicybindings",
          DAVIT_MUTATIONS,
          DAVIT_MUTATION_RECORDING,
          R"({"policy":{"mutations":[{"patchType":"ApplyConfiguration",
              "applyConfiguration":{"expression":"Object{nope: 1}"}}]}})",
          "403 "};
}

bool mutates(const PolicyKind& kind) { return kind.policies.starts_with("mutating"); }

/// A request of a policy's, and the place that reports name.
struct PolicyRequest {
  Operation operation;
  std::string token;
  int line = 0;
  std::string differs;  ///< Why the sandbox answers otherwise; empty: it does not.
};

struct PolicyPage {
  std::vector<Operation> setup;
  std::vector<PolicyRequest> requests;
};

Json json_of_node(const YamlNode& node) {
  const Result<std::string> text = to_json(node);
  if (!text) give_up(text.error().message());
  return *parse_json(*text);
}

std::string with_namespace(std::string text, const std::string& ns) {
  constexpr std::string_view kMark = "$ns";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos; at += ns.size()) {
    text.replace(at, kMark.size(), ns);
  }
  return text;
}

Operation creation(std::string target, const Json& object) {
  return {"POST", std::move(target), "application/json", to_text(object), ""};
}

Json named(const std::string& name, Json object) {
  if (object.text_at({"metadata", "name"}).empty() && object.at({"metadata", "name"}) == nullptr) {
    object["metadata"].set("name", name);
  }
  return object;
}

/// Policy, binding, namespace and rights of alice.
void add_setup(const PolicyKind& kind, const std::string& name, const Json& entry,
               PolicyPage& out) {
  out.setup.push_back(
      creation("/api/v1/namespaces", Json::object({{"metadata", Json::object({{"name", name}})}})));
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + name;
  out.setup.push_back(creation(rbac + "/roles", json_literal(R"({"metadata":{"name":"writer"},
      "rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["create","get"]}]})")));
  out.setup.push_back(
      creation(rbac + "/rolebindings", json_literal(R"({"metadata":{"name":"writer"},
      "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"writer"},
      "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"alice"}]})")));
  for (const Json& each : entry.get("objects").items()) {
    out.setup.push_back(creation(with_namespace(each.text_at({"path"}), name), each.get("object")));
  }
  Json policy =
      Json::object({{"metadata", Json::object({{"name", name}})},
                    {"spec", *parse_json(with_namespace(to_text(entry.get("policy")), name))}});
  Json& match = policy["spec"]["matchConstraints"];
  if (!match.contains("resourceRules")) {
    match.set("resourceRules", json_literal(R"([{"apiGroups":[""],"apiVersions":["v1"],
        "operations":["*"],"resources":["configmaps"]}])"));
  }
  if (!match.contains("namespaceSelector")) {
    match["namespaceSelector"]["matchLabels"].set("kubernetes.io/metadata.name", name);
  }
  if (mutates(kind) && !policy["spec"].contains("reinvocationPolicy")) {
    policy["spec"].set("reinvocationPolicy", "Never");
  }
  out.setup.push_back(creation(std::string(kGroup) + kind.policies, policy));
  Json binding =
      Json::object({{"metadata", Json::object({{"name", name}})}, {"spec", entry.get("binding")}});
  binding["spec"].set("policyName", name);
  if (!mutates(kind) && !binding["spec"].contains("validationActions")) {
    binding["spec"].set("validationActions", Json::array({"Deny"}));
  }
  if (Json* reference = binding.at({"spec", "paramRef"});
      reference != nullptr && !reference->contains("parameterNotFoundAction")) {
    reference->set("parameterNotFoundAction", "Deny");
  }
  out.setup.push_back(creation(std::string(kGroup) + kind.bindings, binding));
}

Operation operation_of(const std::string& ns, const Json& request) {
  const std::string maps = "/api/v1/namespaces/" + ns + "/configmaps";
  const std::string dry_run = "?dryRun=All";
  if (const Json* object = request.find("create")) {
    return creation(maps + dry_run, named("case", *object));
  }
  if (const Json* object = request.find("update")) {
    return {"PUT", maps + "/base" + dry_run, "application/json", to_text(named("base", *object)),
            ""};
  }
  if (const Json* name = request.find("delete")) {
    return {"DELETE", maps + '/' + name->text() + dry_run, "", "", ""};
  }
  const std::string& method = request.get("method").text();
  const Json& body = request.get("body");
  return {method, with_namespace(request.get("path").text(), ns) + dry_run,
          method == "PATCH" ? "application/merge-patch+json"
          : body.is_null()  ? ""
                            : "application/json",
          body.is_null() ? "" : to_text(body), ""};
}

PolicyPage read_policies(const PolicyKind& kind) {
  const Result<std::string> text = read_text_file(kind.page);
  if (!text) give_up(text.error().message());
  const YamlDocument page = parse_yaml(*text, kind.page);
  if (!page.mistakes.empty()) give_up(page.mistakes.front().str());
  PolicyPage out;
  for (const YamlNode& each : page.root.find("policies")->items) {
    const Json entry = json_of_node(each);
    const std::string& name = entry.get("name").text();
    add_setup(kind, name, entry, out);
    for (const YamlNode& request : each.find("requests")->items) {
      const Json json = json_of_node(request);
      const std::string token = json.get("as").text() == "alice" ? "alice-token" : "admin-token";
      out.requests.push_back(
          {operation_of(name, json), token, request.line, json.get("differs").text()});
    }
  }
  return out;
}

bool is_in_force(const PolicyKind& kind, checks::Server& server) {
  const Operation probe = creation("/api/v1/namespaces/zz-last/configmaps?dryRun=All",
                                   json_literal(R"({"metadata":{"name":"probe"}})"));
  return answer_of(server, probe).starts_with(kind.refused);
}

/// `made-` is what the page has as generateName.
std::string without_random_names(std::string answer) {
  constexpr std::string_view kMade = "made-";
  constexpr std::size_t kRandom = 5;
  for (std::size_t at = 0; (at = answer.find(kMade, at)) != std::string::npos;) {
    at += kMade.size();
    if (answer.size() - at >= kRandom) answer.replace(at, kRandom, "*****");
  }
  return answer;
}

std::vector<Exchange> play_policies(const PolicyKind& kind, const PolicyPage& page,
                                    checks::Server& server) {
  PolicyPage last;
  add_setup(kind, "zz-last", json_literal(kind.last_spec), last);
  std::string refused;
  for (const PolicyPage* part : {&page, static_cast<const PolicyPage*>(&last)}) {
    for (const Operation& each : part->setup) {
      const std::string answer = answer_of(server, each, Refusals::kWhole);
      if (!answer.starts_with("201 ")) refused += each.str() + "\n " + answer + '\n';
    }
  }
  if (!refused.empty()) give_up(refused);
  // A server reads all policies at once, every second.
  for (int i = 0; i < 600 && !is_in_force(kind, server); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::vector<Exchange> out;
  for (const PolicyRequest& each : page.requests) {
    out.push_back({each.operation, without_random_names(answer_of(server, each.operation,
                                                                  Refusals::kWhole, each.token))});
  }
  return out;
}

void compare_policies(const PolicyKind& kind, const std::vector<Exchange>& given,
                      const PolicyPage& page, bool differences) {
  const Result<std::vector<Exchange>> recorded = read_exchanges(kind.recording);
  ASSERT_TRUE(recorded) << recorded.error().message();
  const std::string kAdvice =
      std::string(kind.page) + " has changed; record it: docs/TESTING.md, \"Recordings\"";
  ASSERT_EQ(recorded->size(), given.size()) << kAdvice;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const PolicyRequest& each = page.requests[i];
    const auto& [operation, answer] = (*recorded)[i];
    ASSERT_EQ(operation.str(), each.operation.str()) << kAdvice;
    if ((given[i].answer == answer) == (!differences || each.differs.empty())) continue;
    ADD_FAILURE_AT(kind.page, each.line)
        << operation.str() << "\n recorded: " << answer << "\n given:    " << given[i].answer
        << (given[i].answer == answer ? "\n It differs no longer: remove the mark." : "");
  }
}

void compare_sandbox(const PolicyKind& kind) {
  const PolicyPage page = read_policies(kind);
  test::SandboxApi sandbox;
  compare_policies(kind, play_policies(kind, page, sandbox), page, true);
}

void compare_real_server(const PolicyKind& kind) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  const PolicyPage page = read_policies(kind);
  ControlPlane plane;
  HttpApi server(plane.server(), plane.ca_file(), [] {});
  const std::vector<Exchange> exchanges = play_policies(kind, page, server);
  if (std::getenv("DAVIT_DIFFERENTIAL_RECORD") == nullptr) {
    return compare_policies(kind, exchanges, page, false);
  }
  write_exchanges(kind.recording, exchanges);
}

TEST(RecordedPolicies, SandboxEnforcesAsRecorded) { compare_sandbox(validating()); }
TEST(RecordedPolicies, RealServerStillEnforcesAsRecorded) { compare_real_server(validating()); }
TEST(RecordedMutations, SandboxMutatesAsRecorded) { compare_sandbox(mutating()); }
TEST(RecordedMutations, RealServerStillMutatesAsRecorded) { compare_real_server(mutating()); }

}  // namespace
}  // namespace davit::live
