/// Rows RQ21 to RQ29, RQ39 to RQ42 and RQ62: what other objects use.
#include <davit/kube/deployment.hpp>

#include "tests/plugins/resourcequota/fixture.hpp"

namespace davit::resourcequota {
namespace {

/// Objects keep their UIDs when they are stored again.
class KindsTest : public QuotaTest {
 protected:
  void service(std::string_view name, const std::string& type, std::string_view ports,
               std::string_view more = {}) {
    add("v1", "Service", name,
        R"("spec":{"type":")" + type + R"(","ports":)" + std::string(ports) + std::string(more) +
            "}",
        uid_of(name));
  }
  void claim(std::string_view name, const std::string& storage, std::string_view more = {},
             std::string_view metadata = {}, std::string_view status = "{}") {
    add("v1", "PersistentVolumeClaim", name,
        R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":")" +
            storage + "\"}}" + std::string(more) + R"(},"status":)" + std::string(status),
        uid_of(name) + std::string(metadata.empty() ? "" : ",") + std::string(metadata));
  }
  static std::string uid_of(std::string_view name) {
    return R"("uid":")" + std::string(name) + "-uid\"";
  }
};

constexpr const char* kOnePort = R"([{"name":"a","port":80,"nodePort":30001}])";

TEST_F(KindsTest, RQ21_OtherObjectsAreInNoScope) {
  add("v1", "ConfigMap", "a");
  add("v1", "ConfigMap", "b");
  start();
  quota(R"({"count/configmaps":"5"})", R"("scopes":["NotTerminating"])");
  EXPECT_EQ(used(), "count/configmaps=0");
}

TEST_F(KindsTest, RQ22_NodePortsAndLoadBalancers) {
  service("a", "ClusterIP", R"([{"port":80}])");
  service("b", "NodePort",
          R"([{"name":"a","port":80,"nodePort":30001},{"name":"b","port":81,"nodePort":30002}])");
  service("c", "LoadBalancer", kOnePort);
  service("d", "LoadBalancer", R"([{"port":80}])", R"(,"allocateLoadBalancerNodePorts":false)");
  start();
  quota(R"({"services":"9","services.nodeports":"9","services.loadbalancers":"9"})");
  EXPECT_EQ(used(), "services=4 services.loadbalancers=2 services.nodeports=3");
}

TEST_F(KindsTest, RQ23_AnotherTypeOfServiceCountsAtOnce) {
  service("b", "NodePort", kOnePort);
  service("c", "LoadBalancer", kOnePort);
  start();
  quota(R"({"services.nodeports":"9"})");
  ASSERT_EQ(used(), "services.nodeports=2");
  service("b", "ClusterIP", R"([{"port":80}])");
  run();
  EXPECT_EQ(used(), "services.nodeports=1");
}

TEST_F(KindsTest, RQ24_FewerPortsOfTheSameTypeCountLater) {
  service("b", "NodePort",
          R"([{"name":"a","port":80,"nodePort":30001},{"name":"b","port":81,"nodePort":30002},
              {"name":"c","port":82,"nodePort":30003}])");
  start();
  quota(R"({"services.nodeports":"9"})");
  ASSERT_EQ(used(), "services.nodeports=3");
  service("b", "NodePort", kOnePort);
  run();
  EXPECT_EQ(used(), "services.nodeports=3");
  recalculate();
  EXPECT_EQ(used(), "services.nodeports=1");
}

TEST_F(KindsTest, RQ25_StorageByClass) {
  claim("a", "10Gi", R"(,"storageClassName":"gold")");
  claim("b", "5Gi");
  start();
  quota(R"({"persistentvolumeclaims":"9","requests.storage":"100Gi",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims":"9",
            "gold.storageclass.storage.k8s.io/requests.storage":"100Gi"})");
  EXPECT_EQ(used(),
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=1 "
            "gold.storageclass.storage.k8s.io/requests.storage=10Gi "
            "persistentvolumeclaims=2 requests.storage=15Gi");
}

TEST_F(KindsTest, RQ26_TheOldAnnotationNamesTheClass) {
  claim("a", "10Gi", R"(,"storageClassName":"gold")",
        R"("annotations":{"volume.beta.kubernetes.io/storage-class":"silver"})");
  start();
  quota(R"({"gold.storageclass.storage.k8s.io/persistentvolumeclaims":"9",
            "silver.storageclass.storage.k8s.io/persistentvolumeclaims":"9"})");
  EXPECT_EQ(used(),
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=0 "
            "silver.storageclass.storage.k8s.io/persistentvolumeclaims=1");
}

TEST_F(KindsTest, RQ27_StorageIsRoundedUp) {
  claim("a", "1500m");
  start();
  quota(R"({"requests.storage":"9"})");
  EXPECT_EQ(used(), "requests.storage=2");
}

TEST_F(KindsTest, RQ28_WhatAnExpansionReservesCountsAtOnce) {
  claim("a", "5Gi");
  start();
  quota(R"({"requests.storage":"9Gi"})");
  ASSERT_EQ(used(), "requests.storage=5Gi");
  claim("a", "5Gi", {}, {}, R"({"allocatedResources":{"storage":"8Gi"}})");
  run();
  EXPECT_EQ(used(), "requests.storage=8Gi");
}

TEST_F(KindsTest, RQ29_ClaimsByTheirAttributes) {
  claim("a", "1", R"(,"volumeAttributesClassName":"fast")");
  claim("b", "1", {}, {}, R"({"currentVolumeAttributesClassName":"fast"})");
  claim(
      "c", "1", {}, {},
      R"({"modifyVolumeStatus":{"status":"InProgress","targetVolumeAttributesClassName":"fast"}})");
  claim("d", "1");
  start();
  quota(R"({"persistentvolumeclaims":"9"})",
        R"("scopeSelector":{"matchExpressions":[{"scopeName":"VolumeAttributesClass",
            "operator":"In","values":["fast"]}]})");
  EXPECT_EQ(used(), "persistentvolumeclaims=3");
}

// ---- Devices ----

class DevicesTest : public KindsTest {
 protected:
  void device_class(const std::string& name, const std::string& resource = {}) {
    cluster_.add(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":")" +
                 name + R"("},"spec":{)" +
                 (resource.empty() ? "" : R"("extendedResourceName":")" + resource + '"') + "}}");
  }
  void device_claim(std::string_view name, const std::string& requests,
                    std::string_view metadata = {}) {
    add("resource.k8s.io/v1", "ResourceClaim", name,
        R"("spec":{"devices":{"requests":[)" + requests + "]}}", metadata);
  }
  static std::string exactly(const std::string& device_class, int count) {
    return R"({"name":"r","exactly":{"deviceClassName":")" + device_class +
           R"(","allocationMode":"ExactCount","count":)" + std::to_string(count) + "}}";
  }
  /// An ordinary claim and a pod that both use the devices of "gold".
  void share_a_resource() {
    device_class("gold", "example.com/gpu");
    device_claim("a", exactly("gold", 2));
    cluster_.add(pod_with("p", R"("example.com/gpu":"1")").uid("p-uid"));
  }
};

TEST_F(DevicesTest, RQ39_DevicesByClass) {
  device_claim("a", exactly("gold", 2));
  device_claim("b", R"({"name":"r","firstAvailable":[
      {"name":"a","deviceClassName":"gold","allocationMode":"ExactCount","count":1},
      {"name":"b","deviceClassName":"gold","allocationMode":"ExactCount","count":3},
      {"name":"c","deviceClassName":"silver","allocationMode":"All"}]})");
  start();
  quota(R"({"gold.deviceclass.resource.k8s.io/devices":"9",
            "silver.deviceclass.resource.k8s.io/devices":"99",
            "count/resourceclaims.resource.k8s.io":"9"})");
  EXPECT_EQ(used(),
            "count/resourceclaims.resource.k8s.io=2 gold.deviceclass.resource.k8s.io/devices=5 "
            "silver.deviceclass.resource.k8s.io/devices=32");
}

TEST_F(DevicesTest, RQ40_AnExtendedResourceIsUsedByPodsAndClaims) {
  share_a_resource();
  start();
  quota(R"({"requests.example.com/gpu":"9",
            "requests.deviceclass.resource.kubernetes.io/gold":"9"})");
  EXPECT_EQ(used(),
            "requests.deviceclass.resource.kubernetes.io/gold=2 requests.example.com/gpu=3");
}

TEST_F(DevicesTest, RQ41_TheClaimOfAPodsOwnRequestCountsOnce) {
  share_a_resource();
  device_claim("own", exactly("gold", 1),
               R"("annotations":{"resource.kubernetes.io/extended-resource-claim":"true"},
                  "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"p-uid",
                                      "controller":true}])");
  start();
  quota(R"({"requests.example.com/gpu":"9"})");
  EXPECT_EQ(used(), "requests.example.com/gpu=3");
}

TEST_F(DevicesTest, AClaimThatOnlySaysSoCountsInFull) {
  share_a_resource();
  device_claim("own", exactly("gold", 1),
               R"("annotations":{"resource.kubernetes.io/extended-resource-claim":"true"},
                  "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"other",
                                      "controller":true}])");
  start();
  quota(R"({"requests.example.com/gpu":"9"})");
  EXPECT_EQ(used(), "requests.example.com/gpu=4");
}

// ---- Counts of objects ----

TEST_F(KindsTest, RQ42_ObjectsOfAnyKindAreCounted) {
  cluster_.add(testing::DeploymentBuilder("a").ns("t"));
  cluster_.add(testing::DeploymentBuilder("b").ns("t"));
  cluster_.add(testing::DeploymentBuilder("elsewhere").ns("default"));
  start();
  quota(R"({"count/deployments.apps":"5"})");
  ASSERT_EQ(used(), "count/deployments.apps=2");
  ASSERT_TRUE(cluster_.erase<Deployment>({"t", "a"}));
  run();
  EXPECT_EQ(used(), "count/deployments.apps=1");
}

TEST_F(KindsTest, RQ62_SomeKindsHaveAnAlias) {
  add("v1", "ReplicationController", "rc",
      R"("spec":{"replicas":0,"selector":{"app":"x"},"template":{"metadata":{"labels":{"app":"x"}},
         "spec":{"containers":[{"name":"c","image":"i"}]}}})");
  start();
  quota(R"({"replicationcontrollers":"9","count/replicationcontrollers":"9"})");
  EXPECT_EQ(used(), "count/replicationcontrollers=1 replicationcontrollers=1");
}

}  // namespace
}  // namespace davit::resourcequota
