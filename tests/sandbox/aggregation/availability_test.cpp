// The condition of APIServices. The words are those of kube-apiserver v1.36.2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

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
  world.backends.transport.set_script(
      [](const HttpRequest&) { return test::broken(Break::kRefused, "connection refused"); });
  world.register_group();
  world.step();
  EXPECT_EQ(world.condition(),
            "False FailedDiscoveryCheck: failing or missing response from "
            "https://fake:6443/apis/tools.example.com/v1: Get "
            "\"https://fake:6443/apis/tools.example.com/v1\": connection refused");

  world.backends.transport.set_script([](const HttpRequest&) {
    return test::ScriptedResponse{302, "", {{"location", "/"}}};
  });
  world.sandbox.clock.advance(seconds(1));
  world.step();
  EXPECT_THAT(world.condition(),
              HasSubstr("bad status from https://fake:6443/apis/tools.example.com/v1: 302"));

  world.backends.transport.set_script(tools_reply);
  world.sandbox.clock.advance(seconds(1));
  world.step();
  EXPECT_EQ(world.condition(), kPassed) << "a server that recovers is found";
}

TEST(ApiServiceAvailabilityTest, OneProbeOfFiveIsEnough) {
  Aggregated world;
  world.external_service();
  for (int i = 0; i < 3; ++i) {
    world.backends.transport.respond(test::broken(Break::kRefused, "connection refused"));
  }
  world.backends.transport.respond(open_response(0));
  world.backends.transport.respond(open_response(200));
  world.register_group();
  world.step();

  EXPECT_EQ(world.condition(), kPassed) << "its head decides, whether a body follows or not";
  const std::vector<HttpRequest> sent = world.backends.transport.requests();
  constexpr std::size_t kProbes = 5;
  ASSERT_GT(sent.size(), kProbes);
  EXPECT_EQ(sent[kProbes - 1].target, "/apis/tools.example.com/v1");
  EXPECT_EQ(sent[kProbes].target, "/apis");
  EXPECT_EQ(world.backends.servers[0].verify, BackendServer::Verify::kNo);
}

TEST(ApiServiceAvailabilityTest, FiveProbesThatFailNameTheLastFault) {
  Aggregated world;
  world.external_service();
  for (int i = 0; i < 4; ++i) {
    world.backends.transport.respond(test::broken(Break::kRefused, "connection refused"));
  }
  const std::size_t last = 4;
  world.backends.transport.respond(open_response(0));
  world.register_group();
  world.step();
  EXPECT_EQ(world.condition(), "") << "one of them has not ended";

  world.backends.transport.finish(last, {Break::kTimeout, "deadline exceeded"});
  world.step();

  EXPECT_THAT(world.condition(), StartsWith("False FailedDiscoveryCheck"));
  EXPECT_THAT(world.condition(), HasSubstr("deadline exceeded"));
}

TEST(ApiServiceAvailabilityTest, OnlyProbesTakeAnyCertificate) {
  Aggregated world;
  world.external_service();
  const Reply made = world.sandbox.post(
      "/apis/apiregistration.k8s.io/v1/apiservices",
      R"({"metadata":{"name":"v1.tools.example.com"},"spec":{"group":"tools.example.com",)"
      R"("version":"v1","groupPriorityMinimum":10,"versionPriority":10,)"
      R"("service":{"namespace":"default","name":"tools","port":9443}}})");
  ASSERT_EQ(made.code, 201) << made.text;
  world.step();

  const std::vector<BackendServer>& servers = world.backends.servers;
  ASSERT_GE(servers.size(), 2U);
  EXPECT_EQ(servers[0].verify, BackendServer::Verify::kNo);
  for (std::size_t i = 1; i < servers.size(); ++i) {
    EXPECT_EQ(servers[i].verify, BackendServer::Verify::kYes);
  }
}

constexpr const char* kToolsV2 =
    R"({"swagger":"2.0","info":{"title":"Tools","version":"1"},"paths":{)"
    R"("/apis/tools.example.com/v1/hammers":{"get":{"responses":{"200":{"schema":)"
    R"({"$ref":"#/definitions/com.example.tools.v1.Hammer"}}}}},)"
    R"("/apis/other.example.com/v1/saws":{}},"definitions":{"com.example.tools.v1.Hammer":)"
    R"({"properties":{"metadata":)"
    R"({"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}},)"
    R"("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":{"description":"mine"},"unused":{}}})";

TEST(ApiServiceAvailabilityTest, TheServersOpenApiIsAPartOfTheDocument) {
  Aggregated world;
  std::string text = kToolsV2;
  int status = 200;
  world.backends.transport.set_script([&](const HttpRequest& request) {
    if (request.target != "/openapi/v2") return tools_reply(request);
    return test::ScriptedResponse{status, text, {{"etag", "\"7\""}}};
  });
  world.serve_group();
  const std::string meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

  const Json document = world.document("/openapi/v2");
  EXPECT_NE(document.at({"paths", "/apis/tools.example.com/v1/hammers"}), nullptr);
  EXPECT_EQ(document.at({"paths", "/apis/other.example.com/v1/saws"}), nullptr);
  EXPECT_EQ(document.text_at({"info", "title"}), "Kubernetes");
  EXPECT_EQ(document.at({"definitions", "unused"}), nullptr);
  EXPECT_EQ(document.text_at(
                {"definitions", "com.example.tools.v1.Hammer", "properties", "metadata", "$ref"}),
            "#/definitions/" + meta + "_v2");
  EXPECT_EQ(document.text_at({"definitions", meta + "_v2", "description"}), "mine");
  EXPECT_NE(document.text_at({"definitions", meta, "description"}), "mine");
  const HttpRequest first = world.backends.transport.requests().back();
  EXPECT_EQ(first.target, "/openapi/v2");

  text = "garbage";
  world.sandbox.clock.advance(seconds(30));
  world.step();
  EXPECT_NE(world.document("/openapi/v2").at({"paths", "/apis/tools.example.com/v1/hammers"}),
            nullptr)
      << "the last good document stays";
  const HttpHeaders sent = world.backends.transport.requests().back().headers;
  EXPECT_NE(std::find(sent.begin(), sent.end(), HttpHeaders::value_type("If-None-Match", "\"7\"")),
            sent.end());

  status = 404;
  world.sandbox.clock.advance(seconds(30));
  world.step();
  EXPECT_EQ(world.document("/openapi/v2").at({"paths", "/apis/tools.example.com/v1/hammers"}),
            nullptr);
}

TEST(ApiServiceAvailabilityTest, AServerThatHangsDelaysNoOther) {
  Aggregated world;
  world.external_service();
  world.backends.transport.set_script([](const HttpRequest&) { return open_response(0); });
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
  EXPECT_EQ(to_text(world.document("/apis/mine.example.com")),
            R"({"kind":"APIGroup","apiVersion":"v1","name":"mine.example.com","versions":)"
            R"([{"groupVersion":"mine.example.com/v1","version":"v1"}],"preferredVersion":)"
            R"({"groupVersion":"mine.example.com/v1","version":"v1"}})");
  EXPECT_THAT(to_text(world.document("/apis")), HasSubstr("mine.example.com/v1"));
  EXPECT_THAT(to_text(world.document("/apis", kAggregatedType)),
              testing::Not(HasSubstr("mine.example.com")));
  EXPECT_EQ(world.ask("/apis/mine.example.com/v1").status, 404);
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
