// Webhooks in force, as kube-apiserver v1.36.2 calls them, and `davit sandbox`.
//
// DAVIT_DIFFERENTIAL_RECORD=1 writes the recording again.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <davit/base64.hpp>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/live/differential/cases.hpp"
#include "tests/live/differential/hook_server.hpp"
#include "tests/live/differential/recording.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/live/support/process.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

constexpr std::string_view kConfigurations = "/apis/admissionregistration.k8s.io/v1/";

/// The replies of all webhooks, by the paths of requests.
HttpServerResponse respond(const Json& replies, const HttpServerRequest& request) {
  const Json& reply = replies.get(std::string(request.path().substr(1)));
  if (!reply.contains("response")) {
    HttpServerResponse out;
    out.status = static_cast<int>(reply.get("status").integer_or(200));
    out.content_type = reply.get("type").text();
    out.body = reply.get("text").text();
    return out;
  }
  const Json review = *parse_json(request.body);
  Json response = reply.get("response");
  response.set("uid", review.get("request").get("uid"));
  if (const Json* patch = response.find("patch")) {
    response.set("patch", encode_base64(to_text(*patch)));
  }
  return json_response(200, to_text(Json::object({{"kind", "AdmissionReview"},
                                                  {"apiVersion", review.get("apiVersion")},
                                                  {"response", std::move(response)}})));
}

Operation creation(std::string target, const Json& object) {
  return {"POST", std::move(target), "application/json", to_text(object), ""};
}

Json named(const std::string& name, Json object) {
  object["metadata"].set("name", name);
  return object;
}

Operation operation_of(const std::string& ns, const Json& request) {
  const std::string maps = "/api/v1/namespaces/" + ns + "/configmaps";
  if (const Json* object = request.find("create")) {
    return creation(maps + "?dryRun=All", named("case", *object));
  }
  if (const Json* object = request.find("update")) {
    return {"PUT", maps + "/base?dryRun=All", "application/json", to_text(named("base", *object)),
            ""};
  }
  return {"DELETE", maps + "/base?dryRun=All", "", "", ""};
}

Json webhook_of(const Json& hook, const std::string& name, const HookServer& hooks) {
  Json out = json_literal(R"({"rules":[{"apiGroups":[""],"apiVersions":["v1"],
      "operations":["*"],"resources":["configmaps"]}],"sideEffects":"None","timeoutSeconds":30,
      "admissionReviewVersions":["v1"]})");
  const std::string& path = hook.get("path").text();
  out.set("name", path + ".hooks.example");
  out["namespaceSelector"]["matchLabels"].set("kubernetes.io/metadata.name", name);
  for (const Json::Member& each : hook.members()) {
    if (each.key != "path") out.set(each.key, each.value);
  }
  const Json config = hooks.client_config(path);
  for (const Json::Member& each : config.members()) out["clientConfig"].set(each.key, each.value);
  return out;
}

/// The namespace of an entry with its ConfigMap and configurations.
std::vector<Operation> setup_of(const Json& entry, const HookServer& hooks) {
  const std::string& name = entry.get("name").text();
  std::vector<Operation> out = {creation("/api/v1/namespaces", named(name, Json::object())),
                                creation("/api/v1/namespaces/" + name + "/configmaps",
                                         named("base", json_literal(R"({"data":{"a":"x"}})")))};
  const std::map<std::string, std::string> plurals = {
      {"validate", "validatingwebhookconfigurations"}, {"mutate", "mutatingwebhookconfigurations"}};
  for (const auto& [member, plural] : plurals) {
    if (!entry.contains(member)) continue;
    Json configuration = named(name, Json::object({{"webhooks", Json::array()}}));
    for (const Json& each : entry.get(member).items()) {
      configuration["webhooks"].push_back(webhook_of(each, name, hooks));
    }
    out.push_back(creation(std::string(kConfigurations) + plural, configuration));
  }
  return out;
}

/// The port of the hooks and the uid of a review differ from run to run.
std::string steady(std::string answer, const HookServer& hooks) {
  answer = hooks.steady(std::move(answer));
  constexpr std::string_view kUid = R"(response.uid=\")";
  constexpr std::size_t kUidBytes = 36;
  for (std::size_t at = 0; (at = answer.find(kUid, at)) != std::string::npos;) {
    at += kUid.size();
    answer.replace(at, kUidBytes, "$uid");
  }
  return answer;
}

std::vector<Exchange> play(checks::Server& server) {
  const Json page = read_page(DAVIT_WEBHOOKS);
  const Json& replies = page.get("replies");
  const HookServer hooks(
      [&replies](const HttpServerRequest& request) { return respond(replies, request); });
  const Json last = json_literal(R"([{"name":"zz-last-validates","validate":[{"path":"deny"}]},
                                     {"name":"zz-last-mutates","mutate":[{"path":"deny"}]}])");
  Json entries = page.get("webhooks");
  for (const Json& each : last.items()) entries.push_back(each);
  std::string refused;
  for (const Json& entry : entries.items()) {
    for (const Operation& each : setup_of(entry, hooks)) {
      const std::string answer = answer_of(server, each, Refusals::kWhole);
      if (!answer.starts_with("201 ")) refused += each.str() + "\n " + answer + '\n';
    }
  }
  if (!refused.empty()) give_up(refused);
  // A server reads the configurations of each kind in order.
  for (const Json& each : last.items()) {
    const Operation probe = operation_of(each.get("name").text(), json_literal(R"({"create":{}})"));
    for (int i = 0; i < 600 && !answer_of(server, probe).starts_with("400 "); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  std::vector<Exchange> out;
  for (const Json& entry : page.get("webhooks").items()) {
    for (const Json& request : entry.get("requests").items()) {
      const Operation operation = operation_of(entry.get("name").text(), request);
      out.push_back({operation, steady(answer_of(server, operation, Refusals::kWhole), hooks)});
    }
  }
  return out;
}

void compare(const std::vector<Exchange>& given) {
  const Result<std::vector<Exchange>> recorded = read_exchanges(DAVIT_WEBHOOK_RECORDING);
  ASSERT_TRUE(recorded) << recorded.error().message();
  const char* const kAdvice =
      "webhooks.yaml has changed; record it: docs/TESTING.md, \"Recordings\"";
  ASSERT_EQ(recorded->size(), given.size()) << kAdvice;
  for (std::size_t i = 0; i < given.size(); ++i) {
    ASSERT_EQ((*recorded)[i].operation.str(), given[i].operation.str()) << kAdvice;
    EXPECT_EQ((*recorded)[i].answer, given[i].answer) << given[i].operation.str();
  }
}

TEST(RecordedWebhooks, SandboxCallsAsRecorded) {
  // Its controllers would write ConfigMaps, too, and the webhooks would change them.
  Sandbox sandbox({"--nodes=0", "--controllers=gc"});
  HttpApi server(sandbox.server(), sandbox.ca_file(), [] {});
  compare(play(server));
}

TEST(RecordedWebhooks, RealServerStillCallsAsRecorded) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane plane;
  HttpApi server(plane.server(), plane.ca_file(), [] {});
  const std::vector<Exchange> exchanges = play(server);
  if (std::getenv("DAVIT_DIFFERENTIAL_RECORD") == nullptr) return compare(exchanges);
  write_exchanges(DAVIT_WEBHOOK_RECORDING, exchanges);
}

}  // namespace
}  // namespace davit::live
