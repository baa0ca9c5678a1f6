/// The API server of the in-memory cluster.
#include <gtest/gtest.h>

#include <davit/kube/deployment.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
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

class ApiServerTest : public ::testing::Test {
 protected:
  static std::string version(const ApiReply& reply) {
    return reply.object->text_at({"metadata", "resourceVersion"});
  }
  static std::string generation(const ApiReply& reply) {
    return reply.object->text_at({"metadata", "generation"});
  }
  template <typename View>
  ApiReply merge(const Key& key, std::string body, const WriteOptions& options = {}) {
    return server_.handle(Request::patch<View>(key, PatchType::kMerge, std::move(body), options));
  }

  testing::ObjectSpace space_;
  std::vector<std::int32_t> changes_;
  testing::ApiServer server_{space_, [] { return WallTime(); },
                             [this](const testing::WatchChange& c) { changes_.push_back(c.type); }};
};

const Key kWebKey{"default", "web"};

TEST_F(ApiServerTest, CreatingFillsInWhatTheServerSets) {
  const ApiReply reply = server_.handle(
      Request::create<Pod>("default", R"({"metadata":{"generateName":"web-","uid":"mine"}})"));

  EXPECT_EQ(reply.http_status, 201);
  const Json& pod = *reply.object;
  EXPECT_EQ(pod.text_at({"metadata", "name"}).size(), std::string("web-12345").size());
  EXPECT_EQ(pod.text_at({"metadata", "namespace"}), "default");
  EXPECT_EQ(pod.text_at({"kind"}), "Pod");
  EXPECT_NE(pod.text_at({"metadata", "uid"}), "mine");
  EXPECT_EQ(pod.text_at({"metadata", "creationTimestamp"}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(pod.text_at({"status", "phase"}), "Pending");
}

TEST_F(ApiServerTest, NamesAreUnique) {
  server_.put(ReplicaSetBuilder("web").json());

  const ApiReply reply =
      server_.handle(Request::create<ReplicaSet>("default", R"({"metadata":{"name":"web"}})"));

  EXPECT_EQ(reply.code(), DAVIT_ALREADY_EXISTS);
  EXPECT_EQ(reply.message, "replicasets.apps \"web\" already exists");
}

TEST_F(ApiServerTest, UnknownNamesAreNotFound) {
  const ApiReply reply = server_.handle(Request::get<Pod>(kWebKey));

  EXPECT_EQ(reply.code(), DAVIT_NOT_FOUND);
  EXPECT_EQ(reply.message, "pods \"web\" not found");
}

TEST_F(ApiServerTest, GenerationFollowsTheSpecAndOfADeploymentTheAnnotations) {
  server_.put(ReplicaSetBuilder("web").json());
  server_.put(DeploymentBuilder("web").json());
  constexpr const char* kAnnotate = R"({"metadata":{"annotations":{"a":"b"}}})";

  EXPECT_EQ(generation(merge<ReplicaSet>(kWebKey, kAnnotate)), "1");
  EXPECT_EQ(generation(merge<ReplicaSet>(kWebKey, R"({"spec":{"replicas":5}})")), "2");
  EXPECT_EQ(generation(merge<Deployment>(kWebKey, kAnnotate)), "2");
}

TEST_F(ApiServerTest, StatusWritesKeepTheSpecAndTakeAnnotations) {
  server_.put(DeploymentBuilder("web").replicas(3).json());

  const ApiReply reply =
      merge<Deployment>(kWebKey, R"({"metadata":{"annotations":{"a":"b"},"labels":{"x":"y"}},
        "spec":{"replicas":9},"status":{"replicas":2}})",
                        {.subresource = "status"});

  EXPECT_EQ(reply.object->text_at({"spec", "replicas"}), "3");
  EXPECT_EQ(reply.object->text_at({"status", "replicas"}), "2");
  EXPECT_EQ(reply.object->text_at({"metadata", "annotations", "a"}), "b");
  EXPECT_EQ(reply.object->text_at({"metadata", "labels", "x"}), "");
  EXPECT_EQ(generation(reply), "1");
}

TEST_F(ApiServerTest, MainWritesKeepTheStatus) {
  server_.put(ReplicaSetBuilder("web").status("replicas", 4).json());

  const ApiReply reply = merge<ReplicaSet>(kWebKey, R"({"status":{"replicas":9}})");

  EXPECT_EQ(reply.object->text_at({"status", "replicas"}), "4");
}

TEST_F(ApiServerTest, AWriteThatChangesNothingMakesNoVersionAndNoEvent) {
  server_.put(ReplicaSetBuilder("web").replicas(2).json());
  changes_.clear();

  EXPECT_EQ(merge<ReplicaSet>(kWebKey, R"({"spec":{"replicas":2}})").version, 0);
  EXPECT_TRUE(changes_.empty());
}

TEST_F(ApiServerTest, AStaleResourceVersionIsAConflict) {
  server_.put(ReplicaSetBuilder("web").json());
  const ApiReply read = server_.handle(Request::get<ReplicaSet>(kWebKey));
  static_cast<void>(merge<ReplicaSet>(kWebKey, R"({"spec":{"replicas":2}})"));

  const ApiReply reply = server_.handle(Request::update<ReplicaSet>(kWebKey, read.object->dump()));

  EXPECT_EQ(reply.code(), DAVIT_CONFLICT);
  EXPECT_EQ(reply.message,
            "Operation cannot be fulfilled on replicasets.apps \"web\": the object has been "
            "modified; please apply your changes to the latest version and try again");
}

TEST_F(ApiServerTest, AnotherUidIsRefused) {
  server_.put(PodBuilder("web").json());
  constexpr const char* kBody = R"({"metadata":{"uid":"other"}})";

  EXPECT_EQ(merge<Pod>(kWebKey, kBody).http_status, 422);
  EXPECT_EQ(server_.handle(Request::update<Pod>(kWebKey, kBody)).http_status, 409);
  EXPECT_EQ(server_.handle(Request::remove<Pod>(kWebKey, {.uid = "other"})).http_status, 409);
}

TEST_F(ApiServerTest, TwoControllersAreRefused) {
  server_.put(PodBuilder("web").controlled_by("apps/v1", "ReplicaSet", "a", "1").json());

  const ApiReply reply = server_.handle(
      Request::patch<Pod>(kWebKey, PatchType::kStrategic,
                          R"({"metadata":{"ownerReferences":[{"uid":"2","controller":true}]}})"));

  EXPECT_EQ(reply.code(), DAVIT_INVALID);
}

TEST_F(ApiServerTest, BoundPodsAreDeletedGracefullyOthersAtOnce) {
  server_.put(PodBuilder("web").json());
  server_.put(PodBuilder("bound").on_node("n1").json());
  const Key bound{"default", "bound"};

  EXPECT_TRUE(server_.handle(Request::remove<Pod>(kWebKey)).ok());
  EXPECT_TRUE(server_.handle(Request::remove<Pod>(bound)).ok());

  EXPECT_EQ(server_.handle(Request::get<Pod>(kWebKey)).http_status, 404);
  const ApiReply rest = server_.handle(Request::get<Pod>(bound));
  EXPECT_EQ(rest.object->text_at({"metadata", "deletionTimestamp"}), "1970-01-01T00:00:00Z");
  EXPECT_TRUE(server_.handle(Request::remove<Pod>(bound, {.grace_seconds = 0})).ok());
  EXPECT_EQ(server_.handle(Request::get<Pod>(bound)).http_status, 404);
}

TEST_F(ApiServerTest, FinalizersHoldAnObjectUntilTheLastIsGone) {
  server_.put(ReplicaSetBuilder("web").finalizer("keep").json());

  static_cast<void>(server_.handle(Request::remove<ReplicaSet>(kWebKey)));
  EXPECT_TRUE(server_.handle(Request::get<ReplicaSet>(kWebKey)).ok());
  static_cast<void>(merge<ReplicaSet>(kWebKey, R"({"metadata":{"finalizers":null}})"));

  EXPECT_EQ(server_.handle(Request::get<ReplicaSet>(kWebKey)).http_status, 404);
  EXPECT_EQ(changes_.back(), DAVIT_EVENT_DELETED);
}

TEST_F(ApiServerTest, ListsAreFilteredByNamespaceAndLabels) {
  server_.put(PodBuilder("a").label("app", "web").label("tier", "front").json());
  server_.put(PodBuilder("b").label("app", "web").json());
  server_.put(PodBuilder("c").ns("other").label("app", "web").json());
  const auto names = [this](std::string query) {
    Request request = Request::get<Pod>(Key{"default", ""});
    request.verb = DAVIT_LIST;
    request.query = std::move(query);
    std::string found;
    const ApiReply reply = server_.handle(request);
    for (const Json& each : reply.object->find("items")->items()) {
      found += each.text_at({"metadata", "name"});
    }
    return found;
  };

  EXPECT_EQ(names(""), "ab");
  EXPECT_EQ(names("labelSelector=app%3Dweb%2Ctier"), "a");
  EXPECT_EQ(names("limit=5&labelSelector=%21tier"), "b");
  EXPECT_EQ(names("labelSelector=tier%20in%20%28front%2Cback%29"), "a");
  EXPECT_EQ(names("labelSelector=tier%20notin%20%28front%29"), "b");
}

TEST_F(ApiServerTest, BodiesThatAreNoJsonAreBadRequests) {
  EXPECT_EQ(server_.handle(Request::create<Pod>("default", "{")).http_status, 400);
}

}  // namespace
}  // namespace davit
