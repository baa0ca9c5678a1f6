#include <gtest/gtest.h>

#include "tests/sandbox/kinds/rule_cases.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kPod = R"({
    "metadata":{"name":"p","namespace":"n","uid":"u"},
    "spec":{"containers":[{"name":"c","image":"nginx"}]}})";

std::shared_ptr<const KindRules> rules() { return find_builtin("v1", "Pod")->rules; }

Json defaulted(std::string_view patch) {
  Json pod = merged(kPod, patch);
  rules()->set_defaults(pod);
  return pod;
}

/// A spec whose one container has `members` besides.
std::string container(std::string_view members) {
  return "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"nginx\"," + std::string(members) +
         "}]}}";
}

std::string create(std::string_view patch) {
  return to_lines(rules()->validate_create(defaulted(patch)));
}

TEST(PodTest, DefaultsAreThoseOfTheRealServer) {
  const Json pod = defaulted("{}");

  const Json& c = pod.get("spec").get("containers").items().front();
  EXPECT_EQ(c, json_literal(R"({"name":"c","image":"nginx","imagePullPolicy":"Always",
      "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",
      "resources":{}})"));
  Json spec = pod.get("spec");
  spec.erase("containers");
  EXPECT_EQ(spec, json_literal(R"({"restartPolicy":"Always","terminationGracePeriodSeconds":30,
      "dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler",
      "enableServiceLinks":true})"));
}

TEST(PodTest, ImagesThatMayChangeUnderTheirNameArePulledAlways) {
  struct Case {
    std::string_view image;
    std::string_view policy;
  };
  constexpr Case kCases[] = {{"nginx", "Always"},
                             {"nginx:latest", "Always"},
                             {"nginx:1", "IfNotPresent"},
                             {"reg:5000/nginx", "Always"},
                             {"reg:5000/n:1", "IfNotPresent"},
                             {"nginx@sha256:ab", "IfNotPresent"},
                             {"nginx:latest@sha256:ab", "Always"}};
  for (const Case& each : kCases) {
    Json pod = json_literal(kPod);
    pod["spec"]["containers"].make_array()[0].set("image", each.image);
    rules()->set_defaults(pod);
    EXPECT_EQ(pod.get("spec").get("containers").items()[0].get("imagePullPolicy").text(),
              each.policy)
        << each.image;
  }
}

struct DefaultCase {
  std::string members;
  std::string_view field;
  std::string_view expected;
};

TEST(PodTest, DefaultsOfContainerParts) {
  const DefaultCase cases[] = {
      {"\"ports\":[{\"containerPort\":80}]", "ports",
       "[{\"containerPort\":80,\"protocol\":\"TCP\"}]"},
      {R"("livenessProbe":{"httpGet":{"port":80}})", "livenessProbe",
       R"({"httpGet":{"port":80,"path":"/","scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,
           "successThreshold":1,"failureThreshold":3})"},
      {R"("lifecycle":{"preStop":{"httpGet":{"port":80}}})", "lifecycle",
       R"({"preStop":{"httpGet":{"port":80,"path":"/","scheme":"HTTP"}}})"},
      {"\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}}]",
       "env",
       "[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\","
       "\"apiVersion\":\"v1\"}}}]"},
      {R"("resources":{"limits":{"cpu":"1"},"requests":{"memory":"1Gi"}})", "resources",
       R"({"limits":{"cpu":"1"},"requests":{"memory":"1Gi","cpu":"1"}})"},
  };
  for (const DefaultCase& each : cases) {
    const Json pod = defaulted(container(each.members));
    EXPECT_EQ(pod.get("spec").get("containers").items()[0].get(each.field),
              json_literal(each.expected))
        << each.members;
  }
}

TEST(PodTest, DefaultsOfVolumes) {
  const DefaultCase cases[] = {
      {R"({"name":"v"})", "emptyDir", "{}"},
      {"{\"name\":\"v\",\"hostPath\":{\"path\":\"/x\"}}", "hostPath",
       "{\"path\":\"/x\",\"type\":\"\"}"},
      {R"({"name":"v","configMap":{"name":"m"}})", "configMap",
       R"({"name":"m","defaultMode":420})"},
      {R"({"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}})",
       "projected",
       R"({"defaultMode":420,"sources":[{"serviceAccountToken":{"path":"t",
           "expirationSeconds":3600}}]})"},
  };
  for (const DefaultCase& each : cases) {
    const Json pod = defaulted(R"({"spec":{"volumes":[)" + each.members + "]}}");
    EXPECT_EQ(pod.get("spec").get("volumes").items()[0].get(each.field),
              json_literal(each.expected))
        << each.members;
  }
}

TEST(PodTest, HostNetworkOpensTheContainersPorts) {
  const Json pod = defaulted(R"({"spec":{"hostNetwork":true,"containers":[
      {"name":"c","image":"x","ports":[{"containerPort":80}]}]}})");

  EXPECT_EQ(pod.get("spec").get("containers").items()[0].get("ports"),
            json_literal(R"([{"containerPort":80,"protocol":"TCP","hostPort":80}])"));
  EXPECT_EQ(to_lines(rules()->validate_create(pod)), "");
}

TEST(PodTest, NewPodsArePendingWhateverTheyClaim) {
  Json pod = defaulted(R"({"status":{"phase":"Running","podIP":"1.2.3.4"}})");

  rules()->prepare_create(pod);

  EXPECT_EQ(pod.get("status"), json_literal("{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}"));
}

TEST(PodTest, GatedPodsSayThatTheyAreNotScheduled) {
  Json pod = defaulted(R"({"spec":{"schedulingGates":[{"name":"g"}]}})");

  rules()->prepare_create(pod);

  const Json& condition = pod.get("status").get("conditions").items().front();
  EXPECT_EQ(condition.get("reason").text(), "SchedulingGated");
  EXPECT_EQ(condition.get("status").text(), "False");
}

TEST(PodTest, QualityOfServiceComesFromRequestsAndLimits) {
  const std::pair<std::string, std::string_view> cases[] = {
      {R"("resources":{})", "BestEffort"},
      {R"("resources":{"requests":{"cpu":"0"}})", "BestEffort"},
      {R"("resources":{"requests":{"cpu":"1"}})", "Burstable"},
      {R"("resources":{"limits":{"cpu":"1"}})", "Burstable"},
      {R"("resources":{"limits":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
      {R"("resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1000m"}})",
       "Guaranteed"},
      {R"("resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m"}})",
       "Burstable"},
  };
  for (const auto& [members, expected] : cases) {
    Json pod = defaulted(container(members));
    rules()->prepare_create(pod);
    EXPECT_EQ(pod.get("status").get("qosClass").text(), expected) << members;
  }
}

struct MemberCase {
  std::string_view members;  ///< The members of the one container.
  std::string_view lines;
};

constexpr MemberCase kContainerCases[] = {
    {R"("name":"c")", ""},
    {R"("name":"")", "spec.containers[0].name: Required value"},
    {R"("name":"a.b")", R"(spec.containers[0].name: Invalid value: "a.b": must not contain dots)"},
    {R"("image":"")", "spec.containers[0].image: Required value"},
    {R"("image":" x")",
     "spec.containers[0].image: Invalid value: \" x\": must not have "
     "leading or trailing whitespace"},
    {R"("imagePullPolicy":"X")",
     "spec.containers[0].imagePullPolicy: Unsupported value: \"X\": supported values: "
     "\"Always\", \"IfNotPresent\", \"Never\""},
    {R"("terminationMessagePolicy":"X")",
     "spec.containers[0].terminationMessagePolicy: Unsupported value: \"X\": supported values: "
     "\"File\", \"FallbackToLogsOnError\""},
    {R"("ports":[{"containerPort":0}])",
     "spec.containers[0].ports[0].containerPort: Required value"},
    {R"("ports":[{"containerPort":70000}])",
     "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and "
     "65535, inclusive"},
    {R"("ports":[{"containerPort":1,"protocol":"X"}])",
     "spec.containers[0].ports[0].protocol: Unsupported value: \"X\": supported values: "
     "\"SCTP\", \"TCP\", \"UDP\""},
    {R"("ports":[{"containerPort":1,"name":"a"},{"containerPort":2,"name":"a"}])",
     R"(spec.containers[0].ports[1].name: Duplicate value: "a")"},
    {R"("ports":[{"containerPort":1,"hostPort":80},{"containerPort":2,"hostPort":80}])",
     R"(spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80")"},
    {R"("env":[{"name":""}])", "spec.containers[0].env[0].name: Required value"},
    {"\"env\":[{\"name\":\"A\",\"value\":\"x\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"
     "\"metadata.uid\"}}}]",
     "spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when "
     "`value` is not empty"},
    {"\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.labels['a']\"}"
     "}}]",
     ""},
    {R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"x.y"}}}])",
     "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"x.y\": error "
     "converting fieldPath: field label not supported: x.y"},
    {R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"status.phase"}}}])",
     "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "
     "\"status.phase\": supported values: \"metadata.name\", \"metadata.namespace\", "
     "\"metadata.uid\", \"spec.nodeName\", \"spec.serviceAccountName\", \"status.hostIP\", "
     "\"status.hostIPs\", \"status.podIP\", \"status.podIPs\""},
    {R"("volumeMounts":[{"name":"v","mountPath":"/x"}])",
     R"(spec.containers[0].volumeMounts[0].name: Not found: "v")"},
    {R"("resources":{"limits":{"cpu":"-1"}})",
     "spec.containers[0].resources.limits[cpu]: Invalid value: \"-1\": must be greater than or "
     "equal to 0\nspec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be "
     "greater than or equal to 0"},
    {R"("resources":{"limits":{"cpu":"1"},"requests":{"cpu":"2"}})",
     "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal "
     "to cpu limit of 1"},
    {R"("resources":{"requests":{"foo":"1"}})",
     "spec.containers[0].resources.requests[foo]: Invalid value: \"foo\": must be a standard "
     "resource type or fully qualified\nspec.containers[0].resources.requests[foo]: Invalid "
     "value: \"foo\": must be a standard resource for containers"},
    {R"("resources":{"limits":{"a.b/c":"1500m"}})",
     "spec.containers[0].resources.limits[a.b/c]: Invalid value: \"1500m\": must be an integer\n"
     "spec.containers[0].resources.requests[a.b/c]: Invalid value: \"1500m\": must be an "
     "integer"},
    {R"("livenessProbe":{})",
     "spec.containers[0].livenessProbe: Required value: must specify a handler type"},
    {R"("livenessProbe":{"exec":{"command":["x"]},"tcpSocket":{"port":1}})",
     "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 "
     "handler type"},
    {R"("livenessProbe":{"exec":{"command":["x"]},"successThreshold":2})",
     "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"},
    {R"("readinessProbe":{"httpGet":{"port":"80"}})",
     "spec.containers[0].readinessProbe.httpGet.port: Invalid value: \"80\": must contain at "
     "least one letter (a-z)"},
    {R"("securityContext":{"runAsUser":-1})",
     "spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and "
     "2147483647, inclusive"},
    {R"("securityContext":{"privileged":true,"allowPrivilegeEscalation":false})",
     "spec.containers[0].securityContext: Invalid value: "
     "{\"privileged\":true,\"allowPrivilegeEscalation\":false}: cannot set "
     "`allowPrivilegeEscalation` to false and `privileged` to true"},
};

TEST(PodTest, RulesOfContainers) {
  for (const MemberCase& each : kContainerCases) {
    Json pod = json_literal(kPod);
    merge(pod["spec"]["containers"].make_array()[0],
          json_literal("{" + std::string(each.members) + "}"));
    rules()->set_defaults(pod);
    EXPECT_EQ(to_lines(rules()->validate_create(pod)), each.lines) << each.members;
  }
}

constexpr RuleCase kSpecCases[] = {
    {R"({"spec":{"topologySpreadConstraints":[
         {"maxSkew":1,"topologyKey":"a","whenUnsatisfiable":"DoNotSchedule"},
         {"maxSkew":1,"topologyKey":"a","whenUnsatisfiable":"DoNotSchedule"}]}})",
     "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "
     "\"{a, DoNotSchedule}\""},
    {R"({"spec":{"overhead":{"cpu":"-1"}}})",
     "spec.overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"},
    {R"({"spec":{"volumes":[{"name":"v","nfs":{"server":"s","path":"p"}}]}})",
     "spec.volumes[0].nfs.path: Invalid value: \"p\": must be an absolute path"},
    {R"({"spec":{"volumes":[{"name":"v","downwardAPI":{"items":[{"path":"a"}]}}]}})",
     "spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is "
     "required"},
    {R"({"spec":{"volumes":[{"name":"v","projected":{"sources":[
         {"secret":{"name":"a"},"configMap":{"name":""}}]}}]}})",
     "spec.volumes[0].projected.sources[0].configMap.name: Required value\n"
     "spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type "
     "per source"},
    {R"({"spec":{"containers":null}})", "spec.containers: Required value"},
    {R"({"spec":{"restartPolicy":"X"}})",
     "spec.restartPolicy: Unsupported value: \"X\": supported values: \"Always\", "
     "\"OnFailure\", \"Never\""},
    {R"({"spec":{"initContainers":[{"name":"c","image":"x"}]}})",
     R"(spec.initContainers[0].name: Duplicate value: "c")"},
    {R"({"spec":{"initContainers":[{"name":"i","image":"x","livenessProbe":{}}]}})",
     "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers "
     "without restartPolicy=Always"},
    {R"({"spec":{"ephemeralContainers":[{"name":"e","image":"x"}]}})",
     "spec.ephemeralContainers: Forbidden: cannot be set on create"},
    {R"({"spec":{"dnsPolicy":"X"}})",
     "spec.dnsPolicy: Unsupported value: \"X\": supported values: \"ClusterFirstWithHostNet\", "
     "\"ClusterFirst\", \"Default\", \"None\""},
    {R"({"spec":{"dnsPolicy":"None"}})",
     "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"},
    {R"({"spec":{"activeDeadlineSeconds":0}})",
     "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, "
     "inclusive"},
    {R"({"spec":{"hostname":"a.b"}})",
     R"(spec.hostname: Invalid value: "a.b": must not contain dots)"},
    {R"({"spec":{"volumes":[{"name":"v","emptyDir":{},"hostPath":{"path":"/"}}]}})",
     "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"},
    {R"({"spec":{"volumes":[{"name":"v"},{"name":"v"}]}})",
     R"(spec.volumes[1].name: Duplicate value: "v")"},
    {R"({"spec":{"volumes":[{"name":"v","secret":{}}]}})",
     "spec.volumes[0].secret.secretName: Required value"},
    {R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/a/../b"}}]}})",
     "spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"},
    {R"({"spec":{"volumes":[{"name":"v",
           "projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}]}})",
     "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be "
     "specified when serviceAccountName is not set"},
    {R"({"spec":{"tolerations":[{"operator":"Equal"}]}})",
     "spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when "
     "`key` is empty, which means \"match all values and all keys\""},
    {R"({"spec":{"tolerations":[{"key":"a","operator":"Exists","value":"x"}]}})",
     "spec.tolerations[0].operator: Invalid value: \"x\": value must be empty when `operator` "
     "is 'Exists'"},
    {R"({"spec":{"tolerations":[{"key":"a","effect":"X"}]}})",
     "spec.tolerations[0].effect: Unsupported value: \"X\": supported values: \"NoSchedule\", "
     "\"PreferNoSchedule\", \"NoExecute\""},
    {"{\"spec\":{\"tolerations\":[{\"key\":\"a\",\"effect\":\"NoSchedule\",\"tolerationSeconds\":1}"
     "]}}",
     "spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' "
     "when `tolerationSeconds` is set"},
    {R"({"spec":{"affinity":{"nodeAffinity":
           {"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}}})",
     "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
     "nodeSelectorTerms: Required value: must have at least one node selector term"},
    {R"({"spec":{"affinity":{"podAntiAffinity":
           {"preferredDuringSchedulingIgnoredDuringExecution":
            [{"weight":0,"podAffinityTerm":{"topologyKey":"a"}}]}}}})",
     "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "
     "Invalid value: 0: must be in the range 1-100"},
    {R"({"spec":{"topologySpreadConstraints":[
           {"maxSkew":0,"topologyKey":"","whenUnsatisfiable":"X"}]}})",
     "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero\n"
     "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty\n"
     "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"X\": supported "
     "values: \"DoNotSchedule\", \"ScheduleAnyway\""},
    {R"({"spec":{"schedulingGates":[{"name":"g"}],"nodeName":"n1"}})",
     "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"},
    {R"({"spec":{"os":{"name":"X"}}})",
     R"(spec.os: Unsupported value: "X": supported values: "linux", "windows")"},
    {R"({"spec":{"securityContext":{"fsGroup":-1}}})",
     "spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, "
     "inclusive"},
    {R"({"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"x"}}})",
     "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"x\": "
     "must be a 32bit integer"},
};

TEST(PodTest, RulesOfSpecs) {
  for (const RuleCase& each : kSpecCases) EXPECT_EQ(create(each.patch), each.lines) << each.patch;
}

TEST(PodTest, NamesThatAreNotLabelsBringAWarning) {
  EXPECT_TRUE(rules()->warnings(defaulted("{}")).empty());
  EXPECT_EQ(rules()->warnings(defaulted(R"({"metadata":{"name":"a.b"}})")).front(),
            "metadata.name: this is used in the Pod's hostname, which can result in surprising "
            "behavior; a DNS label is recommended: [must not contain dots]");
}

TEST(PodTest, FieldSelectorsSeeWhereAPodRuns) {
  Json pod = defaulted(R"({"spec":{"nodeName":"n1"}})");
  rules()->prepare_create(pod);

  const Pairs fields = rules()->fields(pod);

  EXPECT_NE(std::find(fields.begin(), fields.end(), Pairs::value_type("spec.nodeName", "n1")),
            fields.end());
  EXPECT_NE(std::find(fields.begin(), fields.end(), Pairs::value_type("status.phase", "Pending")),
            fields.end());
  EXPECT_TRUE(rules()->knows_field("status.podIPs"));
  EXPECT_FALSE(rules()->knows_field("spec.bogus"));
}

}  // namespace
}  // namespace davit::sandbox
