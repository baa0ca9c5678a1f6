/// The test cluster's API server: the sandbox's, and what tests can put past it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/kube/service.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

namespace davit {
namespace {

using testing::Json;
using testing::PodBuilder;
using testing::RawReply;
using testing::ReplicaSetBuilder;

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kSet = "/apis/apps/v1/namespaces/default/replicasets/web";
const Key kWebKey{"default", "web"};

class CustomService : public ObjectView {
 public:
  static constexpr Resource kResource{"serving.example.com", "v1", "services", "Service"};
  using ObjectView::ObjectView;
};

class ClusterServerTest : public ::testing::Test {
 protected:
  RawReply send(std::string method, std::string target, std::string body = {},
                std::string type = "application/json") {
    return cluster_.exchange({std::move(method),
                              std::move(target),
                              {{"Content-Type", std::move(type)}},
                              std::move(body)});
  }
  Json merge(std::string target, std::string body) {
    return Json::must(
        send("PATCH", std::move(target), std::move(body), "application/merge-patch+json").body);
  }

  testing::Cluster cluster_;
};

TEST_F(ClusterServerTest, CreatingFillsInDefaultsAndWhatTheServerSets) {
  const RawReply reply = send("POST", kPods, R"({"metadata":{"generateName":"web-","uid":"mine"},
                     "spec":{"containers":[{"name":"c","image":"nginx"}]}})");

  EXPECT_EQ(reply.http_status, 201) << reply.body;
  const Json pod = Json::must(reply.body);
  EXPECT_EQ(pod.text_at({"metadata", "name"}).size(), std::string("web-12345").size());
  EXPECT_NE(pod.text_at({"metadata", "uid"}), "mine");
  EXPECT_EQ(pod.text_at({"metadata", "creationTimestamp"}), "2024-05-01T12:00:00Z");
  EXPECT_EQ(pod.text_at({"spec", "dnsPolicy"}), "ClusterFirst");
  EXPECT_EQ(pod.text_at({"status", "phase"}), "Pending");
}

TEST_F(ClusterServerTest, AnObjectThatNoServerWouldTakeIsRefusedButCanBePut) {
  constexpr const char* kPod =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"web"},
          "spec":{"containers":[]}})";

  EXPECT_THAT(send("POST", kPods, kPod).body,
              ::testing::HasSubstr(R"(Pod \"web\" is invalid: spec.containers: Required value)"));
  cluster_.add(kPod);
  EXPECT_TRUE(cluster_.find<Pod>(kWebKey));
}

TEST_F(ClusterServerTest, NothingIsCreatedInANamespaceThatIsMissing) {
  const auto create = [&] {
    return send("POST", "/api/v1/namespaces/elsewhere/pods", PodBuilder("b").ns("elsewhere").text())
        .http_status;
  };
  EXPECT_EQ(create(), 404);

  cluster_.add(PodBuilder("a").ns("elsewhere"));

  EXPECT_EQ(create(), 201) << "the namespace of an object that was put comes with it";
}

TEST_F(ClusterServerTest, TheGenerationOfAnObjectThatIsPutFollowsItsSpec) {
  cluster_.add(ReplicaSetBuilder("web").replicas(2));
  cluster_.merge<ReplicaSet>(kWebKey, R"({"status":{"replicas":1}})");
  EXPECT_EQ(cluster_.find<ReplicaSet>(kWebKey)->generation(), 1);
  cluster_.merge<ReplicaSet>(kWebKey, R"({"spec":{"replicas":3}})");
  EXPECT_EQ(cluster_.find<ReplicaSet>(kWebKey)->generation(), 2);
}

TEST_F(ClusterServerTest, AFieldThatTheServerIsToldNotToKnowIsLostUntilItKnowsIt) {
  cluster_.add(ReplicaSetBuilder("web"));
  const auto write = [&] {
    return merge(std::string(kSet) + "/status",
                 R"({"status":{"replicas":2,"terminatingReplicas":1}})")
        .text_at({"status", "terminatingReplicas"});
  };

  cluster_.drop_status_field("replicasets", "terminatingReplicas");
  EXPECT_EQ(write(), "");
  cluster_.keep_status_field("replicasets", "terminatingReplicas");
  EXPECT_EQ(write(), "1");
}

TEST_F(ClusterServerTest, ErasingTakesNoNoticeOfFinalizersAndGrace) {
  cluster_.add(PodBuilder("web").on_node("n1").finalizer("example.com/keep"));

  cluster_.remove<Pod>(kWebKey);
  EXPECT_TRUE(cluster_.find<Pod>(kWebKey)->is_being_deleted());
  EXPECT_TRUE(cluster_.erase<Pod>(kWebKey));

  EXPECT_FALSE(cluster_.find<Pod>(kWebKey));
  EXPECT_FALSE(cluster_.erase<Pod>(kWebKey));
}

TEST_F(ClusterServerTest, ResourcesOfOneNameInTwoGroupsDoNotMix) {
  cluster_.add(R"({"apiVersion":"v1","kind":"Service",
      "metadata":{"namespace":"default","name":"core"},"spec":{"clusterIP":"None"}})");
  cluster_.add(R"({"apiVersion":"serving.example.com/v1","kind":"Service",
      "metadata":{"namespace":"default","name":"serving"},"spec":{"anything":[1]}})");

  EXPECT_EQ(cluster_.all<Service>().size(), 1U);
  ASSERT_EQ(cluster_.all<CustomService>().size(), 1U);
  EXPECT_EQ(cluster_.all<CustomService>().front().value()["spec"].json(), R"({"anything":[1]})");
}

TEST_F(ClusterServerTest, AResourceThatIsRemovedIsNotDiscovered) {
  EXPECT_THAT(send("GET", "/apis/apps/v1").body, ::testing::HasSubstr(R"("deployments/scale")"));

  cluster_.remove_resource("deployments");

  EXPECT_THAT(send("GET", "/apis/apps/v1").body,
              ::testing::AllOf(::testing::HasSubstr(R"("replicasets")"),
                               ::testing::Not(::testing::HasSubstr(R"("deployments)"))));
}

TEST_F(ClusterServerTest, AWatchIsReadOn) {
  RawReply watch = send("GET", std::string(kPods) + "?watch=true&timeoutSeconds=5");
  EXPECT_EQ(watch.body, "");

  cluster_.add(PodBuilder("web"));
  EXPECT_TRUE(watch.read_on(watch.body));
  EXPECT_THAT(watch.body, ::testing::HasSubstr(R"("type":"ADDED")"));

  cluster_.skip(std::chrono::seconds(6));
  EXPECT_FALSE(watch.read_on(watch.body));
}

}  // namespace
}  // namespace davit
