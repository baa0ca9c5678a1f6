#include "sandbox/admission/quota.hpp"

#include <gtest/gtest.h>

#include "sandbox/admission/chain.hpp"
#include "sandbox/admission/quota_evaluator.hpp"
#include "tests/sandbox/admission/small_cluster.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kOnePod =
    R"({"metadata":{"namespace":"n","name":"q"},"spec":{"hard":{"pods":"1"}}})";

struct QuotaCase {
  std::string_view hard;
  std::string_view containers;
  std::string_view why;  ///< Why the pod is refused; a pod with half a CPU is there.
};

constexpr QuotaCase kCases[] = {
    {R"({"pods":"2"})", R"([{"name":"c"}])", ""},
    {R"({"pods":"1"})", R"([{"name":"c"}])",
     "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"},
    {R"({"requests.cpu":"1"})", R"([{"name":"c","resources":{"requests":{"cpu":"500m"}}}])", ""},
    {R"({"pods":"1","requests.cpu":"1"})",
     R"([{"name":"c","resources":{"requests":{"cpu":"600m"}}}])",
     "exceeded quota: q, requested: pods=1,requests.cpu=600m, used: pods=1,requests.cpu=500m, "
     "limited: pods=1,requests.cpu=1"},
    {R"({"limits.cpu":"1","memory":"1Gi"})",
     R"([{"name":"a"},{"name":"b","resources":{"limits":{"cpu":"1"}}}])",
     "failed quota: q: must specify limits.cpu for: a; memory for: a,b"},
    {R"({"count/pods":"1"})", R"([{"name":"c"}])",
     "exceeded quota: q, requested: count/pods=1, used: count/pods=1, limited: count/pods=1"},
    {R"({"configmaps":"0"})", R"([{"name":"c"}])", ""},
};

TEST(QuotaTest, RefusesThePodThatIsOneTooMany) {
  for (const QuotaCase& each : kCases) {
    AdmissionSetup setup;
    setup.cluster.add("", "pods", R"({"metadata":{"namespace":"n","name":"old"},
        "spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"500m"}}}]}})");
    setup.cluster.add("", "resourcequotas",
                      R"({"metadata":{"namespace":"n","name":"q"},"spec":{"hard":)" +
                          std::string(each.hard) + "}}");
    Json pod = json_literal(R"({"metadata":{"name":"p"}})");
    pod["spec"].set("containers", json_literal(each.containers));

    const std::string refusal = setup.reserve("", "pods", pod);

    const std::string head = each.why.empty() ? "" : "pods \"p\" is forbidden: ";
    EXPECT_EQ(refusal, head + std::string(each.why)) << each.hard;
  }
}

TEST(QuotaTest, ResourcesOfThePodAsAWholeCountAndContainersMayLackThem) {
  AdmissionSetup setup;
  setup.cluster.add("", "resourcequotas",
                    R"({"metadata":{"namespace":"n","name":"q"},
                        "spec":{"hard":{"requests.cpu":"1","limits.cpu":"9"}}})");
  const auto pod_with = [](std::string_view cpu) {
    return json_literal(R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}],
        "resources":{"requests":{"cpu":")" +
                        std::string(cpu) + R"("},"limits":{"cpu":"2"}}}})");
  };
  Json large = pod_with("2");
  EXPECT_EQ(setup.reserve("", "pods", large),
            "pods \"p\" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: "
            "requests.cpu=0, limited: requests.cpu=1");
  Json small = pod_with("1");
  EXPECT_EQ(setup.reserve("", "pods", small), "");
}

TEST(QuotaTest, OverheadIsAddedToALimitOnlyWhereOneIsSet) {
  const auto pod_with = [](std::string_view limits) {
    return json_literal(R"({"spec":{"overhead":{"memory":"2"},"containers":[{"name":"c",
        "resources":{"limits":)" +
                        std::string(limits) + "}}]}}");
  };
  const auto usage = [&](std::string_view limits, std::string_view name) {
    const Amounts all = quota_usage({"", "pods"}, pod_with(limits));
    return resource_amount(all, name).text();
  };
  EXPECT_EQ(usage("{}", "limits.memory"), "0");
  EXPECT_EQ(usage("{}", "requests.memory"), "2");
  EXPECT_EQ(usage(R"({"memory":"1"})", "limits.memory"), "3");
}

TEST(QuotaTest, SumsKeepTheNotationOfWhatIsAdded) {
  AdmissionSetup setup;
  setup.cluster.add("", "pods", R"({"metadata":{"namespace":"n","name":"old"},"spec":{
      "containers":[{"name":"c","resources":{"requests":{"memory":"512Mi"}}}]}})");
  setup.cluster.add("", "resourcequotas",
                    R"({"metadata":{"namespace":"n","name":"q"},
                        "spec":{"hard":{"requests.memory":"1Gi"}}})");
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{
      "containers":[{"name":"c","resources":{"requests":{"memory":"1Gi"}}}]}})");

  EXPECT_EQ(setup.reserve("", "pods", pod),
            "pods \"p\" is forbidden: exceeded quota: q, requested: requests.memory=1Gi, used: "
            "requests.memory=512Mi, limited: requests.memory=1Gi");
}

TEST(QuotaTest, BalancedServiceWithoutAllocationCountsThePortsThatItAsksFor) {
  const auto node_ports = [](std::string_view spec) {
    const Json service = Json::object({{"spec", json_literal(spec)}});
    return resource_amount(quota_usage({"", "services"}, service), "services.nodeports").text();
  };
  EXPECT_EQ(node_ports(R"({"type":"LoadBalancer","ports":[{},{"nodePort":30001}]})"), "2");
  EXPECT_EQ(node_ports(R"({"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,
                           "ports":[{},{"nodePort":30001}]})"),
            "1");
}

TEST(QuotaTest, ClaimCountsWholeBytesAndWhatAnExpansionHasReserved) {
  const auto storage = [](std::string_view claim) {
    const Amounts usage = quota_usage({"", "persistentvolumeclaims"}, json_literal(claim));
    return resource_amount(usage, "requests.storage").text();
  };
  EXPECT_EQ(storage(R"({"spec":{"resources":{"requests":{"storage":"1500m"}}}})"), "2");
  EXPECT_EQ(storage(R"({"spec":{"resources":{"requests":{"storage":"1Gi"}}},
                        "status":{"allocatedResources":{"storage":"2Gi"}}})"),
            "2Gi");
}

TEST(QuotaTest, FinishedPodsMakeRoom) {
  AdmissionSetup setup;
  setup.cluster.add("", "pods",
                    R"({"metadata":{"namespace":"n","name":"done"},"spec":{},
                        "status":{"phase":"Succeeded"}})");
  setup.cluster.add("", "resourcequotas", kOnePod);
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{}})");

  EXPECT_EQ(setup.reserve("", "pods", pod), "");
}

TEST(QuotaTest, OfTwoPodsOnTheirWayTheFirstGetsThePlace) {
  AdmissionSetup setup;
  setup.cluster.add("", "resourcequotas", kOnePod);
  const ResourcePtr pods = find_plural("", "pods");
  const WriteRequest request{*pods, WriteVerb::kCreate, "n", "", "", nullptr};
  Json one = json_literal(R"({"metadata":{"name":"one"},"spec":{}})");
  Json two = json_literal(R"({"metadata":{"name":"two"},"spec":{}})");

  Reserved first = setup.admission->reserve(request, one);
  EXPECT_FALSE(first.refusal);
  EXPECT_TRUE(setup.admission->reserve(request, two).refusal);
  first.reservation.reset();

  EXPECT_FALSE(setup.admission->reserve(request, two).refusal) << "the first came to nothing";
}

TEST(QuotaTest, OtherKindsAreCountedByName) {
  AdmissionSetup setup;
  setup.cluster.add("", "configmaps", R"({"metadata":{"namespace":"n","name":"a"}})");
  setup.cluster.add("", "resourcequotas",
                    R"({"metadata":{"namespace":"n","name":"q"},
                        "spec":{"hard":{"configmaps":"1","count/deployments.apps":"0"}}})");
  Json config_map = json_literal(R"({"metadata":{"name":"b"}})");
  Json deployment = json_literal(R"({"metadata":{"name":"d"}})");

  EXPECT_EQ(setup.reserve("", "configmaps", config_map),
            "configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1, used: "
            "configmaps=1, limited: configmaps=1");
  EXPECT_EQ(setup.reserve("apps", "deployments", deployment),
            "deployments.apps \"d\" is forbidden: exceeded quota: q, requested: "
            "count/deployments.apps=1, used: count/deployments.apps=0, limited: "
            "count/deployments.apps=0");
}

/// A cluster with the class "gold" of devices, which stands for an extended resource.
struct DeviceSetup : AdmissionSetup {
  DeviceSetup() {
    cluster.add(
        "resource.k8s.io", "deviceclasses",
        R"({"metadata":{"name":"gold"},"spec":{"extendedResourceName":"example.com/gpu"}})");
  }

  void add_quota(const std::string& hard) {
    cluster.add("", "resourcequotas",
                R"({"metadata":{"namespace":"n","name":"q"},"spec":{"hard":)" + hard + "}}");
  }
  static std::string claim_text(const std::string& name, int devices,
                                const std::string& metadata = "") {
    return R"({"metadata":{"namespace":"n","name":")" + name + '"' + metadata +
           R"(},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gold",)"
           R"("allocationMode":"ExactCount","count":)" +
           std::to_string(devices) + "}}]}}}";
  }
  void add_claim(const std::string& name, int devices) {
    cluster.add("resource.k8s.io", "resourceclaims", claim_text(name, devices));
  }
  /// A pod that requests the extended resource.
  static std::string pod_text(const std::string& name, int devices) {
    return R"({"metadata":{"namespace":"n","name":")" + name + R"(","uid":"uid-of-)" + name +
           R"("},"spec":{"containers":[{"name":"c","resources":{"requests":{"example.com/gpu":")" +
           std::to_string(devices) + R"("}}}]}})";
  }
  std::string create_claim(const std::string& name, int devices, const std::string& metadata = "") {
    Json claim = json_literal(claim_text(name, devices, metadata));
    return reserve("resource.k8s.io", "resourceclaims", claim);
  }
};

TEST(DeviceQuotaTest, DevicesCountByTheirClass) {
  DeviceSetup setup;
  setup.add_quota(R"({"gold.deviceclass.resource.k8s.io/devices":"5"})");
  setup.add_claim("old", 3);
  EXPECT_EQ(setup.create_claim("two", 2), "");
  EXPECT_EQ(setup.create_claim("three", 3),
            "resourceclaims.resource.k8s.io \"three\" is forbidden: exceeded quota: q, requested: "
            "gold.deviceclass.resource.k8s.io/devices=3, used: "
            "gold.deviceclass.resource.k8s.io/devices=3, limited: "
            "gold.deviceclass.resource.k8s.io/devices=5");
}

TEST(DeviceQuotaTest, ClaimsCountByTheirNumber) {
  DeviceSetup setup;
  setup.add_quota(R"({"count/resourceclaims.resource.k8s.io":"1"})");
  EXPECT_EQ(setup.create_claim("first", 1), "");
  setup.add_claim("old", 1);
  EXPECT_NE(setup.create_claim("second", 1), "");
}

TEST(DeviceQuotaTest, AnExtendedResourceIsUsedByPodsAndClaims) {
  DeviceSetup setup;
  setup.add_quota(R"({"requests.example.com/gpu":"4"})");
  setup.add_claim("old", 2);
  setup.cluster.add("", "pods", DeviceSetup::pod_text("old", 1));
  EXPECT_EQ(setup.create_claim("one", 1), "");
  EXPECT_EQ(setup.create_claim("two", 2),
            "resourceclaims.resource.k8s.io \"two\" is forbidden: exceeded quota: q, requested: "
            "requests.example.com/gpu=2, used: requests.example.com/gpu=3, limited: "
            "requests.example.com/gpu=4");
  Json pod = json_literal(DeviceSetup::pod_text("new", 2));
  EXPECT_EQ(setup.reserve("", "pods", pod),
            "pods \"new\" is forbidden: exceeded quota: q, requested: requests.example.com/gpu=2, "
            "used: requests.example.com/gpu=3, limited: requests.example.com/gpu=4");
}

TEST(DeviceQuotaTest, TheClaimOfAPodsOwnRequestCountsOnce) {
  const std::string own =
      R"(,"annotations":{"resource.kubernetes.io/extended-resource-claim":"true"},)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","controller":true,"uid":)";
  DeviceSetup setup;
  setup.add_quota(R"({"requests.example.com/gpu":"1"})");
  setup.cluster.add("", "pods", DeviceSetup::pod_text("p", 1));
  EXPECT_EQ(setup.create_claim("own", 1, own + R"("uid-of-p"}])"), "");
  EXPECT_NE(setup.create_claim("foreign", 1, own + R"("other"}])"), "");
}

TEST(DeviceQuotaTest, AClassThatIsUnknownLimitsNoClaimByItsExtendedName) {
  DeviceSetup setup;
  setup.add_quota(R"({"requests.deviceclass.resource.kubernetes.io/gold":"0",)"
                  R"("requests.deviceclass.resource.kubernetes.io/silver":"0"})");
  EXPECT_NE(setup.create_claim("gold", 1), "");
  std::string silver = DeviceSetup::claim_text("silver", 1);
  silver.replace(silver.find("gold"), 4, "silver");
  Json claim = json_literal(silver);
  EXPECT_EQ(setup.reserve("resource.k8s.io", "resourceclaims", claim), "");
}

TEST(DeviceQuotaTest, TheUsageIsChargedToTheQuotas) {
  DeviceSetup setup;
  setup.add_quota(R"({"gold.deviceclass.resource.k8s.io/devices":"5"})");
  const ResourcePtr claims = find_plural("resource.k8s.io", "resourceclaims");
  Json claim = json_literal(DeviceSetup::claim_text("c", 2));
  const Reserved reserved =
      setup.admission->reserve({*claims, WriteVerb::kCreate, "n", "", "", nullptr}, claim);
  ASSERT_FALSE(reserved.refusal);
  EXPECT_EQ(reserved.charge.quotas, std::vector<std::string>{"q"});
  EXPECT_EQ(
      resource_amount(reserved.charge.usage, "gold.deviceclass.resource.k8s.io/devices").text(),
      "2");
}

struct ScopeCase {
  std::string_view quota;  ///< spec
  std::string_view pod;    ///< spec
  bool applies;
};

constexpr ScopeCase kScopeCases[] = {
    {R"({"scopes":["BestEffort"]})", R"({"containers":[{}]})", true},
    {R"({"scopes":["NotBestEffort"]})", R"({"containers":[{}]})", false},
    {R"({"scopes":["Terminating"]})", R"({"activeDeadlineSeconds":5})", true},
    {R"({"scopes":["NotTerminating","BestEffort"]})", R"({"activeDeadlineSeconds":5})", false},
    {R"({"scopeSelector":{"matchExpressions":[
         {"scopeName":"PriorityClass","operator":"In","values":["high"]}]}})",
     R"({"priorityClassName":"high"})", true},
    {R"({"scopeSelector":{"matchExpressions":[
         {"scopeName":"PriorityClass","operator":"In","values":["high"]}]}})",
     R"({"priorityClassName":"low"})", false},
    {R"({"scopes":["CrossNamespacePodAffinity"]})", R"({"containers":[{}]})", false},
    {R"({"scopes":["CrossNamespacePodAffinity"]})",
     R"({"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
         {"namespaces":["m"]}]}}})",
     true},
    {R"({"scopes":["BestEffort"]})", R"({"containers":[{"resources":{"requests":{"cpu":"0"}}}]})",
     true},
};

TEST(QuotaTest, ScopesSayWhichPodsCount) {
  for (const ScopeCase& each : kScopeCases) {
    const Json quota = Json::object({{"spec", json_literal(each.quota)}});
    const Json pod = Json::object({{"spec", json_literal(each.pod)}});
    EXPECT_EQ(quota_applies(quota, {"", "pods"}, pod), each.applies) << each.quota;
  }
}

TEST(LimitRangerTest, ContainersGetWhatTheyDoNotAskFor) {
  AdmissionSetup setup;
  setup.cluster.add("", "limitranges",
                    R"({"metadata":{"namespace":"n","name":"l"},"spec":{"limits":[
                        {"type":"Container","default":{"cpu":"1"},
                         "defaultRequest":{"cpu":"500m"}}]}})");
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"},
      {"name":"d","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"2"}}}]}})");

  EXPECT_EQ(setup.admit("", "pods", pod), "");

  const Json::Items& containers = pod.get("spec").get("containers").items();
  EXPECT_EQ(to_text(containers[0].get("resources")),
            R"({"requests":{"cpu":"500m"},"limits":{"cpu":"1"}})");
  EXPECT_EQ(pod.text_at({"metadata", "annotations", "kubernetes.io/limit-ranger"}),
            "LimitRanger plugin set: cpu request for container c; cpu limit for container c");
}

TEST(LimitRangerTest, WhatIsOutOfBoundsIsRefused) {
  AdmissionSetup setup;
  setup.cluster.add("", "limitranges",
                    R"({"metadata":{"namespace":"n","name":"l"},"spec":{"limits":[
                        {"type":"Container","max":{"cpu":"1"},"min":{"memory":"1Mi"}},
                        {"type":"Pod","max":{"cpu":"1500m","memory":"1Gi"}}]}})");
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",
      "resources":{"limits":{"cpu":"2","memory":"2Gi"},"requests":{"memory":"1Ki"}}}]}})");

  EXPECT_EQ(setup.reserve("", "pods", pod),
            "pods \"p\" is forbidden: [minimum memory usage per Container is 1Mi, but request is "
            "1Ki, maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod "
            "is 1500m, but limit is 2, maximum memory usage per Pod is 1Gi, but limit is 2Gi]");
}

}  // namespace
}  // namespace davit::sandbox
