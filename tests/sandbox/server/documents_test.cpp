// OpenAPI as clients read it, beyond the black-box checks.
#include <gtest/gtest.h>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

constexpr char kDefinition[] =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io","scope":"Namespaced",)"
    R"("names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,)"
    R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object","description":"A widget.",)"
    R"("properties":{"spec":{"type":"object","required":["size"],"properties":{)"
    R"("size":{"type":"integer","description":"How many."},)"
    R"("port":{"x-kubernetes-int-or-string":true},)"
    R"("pod":{"type":"object","x-kubernetes-embedded-resource":true,)"
    R"("x-kubernetes-preserve-unknown-fields":true}}}}}}}]}})";

std::string type_of(Sandbox& sandbox, const std::string& path, const std::string& accept) {
  HttpServerRequest request;
  request.method = "GET";
  request.target = path;
  request.headers = {{"Accept", accept}};
  const HttpServerResponse response = sandbox.server->handle(request);
  return response.status == 200 ? response.content_type : std::to_string(response.status);
}

// kubectl before 1.27 ends in "mime: unexpected content after media subtype" at an `@`.
TEST(DocumentsTest, OpenApiV2HasAContentTypeThatOldKubectlCanParse) {
  Sandbox sandbox;
  const std::string wanted = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

  EXPECT_EQ(
      type_of(sandbox, "/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"),
      wanted);
  EXPECT_EQ(type_of(sandbox, "/openapi/v2", wanted), wanted);
  EXPECT_EQ(type_of(sandbox, "/openapi/v2", "application/json"), "application/json");
  EXPECT_EQ(type_of(sandbox, "/openapi/v2", "text/html"), "406");
  EXPECT_EQ(type_of(sandbox, "/openapi/v3/apis/apps/v1", "text/html"), "406");
}

// kubectl before 1.25 validates by this and would refuse `default: red`.
TEST(DocumentsTest, DefaultsInSchemasMayBeOfAnyType) {
  Sandbox sandbox;
  const Reply v2 = sandbox.get("/openapi/v2");
  const Json* schema =
      v2.body.get("definitions")
          .find("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  ASSERT_NE(schema, nullptr);
  for (const char* name : {"default", "example", "items", "additionalProperties"}) {
    EXPECT_FALSE(schema->get("properties").get(name).contains("type")) << name;
  }
}

TEST(DocumentsTest, VerboseHealthListsTheChecksThatClientsLookFor) {
  Sandbox sandbox;

  const std::string ready =
      sandbox.get("/readyz?verbose&exclude=etcd&exclude=nope&exclude=b&exclude=b").text;
  for (const char* line : {"[+]ping ok\n", "[+]etcd excluded: ok\n", "[+]informer-sync ok\n",
                           "[+]poststarthook/rbac/bootstrap-roles ok\n", "[+]shutdown ok\n",
                           "no matches for \"b\", \"nope\"\n", "readyz check passed\n"}) {
    EXPECT_NE(ready.find(line), std::string::npos) << line << ready;
  }
  const std::string live = sandbox.get("/livez?verbose").text;
  EXPECT_EQ(live.find("shutdown"), std::string::npos) << "only readyz has it";
  EXPECT_EQ(sandbox.get("/healthz/nope").code, 404);
}

TEST(DocumentsTest, BuiltInKindsAndFieldsAreDescribedInBothVersions) {
  Sandbox sandbox;
  const Json v3 = sandbox.get("/openapi/v3/apis/apps/v1").body.get("components").get("schemas");
  const Json v2 = sandbox.get("/openapi/v2").body.get("definitions");
  for (const Json* schemas : {&v3, &v2}) {
    const Json& kind = schemas->get("io.k8s.api.apps.v1.Deployment");
    EXPECT_TRUE(kind.text_at({"description"}).starts_with("Keeps a number of identical pods"));
    const Json& spec = schemas->get("io.k8s.api.apps.v1.DeploymentSpec").get("properties");
    EXPECT_EQ(spec.text_at({"replicas", "description"}), "How many pods to run. Default: 1.");
    EXPECT_NE(spec.text_at({"template", "description"}), "") << "beside a reference";
  }
}

TEST(DocumentsTest, CustomResourcesAreDescribedByTheirDefinition) {
  Sandbox sandbox;
  ASSERT_EQ(
      sandbox.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kDefinition).code,
      201);

  const Reply v3 = sandbox.get("/openapi/v3/apis/ex.io/v1");
  const Json& widget = *v3.body.at({"components", "schemas", "io.ex.v1.Widget"});
  EXPECT_EQ(widget.text_at({"description"}), "A widget.");
  EXPECT_EQ(widget.text_at({"properties", "kind", "type"}), "string");
  EXPECT_EQ(to_text(widget.get("x-kubernetes-group-version-kind")),
            R"([{"group":"ex.io","version":"v1","kind":"Widget"}])");
  const Json& spec = *widget.at({"properties", "spec", "properties"});
  EXPECT_EQ(spec.text_at({"size", "description"}), "How many.");
  EXPECT_EQ(to_text(spec.get("port").get("anyOf")), R"([{"type":"integer"},{"type":"string"}])");
  EXPECT_EQ(to_text(spec.get("pod").get("required")), R"(["kind","apiVersion"])");

  const Reply v2 = sandbox.get("/openapi/v2");
  EXPECT_EQ(to_text(v2.body.get("definitions")
                        .get("io.ex.v1.Widget")
                        .get("properties")
                        .get("metadata")
                        .get("$ref")),
            R"("#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")");
  EXPECT_TRUE(
      v2.body.get("definitions").contains("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));
}

}  // namespace
}  // namespace davit::sandbox
