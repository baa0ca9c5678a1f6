// The rules of kinds that have few of them, as one table: a fine object, a change, what is said.
#include <gtest/gtest.h>

#include "tests/sandbox/kinds/rule_cases.hpp"

namespace davit::sandbox {
namespace {

struct KindCase {
  std::string_view api_version;
  std::string_view kind;
  std::string_view object;
  std::string_view lines;
};

std::string create_lines(const KindCase& each) {
  const ResourcePtr resource = find_builtin(each.api_version, each.kind);
  Json object = json_literal(each.object);
  Json& metadata = object["metadata"];
  if (!metadata.contains("name")) metadata.set("name", "x");
  if (resource->namespaced) metadata.set("namespace", "default");
  resource->rules->set_defaults(object);
  return to_lines(resource->rules->validate_create(object));
}

constexpr KindCase kNetworkCases[] = {
    {"v1", "Endpoints",
     R"({"subsets":[{"addresses":[{"ip":"10.1.1.2","nodeName":"n"}],"ports":[{"port":80}]}]})", ""},
    {"v1", "Endpoints", R"({"subsets":[{"ports":[{"port":80}]}]})",
     "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"},
    {"v1", "Endpoints", R"({"subsets":[{"addresses":[{"ip":"127.0.0.1"}],"ports":[{"port":80}]}]})",
     "subsets[0].addresses[0].ip: Invalid value: \"127.0.0.1\": may not be in the loopback range "
     "(127.0.0.0/8, ::1/128)"},
    {"v1", "Endpoints",
     R"({"subsets":[{"notReadyAddresses":[{"ip":"0.0.0.0"},{"ip":"169.254.1.1"},
         {"ip":"224.0.0.1"},{"ip":"fe80::1"}]}]})",
     "subsets[0].notReadyAddresses[0].ip: Invalid value: \"0.0.0.0\": may not be unspecified "
     "(0.0.0.0)\n"
     "subsets[0].notReadyAddresses[1].ip: Invalid value: \"169.254.1.1\": may not be in the "
     "link-local range (169.254.0.0/16, fe80::/10)\n"
     "subsets[0].notReadyAddresses[2].ip: Invalid value: \"224.0.0.1\": may not be in the "
     "link-local multicast range (224.0.0.0/24, ff02::/10)\n"
     "subsets[0].notReadyAddresses[3].ip: Invalid value: \"fe80::1\": may not be in the link-local "
     "range (169.254.0.0/16, fe80::/10)"},
    {"v1", "Endpoints",
     R"({"subsets":[{"addresses":[{"ip":"10.1.1.2"}],"ports":[{"port":80},{"name":"b",
         "port":0}]}]})",
     "subsets[0].ports[0].name: Required value\n"
     "subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive"},
    {"discovery.k8s.io/v1", "EndpointSlice",
     R"({"addressType":"IPv4","endpoints":[{"addresses":["10.1.1.2"]}],"ports":[{"port":80}]})",
     ""},
    {"discovery.k8s.io/v1", "EndpointSlice", R"({"endpoints":[{"addresses":[]}]})",
     "addressType: Required value\nendpoints[0].addresses: Required value: must contain at least 1 "
     "address"},
    {"discovery.k8s.io/v1", "EndpointSlice", R"({"addressType":"Foo"})",
     "addressType: Unsupported value: \"Foo\": supported values: \"FQDN\", \"IPv4\", \"IPv6\""},
    {"discovery.k8s.io/v1", "EndpointSlice",
     R"({"addressType":"IPv4","endpoints":[{"addresses":["fd00::1","127.0.0.1"]}]})",
     "endpoints[0].addresses: Invalid value: \"fd00::1\": must be an IPv4 address\n"
     "endpoints[0].addresses[1]: Invalid value: \"127.0.0.1\": may not be in the loopback range "
     "(127.0.0.0/8, ::1/128)"},
    {"discovery.k8s.io/v1", "EndpointSlice",
     R"({"addressType":"IPv4","ports":[{"port":80},{"port":81}]})",
     "ports[1].name: Duplicate value: \"\""},
    {"networking.k8s.io/v1", "Ingress",
     R"({"spec":{"rules":[{"host":"*.a.example","http":{"paths":[{"path":"/",
         "pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}})",
     ""},
    {"networking.k8s.io/v1", "Ingress", R"({"spec":{}})",
     "spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"},
    {"networking.k8s.io/v1", "Ingress",
     R"({"spec":{"rules":[{"host":"10.0.0.1","http":{"paths":[{"path":"a","pathType":"Exact",
         "backend":{}}]}}]}})",
     "spec.rules[0].host: Invalid value: \"10.0.0.1\": must be a DNS name, not an IP address\n"
     "spec.rules[0].http.paths[0].path: Invalid value: \"a\": must be an absolute path\n"
     "spec.rules[0].http.paths[0].backend: Invalid value: \"\": resource or service backend is "
     "required"},
    {"networking.k8s.io/v1", "NetworkPolicy",
     R"({"spec":{"podSelector":{},"ingress":[{"ports":[{"port":0}]}]}})",
     "spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"},
};

constexpr KindCase kClusterCases[] = {
    {"v1", "Node",
     R"({"spec":{"podCIDR":"10.1.0.0/24","taints":[{"key":"a","effect":"NoSchedule"}]}})", ""},
    {"v1", "Node",
     R"({"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"a","effect":"NoSchedule"}]}})",
     "metadata.taints[1]: Duplicate value: "
     "{\"Key\":\"a\",\"Value\":\"\",\"Effect\":\"NoSchedule\",\"TimeAdded\":null}: taints must be "
     "unique by key and effect pair"},
    {"v1", "Node", R"({"spec":{"taints":[{"key":"a","effect":"Foo"}]}})",
     "metadata.taints[0].effect: Unsupported value: \"Foo\": supported values: \"NoSchedule\", "
     "\"PreferNoSchedule\", \"NoExecute\""},
    {"v1", "Node", R"({"spec":{"podCIDR":"10.1.0.0"}})",
     "spec.podCIDRs[0]: Invalid value: \"10.1.0.0\": must be a valid CIDR value, (e.g. 10.9.8.0/24 "
     "or 2001:db8::/64)"},
    {"coordination.k8s.io/v1", "Lease", R"({"spec":{"leaseDurationSeconds":40}})", ""},
    {"coordination.k8s.io/v1", "Lease",
     R"({"spec":{"leaseDurationSeconds":0,"leaseTransitions":-1}})",
     "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0\n"
     "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"},
    {"scheduling.k8s.io/v1", "PriorityClass", R"({"value":1000000000})", ""},
    {"scheduling.k8s.io/v1", "PriorityClass",
     R"({"metadata":{"name":"system-node-critical"},"value":2000001000})", ""},
    {"scheduling.k8s.io/v1", "PriorityClass", R"({"value":1000000001})",
     "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"},
    {"scheduling.k8s.io/v1", "PriorityClass", R"({"metadata":{"name":"system-a"},"value":1})",
     "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system "
     "use only. error: system-a is not a known system priority class"},
};

constexpr KindCase kConfigCases[] = {
    {"v1", "ConfigMap", R"({"data":{"a.b-c_d":""},"binaryData":{"e":"AA=="}})", ""},
    {"v1", "ConfigMap", R"({"data":{"a b":""}})",
     "data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric "
     "characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for "
     "validation is '[-._a-zA-Z0-9]+')"},
    {"v1", "ConfigMap", R"({"data":{"a":""},"binaryData":{"a":""}})",
     "data[a]: Invalid value: \"a\": duplicate of key present in binaryData"},
    {"v1", "Secret", R"({"stringData":{"a":"b"}})", ""},
    {"v1", "Secret", R"({"type":"kubernetes.io/tls"})",
     "data[tls.crt]: Required value\ndata[tls.key]: Required value"},
    {"v1", "Secret", R"({"type":"kubernetes.io/basic-auth"})",
     "data[username]: Required value\ndata[password]: Required value"},
    {"v1", "Secret", R"({"type":"kubernetes.io/basic-auth","stringData":{"password":"p"}})", ""},
    {"v1", "Secret", R"({"type":"kubernetes.io/ssh-auth"})",
     "data[ssh-privatekey]: Required value"},
    {"v1", "Secret", R"({"type":"kubernetes.io/dockerconfigjson"})",
     "data[.dockerconfigjson]: Required value"},
    {"v1", "Secret", R"({"type":"kubernetes.io/service-account-token"})",
     "metadata.annotations[kubernetes.io/service-account.name]: Required value"},
    {"v1", "PersistentVolumeClaim",
     R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})",
     ""},
    {"v1", "PersistentVolumeClaim", R"({"spec":{}})",
     "spec.accessModes: Required value: at least 1 access mode is "
     "required\nspec.resources[storage]: Required value"},
    {"policy/v1", "PodDisruptionBudget", R"({"spec":{"minAvailable":"50%"}})", ""},
    {"policy/v1", "PodDisruptionBudget", R"({"spec":{"minAvailable":1,"maxUnavailable":1}})",
     "spec: Invalid value: {\"minAvailable\":1,\"maxUnavailable\":1}: minAvailable and "
     "maxUnavailable cannot be both set"},
    {"policy/v1", "PodDisruptionBudget", R"({"spec":{"minAvailable":-1}})",
     "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"},
    {"autoscaling/v2", "HorizontalPodAutoscaler",
     R"({"spec":{"maxReplicas":0,"scaleTargetRef":{"kind":"Deployment"}}})",
     "spec.maxReplicas: Required value: must be set and greater than 0\n"
     "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`\n"
     "spec.scaleTargetRef.name: Required value\n"
     "spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API group"},
    {"v1", "ResourceQuota", R"({"spec":{"hard":{"pods":"-1"}}})",
     "spec.hard[pods]: Invalid value: \"-1\": must be greater than or equal to 0"},
    {"v1", "ResourceQuota", R"({"spec":{"hard":{"foo":"1","count/foo.bar":"1"}}})",
     "spec.hard[foo]: Invalid value: \"foo\": must be a standard resource type or fully qualified\n"
     "spec.hard[foo]: Invalid value: \"foo\": must be a standard resource for quota"},
    {"rbac.authorization.k8s.io/v1", "Role",
     R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})", ""},
    {"rbac.authorization.k8s.io/v1", "Role",
     R"({"rules":[{"verbs":[],"apiGroups":[],"resources":[]}]})",
     "rules[0].verbs: Required value: verbs must contain at least one value\n"
     "rules[0].apiGroups: Required value: resource rules must supply at least one api group\n"
     "rules[0].resources: Required value: resource rules must supply at least one resource"},
    {"rbac.authorization.k8s.io/v1", "Role",
     R"({"rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]})",
     "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to "
     "non-resource URLs"},
    {"rbac.authorization.k8s.io/v1", "ClusterRole",
     R"({"rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]})", ""},
    {"rbac.authorization.k8s.io/v1", "RoleBinding",
     R"({"roleRef":{"kind":"ClusterRole","name":"view"},"subjects":[{"kind":"User","name":"a"},
         {"kind":"ServiceAccount","name":"s","namespace":"n"}]})",
     ""},
    {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding",
     R"({"roleRef":{"kind":"Role","name":""},"subjects":[{"kind":"Foo","name":"a"}]})",
     "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"\n"
     "roleRef.name: Required value\n"
     "subjects[0].kind: Unsupported value: \"Foo\": supported values: \"ServiceAccount\", "
     "\"User\", \"Group\""},
};

TEST(OtherRulesTest, EndpointsAndIngressesAreCheckedInTheWordsOfTheRealServer) {
  for (const KindCase& each : kNetworkCases) {
    EXPECT_EQ(create_lines(each), each.lines) << each.kind << each.object;
  }
}

TEST(OtherRulesTest, ClusterObjectsAreCheckedInTheWordsOfTheRealServer) {
  for (const KindCase& each : kClusterCases) {
    EXPECT_EQ(create_lines(each), each.lines) << each.kind << each.object;
  }
}

TEST(OtherRulesTest, ConfigurationIsCheckedInTheWordsOfTheRealServer) {
  for (const KindCase& each : kConfigCases) {
    EXPECT_EQ(create_lines(each), each.lines) << each.kind << each.object;
  }
}

struct UpdateCase {
  std::string_view api_version;
  std::string_view kind;
  UpdateTarget target;
  std::string_view old;
  std::string_view patch;
  std::string_view lines;
};

constexpr UpdateCase kUpdateCases[] = {
    {"discovery.k8s.io/v1", "EndpointSlice", UpdateTarget::kObject, R"({"addressType":"IPv4"})",
     R"({"addressType":"IPv6"})", "addressType: Invalid value: \"IPv6\": field is immutable"},
    {"v1", "Node", UpdateTarget::kObject, R"({"spec":{"podCIDR":"10.1.0.0/24","providerID":"a"}})",
     R"({"spec":{"podCIDR":"10.2.0.0/24","providerID":"b"}})",
     "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid\n"
     "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to "
     "valid"},
    {"v1", "Node", UpdateTarget::kObject, R"({})",
     R"({"spec":{"podCIDR":"10.2.0.0/24","providerID":"b"}})", ""},
    {"v1", "Node", UpdateTarget::kStatus, R"({})",
     R"({"status":{"addresses":[{"type":"Hostname","address":"n"},{"type":"Hostname",
         "address":"n"}]}})",
     "status.addresses[1]: Duplicate value: {\"Type\":\"Hostname\",\"Address\":\"n\"}"},
    {"v1", "ResourceQuota", UpdateTarget::kStatus, R"({"status":{"used":{"pods":"1"}}})",
     R"({"status":{"used":{"pods":"-1","foo":"1"}}})",
     "status.used[pods]: Invalid value: \"-1\": must be greater than or equal to 0\n"
     "status.used[foo]: Invalid value: \"foo\": must be a standard resource type or fully "
     "qualified\n"
     "status.used[foo]: Invalid value: \"foo\": must be a standard resource for quota"},
    {"v1", "Namespace", UpdateTarget::kStatus, R"({"status":{"phase":"Active"}})",
     R"({"status":{"phase":"Terminating"}})",
     "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is "
     "empty"},
    {"v1", "ConfigMap", UpdateTarget::kObject, R"({"immutable":true,"data":{"a":"1"}})",
     R"({"immutable":false,"data":{"a":"2"}})",
     "immutable: Forbidden: field is immutable when `immutable` is set\n"
     "data: Forbidden: field is immutable when `immutable` is set"},
    {"v1", "ConfigMap", UpdateTarget::kObject, R"({"data":{"a":"1"}})",
     R"({"immutable":true,"data":{"a":"2"}})", ""},
    {"v1", "Secret", UpdateTarget::kObject, R"({})", R"({"type":"foo"})",
     "type: Invalid value: \"foo\": field is immutable"},
    {"scheduling.k8s.io/v1", "PriorityClass", UpdateTarget::kObject, R"({"value":1})",
     R"({"value":2})", "value: Forbidden: may not be changed in an update."},
    {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", UpdateTarget::kObject,
     R"({"roleRef":{"kind":"ClusterRole","name":"a"}})", R"({"roleRef":{"name":"b"}})",
     "roleRef: Invalid value: "
     "{\"kind\":\"ClusterRole\",\"name\":\"b\",\"apiGroup\":\"rbac.authorization.k8s.io\"}: cannot "
     "change roleRef"},
    {"resource.k8s.io/v1", "ResourceClaim", UpdateTarget::kObject, R"({"spec":{"devices":{}}})",
     R"({"spec":{"devices":{"config":[]}}})",
     "spec: Invalid value: {\"devices\":{\"config\":[]}}: field is immutable"},
    {"resource.k8s.io/v1", "ResourceClaim", UpdateTarget::kStatus,
     R"({"status":{"allocation":{"devices":{}}}})",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})", ""},
    {"resource.k8s.io/v1", "ResourceClaim", UpdateTarget::kStatus,
     R"({"status":{"allocation":{"devices":{}}}})",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"},
         {"resource":"pods","name":"q","uid":"u"}]}})",
     "status.reservedFor[1]: Duplicate value: \"u\""},
    {"resource.k8s.io/v1", "ResourceClaim", UpdateTarget::kStatus, R"({})",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})",
     "status.reservedFor: Forbidden: may not be specified when `allocated` is not set"},
    {"resource.k8s.io/v1", "ResourceClaim", UpdateTarget::kStatus,
     R"({"status":{"allocation":{"devices":{}}}})",
     R"({"status":{"allocation":{"devices":{"config":[]}}}})",
     "status.allocation: Invalid value: {\"devices\":{\"config\":[]}}: field is immutable"},
    {"resource.k8s.io/v1", "ResourceClaim", UpdateTarget::kStatus,
     R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z"},
         "status":{"allocation":{"devices":{}}}})",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})",
     "status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or "
     "`deletionTimestamp` are set"},
    {"v1", "PersistentVolumeClaim", UpdateTarget::kObject,
     R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},
         "status":{"phase":"Bound"}})",
     R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})", ""},
    {"v1", "PersistentVolumeClaim", UpdateTarget::kObject,
     R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},
         "status":{"phase":"Bound","capacity":{"storage":"1Mi"}}})",
     R"({"spec":{"resources":{"requests":{"storage":"1Mi"}}}})",
     "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"},
};

TEST(OtherRulesTest, UpdatesMayNotChangeWhatIsFixed) {
  for (const UpdateCase& each : kUpdateCases) {
    const ResourcePtr resource = find_builtin(each.api_version, each.kind);
    Json old = json_literal(each.old);
    merge(old, json_literal(R"({"metadata":{"name":"x","uid":"u"}})"));
    if (resource->namespaced) old["metadata"].set("namespace", "default");
    resource->rules->set_defaults(old);
    Json object = old;
    merge(object, json_literal(each.patch));
    resource->rules->set_defaults(object);

    resource->rules->prepare_update(object, old, each.target);

    EXPECT_EQ(to_lines(resource->rules->validate_update(object, old, each.target)), each.lines)
        << each.kind << each.patch;
  }
}

}  // namespace
}  // namespace davit::sandbox
