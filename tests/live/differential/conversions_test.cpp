// Custom resources of several versions, as kube-apiserver v1.36.2 and `davit sandbox` convert them.
//
// DAVIT_DIFFERENTIAL_RECORD=1 writes the recording again.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/kube/patch/patch.hpp"
#include "tests/live/differential/cases.hpp"
#include "tests/live/differential/comparison.hpp"
#include "tests/live/differential/hook_server.hpp"
#include "tests/live/differential/recording.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/live/support/process.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

constexpr std::string_view kDefinitionsPath =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kConversationNamespace = "conversions";
const checks::Headers kAdminHeaders = {{"Authorization", "Bearer admin-token"}};

void merge_into(Json& object, const Json& patch) {
  if (const PatchOutcome failed = apply_merge_patch(object, patch)) give_up(failed->message);
}

/// A Widget of v1 has a size, which is the width of v2.
Json converted(Json object, const std::string& api_version) {
  const bool to_v1 = api_version.ends_with("/v1");
  const char* const from = to_v1 ? "width" : "size";
  if (const Json* value = object.at({"spec", from})) {
    const Json kept = *value;
    object["spec"].erase(from);
    object["spec"].set(to_v1 ? "size" : "width", kept);
  }
  object.set("apiVersion", api_version);
  return object;
}

/// The reply of the page's hook of this name to a review; each member of `hook` changes a part.
HttpServerResponse conversion_reply(const Json& hooks, const HttpServerRequest& request) {
  const Json& hook = hooks.get(std::string(request.path().substr(1)));
  if (hook.contains("text")) {
    HttpServerResponse out;
    out.status = static_cast<int>(hook.get("status").integer_or(200));
    out.content_type = hook.get("type").text();
    out.body = hook.get("text").text();
    return out;
  }
  const Json review = *parse_json(request.body);
  const Json& asked = review.get("request");
  const std::string& api_version = asked.get("desiredAPIVersion").text();
  Json objects = Json::array();
  for (const Json& each : asked.get("objects").items()) {
    Json object = converted(each, api_version);
    const std::string version = api_version.substr(api_version.find('/') + 1);
    for (const std::string& part : {std::string("object"), version}) {
      if (const Json* change = hook.find(part)) merge_into(object, *change);
    }
    objects.push_back(std::move(object));
  }
  Json out = Json::object(
      {{"kind", review.get("kind")},
       {"apiVersion", review.get("apiVersion")},
       {"response", Json::object({{"uid", asked.get("uid")},
                                  {"convertedObjects", std::move(objects)},
                                  {"result", Json::object({{"status", "Success"}})}})}});
  if (const Json* change = hook.find("review")) merge_into(out, *change);
  return json_response(200, to_text(out));
}

/// A version of the Widgets, whose selectable `field` is a number.
Json widget_version(const std::string& name, const std::string& field) {
  Json out = json_literal(R"({"served":true,"storage":false,
      "subresources":{"status":{},"scale":{"statusReplicasPath":".status.n"}},
      "schema":{"openAPIV3Schema":{"type":"object","properties":{
        "spec":{"type":"object","properties":{"color":{"type":"string","default":"red"}}},
        "status":{"type":"object","properties":{"n":{"type":"integer"}}}}}}})");
  out.set("name", name);
  out.set("selectableFields", Json::array({Json::object({{"jsonPath", ".spec." + field}}),
                                           Json::object({{"jsonPath", ".spec.color"}})}));
  out["subresources"]["scale"].set("specReplicasPath", ".spec." + field);
  (*out.at({"schema", "openAPIV3Schema", "properties", "spec", "properties"}))
      .set(field, Json::object({{"type", "integer"}}));
  return out;
}

/// One conversation of the page, with its own definition, in the group that has its name.
class Conversation {
 public:
  Conversation(const Json& entry, checks::Server& server, const HookServer& hooks)
      : entry_(entry), server_(server), hooks_(hooks) {}

  /// Creates the definition, and waits until it is in force.
  void define() {
    const std::string stored =
        entry_.get("storage").is_null() ? "v2" : entry_.get("storage").text();
    Json versions = Json::array({widget_version("v1", "size"), widget_version("v2", "width")});
    for (Json& each : versions.make_array()) {
      each.set("storage", each.get("name").text() == stored);
    }
    Json spec = Json::object({{"group", group()},
                              {"scope", "Namespaced"},
                              {"names", json_literal(R"({"plural":"widgets","kind":"Widget"})")},
                              {"conversion", conversion(entry_.get("hook").text())},
                              {"versions", std::move(versions)}});
    if (const Json* change = entry_.find("spec")) merge_into(spec, *change);
    const Json metadata = Json::object({{"name", "widgets." + group()}});
    definition_ = Json::object({{"metadata", metadata}, {"spec", std::move(spec)}});
    mark();
    must("POST", std::string(kDefinitionsPath), definition_);
  }

  /// Blocks until requests see the definition as it was written last.
  void await() const {
    const auto seen = [&] {
      const checks::Reply reply = server_.send(
          "POST", collection(stored_version()) + "?dryRun=All",
          {kAdminHeaders.front(),
           {"Content-Type", "application/json"},
           {"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}},
          to_text(complete(Json::object({{"metadata", Json::object({{"name", "probe"}})}}),
                           stored_version())));
      return reply.body.find('"' + mark_text() + '"') != std::string::npos;
    };
    if (!eventually(std::chrono::minutes(2), seen)) give_up(group() + " is not in force");
  }

  /// The exchanges of the entry's requests, in order.
  [[nodiscard]] std::vector<Exchange> play() {
    std::vector<Exchange> out;
    for (const Json& each : entry_.get("requests").items()) {
      if (const Json* change = each.find("define")) {
        redefine(*change);
      } else if (each.contains("watch")) {
        out.push_back(watch(each));
      } else {
        const Operation operation = operation_of(each);
        out.push_back({operation, answer(operation, each)});
      }
    }
    return out;
  }

 private:
  [[nodiscard]] std::string group() const { return entry_.get("name").text() + ".conversions.io"; }
  [[nodiscard]] std::string collection(const std::string& version) const {
    return "/apis/" + group() + '/' + version + "/namespaces/" +
           std::string(kConversationNamespace) + "/widgets";
  }
  /// A column that shows which state of the definition is in force.
  [[nodiscard]] std::string mark_text() const { return "Mark" + std::to_string(marks_); }
  void mark() {
    ++marks_;
    for (Json& each : definition_["spec"]["versions"].make_array()) {
      each.set("additionalPrinterColumns",
               Json::array({Json::object(
                   {{"name", mark_text()}, {"type", "string"}, {"jsonPath", ".spec.color"}})}));
    }
  }
  [[nodiscard]] std::string stored_version() const {
    for (const Json& each : definition_.get("spec").get("versions").items()) {
      if (each.get("storage").boolean()) return each.get("name").text();
    }
    return "";
  }
  [[nodiscard]] Json conversion(const std::string& hook) const {
    if (hook == "none") return Json::object({{"strategy", "None"}});
    return Json::object(
        {{"strategy", "Webhook"},
         {"webhook", Json::object({{"clientConfig", hooks_.client_config(hook)},
                                   {"conversionReviewVersions", Json::array({"v1"})}})}});
  }

  void must(const std::string& method, const std::string& target, const Json& body) const {
    const checks::Reply reply =
        server_.send(method, target, {kAdminHeaders.front(), {"Content-Type", "application/json"}},
                     to_text(body));
    if (reply.status >= 300) give_up(method + ' ' + target + ": " + reply.body);
  }

  /// `change`: `storage` and `hook` as in the entry, `unserved`, or a merge patch `spec`.
  void redefine(const Json& change) {
    Json& spec = definition_["spec"];
    for (Json& each : spec["versions"].make_array()) {
      const std::string& name = each.get("name").text();
      if (change.contains("storage")) each.set("storage", name == change.get("storage").text());
      if (change.contains("unserved")) each.set("served", name != change.get("unserved").text());
    }
    if (change.contains("hook")) spec.set("conversion", conversion(change.get("hook").text()));
    if (const Json* patch = change.find("spec")) merge_into(spec, *patch);
    mark();
    const std::string target = std::string(kDefinitionsPath) + "/widgets." + group();
    const checks::Reply now = server_.send("GET", target, kAdminHeaders, "");
    definition_["metadata"].set("resourceVersion",
                                parse_json(now.body)->text_at({"metadata", "resourceVersion"}));
    must("PUT", target, definition_);
    await();
  }

  /// `body` as an object of `version`, unless it says what it is.
  [[nodiscard]] Json complete(Json body, const std::string& version) const {
    if (!body.contains("apiVersion")) body.set("apiVersion", group() + '/' + version);
    if (!body.contains("kind")) body.set("kind", "Widget");
    return body;
  }

  /// A request names its method and, from the version on, its path: `{GET: v1/w}`.
  [[nodiscard]] Operation operation_of(const Json& request) const {
    const std::map<std::string, std::string> types = {{"merge", "application/merge-patch+json"},
                                                      {"json", "application/json-patch+json"},
                                                      {"apply", "application/apply-patch+yaml"}};
    for (const char* const method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
      const Json* path = request.find(method);
      if (path == nullptr) continue;
      const std::string version = path->text().substr(0, 2);
      Operation out{method, collection(version) + path->text().substr(2), "", "", ""};
      const Json* body = request.find("body");
      if (body == nullptr) return out;
      const std::string& type = request.get("type").text();
      out.type = types.contains(type) ? types.at(type) : "application/json";
      const bool whole = type != "merge" && type != "json" && out.method != "DELETE";
      out.body = to_text(whole ? complete(*body, version) : *body);
      return out;
    }
    if (const Json* stanza = request.find("stanza")) return definition_with(*stanza);
    if (const Json* stanza = request.find("restanza")) return changed_definition(*stanza);
    give_up("no method: " + to_text(request));
  }

  /// A definition with this `spec.conversion`, as a dry run.
  [[nodiscard]] Operation definition_with(const Json& stanza) const {
    Json body = definition_;
    body["metadata"] = Json::object({{"name", "widgets.other.io"}});
    body["spec"].set("group", "other.io");
    body["spec"].set("conversion", stanza);
    return {"POST", std::string(kDefinitionsPath) + "?dryRun=All", "application/json",
            to_text(body), ""};
  }

  /// The own definition, which gets this `spec.conversion`, as a dry run.
  [[nodiscard]] Operation changed_definition(const Json& stanza) const {
    Json body = definition_;
    body["metadata"].set("resourceVersion", "@RV@");
    body["spec"].set("conversion", stanza);
    return {"PUT", std::string(kDefinitionsPath) + "/widgets." + group() + "?dryRun=All",
            "application/json", to_text(body), ""};
  }

  /// `@RV@` in a body stands for the resourceVersion of the object.
  [[nodiscard]] std::string filled(const Operation& operation) {
    std::string out = operation.body;
    constexpr std::string_view kMark = "@RV@";
    const std::size_t at = out.find(kMark);
    if (at == std::string::npos) return out;
    const checks::Reply now = server_.send("GET", operation.target, kAdminHeaders, "");
    return out.replace(at, kMark.size(),
                       parse_json(now.body)->text_at({"metadata", "resourceVersion"}));
  }

  [[nodiscard]] std::string answer(const Operation& operation, const Json& request) {
    checks::Headers headers = kAdminHeaders;
    if (!operation.type.empty()) headers.emplace_back("Content-Type", operation.type);
    const std::map<std::string, std::string> forms = {
        {"table", "application/json;as=Table;g=meta.k8s.io;v=v1"},
        {"metadata", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
        {"metadatas", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}};
    if (const Json* form = request.find("as"))
      headers.emplace_back("Accept", forms.at(form->text()));
    checks::Reply reply =
        server_.send(operation.method, operation.target, headers, filled(operation));
    if (request.get("as").text() == "table") reply.body = cells_of(reply.body);
    return steady(reply.status >= 400 ? whole(reply) : comparable(reply));
  }

  /// A Table without its objects and the texts on its columns.
  [[nodiscard]] static std::string cells_of(const std::string& body) {
    Result<Json> table = parse_json(body);
    if (!table) return body;
    for (Json& each : (*table)["columnDefinitions"].make_array()) each.erase("description");
    for (Json& each : (*table)["rows"].make_array()) each.erase("object");
    return to_text(*table);
  }

  [[nodiscard]] static std::string whole(const checks::Reply& reply) {
    const Result<Json> body = parse_json(reply.body);
    return std::to_string(reply.status) + ' ' + (body ? to_canonical_text(*body) : reply.body);
  }

  /// The events of the requests `then`, seen in the version `watch`.
  [[nodiscard]] Exchange watch(const Json& request) {
    const std::string& path = request.get("watch").text();
    const Operation operation{"GET", collection(path.substr(0, 2)) + "?watch=1" + path.substr(2),
                              "", to_text(request.get("then")), ""};
    const checks::Reply list = server_.send("GET", collection(stored_version()), kAdminHeaders, "");
    const std::string start = parse_json(list.body)->text_at({"metadata", "resourceVersion"});
    std::string done;
    const auto then = [&] {
      for (const Json& each : request.get("then").items()) {
        done += answer(operation_of(each), each).substr(0, 4);
      }
    };
    const checks::Watched watched =
        server_.watch(operation.target + "&resourceVersion=" + start, kAdminHeaders, then,
                      static_cast<std::size_t>(request.get("events").integer_or(1)), false,
                      std::chrono::seconds(20));
    std::string out = std::to_string(watched.reply.status) + ' ' + done;
    for (const Json& each : watched.reply.events()) {
      checks::Reply event;
      event.status = 200;
      event.body = to_text(each.get("object"));
      const bool is_error = each.get("type").text() == "ERROR";
      out += '\n' + each.get("type").text() + ' ' + (is_error ? whole(event) : comparable(event));
    }
    return {operation, steady(out)};
  }

  /// Without what differs from run to run.
  [[nodiscard]] std::string steady(std::string answer) const {
    answer = hooks_.steady(std::move(answer));
    const std::vector<std::pair<std::regex, const char*>> rules = {
        {std::regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "$uid"},
        {std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"), "$time"},
        {std::regex("is missing in '.*'"), "is missing in '$object'"},
        // An empty list of metadata is either, by where the server found it.
        {std::regex("\"items\":null"), "\"items\":[]"}};
    for (const auto& [what, by] : rules) answer = std::regex_replace(answer, what, by);
    return answer;
  }

  const Json& entry_;
  checks::Server& server_;
  const HookServer& hooks_;
  Json definition_;
  int marks_ = 0;
};

/// The page's entries; `wrong` is short for one entry for each of its hooks.
std::vector<Json> entries_of(const Json& page) {
  std::vector<Json> out = page.get("conversations").items();
  const Json& wrong = page.get("wrong");
  for (const Json& hook : wrong.get("hooks").items()) {
    out.push_back(
        Json::object({{"name", hook}, {"hook", hook}, {"requests", wrong.get("requests")}}));
  }
  return out;
}

std::vector<Exchange> play_conversations(checks::Server& server) {
  const Json page = read_page(DAVIT_CONVERSIONS);
  const Json& replies = page.get("hooks");
  const HookServer hooks(
      [&replies](const HttpServerRequest& request) { return conversion_reply(replies, request); });
  const checks::Reply made = server.send(
      "POST", "/api/v1/namespaces", {kAdminHeaders.front(), {"Content-Type", "application/json"}},
      R"({"metadata":{"name":")" + std::string(kConversationNamespace) + R"("}})");
  if (made.status != 201) give_up(made.body);
  const std::vector<Json> entries = entries_of(page);
  std::vector<Conversation> conversations;
  for (const Json& each : entries) conversations.emplace_back(each, server, hooks);
  for (Conversation& each : conversations) each.define();
  std::vector<Exchange> out;
  for (Conversation& each : conversations) {
    each.await();
    std::ranges::move(each.play(), std::back_inserter(out));
  }
  return out;
}

void compare_conversations(const std::vector<Exchange>& given) {
  const Result<std::vector<Exchange>> recorded = read_exchanges(DAVIT_CONVERSION_RECORDING);
  ASSERT_TRUE(recorded) << recorded.error().message();
  const char* const kAdvice =
      "conversions.yaml has changed; record it: docs/TESTING.md, \"Recordings\"";
  ASSERT_EQ(recorded->size(), given.size()) << kAdvice;
  for (std::size_t i = 0; i < given.size(); ++i) {
    ASSERT_EQ((*recorded)[i].operation.str(), given[i].operation.str()) << kAdvice;
    EXPECT_EQ((*recorded)[i].answer, given[i].answer) << given[i].operation.str();
  }
}

TEST(RecordedConversions, SandboxConvertsAsRecorded) {
  Sandbox sandbox({"--nodes=0", "--controllers=gc"});
  HttpApi server(sandbox.server(), sandbox.ca_file(), [] {});
  compare_conversations(play_conversations(server));
}

TEST(RecordedConversions, RealServerStillConvertsAsRecorded) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane plane;
  HttpApi server(plane.server(), plane.ca_file(), [] {});
  const std::vector<Exchange> exchanges = play_conversations(server);
  if (std::getenv("DAVIT_DIFFERENTIAL_RECORD") == nullptr) return compare_conversations(exchanges);
  write_exchanges(DAVIT_CONVERSION_RECORDING, exchanges);
}

}  // namespace
}  // namespace davit::live
