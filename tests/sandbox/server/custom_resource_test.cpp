// Definitions and their objects, beyond the black-box checks.
#include <gtest/gtest.h>

#include <functional>
#include <protozero/pbf_writer.hpp>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string kWidgets = "/apis/ex.io/v1/namespaces/default/widgets";

std::string version(const std::string& name, const std::string& more, const std::string& size) {
  return R"({"name":")" + name + R"(","served":true,)" + more +
         R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
         R"("properties":{"size":{"type":"integer")" +
         size + "}}}}}}}";
}

std::string definition(const std::string& versions) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
         R"("metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io","scope":"Namespaced",)"
         R"("names":{"plural":"widgets","kind":"Widget"},"versions":[)" +
         versions + "]}}";
}

std::string widget(const std::string& name, const std::string& metadata = "") {
  return R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":")" + name + '"' +
         metadata + R"(},"spec":{}})";
}

const std::string kStored = R"("storage":true,)";

using protozero::pbf_writer;

std::string message(const std::function<void(pbf_writer&)>& write) {
  std::string out;
  pbf_writer writer(out);
  write(writer);
  return out;
}

/// JSONSchemaProps of an object with one property.
std::string object_schema(const std::string& name, const std::string& property) {
  return message([&](pbf_writer& out) {
    out.add_string(5, "object");
    out.add_message(29, message([&](pbf_writer& entry) {
                      entry.add_string(1, name);
                      entry.add_message(2, property);
                    }));
  });
}

/// Widgets whose spec.size is at least 0.5 and whose spec.labels are strings, as typed clients send
/// them (field numbers of apiextensions/v1/generated.proto).
std::string definition_in_protobuf() {
  const std::string labels = message([](pbf_writer& out) {
    out.add_string(5, "object");
    const std::string text = message([](pbf_writer& schema) { schema.add_string(5, "string"); });
    out.add_message(30, message([&](pbf_writer& either) {
                      either.add_bool(1, true);
                      either.add_message(2, text);
                    }));
  });
  const std::string size = message([](pbf_writer& out) {
    out.add_string(5, "number");
    out.add_message(8, message([](pbf_writer& fallback) { fallback.add_string(1, "2"); }));
    out.add_double(11, 0.5);
  });
  std::string spec = object_schema("size", size);
  spec += message([&](pbf_writer& out) {
    out.add_message(29, message([&](pbf_writer& entry) {
                      entry.add_string(1, "labels");
                      entry.add_message(2, labels);
                    }));
  });
  const std::string version = message([&](pbf_writer& out) {
    out.add_string(1, "v1");
    out.add_bool(2, true);
    out.add_bool(3, true);
    out.add_message(4, message([&](pbf_writer& schema) {
                      schema.add_message(1, object_schema("spec", spec));
                    }));
  });
  const std::string raw = message([&](pbf_writer& out) {
    out.add_message(1, message([](pbf_writer& meta) { meta.add_string(1, "widgets.ex.io"); }));
    out.add_message(2, message([&](pbf_writer& body) {
                      body.add_string(1, "ex.io");
                      body.add_message(3, message([](pbf_writer& names) {
                                         names.add_string(1, "widgets");
                                         names.add_string(4, "Widget");
                                       }));
                      body.add_string(4, "Namespaced");
                      body.add_message(7, version);
                    }));
  });
  return std::string("k8s\0", 4) + message([&](pbf_writer& out) {
           out.add_message(1, message([](pbf_writer& type) {
                             type.add_string(1, "apiextensions.k8s.io/v1");
                             type.add_string(2, "CustomResourceDefinition");
                           }));
           out.add_bytes(2, raw);
         });
}

TEST(CustomResourceTest, ADefinitionSentAsProtobufServesItsObjects) {
  Sandbox sandbox;

  const Reply made = sandbox.send("POST", kDefinitions, definition_in_protobuf(),
                                  {{"Content-Type", "application/vnd.kubernetes.protobuf"}});

  ASSERT_EQ(made.code, 201) << made.text;
  const Json& version = made.body.get("spec").get("versions").items()[0];
  EXPECT_EQ(to_text(*version.at({"schema", "openAPIV3Schema", "properties", "spec", "properties"})),
            R"({"labels":{"type":"object","additionalProperties":{"type":"string"}},)"
            R"("size":{"type":"number","default":2,"minimum":0.5}})");
  const std::string small = R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"w"},)"
                            R"("spec":{"size":0.25}})";
  EXPECT_EQ(sandbox.post(kWidgets, small).code, 422);
  EXPECT_EQ(sandbox.post(kWidgets, widget("w")).body.get("spec").get("size").integer_or(0), 2);
}

TEST(CustomResourceTest, SchemasNestedBeyondTheLimitInProtobufAreRefused) {
  Sandbox sandbox;
  std::string schema = message([](pbf_writer& out) { out.add_string(5, "object"); });
  constexpr int kLevels = 20'000;  // Far more than the decoder follows, in less than a body's size.
  for (int i = 0; i < kLevels; ++i) {
    schema = message([&](pbf_writer& out) { out.add_message(28, schema); });
  }
  const std::string raw = message([&](pbf_writer& out) {
    out.add_message(2, message([&](pbf_writer& spec) {
                      spec.add_message(7, message([&](pbf_writer& version) {
                                         version.add_message(4, message([&](pbf_writer& outer) {
                                                               outer.add_message(1, schema);
                                                             }));
                                       }));
                    }));
  });
  const std::string body = std::string("k8s\0", 4) + message([&](pbf_writer& out) {
                             out.add_message(1, message([](pbf_writer& type) {
                                               type.add_string(1, "apiextensions.k8s.io/v1");
                                               type.add_string(2, "CustomResourceDefinition");
                                             }));
                             out.add_bytes(2, raw);
                           });

  const Reply response = sandbox.send("POST", kDefinitions, body,
                                      {{"Content-Type", "application/vnd.kubernetes.protobuf"}});

  EXPECT_EQ(response.code, 400);
  EXPECT_NE(response.message().find("exceeded max depth"), std::string::npos) << response.message();
}

TEST(CustomResourceTest, DefaultsThatCameLaterShowOnReading) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, definition(version("v1", kStored, ""))).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("w")).code, 201);

  const std::string patch = R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/)"
                            R"(properties/spec/properties/size/default","value":7}])";
  ASSERT_EQ(sandbox.patch(kDefinitions + "/widgets.ex.io", "json", patch).code, 200);

  const Reply read = sandbox.get(kWidgets + "/w");
  EXPECT_EQ(read.body.get("spec").get("size").integer_or(0), 7) << read.text;
}

TEST(CustomResourceTest, ObjectsAreServedToWhoTakesAnyApplicationType) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, definition(version("v1", kStored, ""))).code, 201);

  const HttpHeaders any = {{"Accept", "application/*"}};
  EXPECT_EQ(sandbox.send("GET", "/apis/ex.io/v1/widgets", "", any).code, 200);
  EXPECT_EQ(sandbox.send("GET", "/api/v1/pods", "", any).code, 406) << "as the original's router";
}

TEST(CustomResourceTest, VersionsShareTheirObjects) {
  Sandbox sandbox;
  const std::string both =
      version("v1", kStored, "") + ',' + version("v2", R"("storage":false,)", "");
  ASSERT_EQ(sandbox.post(kDefinitions, definition(both)).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("w")).code, 201);

  const Reply other = sandbox.get("/apis/ex.io/v2/namespaces/default/widgets/w");

  EXPECT_EQ(other.body.text_at({"apiVersion"}), "ex.io/v2");
  EXPECT_EQ(sandbox.get("/apis/ex.io/v2/widgets").names(), "w");
}

TEST(CustomResourceTest, ADefinitionGoesWhenItsLastObjectIsGone) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, definition(version("v1", kStored, ""))).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("held", R"(,"finalizers":["ex.io/f"])")).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("free")).code, 201);
  const Reply watch =
      sandbox.get(kWidgets + "?watch=1&resourceVersion=" + sandbox.get(kWidgets).revision());

  const Reply deleted = sandbox.remove(kDefinitions + "/widgets.ex.io");
  EXPECT_EQ(deleted.code, 200);
  EXPECT_EQ(sandbox.get(kWidgets).names(), "held");
  EXPECT_EQ(sandbox.get(kDefinitions + "/widgets.ex.io").code, 200);

  ASSERT_EQ(sandbox.patch(kWidgets + "/held", "merge", R"({"metadata":{"finalizers":null}})").code,
            200);

  EXPECT_EQ(sandbox.get(kDefinitions + "/widgets.ex.io").code, 404);
  EXPECT_EQ(sandbox.get(kWidgets).text, "404 page not found\n");
  EXPECT_EQ(Sandbox::events(*watch.stream), "DELETED free, MODIFIED held, DELETED held");
  std::string rest;
  EXPECT_EQ(watch.stream->read(rest, 1), HttpBodyStream::State::kEnded);
}

TEST(CustomResourceTest, ARestartedServerServesWhatIsStored) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, definition(version("v1", kStored, ""))).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("w")).code, 201);

  sandbox.reopen();

  EXPECT_EQ(sandbox.get(kWidgets).names(), "w");
}

/// Widgets with a status and this schema of their spec and status.
std::string ruled_definition(const std::string& part, const std::string& rules) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
         R"("metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io","scope":"Namespaced",)"
         R"("names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,)"
         R"("storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":)"
         R"({"type":"object","properties":{"spec":)" +
         part + R"(,"status":)" + part + R"(},"x-kubernetes-validations":[)" + rules + "]}}}]}}";
}
std::string ruled_widget(const std::string& more) {
  return R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"w"})" + more + "}";
}

const std::string kSized =
    R"({"type":"object","properties":{"size":{"type":"integer","x-kubernetes-validations":[)"
    R"({"rule":"self > 0","message":"must be positive"},)"
    R"({"rule":"self >= oldSelf","message":"must not shrink"}]}}})";

TEST(CustomResourceTest, ADefinitionWhoseRulesDoNotCompileIsRefused) {
  Sandbox sandbox;

  const Reply response =
      sandbox.post(kDefinitions, ruled_definition(kSized, R"({"rule":"self.spek.size > 1"})"));

  EXPECT_EQ(response.code, 422);
  EXPECT_EQ(response.reason(), "Invalid");
  EXPECT_EQ(response.message(),
            "CustomResourceDefinition.apiextensions.k8s.io \"widgets.ex.io\" is invalid: "
            "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Invalid value: "
            R"({"Rule":"self.spek.size \u003e 1","Message":"","MessageExpression":"",)"
            R"("Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: )"
            "ERROR: <input>:1:5: undefined field 'spek'\n | self.spek.size > 1\n | ....^");
}

TEST(CustomResourceTest, RulesJudgeEveryKindOfWrite) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, ruled_definition(kSized, "")).code, 201);
  const auto patch = [&](const std::string& path, const std::string& body) {
    return sandbox.patch(kWidgets + path, "merge", body).message();
  };
  const std::string head = "Widget.ex.io \"w\" is invalid: ";

  EXPECT_EQ(sandbox.post(kWidgets, ruled_widget(R"(,"spec":{"size":0})")).message(),
            head + "spec.size: Invalid value: 0: must be positive");
  ASSERT_EQ(sandbox.post(kWidgets, ruled_widget(R"(,"spec":{"size":3})")).code, 201);
  EXPECT_EQ(patch("/w", R"({"spec":{"size":2}})"),
            head + "spec.size: Invalid value: 2: must not shrink");
  EXPECT_EQ(patch("/w/status", R"({"status":{"size":-1}})"),
            head + "status.size: Invalid value: -1: must be positive");
  EXPECT_EQ(sandbox.patch(kWidgets + "/w/status", "merge", R"({"status":{"size":1}})").code, 200);
  EXPECT_EQ(sandbox.patch(kWidgets + "/w", "merge", R"({"spec":{"size":4}})").code, 200);
}

TEST(CustomResourceTest, ObjectsOfOneVersionHaveTheDefaultsOfTheStoredOne) {
  Sandbox sandbox;
  const std::string versions =
      version("v1", "\"storage\":false,", "") + ',' + version("v2", kStored, R"(,"default":7)");
  ASSERT_EQ(sandbox.post(kDefinitions, definition(versions)).code, 201);

  const Reply made = sandbox.post(kWidgets, widget("w"));

  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.text_at({"apiVersion"}), "ex.io/v1");
  EXPECT_EQ(made.body.get("spec").get("size").integer_or(0), 7);
}

std::string warnings_of(const Reply& response) {
  std::string out;
  for (const auto& [name, value] : response.headers) {
    if (name == "Warning") out += value;
  }
  return out;
}

TEST(CustomResourceTest, WebhooksAreStoredWithAWarningThatNothingCallsThem) {
  Sandbox sandbox;
  const std::string group = "/apis/admissionregistration.k8s.io/v1/";
  const auto create = [&](const std::string& plural, const std::string& kind,
                          const std::string& more) {
    return sandbox.post(group + plural,
                        R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" + kind +
                            R"(","metadata":{"name":"a"},)" + more + "}");
  };
  const std::string webhook = "webhooks are stored and not called by this server";

  EXPECT_EQ(warnings_of(create("validatingwebhookconfigurations", "ValidatingWebhookConfiguration",
                               R"("webhooks":[])")),
            "299 - \"" + webhook + '"');
}

}  // namespace
}  // namespace davit::sandbox
