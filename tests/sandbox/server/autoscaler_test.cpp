/// HPA161 to HPA165: HorizontalPodAutoscalers in both versions (docs/spec/hpa.md, section 2).
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

using testing::HasSubstr;

constexpr char kV2[] = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
constexpr char kV1[] = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";

/// A fine autoscaler of `version` with `more` members in its spec.
std::string autoscaler(std::string_view version, std::string_view more) {
  std::string out = R"({"apiVersion":"autoscaling/)" + std::string(version) +
                    R"(","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{)"
                    R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
                    R"("name":"web"},"maxReplicas":5)";
  out += more.empty() ? "" : ",";
  return out.append(more) + "}}";
}

class AutoscalerServerTest : public testing::Test {
 protected:
  Json create(std::string_view more) {
    const Reply reply = sandbox_.post(kV2, autoscaler("v2", more));
    EXPECT_EQ(reply.code, 201) << reply.text;
    return reply.body;
  }
  /// The part of a refusal after "is invalid: ".
  std::string refusal(std::string_view body) {
    const Reply reply = sandbox_.post(kV2, std::string(body));
    EXPECT_EQ(reply.code, 422) << reply.text;
    const std::string head = R"(HorizontalPodAutoscaler.autoscaling "web" is invalid: )";
    EXPECT_TRUE(reply.message().starts_with(head)) << reply.text;
    return reply.message().substr(std::min(head.size(), reply.message().size()));
  }
  std::string metric_refusal(const std::string& metric) {
    return refusal(autoscaler("v2", R"("metrics":[)" + metric + "]"));
  }
  static std::string path(const char* collection) { return collection + std::string("/web"); }

  Sandbox sandbox_;
};

TEST_F(AutoscalerServerTest, HPA161_EmptyBehaviorIsCompleted) {
  const Json made = create(R"("behavior":{})");
  EXPECT_EQ(to_canonical_text(made.get("spec").get("behavior")),
            R"({"scaleDown":{"policies":[{"periodSeconds":15,"type":"Percent","value":100}],)"
            R"("selectPolicy":"Max"},"scaleUp":{"policies":[)"
            R"({"periodSeconds":15,"type":"Pods","value":4},)"
            R"({"periodSeconds":15,"type":"Percent","value":100}],)"
            R"("selectPolicy":"Max","stabilizationWindowSeconds":0}})");
  EXPECT_EQ(made.get("spec").get("minReplicas").integer(), 1);
  EXPECT_EQ(to_canonical_text(made.get("spec").get("metrics")),
            R"([{"resource":{"name":"cpu","target":{"averageUtilization":80,)"
            R"("type":"Utilization"}},"type":"Resource"}])");
  EXPECT_FALSE(made.get("metadata").contains("generation"));
}

struct Refusal {
  const char* spec;  ///< Members of the spec.
  const char* text;
};

class RefusedAutoscalerTest : public AutoscalerServerTest,
                              public testing::WithParamInterface<Refusal> {};

TEST_P(RefusedAutoscalerTest, HPA162_IsRefusedWithUpstreamsText) {
  EXPECT_THAT(refusal(autoscaler("v2", GetParam().spec)), HasSubstr(GetParam().text))
      << GetParam().spec;
}

INSTANTIATE_TEST_SUITE_P(
    Spec, RefusedAutoscalerTest,
    testing::Values(
        Refusal{R"("minReplicas":0)",
                "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"},
        Refusal{R"("minReplicas":0)",
                "spec.metrics: Forbidden: must specify at least one Object or External metric to "
                "support scaling to zero replicas"},
        Refusal{R"("maxReplicas":0)",
                "spec.maxReplicas: Required value: must be set and greater than 0"},
        Refusal{R"("maxReplicas":-1)",
                "spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1"},
        Refusal{R"("minReplicas":9)",
                "spec.maxReplicas: Invalid value: 5: must be greater than or equal to "
                "`minReplicas`"},
        Refusal{R"("scaleTargetRef":{"apiVersion":"apps/v1"})",
                "spec.scaleTargetRef.kind: Required value"},
        Refusal{R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"a/b","name":".."})",
                "spec.scaleTargetRef.kind: Invalid value: \"a/b\": may not contain '/'"},
        Refusal{R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"a/b","name":".."})",
                "spec.scaleTargetRef.name: Invalid value: \"..\": may not be '..'"},
        Refusal{R"("scaleTargetRef":{"apiVersion":"a/b/c","kind":"D","name":"d"})",
                "spec.scaleTargetRef.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion "
                "string: a/b/c"},
        Refusal{R"("scaleTargetRef":{"apiVersion":"v1","kind":"Deployment","name":"d"})",
                "spec.scaleTargetRef.apiVersion: Invalid value: \"v1\": apiVersion must specify "
                "API group"},
        Refusal{R"("scaleTargetRef":{"kind":"Deployment","name":"d"})",
                "spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API "
                "group"},
        Refusal{R"("behavior":{"scaleUp":{"stabilizationWindowSeconds":-1}})",
                "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be "
                "greater than or equal to zero"},
        Refusal{R"("behavior":{"scaleDown":{"stabilizationWindowSeconds":3601}})",
                "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be "
                "less than or equal to 3600"},
        Refusal{R"("behavior":{"scaleUp":{"selectPolicy":"X"}})",
                "spec.behavior.scaleUp.selectPolicy: Unsupported value: \"X\": supported values: "
                "\"Disabled\", \"Max\", \"Min\""},
        Refusal{R"("behavior":{"scaleUp":{"policies":[{"type":"X","value":0,"periodSeconds":0}]}})",
                "spec.behavior.scaleUp.policies[0].type: Unsupported value: \"X\": supported "
                "values: \"Percent\", \"Pods\""},
        Refusal{R"("behavior":{"scaleUp":{"policies":[{"type":"X","value":0,"periodSeconds":0}]}})",
                "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than "
                "zero"},
        Refusal{R"("behavior":{"scaleUp":{"policies":[{"type":"X","value":0,"periodSeconds":0}]}})",
                "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be "
                "greater than zero"},
        Refusal{R"("behavior":{"scaleUp":{"policies":[
                    {"type":"Pods","value":1,"periodSeconds":1801}]}})",
                "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be "
                "less than or equal to 1800"},
        Refusal{R"("behavior":{"scaleUp":{"tolerance":"-1"}})",
                "spec.behavior.scaleUp.tolerance: Invalid value: \"-1\": must be greater than or "
                "equal to 0"}));

class RefusedMetricTest : public AutoscalerServerTest,
                          public testing::WithParamInterface<Refusal> {};

TEST_P(RefusedMetricTest, HPA162_IsRefusedWithUpstreamsText) {
  EXPECT_THAT(metric_refusal(GetParam().spec),
              HasSubstr(std::string("spec.metrics[0].") + GetParam().text))
      << GetParam().spec;
}

INSTANTIATE_TEST_SUITE_P(
    Metrics, RefusedMetricTest,
    testing::Values(
        Refusal{R"({})", "type: Required value: must specify a metric source type"},
        Refusal{R"({})",
                "type: Unsupported value: \"\": supported values: \"ContainerResource\", "
                "\"External\", \"Object\", \"Pods\", \"Resource\""},
        Refusal{R"({"type":"Pods"})",
                "pods: Required value: must populate information for the given metric source"},
        Refusal{R"({"type":"Pods","pods":{},"resource":{}})",
                "resource: Forbidden: must populate the given metric source only"},
        Refusal{R"({"type":"Pods","pods":{"metric":{},"target":{}}})",
                "pods.metric.name: Required value: must specify a metric name"},
        Refusal{R"({"type":"Pods","pods":{"metric":{"name":"a/b"},"target":{}}})",
                "pods.metric.name: Invalid value: \"a/b\": may not contain '/'"},
        Refusal{R"({"type":"Pods","pods":{"metric":{"name":"a"},"target":{}}})",
                "pods.target.type: Required value: must specify a metric target type"},
        Refusal{R"({"type":"Pods","pods":{"metric":{"name":"a"},"target":{}}})",
                "pods.target.type: Invalid value: \"\": must be either Utilization, Value, or "
                "AverageValue"},
        Refusal{R"({"type":"Pods","pods":{"metric":{"name":"a"},"target":{}}})",
                "pods.target.averageValue: Required value: must specify a positive target "
                "averageValue"},
        Refusal{R"({"type":"Pods","pods":{"metric":{"name":"a"},
                    "target":{"type":"AverageValue","averageValue":"0"}}})",
                "pods.target.averageValue: Invalid value: \"0\": must be positive"},
        Refusal{R"({"type":"Resource","resource":{"target":{"type":"Utilization"}}})",
                "resource.name: Required value: must specify a resource name"},
        Refusal{R"({"type":"Resource","resource":{"name":"cpu",
                    "target":{"type":"Utilization"}}})",
                "resource.target.averageUtilization: Required value: must set either a target raw "
                "value or a target utilization"},
        Refusal{R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",
                    "averageUtilization":0}}})",
                "resource.target.averageUtilization: Invalid value: 0: must be greater than 0"},
        Refusal{R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",
                    "averageUtilization":1,"averageValue":"1"}}})",
                "resource.target.averageValue: Forbidden: may not set both a target raw value and "
                "a target utilization"},
        Refusal{R"({"type":"ContainerResource","containerResource":{"name":"cpu",
                    "target":{"type":"Utilization","averageUtilization":1}}})",
                "containerResource.container: Required value: must specify a container"},
        Refusal{R"({"type":"ContainerResource","containerResource":{"name":"foo",
                    "container":"A","target":{"type":"Utilization","averageUtilization":1}}})",
                "containerResource.name: Invalid value: \"foo\": must be a standard resource type "
                "or fully qualified"},
        Refusal{R"({"type":"ContainerResource","containerResource":{"name":"foo",
                    "container":"A","target":{"type":"Utilization","averageUtilization":1}}})",
                "containerResource.container: Invalid value: \"A\": a lowercase RFC 1123 label"},
        Refusal{R"({"type":"Object","object":{"describedObject":{"kind":"K"},
                    "metric":{"name":"a"},"target":{"type":"Value"}}})",
                "object.describedObject.name: Required value"},
        Refusal{R"({"type":"Object","object":{"describedObject":{"kind":"K","name":"n"},
                    "metric":{"name":"a"},"target":{"type":"Value"}}})",
                "object.target.averageValue: Required value: must set either a target value or "
                "averageValue"},
        Refusal{R"({"type":"External","external":{"metric":{"name":"a"},
                    "target":{"type":"Value"}}})",
                "external.target.averageValue: Required value: must set either a target value for "
                "metric or a per-pod target"},
        Refusal{R"({"type":"External","external":{"metric":{"name":"a"},
                    "target":{"type":"Value","value":"1","averageValue":"1"}}})",
                "external.target.value: Forbidden: may not set both a target value for metric and "
                "a per-pod target"}));

TEST_F(AutoscalerServerTest, AnEmptyListOfPoliciesIsRefusedAndNotCompleted) {
  for (const char* direction : {"scaleUp", "scaleDown"}) {
    const std::string field = std::string("spec.behavior.") + direction + ".policies";
    EXPECT_THAT(refusal(autoscaler(
                    "v2", R"("behavior":{")" + std::string(direction) + R"(":{"policies":[]}})")),
                HasSubstr(field + ": Required value: must specify at least one Policy"));
  }
  create(R"("behavior":{"scaleUp":{"policies":null}})");
  const Reply patched =
      sandbox_.patch(path(kV2), "merge", R"({"spec":{"behavior":{"scaleUp":{"policies":[]}}}})");
  EXPECT_EQ(patched.code, 422) << patched.text;
}

TEST_F(AutoscalerServerTest, GateForZeroAdmitsAnAutoscalerThatScalesToZero) {
  const std::string from_zero =
      R"("minReplicas":0,"metrics":[{"type":"External","external":{"metric":{"name":"q"},
          "target":{"type":"Value","value":"10"}}}])";
  EXPECT_THAT(refusal(autoscaler("v2", from_zero)),
              HasSubstr("spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"));
  ApiServerOptions options;
  options.kind_gates.scale_to_zero = true;
  sandbox_.reopen(options);
  EXPECT_EQ(create(from_zero).get("spec").get("minReplicas").integer(), 0);
  EXPECT_THAT(refusal(autoscaler("v2", R"("minReplicas":0)")),
              HasSubstr("must specify at least one Object or External metric"));
  EXPECT_THAT(refusal(autoscaler("v2", R"("minReplicas":-1)")),
              HasSubstr("must be greater than or equal to 0"));
}

TEST_F(AutoscalerServerTest, WithoutTheGateForTolerancesTheyAreDroppedUnlessTheyAreStored) {
  const std::string tolerance = R"("behavior":{"scaleUp":{"tolerance":"0.05"}})";
  const auto stored = [this](const char* collection) {
    const Reply reply = sandbox_.get(path(collection));
    return reply.text.find("olerance\":\"") != std::string::npos;
  };
  EXPECT_EQ(create(tolerance).get("spec").get("behavior").get("scaleUp").text_at({"tolerance"}),
            "50m");
  ApiServerOptions options;
  options.kind_gates.configurable_tolerance = false;
  sandbox_.reopen(options);
  Reply kept = sandbox_.get(path(kV2));
  kept.body["spec"].set("maxReplicas", 9);
  EXPECT_EQ(sandbox_.put(path(kV2), to_text(kept.body)).code, 200);
  EXPECT_TRUE(stored(kV2)) << "written while the gate was on";
  Reply of_v1 = sandbox_.get(path(kV1));
  EXPECT_EQ(sandbox_.put(path(kV1), to_text(of_v1.body)).code, 200);
  EXPECT_TRUE(stored(kV2));
  EXPECT_EQ(sandbox_.send("DELETE", path(kV2)).code, 200);
  create(tolerance);
  EXPECT_FALSE(stored(kV2));
  of_v1.body["metadata"].erase("resourceVersion");
  of_v1.body["metadata"].erase("uid");
  EXPECT_EQ(sandbox_.put(path(kV1), to_text(of_v1.body)).code, 200);
  EXPECT_FALSE(stored(kV2)) << "in the annotation of v1";
}

TEST_F(AutoscalerServerTest, HPA162_OldReferencesAndSelectorsPass) {
  create(R"("metrics":[{"type":"External","external":{"metric":{"name":"q","selector":
             {"matchExpressions":[{"key":"a b","operator":"Foo"}]}},
             "target":{"type":"Utilization","value":"1"}}}])");
  Json rc = json_literal(autoscaler("v2", ""));
  rc["metadata"].set("name", "rc");
  rc["spec"].set("scaleTargetRef",
                 Json::object({{"kind", "ReplicationController"}, {"name", "web"}}));
  EXPECT_EQ(sandbox_.post(kV2, to_text(rc)).code, 201);
  // An older server may have stored a reference without a group.
  Json old = sandbox_.get(path(kV2)).body;
  old["spec"]["scaleTargetRef"].erase("apiVersion");
  const Collection collection{"autoscaling", "horizontalpodautoscalers"};
  const VersionPtr stored = sandbox_.store.get(collection, "default", "web");
  ASSERT_TRUE(sandbox_.store.update(collection, {"default", "web", old, {}, {}}, stored->revision));
  EXPECT_EQ(sandbox_.patch(path(kV2), "merge", R"({"spec":{"maxReplicas":6}})").code, 200);
  EXPECT_EQ(sandbox_.patch(path(kV2), "merge", R"({"spec":{"scaleTargetRef":{"kind":"X"}}})").code,
            422);
}

constexpr char kEverything[] =
    R"("behavior":{"scaleUp":{"stabilizationWindowSeconds":60,"policies":[
        {"type":"Pods","value":4,"periodSeconds":15}]},"scaleDown":{"tolerance":"50m"}},
       "metrics":[
        {"type":"Resource","resource":{"name":"cpu",
         "target":{"type":"Utilization","averageUtilization":70}}},
        {"type":"External","external":{"metric":{"name":"q","selector":{"matchLabels":{"a":"b"}}},
         "target":{"type":"AverageValue","averageValue":"4"}}},
        {"type":"Pods","pods":{"metric":{"name":"hits"},
         "target":{"type":"AverageValue","averageValue":"10"}}},
        {"type":"Object","object":{"describedObject":{"kind":"Service","name":"s",
         "apiVersion":"v1"},"metric":{"name":"rps"},"target":{"type":"Value","value":"2k"}}},
        {"type":"ContainerResource","containerResource":{"name":"memory","container":"c",
         "target":{"type":"AverageValue","averageValue":"64Mi"}}}])";

TEST_F(AutoscalerServerTest, HPA163_ReadModifyWriteOfV1LosesNothing) {
  const Json before = create(kEverything);
  Json v1 = sandbox_.get(path(kV1)).body;
  EXPECT_EQ(v1.get("spec").get("targetCPUUtilizationPercentage").integer(), 70);
  EXPECT_FALSE(v1.get("spec").contains("metrics"));
  const std::string annotations = to_text(v1.get("metadata").get("annotations"));
  EXPECT_THAT(annotations, HasSubstr(R"(\"metricName\":\"q\",\"metricSelector\")"));
  EXPECT_THAT(v1.text_at({"metadata", "annotations", "autoscaling.alpha.kubernetes.io/behavior"}),
              HasSubstr(R"({"ScaleUp":{"StabilizationWindowSeconds":60,"SelectPolicy":"Max",)"
                        R"("Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],)"
                        R"("Tolerance":null},"ScaleDown":{)"));
  v1["spec"].set("maxReplicas", 9);
  EXPECT_EQ(sandbox_.put(path(kV1), to_text(v1)).code, 200);
  const Json after = sandbox_.get(path(kV2)).body;
  EXPECT_FALSE(after.get("metadata").contains("annotations"));
  EXPECT_EQ(after.get("spec").get("maxReplicas").integer(), 9);
  EXPECT_EQ(after.get("spec").get("behavior"), before.get("spec").get("behavior"));
  Json::Items wanted = before.get("spec").get("metrics").items();
  std::rotate(wanted.begin(), wanted.begin() + 1, wanted.end());
  EXPECT_EQ(after.get("spec").get("metrics"), Json(wanted)) << "the CPU comes last";
}

TEST_F(AutoscalerServerTest, HPA163_AnnotationsAreNeverStored) {
  Json object = json_literal(autoscaler("v2", ""));
  object["metadata"]["annotations"].set("autoscaling.alpha.kubernetes.io/metrics", "[{}]");
  object["metadata"]["annotations"].set("mine", "x");
  const Reply made = sandbox_.post(kV2, to_text(object));
  EXPECT_EQ(to_text(made.body.get("metadata").get("annotations")), R"({"mine":"x"})");
  EXPECT_EQ(made.body.get("spec").get("metrics").size(), 1u) << "v2 does not read it";
  Json v1 = json_literal(autoscaler("v1", ""));
  v1["metadata"].set("name", "other");
  v1["metadata"]["annotations"].set("autoscaling.alpha.kubernetes.io/behavior", "{malformed");
  EXPECT_EQ(sandbox_.post(kV1, to_text(v1)).code, 201);
  const Json stored = sandbox_.get(kV2 + std::string("/other")).body;
  EXPECT_FALSE(stored.get("metadata").contains("annotations"));
  EXPECT_THAT(to_text(stored.get("spec").get("metrics")), HasSubstr("80"));
}

TEST_F(AutoscalerServerTest, HPA163_BothVersionsAreWrittenAndReadInProtobuf) {
  const std::string protobuf = "application/vnd.kubernetes.protobuf";
  const HttpHeaders headers = {{"Content-Type", protobuf}, {"Accept", protobuf}};
  const auto sent = [&](const char* method, const std::string& target, const Json& object) {
    const std::optional<std::string> body = encode_protobuf(object);
    EXPECT_TRUE(body.has_value());
    const Reply reply = sandbox_.send(method, target, body.value_or(""), headers);
    Result<Json> answer = decode_protobuf(reply.text, "HorizontalPodAutoscaler");
    EXPECT_TRUE(answer.has_value()) << reply.code << reply.text;
    return answer ? *std::move(answer) : Json();
  };
  const Json v2 = sent("POST", kV2, json_literal(autoscaler("v2", kEverything)));
  const Json stored = sandbox_.get(path(kV2)).body;
  EXPECT_EQ(to_canonical_text(v2.get("spec")), to_canonical_text(stored.get("spec")));
  EXPECT_EQ(stored.get("spec").get("metrics").size(), 5u);

  Json v1 = *decode_protobuf(sandbox_.send("GET", path(kV1), "", headers).text, "");
  EXPECT_EQ(v1.text_at({"apiVersion"}), "autoscaling/v1");
  v1["spec"].set("maxReplicas", 9);
  EXPECT_EQ(sent("PUT", path(kV1), v1).get("spec").get("maxReplicas").integer(), 9);

  const Json after = sandbox_.get(path(kV2)).body;
  EXPECT_EQ(after.get("spec").get("maxReplicas").integer(), 9);
  EXPECT_EQ(after.get("spec").get("behavior"), stored.get("spec").get("behavior"));
  EXPECT_EQ(after.get("spec").get("metrics").size(), 5u);
}

TEST_F(AutoscalerServerTest, HPA164_StatusIsInAnnotationsOfV1) {
  create("");
  const std::string status = R"({"status":{"currentReplicas":2,"desiredReplicas":3,
      "currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{
        "averageUtilization":150,"averageValue":"150m"}}}],
      "conditions":[{"type":"AbleToScale","status":"True","reason":"ReadyForNewScale",
        "lastTransitionTime":"2026-01-01T00:00:00Z","message":"m"}]}})";
  ASSERT_EQ(sandbox_.patch(path(kV2) + "/status", "merge", status).code, 200);
  const Json v1 = sandbox_.get(path(kV1)).body;
  EXPECT_EQ(v1.get("status").get("currentCPUUtilizationPercentage").integer(), 150);
  EXPECT_EQ(v1.get("status").get("currentReplicas").integer(), 2);
  EXPECT_EQ(
      v1.text_at({"metadata", "annotations", "autoscaling.alpha.kubernetes.io/current-metrics"}),
      R"([{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":150,)"
      R"("currentAverageValue":"150m"}}])");
  EXPECT_THAT(v1.text_at({"metadata", "annotations", "autoscaling.alpha.kubernetes.io/conditions"}),
              HasSubstr(R"("type":"AbleToScale")"));
  // A client that knows nothing of annotations changes the spec.
  Json plain = v1;
  plain["metadata"].erase("annotations");
  ASSERT_EQ(sandbox_.put(path(kV1), to_text(plain)).code, 200);
  const Json after = sandbox_.get(path(kV2)).body;
  EXPECT_EQ(after.get("status").get("conditions").size(), 1u);
  EXPECT_EQ(after.get("status").get("currentMetrics").size(), 1u);
}

TEST_F(AutoscalerServerTest, HPA165_TargetsShowCurrentAndWantedValues) {
  create(kEverything);
  const std::string status = R"({"status":{"currentReplicas":2,"desiredReplicas":3,
      "currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{
        "averageUtilization":30,"averageValue":"30m"}}},
        {"type":"External","external":{"metric":{"name":"q"},"current":{
        "averageValue":"6667m"}}}]}})";
  ASSERT_EQ(sandbox_.patch(path(kV2) + "/status", "merge", status).code, 200);
  const Reply table =
      sandbox_.send("GET", kV2, "", {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  ASSERT_EQ(table.body.get("rows").size(), 1u) << table.text;
  const std::string cells = to_text(table.body.get("rows").items()[0].get("cells"));
  EXPECT_THAT(cells, HasSubstr(R"(["web","Deployment/web",)"
                               R"("cpu: 30%/70%, 6667m/4 (avg) + 3 more...","1",5,2,)"));
}

}  // namespace
}  // namespace davit::sandbox
