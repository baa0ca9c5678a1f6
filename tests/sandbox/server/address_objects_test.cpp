// Services and the objects that show their addresses.
#include <gtest/gtest.h>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kServices = "/api/v1/namespaces/default/services";
const std::string kRanges = "/apis/networking.k8s.io/v1/servicecidrs";
const std::string kAddresses = "/apis/networking.k8s.io/v1/ipaddresses";

std::string service(const std::string& name, const std::string& ip = "") {
  const std::string wanted = ip.empty() ? "" : R"("clusterIP":")" + ip + R"(",)";
  return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + wanted +
         R"("ports":[{"port":80}]}})";
}

std::string range(const std::string& name, const std::string& cidr) {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{"cidrs":[")" + cidr + R"("]}})";
}

std::string ip_of(const Reply& reply) { return reply.body.text_at({"spec", "clusterIP"}); }

TEST(AddressObjectsTest, TheServersOwnRangeIsAReadyServiceCidr) {
  Sandbox sandbox;
  const Reply own = sandbox.get(kRanges + "/kubernetes");
  EXPECT_EQ(own.body.get("spec").get("cidrs"), json_literal(R"(["10.0.0.0/24"])")) << own.text;
  const Json& condition = own.body.get("status").get("conditions").items().at(0);
  EXPECT_EQ(condition.get("type").text(), "Ready");
  EXPECT_EQ(condition.get("status").text(), "True");
  EXPECT_EQ(condition.get("message").text(), "Kubernetes default Service CIDR is ready");
}

TEST(AddressObjectsTest, EachClusterIpHasAnIpAddressWithLabelsAndItsService) {
  Sandbox sandbox;
  const Reply made = sandbox.post(kServices, service("web"));
  const Reply object = sandbox.get(kAddresses + '/' + ip_of(made));

  EXPECT_EQ(object.code, 200) << object.text;
  EXPECT_EQ(object.body.get("metadata").get("labels"),
            json_literal(R"({"ipaddress.kubernetes.io/ip-family":"IPv4",
                             "ipaddress.kubernetes.io/managed-by":"ipallocator.k8s.io"})"));
  EXPECT_EQ(
      object.body.get("spec"),
      json_literal(R"({"parentRef":{"resource":"services","namespace":"default","name":"web"}})"));
  EXPECT_EQ(sandbox.get(kAddresses + "/10.0.0.1").body.text_at({"spec", "parentRef", "name"}),
            "kubernetes");
}

TEST(AddressObjectsTest, ADryRunMakesNoIpAddress) {
  Sandbox sandbox;
  EXPECT_EQ(sandbox.post(kServices + "?dryRun=All", service("web", "10.0.0.9")).code, 201);
  EXPECT_EQ(sandbox.get(kAddresses + "/10.0.0.9").code, 404);
}

TEST(AddressObjectsTest, ADeletedServiceAndOneWithoutAddressGiveItUp) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kServices, service("a", "10.0.0.9")).code, 201);
  ASSERT_EQ(sandbox.post(kServices, service("b", "10.0.0.10")).code, 201);

  EXPECT_EQ(sandbox.remove(kServices + "/a").code, 200);
  const Reply external =
      sandbox.patch(kServices + "/b", "merge",
                    R"({"spec":{"type":"ExternalName","externalName":"x.io","clusterIP":null,
          "clusterIPs":null}})");

  EXPECT_EQ(external.code, 200) << external.text;
  EXPECT_EQ(sandbox.get(kAddresses + "/10.0.0.9").code, 404);
  EXPECT_EQ(sandbox.get(kAddresses + "/10.0.0.10").code, 404);
  EXPECT_EQ(sandbox.post(kServices, service("c", "10.0.0.9")).code, 201);
}

TEST(AddressObjectsTest, AServiceTakesAnAddressOfEveryReadyRange) {
  Sandbox sandbox;
  const Reply before = sandbox.post(kServices, service("web", "192.168.7.5"));
  EXPECT_EQ(before.message(),
            "Service \"web\" is invalid: spec.clusterIPs: Invalid value: [\"192.168.7.5\"]: failed "
            "to allocate IP 192.168.7.5: the provided network does not match the current range");

  ASSERT_EQ(sandbox.post(kRanges, range("more", "192.168.7.0/28")).code, 201);

  EXPECT_EQ(sandbox.post(kServices, service("web", "192.168.7.5")).code, 201);
  for (const char* none : {"192.168.7.0", "192.168.7.15", "192.168.7.16"}) {
    EXPECT_EQ(sandbox.post(kServices, service("other", none)).code, 422) << none;
  }
}

TEST(AddressObjectsTest, AFullRangeIsFollowedByTheNextOne) {
  ApiServerOptions options;
  options.admission.service_range = "10.9.0.0/29";
  Sandbox sandbox(std::move(options));
  // Six hosts, the first of which is that of default/kubernetes.
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(sandbox.post(kServices, service("s" + std::to_string(i))).code, 201);
  }
  const Reply full = sandbox.post(kServices, service("more"));
  EXPECT_EQ(full.code, 500);
  EXPECT_EQ(full.message(),
            "Internal error occurred: failed to allocate a serviceIP for Service \"more\": "
            "range is full");

  ASSERT_EQ(sandbox.post(kRanges, range("next", "10.9.1.0/29")).code, 201);

  EXPECT_TRUE(ip_of(sandbox.post(kServices, service("more"))).starts_with("10.9.1."));
}

TEST(AddressObjectsTest, ARangeThatIsNotReadyOrIsBeingDeletedGivesNoAddress) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kRanges, range("a", "192.168.7.0/28")).code, 201);
  ASSERT_EQ(sandbox.post(kRanges, range("b", "192.168.8.0/28")).code, 201);
  ASSERT_EQ(sandbox
                .patch(kRanges + "/a/status", "merge",
                       R"({"status":{"conditions":[{"type":"Ready","status":"False",
                           "reason":"Terminating","message":"","lastTransitionTime":
                           "2026-01-01T00:00:00Z"}]}})")
                .code,
            200);
  ASSERT_EQ(
      sandbox.patch(kRanges + "/b", "merge", R"({"metadata":{"finalizers":["davit.dev/x"]}})").code,
      200);
  ASSERT_EQ(sandbox.remove(kRanges + "/b").code, 200);

  EXPECT_EQ(sandbox.post(kServices, service("web", "192.168.7.5")).code, 422);
  EXPECT_EQ(sandbox.post(kServices, service("web", "192.168.8.5")).code, 422);
}

TEST(AddressObjectsTest, AnIpAddressOfAnotherOwnerIsTaken) {
  Sandbox sandbox;
  const std::string foreign = R"({"metadata":{"name":"10.0.0.77"},"spec":{"parentRef":{
      "group":"gateway.networking.k8s.io","resource":"gateways","namespace":"default",
      "name":"g"}}})";
  ASSERT_EQ(sandbox.post(kAddresses, foreign).code, 201);

  const Reply refused = sandbox.post(kServices, service("web", "10.0.0.77"));

  EXPECT_EQ(refused.message(),
            "Service \"web\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.77\"]: failed "
            "to allocate IP 10.0.0.77: provided IP is already allocated");
}

TEST(AddressObjectsTest, AnIpAddressThatItsServiceNeedsIsMadeAgain) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kServices, service("web", "10.0.0.9")).code, 201);
  const std::string before =
      sandbox.get(kAddresses + "/10.0.0.9").body.text_at({"metadata", "uid"});

  EXPECT_EQ(sandbox.remove(kAddresses + "/10.0.0.9").code, 200);

  const Reply again = sandbox.get(kAddresses + "/10.0.0.9");
  EXPECT_EQ(again.code, 200);
  EXPECT_NE(again.body.text_at({"metadata", "uid"}), before);
}

TEST(AddressObjectsTest, ServicesOfAnEarlierServerGetTheirIpAddresses) {
  Sandbox sandbox;
  sandbox.server.reset();
  const Json old = json_literal(R"({"apiVersion":"v1","kind":"Service","metadata":{
      "namespace":"default","name":"old"},"spec":{"type":"ClusterIP","clusterIP":"10.0.0.99",
      "clusterIPs":["10.0.0.99"],"ports":[{"port":80}]}})");
  ASSERT_TRUE(sandbox.store.create({"", "services"}, {"default", "old", old, {}, {}}));

  sandbox.reopen();

  EXPECT_EQ(sandbox.get(kAddresses + "/10.0.0.99").body.text_at({"spec", "parentRef", "name"}),
            "old");
  EXPECT_EQ(sandbox.post(kServices, service("web", "10.0.0.99")).code, 422);
}

}  // namespace
}  // namespace davit::sandbox
