/// The controller in the in-memory cluster, under the rights and projections of its note.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>

#include "plugins/endpoint/endpoints_controller.hpp"
#include "plugins/endpoint/note.hpp"

namespace davit::endpoint {
namespace {

using Json = davit::testing::Json;

class EndpointsTest : public ::testing::Test {
 protected:
  EndpointsTest() : cluster_({.note = DAVIT_ENDPOINT_NOTE}) {}

  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  void start() {
    const Status started = cluster_.start("endpoints-controller", &EndpointsController::open, "");
    ASSERT_TRUE(started.ok()) << started.message();
    cluster_.run_until_idle();
  }

  testing::Cluster cluster_;
};

TEST_F(EndpointsTest, E2AReadyPodIsListedWithTheServicesPort) {
  cluster_.add(
      Json::must(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"t",
      "creationTimestamp":"2024-05-01T10:00:00Z"},"spec":{"selector":{"app":"a"},
      "clusterIP":"10.9.0.1","ports":[{"name":"http","port":80,"targetPort":8080,
      "protocol":"TCP"}]}})"));
  cluster_.add(Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"t",
      "uid":"u1","labels":{"app":"a"}},"spec":{"nodeName":"n1","containers":[]},
      "status":{"phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],
      "conditions":[{"type":"Ready","status":"True"}]}})"));

  start();

  const Json endpoints = cluster_.json<Endpoints>({"t", "s"});
  EXPECT_EQ(*endpoints.find("subsets"), Json::must(R"([{"addresses":[{"ip":"10.0.0.1",
      "nodeName":"n1","targetRef":{"kind":"Pod","namespace":"t","name":"p","uid":"u1"}}],
      "ports":[{"name":"http","port":8080,"protocol":"TCP"}]}])"));
}

}  // namespace
}  // namespace davit::endpoint
