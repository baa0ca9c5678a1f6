// Services and the objects that show their addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

/// `reason: note` of each Event about a Service.
std::vector<std::string> events_of(Sandbox& sandbox) {
  std::vector<std::string> out;
  const Reply list = sandbox.get("/apis/events.k8s.io/v1/namespaces/default/events");
  for (const Json& each : list.body.get("items").items()) {
    EXPECT_EQ(each.get("reportingController").text(), "ipallocator-repair-controller");
    EXPECT_EQ(each.text_at({"regarding", "kind"}), "Service");
    out.push_back(each.get("reason").text() + ": " + each.get("note").text());
  }
  return out;
}

TEST(AddressObjectsTest, TheRepairOfAnIpAddressHasAnEvent) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kServices, service("web", "10.0.0.9")).code, 201);
  EXPECT_THAT(events_of(sandbox), IsEmpty());

  EXPECT_EQ(sandbox.remove(kAddresses + "/10.0.0.9").code, 200);

  EXPECT_THAT(events_of(sandbox), ElementsAre("ClusterIPNotAllocated: Cluster IP [IPv4]: 10.0.0.9 "
                                              "is not allocated; repairing"));
}

TEST(AddressObjectsTest, AnIpAddressWithoutItsLabelsIsReplacedSilently) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kServices, service("web", "10.0.0.9")).code, 201);
  const Reply before = sandbox.get(kAddresses + "/10.0.0.9");

  ASSERT_EQ(
      sandbox.patch(kAddresses + "/10.0.0.9", "merge", R"({"metadata":{"labels":null}})").code,
      200);

  const Reply after = sandbox.get(kAddresses + "/10.0.0.9");
  EXPECT_EQ(after.body.get("metadata").get("labels"), before.body.get("metadata").get("labels"));
  EXPECT_NE(after.body.get("metadata").get("uid"), before.body.get("metadata").get("uid"));
  EXPECT_THAT(events_of(sandbox), IsEmpty());
}

TEST(AddressObjectsTest, AnAddressWhoseRangeGoesHasAnEvent) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kRanges, range("more", "192.168.7.0/28")).code, 201);
  ASSERT_EQ(sandbox.post(kServices, service("web", "192.168.7.5")).code, 201);

  ASSERT_EQ(sandbox.remove(kRanges + "/more").code, 200);

  const std::string out_of_range =
      "ClusterIPOutOfRange: Cluster IP [IPv4]: 192.168.7.5 is not within any configured Service "
      "CIDR; please recreate service";
  EXPECT_THAT(events_of(sandbox), ElementsAre(out_of_range));
  ASSERT_EQ(sandbox.patch(kServices + "/web", "merge", R"({"metadata":{"labels":{"a":"b"}}})").code,
            200);
  EXPECT_THAT(events_of(sandbox), ElementsAre(out_of_range)) << "the same one";
}

ApiServerOptions dual_stack() {
  ApiServerOptions options;
  options.admission.service_range = "10.9.0.0/24,fd00:9::/108";
  return options;
}

std::string families(const Json& service) {
  const Json& spec = service.get("spec");
  return spec.get("ipFamilyPolicy").text() + ' ' + to_text(spec.get("ipFamilies"));
}

TEST(DualStackTest, TheServersRangesAreOneServiceCidr) {
  Sandbox sandbox(dual_stack());
  EXPECT_EQ(sandbox.get(kRanges + "/kubernetes").body.get("spec").get("cidrs"),
            json_literal(R"(["10.9.0.0/24","fd00:9::/108"])"));
  EXPECT_EQ(families(sandbox.get(kServices + "/kubernetes").body), R"(SingleStack ["IPv4"])");
}

TEST(DualStackTest, AServiceThatAsksForBothFamiliesGetsAnAddressOfEach) {
  Sandbox sandbox(dual_stack());
  const Reply made = sandbox.post(
      kServices, R"({"metadata":{"name":"web"},"spec":{"ipFamilyPolicy":"PreferDualStack",
                     "ipFamilies":["IPv6"],"ports":[{"port":80}]}})");
  ASSERT_EQ(made.code, 201) << made.text;

  EXPECT_EQ(families(made.body), R"(PreferDualStack ["IPv6","IPv4"])");
  const Json::Items& ips = made.body.get("spec").get("clusterIPs").items();
  ASSERT_EQ(ips.size(), 2U);
  EXPECT_TRUE(ips[0].text().starts_with("fd00:9::")) << ips[0].text();
  EXPECT_TRUE(ips[1].text().starts_with("10.9.0.")) << ips[1].text();
  EXPECT_EQ(ip_of(made), ips[0].text());
  const Reply object = sandbox.get(kAddresses + '/' + ips[0].text());
  EXPECT_EQ(object.body.get("metadata").get("labels").get("ipaddress.kubernetes.io/ip-family"),
            Json("IPv6"))
      << object.text;
  EXPECT_EQ(sandbox.get(kAddresses + '/' + ips[1].text()).code, 200);
}

TEST(DualStackTest, AServiceGetsItsSecondFamilyAndGivesItBack) {
  Sandbox sandbox(dual_stack());
  const Reply single = sandbox.post(kServices, service("web", "10.9.0.9"));
  EXPECT_EQ(families(single.body), R"(SingleStack ["IPv4"])");

  const Reply both = sandbox.patch(kServices + "/web", "merge",
                                   R"({"spec":{"ipFamilyPolicy":"RequireDualStack"}})");
  ASSERT_EQ(both.code, 200) << both.text;
  EXPECT_EQ(families(both.body), R"(RequireDualStack ["IPv4","IPv6"])");
  const std::string second = both.body.get("spec").get("clusterIPs").items().at(1).text();
  EXPECT_EQ(sandbox.get(kAddresses + '/' + second).code, 200);

  const Reply kept =
      sandbox.patch(kServices + "/web", "merge", R"({"spec":{"clusterIPs":["10.9.0.9"]}})");
  EXPECT_EQ(kept.message(),
            "Service \"web\" is invalid: spec.ipFamilyPolicy: Invalid value: "
            "\"RequireDualStack\": must be 'SingleStack' to release the secondary cluster IP");

  const Reply again =
      sandbox.patch(kServices + "/web", "merge", R"({"spec":{"ipFamilyPolicy":"SingleStack"}})");
  ASSERT_EQ(again.code, 200) << again.text;
  EXPECT_EQ(again.body.get("spec").get("clusterIPs"), json_literal(R"(["10.9.0.9"])"));
  EXPECT_EQ(sandbox.get(kAddresses + '/' + second).code, 404);
  EXPECT_EQ(sandbox.post(kServices, service("other", second)).code, 201) << "it is free";
}

TEST(DualStackTest, AnotherServiceCidrGivesAddressesOfItsFamily) {
  Sandbox sandbox(dual_stack());
  ASSERT_EQ(sandbox.post(kRanges, range("more", "fd00:10::/112")).code, 201);
  const Reply made = sandbox.post(kServices, service("web", "fd00:10::abc"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(families(made.body), R"(SingleStack ["IPv6"])");
  for (const char* none : {"fd00:10::", "fd00:11::1"}) {
    EXPECT_EQ(sandbox.post(kServices, service("other", none)).code, 422) << none;
  }
  EXPECT_EQ(sandbox.post(kServices, service("last", "fd00:10::ffff")).code, 201)
      << "IPv6 has no broadcast address";
}

TEST(DualStackTest, HeadlessServicesHaveFamiliesAndNoAddresses) {
  Sandbox sandbox(dual_stack());
  const Reply open =
      sandbox.post(kServices, R"({"metadata":{"name":"a"},"spec":{"clusterIP":"None"}})");
  EXPECT_EQ(families(open.body), R"(RequireDualStack ["IPv4","IPv6"])") << open.text;
  const Reply selects = sandbox.post(
      kServices, R"({"metadata":{"name":"b"},"spec":{"clusterIP":"None","selector":{"a":"b"}}})");
  EXPECT_EQ(families(selects.body), R"(SingleStack ["IPv4"])");
  EXPECT_EQ(selects.body.get("spec").get("clusterIPs"), json_literal(R"(["None"])"));
}

struct WrongFamilies {
  std::string_view spec;
  std::string_view why;
};

// clang-format off
constexpr WrongFamilies kWrongOfOneFamily[] = {
    {R"("ipFamilies":["IPv6"])",
     "spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster"},
    {R"("ipFamilyPolicy":"RequireDualStack")",
     "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for "
     "dual-stack services"},
    {R"("clusterIP":"fd00::1")",
     "spec.clusterIPs[0]: Invalid value: [\"fd00::1\"]: IPv6 is not configured on this cluster"},
};
constexpr WrongFamilies kWrongOfBothFamilies[] = {
    {R"("ipFamilies":["IPv6"],"clusterIP":"10.9.0.9")",
     "spec.clusterIPs[0]: Invalid value: \"10.9.0.9\": expected an IPv6 value as indicated by "
     "`ipFamilies[0]`"},
    {R"("ipFamilies":["IPv4","IPv6"])",
     "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or "
     "'PreferDualStack' when multiple IP families are specified"},
    {R"("clusterIP":"10.9.0.9","clusterIPs":["10.9.0.9","10.9.0.10"])",
     "spec.clusterIPs: Invalid value: [\"10.9.0.9\",\"10.9.0.10\"]: may specify no more than one "
     "IP for each IP family"},
    {R"("ipFamilyPolicy":"RequireDualStack","ipFamilies":["IPv4","IPv4"])",
     "spec.ipFamilies[1]: Duplicate value: \"IPv4\""},
    {R"("clusterIP":"fd01::9")",
     "spec.clusterIPs: Invalid value: [\"fd01::9\"]: failed to allocate IP fd01::9: the provided "
     "network does not match the current range"},
};
// clang-format on

void expect_refusals(Sandbox& sandbox, std::span<const WrongFamilies> cases) {
  for (const WrongFamilies& each : cases) {
    const Reply refused =
        sandbox.post(kServices, R"({"metadata":{"name":"web"},"spec":{)" + std::string(each.spec) +
                                    R"(,"ports":[{"port":80}]}})");
    EXPECT_EQ(refused.message(), "Service \"web\" is invalid: " + std::string(each.why));
  }
}

TEST(DualStackTest, FamiliesThatTheServerLacksOrThatContradictTheAddressesAreRefused) {
  Sandbox one;
  expect_refusals(one, kWrongOfOneFamily);
  Sandbox both(dual_stack());
  expect_refusals(both, kWrongOfBothFamilies);
}

TEST(DualStackTest, APreferringServiceKeepsItsFamilyWhenTheServerGetsAnotherOne) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox
                .post(kServices, R"({"metadata":{"name":"web"},"spec":{
                    "ipFamilyPolicy":"PreferDualStack","clusterIP":"10.0.0.9",
                    "ports":[{"port":80}]}})")
                .code,
            201);
  ApiServerOptions options;
  options.admission.service_range = "10.0.0.0/24,fd00:9::/108";
  sandbox.reopen(std::move(options));

  const Reply labelled =
      sandbox.patch(kServices + "/web", "merge", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(families(labelled.body), R"(PreferDualStack ["IPv4"])") << labelled.text;
  EXPECT_EQ(labelled.body.get("spec").get("clusterIPs"), json_literal(R"(["10.0.0.9"])"));
}

TEST(DualStackTest, AnIpv6RangeAloneIsEnough) {
  ApiServerOptions options;
  options.admission.service_range = "fd00:9::/64";
  Sandbox sandbox(std::move(options));
  EXPECT_EQ(ip_of(sandbox.get(kServices + "/kubernetes")), "fd00:9::1");
  EXPECT_TRUE(ip_of(sandbox.post(kServices, service("web"))).starts_with("fd00:9:"));
}

TEST(AddressObjectsTest, ADryRunShowsTheNetworksAddressAndPortsAboveTheRange) {
  Sandbox sandbox;
  const Reply shown = sandbox.post(kServices + "?dryRun=All",
                                   R"({"metadata":{"name":"web"},"spec":{"type":"NodePort",
      "ports":[{"name":"a","port":80},{"name":"b","port":81}]}})");
  EXPECT_EQ(ip_of(shown), "10.0.0.0") << shown.text;
  EXPECT_EQ(shown.body.get("spec").get("ports").items().at(1).get("nodePort").integer(), 32770);
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
