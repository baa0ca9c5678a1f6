#include "plugins/statefulset/bodies.hpp"

#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>

namespace davit::statefulset {
namespace {

using davit::testing::Json;

class BodiesTest : public ::testing::Test {
 protected:
  StatefulSet set(std::string_view json) { return cluster_.view_of<StatefulSet>(json); }

  davit::testing::Cluster cluster_;
};

TEST_F(BodiesTest, APodIsItsTemplateWithAnIdentity) {
  const StatefulSet web = set(R"({"metadata":{"name":"web","namespace":"ns","uid":"u"},"spec":{
      "serviceName":"","volumeClaimTemplates":[{"metadata":{"name":"data"}}]}})");
  const Value pod_template = cluster_.value(R"({"$patch":"replace","metadata":{"name":"n",
      "labels":{"app":"x","apps.kubernetes.io/pod-index":"mine"}},
      "spec":{"new":{"field":1.50},"volumes":[{"name":"v"},{"name":"data","emptyDir":{}}]}})");

  const Json pod = Json::must(pod_body(web, {"web-abc", pod_template}, 3));

  EXPECT_EQ(pod.canonical(),
            Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-3",
      "generateName":"web-","labels":{"app":"x","apps.kubernetes.io/pod-index":"3",
      "controller-revision-hash":"web-abc","statefulset.kubernetes.io/pod-name":"web-3"},
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","uid":"u",
      "controller":true,"blockOwnerDeletion":true}]},"spec":{"new":{"field":1.50},
      "hostname":"web-3","subdomain":"","volumes":[{"name":"data",
      "persistentVolumeClaim":{"claimName":"data-web-3"}},{"name":"v"}]}})")
                .canonical());
}

TEST_F(BodiesTest, WithoutClaimsTheVolumesAreTheTemplates) {
  const StatefulSet web = set(R"({"metadata":{"name":"web"}})");
  const Value pod_template = cluster_.value(R"({"spec":{"containers":[]}})");
  EXPECT_EQ(Json::must(pod_body(web, {"r", pod_template}, 0)).at({"spec", "volumes"}), nullptr);
}

TEST_F(BodiesTest, AClaimHasTheLabelsThatTheSetSelectsBy) {
  const StatefulSet web = set(R"({"metadata":{"name":"web","namespace":"ns"},"spec":{
      "selector":{"matchLabels":{"app":"x","a":"y"}}}})");
  const Value claim = cluster_.value(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",
      "metadata":{"name":"data","labels":{"a":"b","c":"d"},"annotations":{"k":"v"}},
      "spec":{"new":1},"status":{"phase":"Pending"}})");
  EXPECT_EQ(Json::must(claim_body(web, claim, "web-0")).canonical(),
            Json::must(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{
      "name":"data-web-0","namespace":"ns","labels":{"app":"x","a":"y","c":"d"},
      "annotations":{"k":"v"}},"spec":{"new":1},"status":{"phase":"Pending"}})")
                .canonical());
}

}  // namespace
}  // namespace davit::statefulset
