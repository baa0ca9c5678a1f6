// The example plugins on the sandbox: what a third party ships, in a whole host. Those of the
// museum are binaries of ABI 1.0 as they were built once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/http_client.hpp"
#include "tests/support/temp_directory.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Something in the namespace default, or all of it.
ResourcePath path(const char* group, const char* resource, const char* name = "",
                  const char* subresource = "") {
  return {group, "v1", resource, subresource, "default", name};
}
const ResourcePath kDefinitions{
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "", "", ""};
constexpr char kGroup[] = "example.davit.dev";

constexpr char kDefinition[] =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"webapps.example.davit.dev"},"spec":{"group":"example.davit.dev",
        "scope":"Namespaced","names":{"plural":"webapps","kind":"WebApp"},"versions":[
        {"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
         "schema":{"openAPIV3Schema":{"type":"object","properties":{
           "spec":{"type":"object","properties":{"image":{"type":"string"},
             "replicas":{"type":"integer","default":1},"port":{"type":"integer","default":8080}}},
           "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})";

/// The status of the first condition of a WebApp.
std::string available(const Json& app) {
  const Json* conditions = app.at({"status", "conditions"});
  if (conditions == nullptr || conditions->items().empty()) return "";
  return conditions->items()[0].text_at({"status"}) + " " +
         conditions->items()[0].text_at({"reason"});
}

class ExamplePluginsTest : public testing::Test, protected WholeHost {
 protected:
  void start(const std::vector<std::string>& controllers) {
    WholeHost::start({{DAVIT_EXAMPLE_DIRECTORY}, controllers});
  }
  /// Until so many controllers wait for a resource, and the rest has its caches.
  void await_waits(std::size_t count) {
    ServingPlugins& plugins = host().plugins().serving();
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (plugins.waits().size() != count || !plugins.caches_filled().ok()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::yield();
    }
    host().tick();
  }
  std::string page(const std::string& target) {
    const std::string url = host().page_url();
    const std::size_t colon = url.rfind(':');
    test::HttpClient client(static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1))));
    client.send("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.read_all();
  }
};

TEST_F(ExamplePluginsTest, AControllerWaitsForItsDefinitionAndThenServesItsResource) {
  const ResourcePath apps = path(kGroup, "webapps");
  start({"web-app-controller"});

  send(Verb::kCreate, kDefinitions, kDefinition);
  send(Verb::kCreate, apps,
       R"({"apiVersion":"example.davit.dev/v1","kind":"WebApp","metadata":{"name":"shop"},
           "spec":{"image":"shop:1","replicas":2}})");
  const Json app = await(
      apps, [](WatchType, const Json& each) { return available(each) == "False Progressing"; });
  EXPECT_THAT(app.get("metadata").get("finalizers").items(),
              Contains(Json("example.davit.dev/web-apps-list")));
  const Json deployment = send(Verb::kGet, path("apps", "deployments", "shop"));
  EXPECT_EQ(deployment.get("spec").get("replicas"), Json(2));
  EXPECT_EQ(deployment.get("metadata").get("ownerReferences").items()[0].text_at({"name"}), "shop");
  const Json service = send(Verb::kGet, path("", "services", "shop"));
  EXPECT_EQ(service.get("spec").get("ports").items()[0].get("port"), Json(8080));
  EXPECT_EQ(
      send(Verb::kGet, path("", "configmaps", "web-apps")).get("data").text_at({"default.shop"}),
      "http://shop.default:8080");

  send(Verb::kPatch, path("apps", "deployments", "shop", "status"),
       R"({"status":{"replicas":2,"readyReplicas":2,"availableReplicas":2}})");
  await(apps, [](WatchType, const Json& each) { return available(each) == "True Ready"; });
  send(Verb::kPatch, path(kGroup, "webapps", "shop"), R"({"spec":{"image":"shop:2"}})");
  await(path("apps", "deployments"), [](WatchType, const Json& each) {
    return each.get("spec")
               .get("template")
               .get("spec")
               .get("containers")
               .items()[0]
               .text_at({"image"}) == "shop:2";
  });

  send(Verb::kDelete, path(kGroup, "webapps", "shop"));
  await(path("", "configmaps"), [](WatchType, const Json& each) {
    return each.text_at({"metadata", "name"}) == "web-apps" &&
           !each.get("data").contains("default.shop");
  });
}

// Issue 38, 1.4: the host was not ready, and so no rollout of it ended.
TEST_F(ExamplePluginsTest, AControllerWithoutItsDefinitionWaitsAndTheHostIsReady) {
  start({"web-app-controller", "pod-janitor-controller"});
  await_waits(1);
  EXPECT_THAT(page("/readyz?verbose"), AllOf(HasSubstr("200 OK"), HasSubstr("[+]informer-sync ok"),
                                             HasSubstr("[!]controllers details withheld")));
  EXPECT_THAT(
      host().checks().notes(),
      Contains(Field(&HealthChecks::Note::text,
                     StartsWith("web-app-controller cannot begin: it waits for "
                                "webapps.example.davit.dev, which the server does not serve: "))));
  constexpr const char* kMetric =
      "davit_controller_waits{controller=\"web-app-controller\",group=\"example.davit.dev\","
      "resource=\"webapps\"} ";
  EXPECT_THAT(page("/metrics"), HasSubstr(std::string(kMetric) + "1\n"));

  send(Verb::kCreate, kDefinitions, kDefinition);
  await_waits(0);

  EXPECT_THAT(page("/readyz?verbose"), Not(HasSubstr("[!]controllers")));
  EXPECT_THAT(page("/metrics"), HasSubstr(std::string(kMetric) + "0\n"));
}

TEST_F(ExamplePluginsTest, ANameThatIsTakenIsReportedInTheStatus) {
  send(Verb::kCreate, kDefinitions, kDefinition);
  send(Verb::kCreate, path("", "services"),
       R"({"metadata":{"name":"shop"},"spec":{"ports":[{"port":1}]}})");
  start({"web-app-controller"});
  send(Verb::kCreate, path(kGroup, "webapps"),
       R"({"apiVersion":"example.davit.dev/v1","kind":"WebApp","metadata":{"name":"shop"},
           "spec":{"image":"shop:1"}})");
  await(path(kGroup, "webapps"),
        [](WatchType, const Json& each) { return available(each) == "False NameTaken"; });
}

TEST_F(ExamplePluginsTest, TheJanitorInCDeletesAFinishedPod) {
  start({"pod-janitor-controller", "job-janitor-controller"});
  const Json pod = send(Verb::kCreate, path("", "pods"),
                        R"({"metadata":{"name":"done","annotations":{"janitor.davit.dev/ttl":"0s"}},
           "spec":{"containers":[{"name":"app","image":"app:1"}]}})");
  send(Verb::kPatch, path("", "pods", "done", "status"), R"({"status":{"phase":"Succeeded"}})");
  await(
      path("", "pods"), [](WatchType type, const Json&) { return type == WatchType::kDeleted; },
      pod.text_at({"metadata", "resourceVersion"}));
}

struct Exhibit {
  const char* file;
  const char* plugin;
  const char* controller;
};
constexpr Exhibit kMuseum[] = {{"1.0-c", "janitor", "pod-janitor-controller"},
                               {"1.0-cpp-gcc", "greeter", "greeter-controller"},
                               {"1.0-cpp-clang", "greeter", "greeter-controller"},
                               {"1.0-rust", "greeter", "greeter-controller"}};

class MuseumTest : public testing::Test,
                   protected WholeHost,
                   public testing::WithParamInterface<Exhibit> {
 protected:
  /// A copy that only we may write, whatever the checkout's modes are.
  void place() const {
    const std::filesystem::path to = directory_.path() / (std::string(GetParam().plugin) + ".so");
    std::filesystem::copy_file(std::string(DAVIT_MUSEUM) + "/" + GetParam().file + ".so", to);
    std::filesystem::permissions(to, std::filesystem::perms::owner_all);
  }

  TempDirectory directory_;
};

TEST_P(MuseumTest, PluginsOfEarlierVersionsRun) {
#ifndef __x86_64__
  std::cout << "The museum's plugins are for x86-64: not run\n";
  return;
#endif
  place();
  start({{directory_.path().string()}, {GetParam().controller}});
  const Json pod = send(Verb::kCreate, path("", "pods"),
                        R"({"metadata":{"name":"old","annotations":{
                            "janitor.davit.dev/ttl":"0s","example.davit.dev/greet":"please"}},
                            "spec":{"containers":[{"name":"app","image":"app:1"}]}})");
  send(Verb::kPatch, path("", "pods", "old", "status"), R"({"status":{"phase":"Succeeded"}})");
  // The greeter labels it, the janitor deletes it.
  await(
      path("", "pods"),
      [](WatchType type, const Json& each) {
        return type == WatchType::kDeleted ||
               each.text_at({"metadata", "labels", "greeting"}) == "hello";
      },
      pod.text_at({"metadata", "resourceVersion"}));
}

INSTANTIATE_TEST_SUITE_P(Museum, MuseumTest, testing::ValuesIn(kMuseum), [](const auto& each) {
  std::string name = each.param.file;
  for (char& c : name) c = c == '.' || c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace davit::host
