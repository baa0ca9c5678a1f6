/// HPA112 to HPA128: the metrics APIs.
#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class MetricsApisTest : public AutoscalerTest {
 protected:
  /// Three pods, one entry, started.
  void of(const std::string& metric, int replicas = 3) {
    target(replicas);
    pods(replicas);
    autoscaler(metric);
    start();
  }
  [[nodiscard]] std::string active() const { return condition("ScalingActive"); }
  /// Fails the requests to a resource with a message.
  void refuse(const std::string& id, Verb verb, const std::string& resource, int http_status,
              const std::string& message) {
    Fault fault{.verb = verb, .resource = resource};
    fault.http_status = http_status;
    fault.message = message;
    answer(id, fault);
  }
  static constexpr const char* kPrefix = "the HPA was unable to compute the replica count: ";
};

TEST_F(MetricsApisTest, HPA112_MetricsApiThatIsNotServed) {
  of(resource("utilization 100"));
  periods();
  const std::string inner =
      "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch "
      "metrics from resource metrics API: the server could not find the requested resource (get "
      "pods.metrics.k8s.io)";
  EXPECT_EQ(active(), std::string("False FailedGetResourceMetric ") + kPrefix + inner);
  EXPECT_EQ(current_metrics(), R"([{"type":""}])");
  EXPECT_THAT(events(), Contains("Warning FailedGetResourceMetric " + inner));
  EXPECT_THAT(events(), Contains(StartsWith("Warning FailedComputeMetricsReplicas")));
  cluster_.clear_records();
  periods(2);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_EQ(events().size(), 4U) << "in each sync";
}

TEST_F(MetricsApisTest, HPA113_MetricsApiThatFails) {
  of(resource("utilization 100"));
  refuse("pods", Verb::kList, "pods", 500, "boom");
  periods();
  EXPECT_THAT(active(), EndsWith("resource metrics API: boom"));
}

TEST_F(MetricsApisTest, HPA113_MetricsApiThatHasNone) {
  of(resource("utilization 100"));
  usage({});
  periods();
  EXPECT_THAT(active(), EndsWith("no metrics returned from resource metrics API"));
}

TEST_F(MetricsApisTest, HPA114_OnlyForeignPodsInTheAnswer) {
  of(resource("utilization 100"));
  usage({"-", "-", "-", "-", "100"});
  periods();
  EXPECT_THAT(active(), EndsWith("no metrics returned matched known pods"));
}

TEST_F(MetricsApisTest, HPA115_OneMalformedTimeFailsTheMetric) {
  of(resource("utilization 100"));
  pod_metrics(
      R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[
        {"metadata":{"name":"p1","namespace":"default"},"timestamp":"2024-05-01T12:00:00Z",
         "window":"15s","containers":[{"name":"c","usage":{"cpu":"100m"}}]},
        {"metadata":{"name":"p2","namespace":"default"},"timestamp":"x","window":"15s",
         "containers":[{"name":"c","usage":{"cpu":"100m"}}]}]})");
  periods();
  EXPECT_THAT(active(), StartsWith("False FailedGetResourceMetric"));
}

TEST_F(MetricsApisTest, HPA115_ValuesThatAreNoQuantitiesFailTheMetric) {
  of(resource("utilization 100"));
  usage({"NaN", "100", "100"});
  periods();
  EXPECT_THAT(active(), HasSubstr("quantities must match the regular expression"));
}

TEST_F(MetricsApisTest, HPA116_SelectorOfAPodsMetricIsPrintedInCanonicalForm) {
  serve_custom_metrics();
  of(pods_metric("10", R"({"matchLabels":{"verb":"GET","a":"b"},"matchExpressions":[
       {"key":"z","operator":"NotIn","values":["y","x"]},{"key":"w","operator":"Exists"}]})"));
  hits({"10", "10", "10"});
  periods();
  EXPECT_EQ(query_of("pods"),
            "labelSelector=app%3Dweb&metricLabelSelector=a%3Db%2Cverb%3DGET%2Cw%2Cz%20notin%20%28x"
            "%2Cy%29");
  EXPECT_THAT(active(), StartsWith("True"));
}

TEST_F(MetricsApisTest, HPA117_ObjectOfAGroupHasADottedResource) {
  serve_custom_metrics();
  object_hits("10", "ingresses.networking.k8s.io");
  of(object_metric("value 10",
                   R"({"apiVersion":"networking.k8s.io/v1","kind":"Ingress","name":"web"})"));
  periods();
  EXPECT_THAT(requests(), Contains("get ingresses.networking.k8s.io/web/hits 200"));
  EXPECT_THAT(active(), StartsWith("True"));
}

TEST_F(MetricsApisTest, HPA117_NodeIsAskedForInTheNamespace) {
  serve_custom_metrics();
  object_hits("10", "nodes");
  of(object_metric("value 10", R"({"apiVersion":"v1","kind":"Node","name":"n1"})"));
  periods();
  EXPECT_EQ(cluster_.requests_of(Verb::kGet, "nodes", "hits").at(0).ns, "default");
  EXPECT_THAT(active(), StartsWith("True"));
}

TEST_F(MetricsApisTest, HPA117_NamespaceHasAPathOfItsOwn) {
  serve_custom_metrics();
  object_hits("10", "metrics");
  of(object_metric("value 10", R"({"apiVersion":"v1","kind":"Namespace","name":"ignored"})"));
  periods();
  EXPECT_EQ(cluster_.requests_of(Verb::kGet, "metrics").at(0).name, "hits");
  EXPECT_THAT(active(), StartsWith("True ValidMetricFound"));
}

TEST_F(MetricsApisTest, HPA118_KindWithoutItsGroupIsUnknown) {
  serve_custom_metrics();
  of(object_metric("value 10", R"({"kind":"Deployment","name":"web"})"));
  periods();
  EXPECT_THAT(active(), EndsWith("unable to map kind Deployment to resource: no matches for kind "
                                 "\"Deployment\" in group \"\""));
}

TEST_F(MetricsApisTest, HPA119_ObjectHasExactlyOneValue) {
  serve_custom_metrics();
  Fault two{.resource = "services"};
  two.http_status = 200;
  two.body =
      R"({"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta2","metadata":{},
        "items":[{"value":"1"},{"value":"2"}]})";
  answer("object", two);
  of(object_metric("value 10"));
  periods();
  EXPECT_THAT(active(), EndsWith("the custom metrics API server returned 2 results when we asked "
                                 "for exactly one"));
}

TEST_F(MetricsApisTest, HPA120_TypeAndFieldOfAnObjectMayDisagree) {
  serve_custom_metrics();
  of(R"({"type":"Object","object":{"metric":{"name":"hits"},"describedObject":{"apiVersion":"v1",
      "kind":"Service","name":"web"},"target":{"type":"AverageValue","value":"10"}}})");
  periods();
  EXPECT_THAT(active(), EndsWith("invalid object metric source: neither a value target nor an "
                                 "average value target was set"));
}

TEST_F(MetricsApisTest, HPA121_OlderVersionOfCustomMetricsIsUsed) {
  serve_custom_metrics("v1beta1");
  Fault old{.resource = "services"};
  old.http_status = 200;
  old.body =
      R"({"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta1","metadata":{},
        "items":[{"describedObject":{"kind":"Service","name":"web"},"metricName":"hits",
        "timestamp":"2024-05-01T12:00:00Z","window":"1m0s","value":"10"}]})";
  answer("object", old);
  of(object_metric("value 10"));
  periods();
  EXPECT_THAT(active(), StartsWith("True"));
  EXPECT_THAT(current_metrics(), HasSubstr(R"("value":"10")"));
}

TEST_F(MetricsApisTest, HPA122_CustomMetricsThatAreNotServed) {
  of(object_metric("value 10"));
  periods();
  EXPECT_THAT(active(),
              HasSubstr("unable to fetch metrics from custom metrics API: no custom metrics API "
                        "(custom.metrics.k8s.io) registered"));
  serve_custom_metrics();
  object_hits("10");
  periods(2);
  EXPECT_THAT(active(), StartsWith("True")) << "served later";
}

TEST_F(MetricsApisTest, HPA123_ExternalMetricIsLowerCaseInThePathOnly) {
  of(R"({"type":"External","external":{"metric":{"name":"queueX"},
      "target":{"type":"Value","value":"10"}}})");
  periods();
  EXPECT_EQ(cluster_.requests_of(Verb::kList, "queuex").size(), 1U);
  EXPECT_THAT(active(), EndsWith("(get queueX.external.metrics.k8s.io)"));
}

TEST_F(MetricsApisTest, HPA123_NamesOfMetricsAreNotThoseOfResources) {
  external("queue_messages.ready|s0", {"10"});
  of(R"({"type":"External","external":{"metric":{"name":"queue_messages.Ready|s0"},
      "target":{"type":"Value","value":"10"}}})");
  periods();
  EXPECT_THAT(active(), StartsWith("True"));
}

TEST_F(MetricsApisTest, HPA124_SelectorThatIsNoneFailsBeforeAnyRequest) {
  of(external_metric("value 10",
                     R"({"matchExpressions":[{"key":"a","operator":"Foo","values":["b"]}]})"));
  periods();
  EXPECT_THAT(active(), EndsWith("\"Foo\" is not a valid label selector operator"));
  EXPECT_THAT(cluster_.requests_of(Verb::kList, "q"), IsEmpty());
}

TEST_F(MetricsApisTest, HPA125_MessageOfAnExternalMetricHasItsSelector) {
  of(external_metric("value 10", R"({"matchLabels":{"env":"p"}})"));
  periods();
  EXPECT_THAT(
      active(),
      HasSubstr("unable to get external metric default/q/&LabelSelector{MatchLabels:map["
                "string]string{env: p,},MatchExpressions:[]LabelSelectorRequirement{},}: "));
}

TEST_F(MetricsApisTest, HPA126_NegativeExternalMetricScalesToMin) {
  external("q", {"-20"});
  of(external_metric("value 10"));
  periods(3);
  EXPECT_EQ(replicas(), 1);
}

TEST_F(MetricsApisTest, HPA127_HugeSumStopsAtTheEnd) {
  external("q", {"9e15", "9e15"});
  of(external_metric("value 1m"));
  periods();
  EXPECT_EQ(replicas(), 6);
  EXPECT_THAT(current_metrics(), HasSubstr(R"("value":"9223372036854775807m")"));
}

TEST_F(MetricsApisTest, HPA128_HugeAverageNeverScalesDown) {
  serve_custom_metrics();
  object_hits("9e15");
  of(object_metric("average 1m"));
  periods();
  EXPECT_EQ(replicas(), 6) << "D2";
}

TEST_F(MetricsApisTest, EntriesOfOneAutoscalerShareTheListOfPodMetrics) {
  usage({"100", "100", "100"});
  of(resource("utilization 100") + "," + resource("average 1", "cpu"));
  periods();
  EXPECT_EQ(cluster_.requests_of(Verb::kList, "pods").size(), 1U) << "D8";
}

}  // namespace
}  // namespace davit::podautoscaler
