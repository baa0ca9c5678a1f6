#include <gtest/gtest.h>

#include "tests/sandbox/kinds/rule_cases.hpp"

namespace davit::sandbox {
namespace {

const KindRules& rules() {
  static const ResourcePtr services = find_builtin("v1", "Service");
  return *services->rules;
}

/// A Service as it is stored once it has its address.
constexpr std::string_view kService = R"({
  "metadata": {"name": "s", "namespace": "default", "uid": "u"},
  "spec": {"type": "ClusterIP", "clusterIP": "10.0.0.7", "clusterIPs": ["10.0.0.7"],
           "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None",
           "internalTrafficPolicy": "Cluster",
           "ports": [{"protocol": "TCP", "port": 80, "targetPort": 80}]},
  "status": {"loadBalancer": {}}})";

struct ChangeCase {
  std::string_view given;
  std::string_view expected;
};

// clang-format off
constexpr ChangeCase kCreateCases[] = {
    {R"({"ports":[{"port":80}]})",
     R"({"ports":[{"port":80,"protocol":"TCP","targetPort":80}],"sessionAffinity":"None",
         "type":"ClusterIP","internalTrafficPolicy":"Cluster","ipFamilyPolicy":"SingleStack",
         "ipFamilies":["IPv4"]})"},
    {R"({"ports":[{"port":80,"targetPort":"web"}],"type":"NodePort","sessionAffinity":"ClientIP"})",
     R"({"ports":[{"port":80,"targetPort":"web","protocol":"TCP"}],"type":"NodePort",
         "sessionAffinity":"ClientIP",
         "sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}},
         "externalTrafficPolicy":"Cluster","internalTrafficPolicy":"Cluster",
         "ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4"]})"},
    {R"({"type":"LoadBalancer","clusterIP":"10.0.0.9"})",
     R"({"type":"LoadBalancer","clusterIP":"10.0.0.9","clusterIPs":["10.0.0.9"],
         "sessionAffinity":"None","externalTrafficPolicy":"Cluster",
         "internalTrafficPolicy":"Cluster","allocateLoadBalancerNodePorts":true,
         "ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4"]})"},
    {R"({"clusterIP":"None","selector":{"a":"b"}})",
     R"({"clusterIP":"None","selector":{"a":"b"},"sessionAffinity":"None","type":"ClusterIP",
         "internalTrafficPolicy":"Cluster","clusterIPs":["None"],"ipFamilyPolicy":"SingleStack",
         "ipFamilies":["IPv4"]})"},
    {R"({"clusterIP":"None"})",
     R"({"clusterIP":"None","sessionAffinity":"None","type":"ClusterIP",
         "internalTrafficPolicy":"Cluster","clusterIPs":["None"],
         "ipFamilyPolicy":"RequireDualStack","ipFamilies":["IPv4","IPv6"]})"},
    {R"({"type":"ExternalName","externalName":"a.example"})",
     R"({"type":"ExternalName","externalName":"a.example","sessionAffinity":"None"})"},
};
// clang-format on

TEST(ServiceRulesTest, CreatingFillsInWhatTheTypeNeeds) {
  for (const ChangeCase& each : kCreateCases) {
    Json service = Json::object({{"spec", json_literal(each.given)}});

    rules().set_defaults(service);
    rules().prepare_create(service);

    EXPECT_EQ(service.get("spec"), json_literal(each.expected)) << to_text(service);
    EXPECT_EQ(to_text(service.get("status")), R"({"loadBalancer":{}})");
  }
}

// clang-format off
constexpr RuleCase kSpecCases[] = {
    {R"({})", ""},
    {R"({"spec":{"ports":null}})", "spec.ports: Required value"},
    {R"({"spec":{"ports":[{"port":80,"targetPort":80,"protocol":"TCP"},
                          {"port":81,"targetPort":81,"protocol":"TCP"}]}})",
     "spec.ports[0].name: Required value\nspec.ports[1].name: Required value"},
    {R"({"spec":{"ports":[{"name":"a","port":80,"targetPort":80,"protocol":"TCP"},
                          {"name":"a","port":80,"targetPort":80,"protocol":"TCP"}]}})",
     "spec.ports[1].name: Duplicate value: \"a\"\n"
     "spec.ports[1]: Duplicate value: {\"Name\":\"\",\"Protocol\":\"TCP\",\"AppProtocol\":null,"
     "\"Port\":80,\"TargetPort\":0,\"NodePort\":0}"},
    {R"({"spec":{"ports":[{"port":0,"targetPort":70000,"protocol":"XTP"}]}})",
     "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive\n"
     "spec.ports[0].protocol: Unsupported value: \"XTP\": supported values: \"SCTP\", \"TCP\", "
     "\"UDP\"\n"
     "spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive"},
    {R"({"spec":{"ports":[{"port":80,"targetPort":"a_b","protocol":"TCP"}]}})",
     "spec.ports[0].targetPort: Invalid value: \"a_b\": must contain only alpha-numeric characters "
     "(a-z, 0-9), and hyphens (-)"},
    {R"({"spec":{"ports":[{"port":80,"targetPort":80,"protocol":"TCP","nodePort":30000}]}})",
     "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"},
    {R"({"spec":{"type":"Foo"}})",
     "spec.type: Unsupported value: \"Foo\": supported values: \"ClusterIP\", \"ExternalName\", "
     "\"LoadBalancer\", \"NodePort\""},
    {R"({"spec":{"sessionAffinity":"Foo"}})",
     "spec.sessionAffinity: Unsupported value: \"Foo\": supported values: \"ClientIP\", \"None\""},
    {R"({"spec":{"sessionAffinity":"ClientIP",
                 "sessionAffinityConfig":{"clientIP":{"timeoutSeconds":86401}}}})",
     "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater "
     "than 0 and less than 86400"},
    {R"({"spec":{"selector":{"a b":"c"}}})",
     "spec.selector: Invalid value: \"a b\": name part must consist of alphanumeric characters, "
     "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
     "'my.name',  or '123-abc', regex used for validation is "
     "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
    {R"({"spec":{"clusterIP":"bogus","clusterIPs":["bogus"]}})",
     "spec.clusterIPs[0]: Invalid value: \"bogus\": must be a valid IP address, (e.g. 10.9.8.7 or "
     "2001:db8::ffff)"},
    {R"({"spec":{"clusterIPs":["10.0.0.8"]}})",
     "spec.clusterIPs: Invalid value: [\"10.0.0.8\"]: first value must match `clusterIP`"},
    {R"({"spec":{"ipFamilies":["IPv6"]}})",
     "spec.clusterIPs[0]: Invalid value: \"10.0.0.7\": expected an IPv6 value as indicated by "
     "`ipFamilies[0]`"},
    {R"({"spec":{"ipFamilies":["IPv6"],"clusterIP":null,"clusterIPs":null}})",
     "spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster"},
    {R"({"spec":{"ipFamilyPolicy":"RequireDualStack"}})",
     "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for "
     "dual-stack services"},
    {R"({"spec":{"externalTrafficPolicy":"Local"}})",
     "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set for "
     "externally-accessible services"},
    {R"({"spec":{"externalIPs":["127.0.0.1"],"externalTrafficPolicy":"Cluster"}})",
     "spec.externalIPs[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range "
     "(127.0.0.0/8, ::1/128)"},
    {R"({"spec":{"type":"NodePort","externalTrafficPolicy":"Cluster","clusterIP":"None",
                 "clusterIPs":["None"]}})",
     "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"},
    {R"({"spec":{"type":"ExternalName","clusterIP":null,"clusterIPs":null,"ipFamilies":null,
                 "ipFamilyPolicy":null,"externalName":"a.example."}})", ""},
    {R"({"spec":{"type":"ExternalName","clusterIP":null}})",
     "spec.clusterIPs: Forbidden: may not be set for ExternalName services\n"
     "spec.ipFamilies: Forbidden: may not be set for ExternalName services\n"
     "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services\n"
     "spec.externalName: Required value"},
};
// clang-format on

TEST(ServiceRulesTest, SpecIsCheckedInTheWordsOfTheRealServer) {
  for (const RuleCase& each : kSpecCases) {
    EXPECT_EQ(to_lines(rules().validate_create(merged(kService, each.patch))), each.lines)
        << each.patch;
  }
}

struct UpdateCase {
  std::string_view old_patch;
  std::string_view patch;  ///< Merged into the old Service, as PATCH does.
  std::string_view path_to_look_at;
  std::string_view expected;
  std::string_view lines;
};

// clang-format off
constexpr UpdateCase kUpdateCases[] = {
    {"{}", R"({"spec":{"clusterIP":null,"clusterIPs":null}})", "clusterIPs", R"(["10.0.0.7"])", ""},
    {"{}", R"({"spec":{"clusterIP":"10.0.0.99"}})", "clusterIPs", R"(["10.0.0.99"])",
     "spec.clusterIPs[0]: Invalid value: [\"10.0.0.99\"]: may not change once set"},
    {"{}", R"({"spec":{"clusterIP":""}})", "clusterIP", R"("10.0.0.7")", ""},
    {"{}", R"({"spec":{"type":"ExternalName","externalName":"a.example"}})", "clusterIP", "null",
     ""},
    {R"({"spec":{"type":"ExternalName","externalName":"a","clusterIP":null,"clusterIPs":null,
                 "ipFamilies":null,"ipFamilyPolicy":null}})",
     R"({"spec":{"type":"ClusterIP","externalName":null}})", "ipFamilies", R"(["IPv4"])", ""},
    {R"({"spec":{"type":"NodePort","externalTrafficPolicy":"Cluster",
                 "ports":[{"protocol":"TCP","port":80,"targetPort":80,"nodePort":30001}]}})",
     R"({"spec":{"ports":[{"port":81}]}})", "ports",
     R"([{"port":81,"protocol":"TCP","targetPort":81,"nodePort":30001}])", ""},
    {R"({"spec":{"type":"NodePort","externalTrafficPolicy":"Cluster",
                 "ports":[{"protocol":"TCP","port":80,"targetPort":80,"nodePort":30001}]}})",
     R"({"spec":{"type":"ClusterIP"}})", "ports",
     R"([{"port":80,"protocol":"TCP","targetPort":80}])", ""},
    {R"({"spec":{"type":"NodePort","externalTrafficPolicy":"Cluster"}})",
     R"({"spec":{"type":"ClusterIP"}})", "externalTrafficPolicy", "null", ""},
};
// clang-format on

TEST(ServiceRulesTest, UpdatesKeepWhatTheServerGaveAndDropWhatTheTypeCannotHave) {
  for (const UpdateCase& each : kUpdateCases) {
    const Json old = merged(kService, each.old_patch);
    Json service = old;
    merge(service, json_literal(each.patch));

    rules().set_defaults(service);
    rules().prepare_update(service, old, UpdateTarget::kObject);

    EXPECT_EQ(service.get("spec").get(each.path_to_look_at), json_literal(each.expected))
        << each.patch << to_text(service);
    EXPECT_EQ(to_lines(rules().validate_update(service, old, UpdateTarget::kObject)), each.lines)
        << each.patch;
  }
}

TEST(ServiceRulesTest, OnlyLoadBalancersHaveAnIngress) {
  const Json old = json_literal(kService);
  const Json service =
      merged(kService, R"({"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}})");

  EXPECT_EQ(to_lines(rules().validate_update(service, old, UpdateTarget::kStatus)),
            "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is "
            "'LoadBalancer'");
}

TEST(ServiceRulesTest, AnotherTypeLosesTheStatusOfTheLoadBalancer) {
  const Json old = merged(kService, R"({"spec":{"type":"LoadBalancer"},
                    "status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}})");
  Json service = old;
  rules().prepare_update(service, old, UpdateTarget::kObject);
  EXPECT_EQ(service.get("status"), old.get("status"));

  service["spec"].set("type", Json("ClusterIP"));
  rules().prepare_update(service, old, UpdateTarget::kObject);
  EXPECT_EQ(service.get("status"), json_literal(R"({"loadBalancer":{}})"));
}

TEST(ServiceRulesTest, SelectorsSeeTypeAndAddress) {
  EXPECT_EQ(rules().fields(json_literal(kService)),
            (Pairs{{"spec.clusterIP", "10.0.0.7"}, {"spec.type", "ClusterIP"}}));
  EXPECT_TRUE(rules().knows_field("spec.type"));
  EXPECT_FALSE(rules().knows_field("spec.ports"));
}

}  // namespace
}  // namespace davit::sandbox
