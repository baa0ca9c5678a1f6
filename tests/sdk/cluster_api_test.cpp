/// The test cluster's API server: what a unit test sees of the sandbox's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/deployment.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/kube/service.hpp>
#include <davit/testing/api_server.hpp>
#include <davit/testing/builders.hpp>
#include <string>
#include <vector>

namespace davit {
namespace {

using testing::ApiReply;
using testing::DeploymentBuilder;
using testing::Json;
using testing::PodBuilder;
using testing::ReplicaSetBuilder;

const Key kWebKey{"default", "web"};

class ApiServerTest : public ::testing::Test {
 protected:
  static std::string version(const ApiReply& reply) {
    return reply.object->text_at({"metadata", "resourceVersion"});
  }
  static std::string generation(const ApiReply& reply) {
    return reply.object->text_at({"metadata", "generation"});
  }
  template <typename View>
  ApiReply patch(PatchType type, std::string body, const WriteOptions& options = {}) {
    return server_.handle(Request::patch<View>(kWebKey, type, std::move(body), options));
  }
  template <typename View>
  ApiReply merge(std::string body, const WriteOptions& options = {}) {
    return patch<View>(PatchType::kMerge, std::move(body), options);
  }
  /// The names of the pods that a list with this query returns.
  std::string pods(std::string query) {
    Request request = Request::get<Pod>(Key{"default", ""});
    request.verb = DAVIT_LIST;
    request.query = std::move(query);
    std::string found;
    const ApiReply reply = server_.handle(request);
    for (const Json& each : reply.object->find("items")->items()) {
      found += each.text_at({"metadata", "name"});
    }
    return found;
  }

  testing::ObjectSpace space_;
  std::vector<std::int32_t> changes_;
  testing::ApiServer server_{space_, [] { return WallTime(); },
                             [this](const testing::WatchChange& c) { changes_.push_back(c.type); }};
};

TEST_F(ApiServerTest, CreatingFillsInDefaultsAndWhatTheServerSets) {
  const ApiReply reply = server_.handle(
      Request::create<Pod>("default", R"({"metadata":{"generateName":"web-","uid":"mine"},
                     "spec":{"containers":[{"name":"c","image":"nginx"}]}})"));

  EXPECT_EQ(reply.http_status, 201) << reply.message;
  const Json& pod = *reply.object;
  EXPECT_EQ(pod.text_at({"metadata", "name"}).size(), std::string("web-12345").size());
  EXPECT_EQ(pod.text_at({"metadata", "namespace"}), "default");
  EXPECT_EQ(pod.text_at({"kind"}), "Pod");
  EXPECT_NE(pod.text_at({"metadata", "uid"}), "mine");
  EXPECT_EQ(pod.text_at({"metadata", "creationTimestamp"}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(pod.text_at({"spec", "dnsPolicy"}), "ClusterFirst");
  EXPECT_EQ(pod.text_at({"status", "phase"}), "Pending");
}

TEST_F(ApiServerTest, AnObjectThatNoServerWouldTakeIsRefused) {
  const ApiReply reply = server_.handle(
      Request::create<Pod>("default", R"({"metadata":{"name":"web"},"spec":{"containers":[]}})"));

  EXPECT_EQ(reply.code, DAVIT_INVALID);
  EXPECT_EQ(reply.message, R"(Pod "web" is invalid: spec.containers: Required value)");
}

TEST_F(ApiServerTest, NamesAreUnique) {
  server_.put(ReplicaSetBuilder("web").json());

  const ApiReply reply =
      server_.handle(Request::create<ReplicaSet>("default", ReplicaSetBuilder("web").text()));

  EXPECT_EQ(reply.code, DAVIT_ALREADY_EXISTS);
  EXPECT_EQ(reply.message, "replicasets.apps \"web\" already exists");
}

TEST_F(ApiServerTest, UnknownNamesAreNotFound) {
  const ApiReply reply = server_.handle(Request::get<Pod>(kWebKey));

  EXPECT_EQ(reply.code, DAVIT_NOT_FOUND);
  EXPECT_EQ(reply.message, "pods \"web\" not found");
}

TEST_F(ApiServerTest, NothingIsCreatedInANamespaceThatIsMissing) {
  const auto create = [&] {
    return server_.handle(Request::create<Pod>("elsewhere", PodBuilder("b").ns("elsewhere").text()))
        .http_status;
  };
  EXPECT_EQ(create(), 404);

  server_.put(PodBuilder("a").ns("elsewhere").json());

  EXPECT_EQ(create(), 201) << "the namespace of an object that was put comes with it";
}

TEST_F(ApiServerTest, GenerationFollowsTheSpecAndOfADeploymentTheAnnotations) {
  server_.put(ReplicaSetBuilder("web").json());
  server_.put(DeploymentBuilder("web").json());
  constexpr const char* kAnnotate = R"({"metadata":{"annotations":{"a":"b"}}})";

  EXPECT_EQ(generation(merge<ReplicaSet>(kAnnotate)), "1");
  EXPECT_EQ(generation(merge<ReplicaSet>(R"({"spec":{"replicas":5}})")), "2");
  EXPECT_EQ(generation(merge<Deployment>(kAnnotate)), "2");
}

TEST_F(ApiServerTest, StatusWritesKeepTheSpecAndTakeAnnotations) {
  server_.put(DeploymentBuilder("web").replicas(3).json());

  const ApiReply reply = merge<Deployment>(R"({"metadata":{"annotations":{"a":"b"},
        "labels":{"x":"y"}},"spec":{"replicas":9},"status":{"replicas":2}})",
                                           {.subresource = "status"});

  EXPECT_EQ(reply.object->text_at({"spec", "replicas"}), "3");
  EXPECT_EQ(reply.object->text_at({"status", "replicas"}), "2");
  EXPECT_EQ(reply.object->text_at({"metadata", "annotations", "a"}), "b");
  EXPECT_EQ(reply.object->text_at({"metadata", "labels", "x"}), "");
  EXPECT_EQ(generation(reply), "1");
}

TEST_F(ApiServerTest, MainWritesKeepTheStatus) {
  server_.put(ReplicaSetBuilder("web").status("replicas", 4).json());

  const ApiReply reply = merge<ReplicaSet>(R"({"status":{"replicas":9}})");

  EXPECT_EQ(reply.object->text_at({"status", "replicas"}), "4");
}

TEST_F(ApiServerTest, AFieldThatTheServerIsToldNotToKnowIsLostUntilItKnowsIt) {
  server_.put(ReplicaSetBuilder("web").json());
  const auto write = [&] {
    return merge<ReplicaSet>(R"({"status":{"replicas":2,"terminatingReplicas":1}})",
                             {.subresource = "status"})
        .object->text_at({"status", "terminatingReplicas"});
  };

  server_.drop_status_field("replicasets", "terminatingReplicas");
  EXPECT_EQ(write(), "");
  server_.keep_status_field("replicasets", "terminatingReplicas");
  EXPECT_EQ(write(), "1");
}

TEST_F(ApiServerTest, AWriteThatChangesNothingMakesNoVersionAndNoEvent) {
  server_.put(ReplicaSetBuilder("web").replicas(2).json());
  changes_.clear();

  EXPECT_EQ(merge<ReplicaSet>(R"({"spec":{"replicas":2}})").version, 0);
  EXPECT_TRUE(changes_.empty());
}

TEST_F(ApiServerTest, AStaleResourceVersionIsAConflict) {
  server_.put(ReplicaSetBuilder("web").json());
  const ApiReply read = server_.handle(Request::get<ReplicaSet>(kWebKey));
  static_cast<void>(merge<ReplicaSet>(R"({"spec":{"replicas":2}})"));

  const ApiReply reply = server_.handle(Request::update<ReplicaSet>(kWebKey, read.object->dump()));

  EXPECT_EQ(reply.code, DAVIT_CONFLICT);
  EXPECT_EQ(reply.message,
            "Operation cannot be fulfilled on replicasets.apps \"web\": the object has been "
            "modified; please apply your changes to the latest version and try again");
}

TEST_F(ApiServerTest, AnotherUidIsRefused) {
  const testing::DocumentPtr stored = server_.put(PodBuilder("web").json());
  constexpr const char* kBody = R"({"metadata":{"uid":"other"}})";
  Json other = stored->json();
  other["metadata"]["uid"] = "other";

  EXPECT_EQ(merge<Pod>(kBody).http_status, 422);
  EXPECT_EQ(server_.handle(Request::update<Pod>(kWebKey, other.dump())).http_status, 409);
  EXPECT_EQ(server_.handle(Request::remove<Pod>(kWebKey, {.uid = "other"})).http_status, 409);
}

TEST_F(ApiServerTest, TwoControllersAreRefused) {
  server_.put(PodBuilder("web").controlled_by("apps/v1", "ReplicaSet", "a", "1").json());

  const ApiReply reply = patch<Pod>(PatchType::kStrategic, R"({"metadata":{"ownerReferences":[
      {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"b","uid":"2","controller":true}]}})");

  EXPECT_EQ(reply.code, DAVIT_INVALID);
}

TEST_F(ApiServerTest, BoundPodsAreDeletedGracefullyOthersAtOnce) {
  server_.put(PodBuilder("web").json());
  server_.put(PodBuilder("bound").on_node("n1").json());
  const Key bound{"default", "bound"};

  EXPECT_TRUE(server_.handle(Request::remove<Pod>(kWebKey)).ok());
  EXPECT_TRUE(server_.handle(Request::remove<Pod>(bound)).ok());

  EXPECT_EQ(server_.handle(Request::get<Pod>(kWebKey)).http_status, 404);
  const ApiReply rest = server_.handle(Request::get<Pod>(bound));
  EXPECT_EQ(rest.object->text_at({"metadata", "deletionTimestamp"}), "1970-01-01T00:00:30Z");
  EXPECT_TRUE(server_.handle(Request::remove<Pod>(bound, {.grace_seconds = 0})).ok());
  EXPECT_EQ(server_.handle(Request::get<Pod>(bound)).http_status, 404);
}

TEST_F(ApiServerTest, FinalizersHoldAnObjectUntilTheLastIsGone) {
  server_.put(ReplicaSetBuilder("web").finalizer("example.com/keep").json());

  EXPECT_TRUE(server_.handle(Request::remove<ReplicaSet>(kWebKey)).ok());
  EXPECT_TRUE(server_.handle(Request::get<ReplicaSet>(kWebKey)).ok());
  EXPECT_TRUE(merge<ReplicaSet>(R"({"metadata":{"finalizers":null}})").ok());

  EXPECT_EQ(server_.handle(Request::get<ReplicaSet>(kWebKey)).http_status, 404);
  EXPECT_EQ(changes_.back(), DAVIT_EVENT_DELETED);
}

TEST_F(ApiServerTest, ListsAreFilteredByNamespaceLabelsAndFields) {
  server_.put(PodBuilder("a").label("app", "web").label("tier", "front").json());
  server_.put(PodBuilder("b").label("app", "web").on_node("n1").json());
  server_.put(PodBuilder("c").ns("other").label("app", "web").json());

  EXPECT_EQ(pods(""), "ab");
  EXPECT_EQ(pods("labelSelector=app%3Dweb%2Ctier"), "a");
  EXPECT_EQ(pods("limit=5&labelSelector=%21tier"), "b");
  EXPECT_EQ(pods("labelSelector=tier%20in%20%28front%2Cback%29"), "a");
  EXPECT_EQ(pods("labelSelector=tier%20notin%20%28front%29"), "b");
  EXPECT_EQ(pods("fieldSelector=spec.nodeName%3Dn1"), "b");
}

TEST_F(ApiServerTest, PortsWithoutANumberOfTheirOwnDoNotCollapseInAStrategicMerge) {
  server_.put(Json::must(R"({"apiVersion":"v1","kind":"Service",
      "metadata":{"namespace":"default","name":"web"},
      "spec":{"clusterIP":"None","clusterIPs":["None"],
          "ports":[{"name":"a","port":80},{"name":"b","port":81}]}})"));

  const ApiReply reply =
      patch<Service>(PatchType::kStrategic, R"({"spec":{"ports":[{"port":82,"name":"c"}]}})");

  EXPECT_EQ(reply.object->at({"spec", "ports"})->items().size(), 3U) << "they merge by port";
}

TEST_F(ApiServerTest, JsonPatchesMoveAndCopy) {
  server_.put(PodBuilder("web").label("a", "1").json());

  const ApiReply reply =
      patch<Pod>(PatchType::kJson,
                 R"([{"op":"copy","from":"/metadata/labels/a","path":"/metadata/labels/b"},
          {"op":"move","from":"/metadata/labels/a","path":"/metadata/labels/c"}])");

  EXPECT_EQ(reply.object->at({"metadata", "labels"})->canonical(), R"({"b":"1","c":"1"})");
}

TEST_F(ApiServerTest, AnApplyKeepsItsFieldsAgainstAnother) {
  const auto apply = [&](const std::string& manager, const std::string& value) {
    return patch<Pod>(PatchType::kApply,
                      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web",
                          "labels":{"a":")" +
                          value + R"("}},"spec":{"containers":[{"name":"c","image":"nginx"}]}})",
                      {.query = "fieldManager=" + manager});
  };
  EXPECT_EQ(apply("one", "1").http_status, 201);

  const ApiReply reply = apply("two", "2");

  EXPECT_EQ(reply.code, DAVIT_CONFLICT);
  EXPECT_THAT(reply.message, ::testing::HasSubstr(R"(conflict with "one")"));
}

TEST_F(ApiServerTest, ResourcesOfOneNameInTwoGroupsDoNotMix) {
  server_.put(Json::must(R"({"apiVersion":"v1","kind":"Service",
      "metadata":{"namespace":"default","name":"core"},"spec":{"clusterIP":"None"}})"));
  server_.put(Json::must(R"({"apiVersion":"serving.example.com/v1","kind":"Service",
      "metadata":{"namespace":"default","name":"serving"},"spec":{"anything":[1]}})"));

  EXPECT_EQ(server_.objects("services").size(), 1U);
  ASSERT_EQ(server_.objects("services.serving.example.com").size(), 1U);
  const Json& custom = server_.objects("services.serving.example.com").begin()->second->json();
  EXPECT_EQ(custom.find("spec")->canonical(), R"({"anything":[1]})");
}

TEST_F(ApiServerTest, DiscoveryIsReadByARawExchange) {
  const testing::RawReply reply = server_.exchange({.method = "GET", .target = "/api/v1"});

  EXPECT_EQ(reply.http_status, 200);
  EXPECT_THAT(reply.body, ::testing::HasSubstr(R"("name":"pods")"));
}

TEST_F(ApiServerTest, BodiesThatAreNoJsonAreBadRequests) {
  EXPECT_EQ(server_.handle(Request::create<Pod>("default", "{")).http_status, 400);
}

}  // namespace
}  // namespace davit
