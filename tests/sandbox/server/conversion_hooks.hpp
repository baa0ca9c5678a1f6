/// Custom resources of two versions, and the server of the webhook that converts them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/webhook/hook_connector.hpp"
#include "tests/sandbox/server/sandbox.hpp"
#include "tests/support/fake_transport.hpp"

namespace davit::sandbox {

inline const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline const std::string kWidgetsV1 = "/apis/ex.io/v1/namespaces/default/widgets";
inline const std::string kWidgetsV2 = "/apis/ex.io/v2/namespaces/default/widgets";

/// A Widget of v1 has a size, which is the width of v2.
inline Json converted_widget(Json object, const std::string& api_version) {
  const bool to_v2 = api_version == "ex.io/v2";
  Json& spec = object["spec"];
  spec.make_object();
  if (const Json* value = spec.find(to_v2 ? "size" : "width")) {
    const Json kept = *value;
    spec.set(to_v2 ? "width" : "size", kept);
    spec.erase(to_v2 ? "size" : "width");
  }
  object.set("apiVersion", api_version);
  return object;
}

/// Converts; `change` may spoil each object, and `respond` each response.
class FakeConverter final : public HookConnector {
 public:
  FakeConverter() {
    transport.set_script([this](const HttpRequest& request) {
      const Json review = json_literal(request.body);
      const Json& asked = review.get("request");
      requests.push_back(asked);
      targets.push_back(request.target);
      Json objects = Json::array();
      for (const Json& each : asked.get("objects").items()) {
        Json object = converted_widget(each, asked.get("desiredAPIVersion").text());
        if (change) change(object);
        objects.push_back(std::move(object));
      }
      Json response = Json::object({{"uid", asked.get("uid")},
                                    {"convertedObjects", std::move(objects)},
                                    {"result", Json::object({{"status", "Success"}})}});
      test::ScriptedResponse out;
      out.body = to_text(Json::object({{"kind", review.get("kind")},
                                       {"apiVersion", review.get("apiVersion")},
                                       {"response", std::move(response)}}));
      if (respond) respond(out);
      return out;
    });
  }

  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(const HookServer& server) override {
    const MutexLock lock(mutex_);
    servers.push_back(server);
    return std::shared_ptr<Transport>(std::shared_ptr<void>(), &transport);
  }

  std::function<void(Json& object)> change;
  std::function<void(test::ScriptedResponse& response)> respond;
  std::vector<Json> requests;
  std::vector<std::string> targets;
  std::vector<HookServer> servers;  ///< Read it after the requests have ended.
  test::FakeTransport transport;

 private:
  Mutex mutex_;  // Each request connects on its thread.
};

inline ApiServerOptions with_converter(HookConnector& converter) {
  ApiServerOptions options;
  options.webhooks = &converter;
  options.hook_thread = ApiServerOptions::HookThread::kCaller;
  return options;
}

/// The definition of Widgets. `stored`: the storage version. `webhook`: of spec.conversion.
inline std::string widget_definition(
    const std::string& stored = "v2",
    const std::string& webhook = R"({"clientConfig":{"url":"https://127.0.0.1:1/convert"},
        "conversionReviewVersions":["v1"]})") {
  const auto version = [&stored](const std::string& name, const std::string& field) {
    return R"({"name":")" + name + R"(","served":true,"storage":)" +
           (name == stored ? "true" : "false") +
           R"(,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.)" + field +
           R"(","statusReplicasPath":".status.n"}},"schema":{"openAPIV3Schema":{"type":"object",
             "properties":{"spec":{"type":"object","properties":{")" +
           field + R"(":{"type":"integer"},"color":{"type":"string","default":"red"}}},
             "status":{"type":"object","properties":{"n":{"type":"integer"}}}}}}})";
  };
  return R"({"metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io","scope":"Namespaced",
      "names":{"plural":"widgets","kind":"Widget"},"conversion":{"strategy":"Webhook","webhook":)" +
         webhook + R"(},"versions":[)" + version("v1", "size") + ',' + version("v2", "width") +
         "]}}";
}

/// A Widget of `version` whose `field` is `value`.
inline std::string widget_text(const std::string& version, const std::string& name,
                               const std::string& field, int value) {
  return R"({"apiVersion":"ex.io/)" + version + R"(","kind":"Widget","metadata":{"name":")" + name +
         R"("},"spec":{")" + field + "\":" + std::to_string(value) + "}}";
}
inline std::string widget_v1(const std::string& name, int size) {
  return widget_text("v1", name, "size", size);
}
inline std::string widget_v2(const std::string& name, int width) {
  return widget_text("v2", name, "width", width);
}

/// Puts a policy into force whose failures are ignored: data.a of new ConfigMaps is the size of the
/// Widgets of v1 that `reference` (members of a paramRef) names.
inline void demand_widget_sizes(Sandbox& sandbox, const std::string& reference) {
  const std::string group = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
  const Reply policy = sandbox.post(group + "ies", R"_({"metadata":{"name":"p"},"spec":{
      "failurePolicy":"Ignore","paramKind":{"apiVersion":"ex.io/v1","kind":"Widget"},
      "matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],
        "operations":["CREATE"],"resources":["configmaps"]}]},
      "validations":[{"expression":"object.data.a == string(params.spec.size)"}]}})_");
  EXPECT_EQ(policy.code, 201) << policy.text;
  const Reply binding =
      sandbox.post(group + "ybindings", R"_({"metadata":{"name":"b"},"spec":{"policyName":"p",
      "validationActions":["Deny"],"paramRef":{"parameterNotFoundAction":"Deny",)_" +
                                            reference + "}}}");
  EXPECT_EQ(binding.code, 201) << binding.text;
}

inline Reply post_map(Sandbox& sandbox, const std::string& name, const std::string& value) {
  return sandbox.post("/api/v1/namespaces/default/configmaps",
                      R"({"metadata":{"name":")" + name + R"("},"data":{"a":")" + value + "\"}}");
}

/// A server that has Widgets, and calls their webhook on the caller's thread.
struct WidgetServer {
  explicit WidgetServer(const std::string& definition = widget_definition()) {
    const Reply made = sandbox.post(kDefinitions, definition);
    EXPECT_EQ(made.code, 201) << made.text;
  }

  /// Widget `name` as it is stored.
  [[nodiscard]] Json stored(const std::string& name) const {
    const VersionPtr found = sandbox.store.get({"ex.io", "widgets"}, "default", name);
    return found == nullptr ? Json() : found->json();
  }
  void post_v2(const std::string& name, int width) {
    const Reply made = sandbox.post(kWidgetsV2, widget_v2(name, width));
    ASSERT_EQ(made.code, 201) << made.text;
  }

  FakeConverter converter;
  Sandbox sandbox{with_converter(converter)};
};

}  // namespace davit::sandbox
