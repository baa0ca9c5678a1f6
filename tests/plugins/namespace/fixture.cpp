#include "tests/plugins/namespace/fixture.hpp"

namespace davit::namespaces {

NamespaceTest::NamespaceTest() : cluster_({.note = note_text<namespaces::declare>()}) {
  create_namespace("x");
}

void NamespaceTest::start(std::string_view config) {
  const Status started = cluster_.start(kController, &NamespaceController::open, config);
  ASSERT_TRUE(started.ok()) << started.message();
  cluster_.run_until_idle();
  cluster_.clear_records();
}

void NamespaceTest::create_namespace(const std::string& name) {
  const testing::RawReply reply = cluster_.exchange(
      {"POST",
       "/api/v1/namespaces",
       {{"Content-Type", "application/json"}},
       R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + R"("}})"});
  ASSERT_EQ(reply.http_status, 201) << reply.body;
}

void NamespaceTest::post(std::string_view path, std::string_view resource, std::string_view body,
                         std::string_view ns) {
  const std::string target =
      std::string(path) + "/namespaces/" + std::string(ns) + "/" + std::string(resource);
  const testing::RawReply reply = cluster_.exchange(
      {"POST", target, {{"Content-Type", "application/json"}}, std::string(body)});
  ASSERT_EQ(reply.http_status, 201) << target << ": " << reply.body;
}

void NamespaceTest::add_config_map(const std::string& name, std::string_view finalizers,
                                   std::string_view ns) {
  post("/api/v1", "configmaps",
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
           R"(","finalizers":)" + std::string(finalizers) + "}}",
       ns);
}

void NamespaceTest::add_bound_pod(const std::string& name, int grace, std::string_view patch) {
  Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"x"},
      "spec":{"nodeName":"n1","containers":[{"name":"c","image":"nginx"}]},
      "status":{"phase":"Running"}})");
  pod["metadata"]["name"] = name;
  testing::merge_patch(pod, Json::must(R"({"spec":{"terminationGracePeriodSeconds":)" +
                                       std::to_string(grace) + "}}"));
  testing::merge_patch(pod, Json::must(patch));
  cluster_.add(pod);
}

void NamespaceTest::drop_finalizers(const std::string& config_map) {
  const testing::RawReply reply =
      cluster_.exchange({"PATCH",
                         "/api/v1/namespaces/x/configmaps/" + config_map,
                         {{"Content-Type", "application/merge-patch+json"}},
                         R"({"metadata":{"finalizers":null}})"});
  ASSERT_EQ(reply.http_status, 200) << reply.body;
}

void NamespaceTest::add_widget() {
  const testing::RawReply reply = cluster_.exchange(
      {"POST",
       "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
       {{"Content-Type", "application/json"}},
       R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
           "metadata":{"name":"widgets.example.com"},
           "spec":{"group":"example.com","scope":"Namespaced",
                   "names":{"plural":"widgets","kind":"Widget"},
                   "versions":[{"name":"v1","served":true,"storage":true,
                     "schema":{"openAPIV3Schema":{"type":"object"}}}]}})"});
  ASSERT_EQ(reply.http_status, 201) << reply.body;
  cluster_.run_until_idle();
  post("/apis/example.com/v1", "widgets",
       R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})");
}

std::vector<Json> NamespaceTest::conditions() const {
  const Json object = ns();
  const Json* found = object.at({"status", "conditions"});
  return found == nullptr ? std::vector<Json>() : found->items();
}

std::string NamespaceTest::condition(std::string_view type) const {
  for (const Json& each : conditions()) {
    if (each.text_at({"type"}) != type) continue;
    return each.text_at({"status"}) + " " + each.text_at({"reason"}) + ": " +
           each.text_at({"message"});
  }
  return {};
}

std::string NamespaceTest::transition_time(std::string_view type) const {
  for (const Json& each : conditions()) {
    if (each.text_at({"type"}) == type) return each.text_at({"lastTransitionTime"});
  }
  return {};
}

std::vector<std::string> NamespaceTest::texts(std::string_view resource) const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.requests()) {
    if (resource.empty() || each.resource == resource) out.push_back(each.text());
  }
  return out;
}

}  // namespace davit::namespaces
