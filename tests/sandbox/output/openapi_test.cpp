#include "sandbox/output/openapi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/kube/schema/describe.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

std::vector<ResourcePtr> openapi_resources() {
  auto deployments = std::make_shared<Resource>();
  deployments->group = "apps";
  deployments->version = "v1";
  deployments->name = "deployments";
  deployments->kind = "Deployment";
  auto namespaces = std::make_shared<Resource>();
  namespaces->version = "v1";
  namespaces->name = "namespaces";
  namespaces->kind = "Namespace";
  namespaces->namespaced = false;
  auto widgets = std::make_shared<Resource>();
  widgets->group = "shop.example.com";
  widgets->version = "v1";
  widgets->name = "widgets";
  widgets->kind = "Widget";
  return {namespaces, deployments, widgets};
}

TEST(OpenApiTest, EachKindHasAPatchThatNamesFieldValidation) {
  const Json document =
      openapi_document(openapi_resources(), "apps/v1", openapi_schemas("apps/v1", Descriptions()));
  const Json* patch =
      document.at({"paths", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(patch->get("parameters").items()[1].text_at({"name"}), "fieldValidation");
  EXPECT_EQ(to_text(patch->get("x-kubernetes-group-version-kind")),
            R"({"group":"apps","version":"v1","kind":"Deployment"})");
  EXPECT_FALSE(patch->contains("requestBody")) << "kubectl would take merge keys from the document";
  EXPECT_EQ(document.get("paths").size(), 1u);
}

TEST(OpenApiTest, ClusterScopedKindsHaveNoNamespaceInTheirPath) {
  const Json document =
      openapi_document(openapi_resources(), "v1", openapi_schemas("v1", Descriptions()));
  EXPECT_NE(document.at({"paths", "/api/v1/namespaces/{name}", "patch"}), nullptr);
}

TEST(OpenApiTest, SchemasDescribeKindsAndAllTheyHold) {
  const Json schemas = openapi_schemas("apps/v1", Descriptions());
  const Json& deployment = schemas.get("io.k8s.api.apps.v1.Deployment");
  EXPECT_EQ(to_text(deployment.get("x-kubernetes-group-version-kind")),
            R"([{"group":"apps","version":"v1","kind":"Deployment"}])");
  EXPECT_EQ(to_text(*deployment.at({"properties", "spec", "allOf"})),
            R"([{"$ref":"#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec"}])");
  const Json& containers = *schemas.at({"io.k8s.api.core.v1.PodSpec", "properties", "containers"});
  EXPECT_EQ(containers.text_at({"type"}), "array");
  EXPECT_EQ(containers.text_at({"x-kubernetes-patch-merge-key"}), "name");
  EXPECT_EQ(containers.text_at({"x-kubernetes-list-type"}), "map");
  EXPECT_EQ(schemas.text_at({"io.k8s.apimachinery.pkg.api.resource.Quantity", "type"}), "string");
}

TEST(OpenApiTest, FieldsShowTheirDefaultsAndTheTextsThatTheyAllow) {
  const Json schemas = openapi_schemas("v1", Descriptions());
  const auto property = [&](const char* type, const char* field) {
    const Json* found =
        schemas.at({std::string("io.k8s.api.core.v1.") + type, "properties", field});
    return found == nullptr ? Json() : *found;
  };
  EXPECT_EQ(to_text(property("Container", "imagePullPolicy").get("enum")),
            R"(["Always","IfNotPresent","Never"])");
  EXPECT_FALSE(property("Container", "imagePullPolicy").contains("default"));
  EXPECT_EQ(to_text(*property("PersistentVolumeClaimSpec", "accessModes").at({"items", "enum"})),
            R"(["ReadOnlyMany","ReadWriteMany","ReadWriteOnce","ReadWriteOncePod"])");
  EXPECT_EQ(property("ContainerPort", "protocol").text_at({"default"}), "TCP") << "the server sets";
  EXPECT_EQ(to_text(property("ContainerPort", "containerPort").get("default")), "0");
  EXPECT_EQ(to_text(property("Container", "name").get("default")), R"("")");
  EXPECT_EQ(to_text(property("Container", "resources").get("default")), "{}");
  EXPECT_EQ(to_text(property("Container", "stdin").get("default")), "null") << "may be absent";
  EXPECT_EQ(to_text(property("ReplicationControllerSpec", "replicas").get("default")), "1");
  EXPECT_FALSE(property("Probe", "tcpSocket").contains("default")) << "a pointer";
}

void collect_references(const Json& json, std::vector<std::string>& out) {
  if (const Json* ref = json.find("$ref"); ref != nullptr && ref->is_string()) {
    out.push_back(ref->text());
  }
  for (const Json::Member& each : json.members()) collect_references(each.value, out);
  for (const Json& each : json.items()) collect_references(each, out);
}

TEST(OpenApiTest, ReferencesThatNameAKindAreNotKinds) {
  const Json schemas = openapi_schemas("v1", Descriptions());
  const Json& reference = schemas.get("io.k8s.api.core.v1.ObjectReference");
  ASSERT_NE(reference.at({"properties", "kind"}), nullptr);
  EXPECT_FALSE(reference.contains("x-kubernetes-group-version-kind"));
}

TEST(OpenApiTest, NoReferenceLeadsNowhere) {
  for (const char* version : {"v1", "apps/v1", "batch/v1", "rbac.authorization.k8s.io/v1"}) {
    const Json schemas = openapi_schemas(version, Descriptions());
    std::vector<std::string> references;
    collect_references(schemas, references);
    EXPECT_FALSE(references.empty());
    for (const std::string& each : references) {
      const std::string prefix = "#/components/schemas/";
      ASSERT_TRUE(each.starts_with(prefix));
      EXPECT_TRUE(schemas.contains(each.substr(prefix.size()))) << each;
    }
  }
}

TEST(OpenApiTest, KindsWithoutTablesAllowEverything) {
  const Json document = openapi_document(openapi_resources(), "shop.example.com/v1",
                                         openapi_schemas("shop.example.com/v1", Descriptions()));
  const Json* schema = document.at({"components", "schemas", "com.example.shop.v1.Widget"});
  ASSERT_NE(schema, nullptr);
  EXPECT_TRUE(schema->get("x-kubernetes-preserve-unknown-fields").boolean());
}

TEST(OpenApiTest, IndexNamesDocumentsWithTheirHashes) {
  const std::pair<std::string, std::string> documents[] = {{"v1", "H1"}, {"apps/v1", "H2"}};
  EXPECT_EQ(to_text(openapi_index(documents)),
            R"({"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=H1"},)"
            R"("apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=H2"}}})");
  EXPECT_THAT(api_versions_of(openapi_resources()),
              ElementsAre("v1", "apps/v1", "shop.example.com/v1"));
}

}  // namespace
}  // namespace davit::sandbox
