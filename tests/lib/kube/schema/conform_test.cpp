#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "lib/kube/schema/schema.hpp"

namespace davit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Conformed {
  std::string text;
  std::string error;
  FieldFindings findings;
};

Conformed conform_text(std::string_view api_version, std::string_view kind, std::string_view text) {
  Conformed out;
  Json object = json_literal(text);
  const Status status = conform(*find_schema(api_version, kind), object, out.findings);
  out.text = to_text(object);
  out.error = status.message();
  return out;
}

std::string conformed_spec(std::string_view spec) {
  return conform_text("v1", "Pod", R"({"metadata":{},"spec":)" + std::string(spec) + "}").text;
}

TEST(ConformTest, MembersThatAreAlwaysWrittenAreAdded) {
  EXPECT_EQ(
      conform_text("v1", "Pod", R"({"apiVersion":"v1","kind":"Pod"})").text,
      R"({"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":null},"status":{}})");
  EXPECT_EQ(
      conform_text("v1", "Event", "{}").text,
      R"({"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,)"
      R"("lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""})");
  EXPECT_EQ(conform_text("discovery.k8s.io/v1", "EndpointSlice", R"({"endpoints":[{}]})").text,
            R"({"metadata":{},"endpoints":[{"addresses":null,"conditions":{}}],"ports":null,)"
            R"("addressType":""})");
  EXPECT_EQ(conform_text("apps/v1", "StatefulSet", R"({"spec":{"template":{}}})").text,
            R"({"metadata":{},"spec":{"selector":null,"template":{"metadata":{},)"
            R"("spec":{"containers":null}},"serviceName":"","updateStrategy":{}},)"
            R"("status":{"replicas":0,"availableReplicas":0}})");
  EXPECT_EQ(conform_text("v1", "Service", "{}").text,
            R"({"metadata":{},"spec":{},"status":{"loadBalancer":{}}})");
}

TEST(ConformTest, NodeAlwaysHasItsInfo) {
  EXPECT_EQ(
      conform_text("v1", "Node", "{}").text,
      R"({"metadata":{},"spec":{},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},)"
      R"("nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"",)"
      R"("osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"",)"
      R"("operatingSystem":"","architecture":""}}})");
}

TEST(ConformTest, ZeroValuesAreLeftOutWhereGoDoes) {
  EXPECT_EQ(conformed_spec(R"({"containers":[{"name":"c","image":"","args":[],"stdin":false,)"
                           R"("securityContext":{"privileged":false,"runAsUser":0}}],)"
                           R"("nodeSelector":{},"hostNetwork":false,"priority":0,"volumes":[]})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"c","resources":{},)"
            R"("securityContext":{"privileged":false,"runAsUser":0}}],"priority":0},"status":{}})");
}

TEST(ConformTest, MembersStandInTheOrderOfTheTable) {
  EXPECT_EQ(conform_text("v1", "ConfigMap",
                         R"({"data":{"b":"2","a":"1"},"metadata":{"namespace":"d","name":"n"},)"
                         R"("kind":"ConfigMap","apiVersion":"v1"})")
                .text,
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"n","namespace":"d"},)"
            R"("data":{"a":"1","b":"2"}})");
}

TEST(ConformTest, UnknownMembersAreDroppedAndNamed) {
  const Conformed out = conform_text(
      "v1", "Pod",
      R"({"foo":1,"spec":{"containers":[{"name":"a"},{"name":"b","Image":"x"}],"bar":{"a":1}}})");
  EXPECT_THAT(out.findings.unknown, ElementsAre("foo", "spec.containers[1].Image", "spec.bar"));
  EXPECT_THAT(out.findings.duplicates, IsEmpty());
  EXPECT_EQ(out.text, R"({"metadata":{},"spec":{"containers":[{"name":"a","resources":{}},)"
                      R"({"name":"b","resources":{}}]},"status":{}})");
}

TEST(ConformTest, NullMembersEqualAbsentOnes) {
  EXPECT_EQ(conformed_spec(R"({"containers":null,"volumes":null,"priority":null})"),
            R"({"metadata":{},"spec":{"containers":null},"status":{}})");
}

TEST(ConformTest, NullInListsAndMapsIsTheZeroValue) {
  EXPECT_EQ(
      conform_text("v1", "ConfigMap", R"({"metadata":{"labels":{"a":null}},"data":{"k":null}})")
          .text,
      R"({"metadata":{"labels":{"a":""}},"data":{"k":""}})");
  EXPECT_EQ(conformed_spec(R"({"containers":[null]})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"","resources":{}}]},"status":{}})");
}

TEST(ConformTest, ValuesBecomeCanonical) {
  EXPECT_EQ(conformed_spec(R"({"containers":[{"name":"c","resources":{"limits":)"
                           R"({"memory":"1024Mi","cpu":0.5,"x":"0.0001"}}}]})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"c","resources":{"limits":)"
            R"({"cpu":"500m","memory":"1Gi","x":"1m"}}}]},"status":{}})");
  EXPECT_EQ(conform_text("v1", "ConfigMap",
                         R"({"metadata":{"creationTimestamp":"2026-01-01T02:00:00.5+02:00"}})")
                .text,
            R"({"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"}})");
}

TEST(ConformTest, IntOrStringKeepsItsForm) {
  EXPECT_EQ(conform_text("policy/v1", "PodDisruptionBudget",
                         R"({"spec":{"minAvailable":0,"maxUnavailable":"25%"}})")
                .text,
            R"({"metadata":{},"spec":{"minAvailable":0,"maxUnavailable":"25%"},)"
            R"("status":{"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,)"
            R"("expectedPods":0}})");
}

TEST(ConformTest, RawMembersAreKeptAsTheyCome) {
  EXPECT_EQ(conform_text("apps/v1", "ControllerRevision", R"({"data":{"z":null,"a":[]}})").text,
            R"({"metadata":{},"data":{"z":null,"a":[]},"revision":0})");
}

TEST(ConformTest, ConformedObjectsStayAsTheyAre) {
  Json object = json_literal(
      R"({"spec":{"containers":[{"image":"x","name":"c","ports":[{"containerPort":80}]}]}})");
  FieldFindings findings;
  ASSERT_TRUE(conform(*find_schema("v1", "Pod"), object, findings).ok());
  Json again = object;
  ASSERT_TRUE(conform(*find_schema("v1", "Pod"), again, findings).ok());
  EXPECT_EQ(to_text(again), to_text(object));
}

TEST(ConformTest, ManyUnknownMembersDoNotHideKnownOnes) {
  Json object = Json::object();
  for (int i = 0; i < 300; ++i) object["x" + std::to_string(i)] = i;
  object["kind"] = "Pod";
  FieldFindings findings;
  ASSERT_TRUE(conform(*find_schema("v1", "Pod"), object, findings).ok());
  EXPECT_EQ(findings.unknown.size(), 300u);
  EXPECT_EQ(object.text_at({"kind"}), "Pod");
}

struct WrongCase {
  std::string_view api_version;
  std::string_view kind;
  std::string_view text;
  std::string_view error;
};

// clang-format off
constexpr WrongCase kWrongCases[] = {
    {"apps/v1", "Deployment", R"({"spec":{"replicas":"three"}})",
     "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type "
     "int32"},
    {"apps/v1", "Deployment", R"({"spec":{"replicas":1.5}})",
     "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of "
     "type int32"},
    {"apps/v1", "Deployment", R"({"spec":{"replicas":3000000000}})",
     "json: cannot unmarshal number 3000000000 into Go struct field "
     "DeploymentSpec.spec.replicas of type int32"},
    {"apps/v1", "Deployment", R"({"spec":[]})",
     "json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec"},
    {"v1", "Pod", R"({"spec":{"containers":{}}})",
     "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type "
     "[]v1.Container"},
    {"v1", "Pod", R"({"spec":{"containers":[{"command":[1]}]}})",
     "json: cannot unmarshal number into Go struct field Container.spec.containers.command of "
     "type string"},
    {"v1", "Pod", R"({"metadata":{"labels":{"a":1}}})",
     "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type "
     "string"},
    {"v1", "Pod", R"({"metadata":{"creationTimestamp":"now"}})",
     R"(parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006")"},
    {"v1", "Pod", R"([])", "json: cannot unmarshal array into Go value of type v1.Pod"},
    {"v1", "Secret", R"({"data":{"a":"%"}})", "illegal base64 data at input byte 0"},
    {"v1", "Secret", R"({"data":{"a":7}})",
     "json: cannot unmarshal number into Go struct field Secret.data of type []uint8"},
    {"v1", "ResourceQuota", R"({"spec":{"hard":{"cpu":"x"}}})",
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
    {"v1", "Service", R"({"spec":{"ports":[{"targetPort":true}]}})",
     "json: cannot unmarshal bool into Go value of type int32"},
    {"coordination.k8s.io/v1", "Lease", R"({"spec":{"renewTime":"2026-01-01T00:00:00Z"}})",
     R"(parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse )"
     R"("Z" as ".000000")"},
    {"authentication.k8s.io/v1", "TokenReview", R"({"status":{"user":{"extra":{"a":[1]}}}})",
     "json: cannot unmarshal number into Go struct field UserInfo.status.user.extra of type "
     "string"},
};
// clang-format on

TEST(ConformTest, WrongTypesAreNamedInTheWordsOfGo) {
  for (const WrongCase& each : kWrongCases) {
    EXPECT_EQ(conform_text(each.api_version, each.kind, each.text).error, each.error) << each.text;
  }
}

}  // namespace
}  // namespace davit
