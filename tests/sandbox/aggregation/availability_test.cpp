// The condition of APIServices. The words are those of kube-apiserver v1.36.2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/sandbox/aggregation/aggregated.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;
using test::open_response;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr const char* kPassed = "True Passed: all checks passed";

/// The group's entry in an aggregated document, "" without one.
std::string aggregated_entry(Aggregated& world) {
  const Json document = world.document("/apis", kAggregatedType);
  for (const Json& each : document.get("items").items()) {
    if (each.text_at({"metadata", "name"}) == "tools.example.com") return to_text(each);
  }
  return "";
}

TEST(ApiServiceAvailabilityTest, AServerThatRespondsIsAvailable) {
  Aggregated world;
  world.serve_group();

  EXPECT_EQ(world.condition(), kPassed);
  EXPECT_EQ(world.document("/apis/tools.example.com").text_at({"preferredVersion", "version"}),
            "v1");
  EXPECT_EQ(
      aggregated_entry(world),
      R"({"metadata":{"name":"tools.example.com"},"versions":[{"version":"v1","resources":[)"
      R"({"resource":"hammers","responseKind":{"group":"","version":"","kind":"Hammer"},)"
      R"("scope":"Namespaced","singularResource":"hammer","verbs":["get","list","watch"],)"
      R"("shortNames":["ha"],"subresources":[{"subresource":"status","responseKind":)"
      R"({"group":"","version":"","kind":"Hammer"},"verbs":["get"]}]}],"freshness":"Current"}]})");
  EXPECT_EQ(world.document("/openapi/v3")
                .text_at({"paths", "apis/tools.example.com/v1", "serverRelativeURL"}),
            "/openapi/v3/apis/tools.example.com/v1?hash=7");
}

struct UnreachableCase {
  const char* title;
  const char* service;  ///< Its spec; empty: it is missing.
  const char* slice;    ///< Members of an EndpointSlice; empty: it is missing.
  const char* condition;
};
constexpr const char* kClusterService = R"({"ports":[{"name":"https","port":9443}]})";
constexpr UnreachableCase kUnreachable[] = {
    {"NoService", "", "", R"(False ServiceNotFound: service/tools in "default" is not present)"},
    {"AnotherPort", R"({"ports":[{"port":80}]})", "",
     R"(False ServicePortError: service/tools in "default" is not listening on port 9443)"},
    {"NoSlices", kClusterService, "",
     R"(False EndpointsNotFound: cannot find endpointslices for service/tools in "default")"},
    {"NoReadyEndpoint", kClusterService,
     R"("endpoints":[{"addresses":["10.1.2.3"],"conditions":{"ready":false}}],)"
     R"("ports":[{"name":"https","port":9443}])",
     R"(False MissingEndpoints: endpointslices for service/tools in "default" have no )"
     R"(addresses with port name "https")"},
    {"AnotherPortName", kClusterService,
     R"("endpoints":[{"addresses":["10.1.2.3"]}],"ports":[{"name":"http","port":9443}])",
     R"(False MissingEndpoints: endpointslices for service/tools in "default" have no )"
     R"(addresses with port name "https")"},
    {"EndpointsOfAClusterService", kClusterService,
     R"("endpoints":[{"addresses":["10.1.2.3"]}],"ports":[{"name":"https","port":9443}])",
     "False FailedDiscoveryCheck: the sandbox reaches no Service but those of type ExternalName"},
};

TEST(ApiServiceAvailabilityTest, WithoutEndpointsNoServerIsAsked) {
  for (const UnreachableCase& each : kUnreachable) {
    SCOPED_TRACE(each.title);
    Aggregated world;
    if (*each.service != '\0') world.service(each.service);
    if (*each.slice != '\0') {
      const Reply made = world.sandbox.post(
          "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
          std::string(R"({"metadata":{"name":"t","labels":{"kubernetes.io/service-name":"tools"}},)"
                      R"("addressType":"IPv4",)") +
              each.slice + '}');
      ASSERT_EQ(made.code, 201) << made.text;
    }
    world.register_group();
    world.step();
    EXPECT_EQ(world.condition(), each.condition);
    EXPECT_THAT(aggregated_entry(world), HasSubstr(R"("freshness":"Stale")"));
    EXPECT_TRUE(world.backends.transport.requests().empty());
  }
}

TEST(ApiServiceAvailabilityTest, AServerThatFailsIsNamed) {
  Aggregated world;
  world.external_service();
  world.backends.transport.respond(test::broken(Break::kRefused, "connection refused"));
  world.register_group();
  world.step();
  EXPECT_EQ(world.condition(),
            "False FailedDiscoveryCheck: failing or missing response from "
            "https://fake:6443/apis/tools.example.com/v1: Get "
            "\"https://fake:6443/apis/tools.example.com/v1\": connection refused");

  world.backends.transport.respond({302, "", {{"location", "/"}}});
  world.sandbox.clock.advance(seconds(1));
  world.step();
  EXPECT_THAT(world.condition(),
              HasSubstr("bad status from https://fake:6443/apis/tools.example.com/v1: 302"));

  world.sandbox.clock.advance(seconds(1));
  world.step();
  EXPECT_EQ(world.condition(), kPassed) << "a server that recovers is found";
}

TEST(ApiServiceAvailabilityTest, AServerThatHangsDelaysNoOther) {
  Aggregated world;
  world.external_service();
  world.backends.transport.respond(open_response(0));
  world.register_group("v1");
  world.step();
  EXPECT_EQ(world.condition(), "") << "there is no response yet";

  world.backends.transport.set_script([](const HttpRequest&) { return test::ScriptedResponse(); });
  world.register_group("v2");
  world.step();

  EXPECT_EQ(world.condition("v2.tools.example.com"), kPassed);
}

TEST(ApiServiceAvailabilityTest, GarbageOfOneServerLeavesDiscoveryWhole) {
  for (const char* garbage : {"", "{", "[]", R"({"kind":"APIResourceList","resources":7})",
                              R"({"kind":"Status"})", "\xff\xfe"}) {
    SCOPED_TRACE(garbage);
    Aggregated world;
    world.backends.transport.set_script([garbage](const HttpRequest&) {
      test::ScriptedResponse out;
      out.body = garbage;
      return out;
    });
    world.serve_group();

    EXPECT_EQ(world.condition(), kPassed);
    EXPECT_THAT(aggregated_entry(world), HasSubstr(R"("version":"v1")"));
    EXPECT_EQ(world.document("/apis").get("kind").text(), "APIGroupList");
    EXPECT_EQ(world.document("/openapi/v3").at({"paths", "apis/tools.example.com/v1"}), nullptr);
  }
}

TEST(ApiServiceAvailabilityTest, ADocumentWithoutEndIsGivenUp) {
  Aggregated world;
  world.backends.transport.set_script([](const HttpRequest& request) {
    test::ScriptedResponse out;
    if (request.target == "/apis") out.body = std::string(20U << 20U, ' ');
    return out;
  });
  world.serve_group();

  EXPECT_EQ(world.condition(), kPassed);
}

TEST(ApiServiceAvailabilityTest, AnApiServiceWithoutAServiceIsLocal) {
  Aggregated world;
  const Reply made = world.sandbox.post(
      "/apis/apiregistration.k8s.io/v1/apiservices",
      R"({"metadata":{"name":"v1.mine.example.com"},"spec":{"group":"mine.example.com",)"
      R"("version":"v1","groupPriorityMinimum":1,"versionPriority":1}})");
  ASSERT_EQ(made.code, 201) << made.text;
  world.step();

  EXPECT_EQ(world.condition("v1.mine.example.com"),
            "True Local: Local APIServices are always available");
}

TEST(ApiServiceAvailabilityTest, ADeletedApiServiceTakesItsGroupAlong) {
  Aggregated world;
  world.serve_group();
  ASSERT_NE(aggregated_entry(world), "");

  ASSERT_EQ(
      world.sandbox.remove("/apis/apiregistration.k8s.io/v1/apiservices/v1.tools.example.com").code,
      200);
  world.step();

  EXPECT_EQ(aggregated_entry(world), "");
  EXPECT_EQ(world.ask(kHammers).status, 404);
}

TEST(ApiServiceAvailabilityTest, ADeletedServiceIsNoticed) {
  Aggregated world;
  world.serve_group();

  ASSERT_EQ(world.sandbox.remove("/api/v1/namespaces/default/services/tools").code, 200);
  world.step();

  EXPECT_THAT(world.condition(), StartsWith("False ServiceNotFound"));
  EXPECT_EQ(world.ask(kHammers).status, 503);
  EXPECT_THAT(aggregated_entry(world), HasSubstr("hammers")) << "what it served is still known";
}

TEST(ApiServiceAvailabilityTest, AServerIsAskedAgainWithoutAChange) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.set_script(
      [](const HttpRequest&) { return test::broken(Break::kRefused); });

  world.sandbox.clock.advance(seconds(30));
  world.step();

  EXPECT_THAT(world.condition(), StartsWith("False FailedDiscoveryCheck"));
}

}  // namespace
}  // namespace davit::sandbox
