#include "tests/plugins/podautoscaler/fixture.hpp"

#include <algorithm>

namespace davit::podautoscaler {
namespace {

constexpr const char* kStamp = R"("timestamp":"2024-05-01T12:00:00Z","window":"15s")";

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& each : items) out.append(out.empty() ? "" : ",").append(each);
  return out;
}

/// {"type":"Utilization","averageUtilization":100} of "utilization 100".
std::string target_json(const std::string& text) {
  const std::size_t blank = text.find(' ');
  const std::string kind = text.substr(0, blank);
  const std::string value = text.substr(blank + 1);
  if (kind == "utilization") {
    return R"({"type":"Utilization","averageUtilization":)" + value + "}";
  }
  if (kind == "average") return R"({"type":"AverageValue","averageValue":")" + value + "\"}";
  return R"({"type":"Value","value":")" + value + "\"}";
}

}  // namespace

std::string AutoscalerTest::config(const std::string& more) {
  return R"({"horizontalPodAutoscalerSyncPeriod":"2s",)" +
         (more.find("StabilizationWindow") == std::string::npos
              ? std::string(R"("horizontalPodAutoscalerDownscaleStabilizationWindow":"1s")")
              : more.substr(1)) +
         (more.find("StabilizationWindow") == std::string::npos ? more : "") + "}";
}

void AutoscalerTest::start(const std::string& more) {
  const Status started = cluster_.start(kController, &AutoscalerController::open, config(more));
  ASSERT_TRUE(started.ok()) << started.message();
  cluster_.run_until_idle();
}

void AutoscalerTest::set_up(int replicas, const std::vector<std::string>& usages,
                            const std::string& spec) {
  target(replicas);
  pods(replicas);
  usage(usages);
  autoscaler(resource("utilization 100"), spec);
  start();
}

void AutoscalerTest::target(int replicas, const std::string& name, const std::string& label) {
  const std::string count = std::to_string(replicas);
  cluster_.add(R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":")" + name +
               R"(","namespace":"default"},"spec":{"replicas":)" + count + R"(,"selector":{)" +
               label + R"(},"template":{"metadata":{"labels":{)" + label +
               R"(}},"spec":{"containers":[{"name":"c","image":"x"}]}}},"status":{"replicas":)" +
               count + "}}");
}

void AutoscalerTest::counted(int replicas) {
  cluster_.modify<ReplicationController>(
      {"default", "web"}, [&](Json& object) { object["status"]["replicas"] = replicas; });
}

void AutoscalerTest::pod(const std::string& name, const std::function<void(Json&)>& edit) {
  Json object = Json::must(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","labels":{"app":"web"}},
          "spec":{"containers":[{"name":"c","image":"x",
            "resources":{"requests":{"cpu":"100m","memory":"100Mi"}}}]},
          "status":{"phase":"Running","startTime":"2024-05-01T11:00:00Z","conditions":[
            {"type":"Ready","status":"True","lastTransitionTime":"2024-05-01T11:02:00Z"}]}})");
  object["metadata"]["name"] = name;
  if (edit) edit(object);
  cluster_.add(object);
}

void AutoscalerTest::pods(int count) {
  for (int i = 1; i <= count; ++i) pod("p" + std::to_string(i));
}

void AutoscalerTest::autoscaler(const std::string& metrics, const std::string& spec,
                                const std::string& name, const std::string& target) {
  cluster_.add(R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",)"
               R"("metadata":{"namespace":"default","name":")" +
               name + R"("},"spec":{"scaleTargetRef":{"apiVersion":"v1",)" +
               R"("kind":"ReplicationController","name":")" + target + "\"}" +
               (spec.find("maxReplicas") == std::string::npos ? R"(,"maxReplicas":100)" : "") +
               (spec.find("minReplicas") == std::string::npos ? R"(,"minReplicas":1)" : "") + spec +
               R"(,"metrics":[)" + metrics + "]}}");
}

std::string AutoscalerTest::resource(const std::string& target, const std::string& name) {
  return R"({"type":"Resource","resource":{"name":")" + name + R"(","target":)" +
         target_json(target) + "}}";
}

std::string AutoscalerTest::pods_metric(const std::string& average, const std::string& selector) {
  return R"({"type":"Pods","pods":{"metric":{"name":"hits")" +
         (selector.empty() ? "" : ",\"selector\":" + selector) +
         R"(},"target":{"type":"AverageValue","averageValue":")" + average + R"("}}})";
}

std::string AutoscalerTest::object_metric(const std::string& target, const std::string& described) {
  return R"({"type":"Object","object":{"metric":{"name":"hits"},"describedObject":)" +
         (described.empty() ? R"({"apiVersion":"v1","kind":"Service","name":"web"})" : described) +
         ",\"target\":" + target_json(target) + "}}";
}

std::string AutoscalerTest::external_metric(const std::string& target,
                                            const std::string& selector) {
  return R"({"type":"External","external":{"metric":{"name":"q")" +
         (selector.empty() ? "" : ",\"selector\":" + selector) +
         "},\"target\":" + target_json(target) + "}}";
}

void AutoscalerTest::usage(const std::vector<std::string>& milli) {
  std::vector<std::string> quantities;
  for (const std::string& each : milli) {
    const bool plain = each != "-" && each.find_first_not_of("0123456789") == std::string::npos;
    quantities.push_back(plain ? each + "m" : each);
  }
  usage_of("cpu", quantities);
}

void AutoscalerTest::usage_of(const std::string& resource,
                              const std::vector<std::string>& quantities) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    if (quantities[i] == "-") continue;
    items.push_back(R"({"metadata":{"name":"p)" + std::to_string(i + 1) +
                    R"(","namespace":"default"},)" + kStamp +
                    R"(,"containers":[{"name":"c","usage":{")" + resource + "\":\"" +
                    quantities[i] + "\"}}]}");
  }
  pod_metrics(R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},)"
              R"("items":[)" +
              joined(items) + "]}");
}

void AutoscalerTest::pod_metrics(const std::string& body, int http_status) {
  Fault fault;
  fault.verb = Verb::kList;
  fault.resource = "pods";
  fault.http_status = http_status;
  fault.body = body;
  answer("pods", fault);
}

void AutoscalerTest::serve_custom_metrics(const std::string& version) {
  cluster_.add(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{
        "name":"samples.custom.metrics.k8s.io","annotations":{
        "api-approved.kubernetes.io":"unapproved, a test"}},"spec":{"group":"custom.metrics.k8s.io",
        "scope":"Namespaced","names":{"plural":"samples","singular":"sample","kind":"Sample",
        "listKind":"SampleList"},"versions":[{"name":")" +
      version +
      R"(","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
        "x-kubernetes-preserve-unknown-fields":true}}}]}})");
}

void AutoscalerTest::hits(const std::vector<std::string>& values) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == "-") continue;
    items.push_back(R"({"describedObject":{"kind":"Pod","namespace":"default","name":"p)" +
                    std::to_string(i + 1) +
                    R"("},"metric":{"name":"hits"},"timestamp":"2024-05-01T12:00:00Z","value":")" +
                    values[i] + "\"}");
  }
  Fault fault;
  fault.resource = "pods";
  fault.subresource = "hits";
  fault.http_status = 200;
  fault.body = R"({"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta2",)"
               R"("metadata":{},"items":[)" +
               joined(items) + "]}";
  answer("hits", fault);
}

void AutoscalerTest::object_hits(const std::string& value, const std::string& resource) {
  Fault fault;
  fault.resource = resource;
  fault.http_status = 200;
  fault.body = R"({"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta2",)"
               R"("metadata":{},"items":[{"describedObject":{"kind":"Service","name":"web"},)"
               R"("metric":{"name":"hits"},"timestamp":"2024-05-01T12:00:00Z","value":")" +
               value + "\"}]}";
  answer("object", fault);
}

void AutoscalerTest::external(const std::string& metric, const std::vector<std::string>& values) {
  std::vector<std::string> items;
  for (const std::string& each : values) {
    items.push_back(R"({"metricName":"q","timestamp":"2024-05-01T12:00:00Z","value":")" + each +
                    "\"}");
  }
  Fault fault;
  fault.verb = Verb::kList;
  fault.resource = metric;
  fault.http_status = 200;
  fault.body =
      R"({"kind":"ExternalMetricValueList","apiVersion":"external.metrics.k8s.io/v1beta1",)"
      R"("metadata":{},"items":[)" +
      joined(items) + "]}";
  answer("external", fault);
}

void AutoscalerTest::answer(const std::string& id, const Fault& fault) {
  Fault always = fault;
  always.times = fault.times == 1 ? Fault::kAlways : fault.times;
  answers_[id] = always;
  cluster_.clear_faults();
  for (const auto& [name, each] : answers_) cluster_.fail_next(each);
}

void AutoscalerTest::unanswer(const std::string& id) {
  answers_.erase(id);
  cluster_.clear_faults();
  for (const auto& [name, each] : answers_) cluster_.fail_next(each);
}

int AutoscalerTest::replicas(const std::string& name) const {
  const Json object = cluster_.json<ReplicationController>({"default", name});
  return static_cast<int>(object.at({"spec", "replicas"})->integer().value_or(-1));
}

Json AutoscalerTest::status(const std::string& name) const {
  const Json object = cluster_.json<Autoscaler>({"default", name});
  const Json* const status = object.find("status");
  return status == nullptr ? Json::object() : *status;
}

std::string AutoscalerTest::condition(const std::string& type, const std::string& name) const {
  const Json all = status(name);
  const Json* const conditions = all.find("conditions");
  if (conditions == nullptr) return "";
  for (const Json& each : conditions->items()) {
    if (each.text_at({"type"}) != type) continue;
    return each.text_at({"status"}) + " " + each.text_at({"reason"}) + " " +
           each.text_at({"message"});
  }
  return "";
}

std::string AutoscalerTest::current_metrics(const std::string& name) const {
  const Json all = status(name);
  const Json* const metrics = all.find("currentMetrics");
  return metrics == nullptr ? "" : metrics->dump();
}

std::vector<std::string> AutoscalerTest::requests() const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
  return out;
}

std::size_t AutoscalerTest::scale_writes() const {
  return cluster_.requests_of(Verb::kUpdate, "replicationcontrollers", "scale").size();
}

std::string AutoscalerTest::query_of(const std::string& resource) const {
  std::string out;
  for (const testing::RequestRecord& each : cluster_.requests()) {
    if (each.resource == resource) out = each.query;
  }
  return out;
}

testing::RawReply AutoscalerTest::send(const std::string& method, const std::string& target,
                                       const std::string& body) const {
  return cluster_.exchange({.method = method,
                            .target = target,
                            .headers = {{"Content-Type", "application/json"}},
                            .body = body});
}

}  // namespace davit::podautoscaler
