/// Rows E01 to E27, E38 to E44, E70, E71 and E73: which addresses and ports are listed.
#include <gtest/gtest.h>

#include <algorithm>

#include "plugins/shared/endpoint/fnv128.hpp"
#include "plugins/shared/endpoint/subset.hpp"
#include "tests/plugins/endpoint/endpoints_fixture.hpp"

namespace davit::endpoint {
namespace {

class EndpointsContentTest : public EndpointsTest {
 protected:
  static constexpr std::string_view kPublishes = R"({"spec":{"publishNotReadyAddresses":true}})";
  static constexpr std::string_view kBoth =
      R"({"status":{"podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}})";

  static std::string port(const std::string& name, const std::string& target) {
    return R"({"name":")" + name + R"(","port":80,"protocol":"TCP","targetPort":)" + target + "}";
  }
  static std::string declares(const std::string& name, int number) {
    return container_ports(R"({"name":")" + name + R"(","protocol":"TCP","containerPort":)" +
                           std::to_string(number) + "}");
  }
  static std::string families(const std::string& list) {
    return R"({"spec":{"ipFamilies":[)" + list + "]}}";
  }
  [[nodiscard]] Texts sorted_subsets() const {
    Texts out = subsets();
    std::sort(out.begin(), out.end());
    return out;
  }
};

TEST_F(EndpointsContentTest, E01_WithoutPodsTheObjectIsEmpty) {
  add_service();
  start();
  EXPECT_EQ(subsets(), Texts());
  EXPECT_EQ(labels(), with_manager());
  EXPECT_EQ(trigger(), kEarly);
}

TEST_F(EndpointsContentTest, E02_AReadyPodIsListedWithTheServicesPort) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  EXPECT_EQ(*endpoints().find("subsets"), Json::must(R"([{"addresses":[{"ip":"10.0.0.1",
      "nodeName":"n1","targetRef":{"kind":"Pod","namespace":"t","name":"p","uid":"uid-p"}}],
      "ports":[{"name":"http","port":8080,"protocol":"TCP"}]}])"));
}

TEST_F(EndpointsContentTest, E03_AReferenceToAPodIsShort) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  EXPECT_EQ(*address().find("targetRef"),
            Json::must(R"({"kind":"Pod","namespace":"t","name":"p","uid":"uid-p"})"));
  EXPECT_EQ(address().find("hostname"), nullptr);
}

TEST_F(EndpointsContentTest, E04_APodThatIsNotReadyIsListedApart) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_service();
  start();
  EXPECT_EQ(subsets(), Texts({"|10.0.0.1|http:8080/TCP"}));
  EXPECT_EQ(items(endpoints(), "subsets").front().find("addresses"), nullptr);
}

TEST_F(EndpointsContentTest, E05_WithoutAConditionAPodIsNotReady) {
  add_pod("p", "10.0.0.1", R"({"status":{"conditions":null}})");
  add_service();
  start();
  EXPECT_EQ(subsets(), Texts({"|10.0.0.1|http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E06_APublishedPodNeedNotBeReady) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_service(kPublishes);
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E07_APodThatIsNoLongerReadyMoves) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  set_ready("p", "False", kLater);
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"|10.0.0.1|http:8080/TCP"}));
  EXPECT_EQ(trigger(), kLater);
}

TEST_F(EndpointsContentTest, E08_APodThatBecomesReadyMovesAndSaysWhen) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_service();
  start();
  set_ready("p", "True", kLater);
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
  EXPECT_EQ(trigger(), kLater);
}

TEST_F(EndpointsContentTest, E09_ATerminatingPodIsNotListed) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  delete_pod("p");
  run_until_idle();
  EXPECT_TRUE(cluster().find<Pod>({"t", "p"}));
  EXPECT_EQ(subsets(), Texts());
}

TEST_F(EndpointsContentTest, E10_APublishedPodIsListedToTheEnd) {
  add_pod("p", "10.0.0.1");
  add_service(kPublishes);
  start();
  delete_pod("p");
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
  erase_pod("p");
  run_until_idle();
  EXPECT_EQ(subsets(), Texts());
}

TEST_F(EndpointsContentTest, E11_FinishedPodsAreNotListed) {
  add_pod("p", "10.0.0.1", R"({"status":{"phase":"Succeeded"}})");
  add_pod("q", "10.0.0.2", R"({"status":{"phase":"Failed"}})");
  add_service();
  add_service(kPublishes, "published");
  start();
  EXPECT_EQ(subsets(), Texts());
  EXPECT_EQ(subsets("published"), Texts());
}

TEST_F(EndpointsContentTest, E12_OtherPhasesDoNotMatter) {
  add_pod("p", "10.0.0.1", R"({"status":{"phase":"Pending"}})");
  add_pod("q", "10.0.0.2", R"({"status":{"phase":"Unknown"}})");
  add_service();
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1 10.0.0.2||http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E13_APodIsListedOnceItHasAnAddress) {
  add_pod("p", "");
  add_service();
  start();
  EXPECT_EQ(subsets(), Texts());
  edit_pod("p", kBoth);
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E14_AddressesAreInTheOrderOfTheirBytes) {
  add_pod("p", "10.0.0.2");
  add_pod("q", "10.0.0.10");
  add_service();
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.10 10.0.0.2||http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E15_TwoPodsOfOneAddressAreTwoAddresses) {
  add_pod("p", "192.168.0.1", R"({"metadata":{"uid":"u2"}})");
  add_pod("q", "192.168.0.1", R"({"metadata":{"uid":"u1"}})");
  add_service();
  start();
  EXPECT_EQ(subsets(), Texts({"192.168.0.1 192.168.0.1||http:8080/TCP"}));
  EXPECT_EQ(text(address(), {"targetRef", "uid"}), "u1");
}

TEST_F(EndpointsContentTest, E16_PodsOfTheSamePortsShareASubset) {
  add_pod("p", "10.0.0.1");
  add_pod("q", "10.0.0.2", kNotReady);
  add_service(ports(port("a", "1") + "," + port("b", "2")));
  start();
  ASSERT_EQ(subsets().size(), 1U);
  EXPECT_EQ(subsets().front().substr(0, 18), "10.0.0.1|10.0.0.2|");
  EXPECT_EQ(items(items(endpoints(), "subsets").front(), "ports").size(), 2U);
}

TEST_F(EndpointsContentTest, E17_PortsAreInTheOrderOfTheirHashes) {
  add_pod("p", "10.0.0.1");
  add_service(
      ports(port("a", "8080") + R"(,{"name":"b","port":81,"targetPort":8080,"protocol":"UDP"})"));
  start();
  // The hashes, computed apart from the code, are 05e1… of b and a54f… of a.
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||b:8080/UDP a:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E18_ANamedPortMayHaveANumberPerPod) {
  add_pod("p1", "10.0.0.1", declares("web", 8080));
  add_pod("p2", "10.0.0.2", declares("web", 9090));
  add_service(ports(port("http", R"("web")")));
  start();
  // In the order of the subsets' hashes.
  EXPECT_EQ(subsets(), Texts({"10.0.0.2||http:9090/TCP", "10.0.0.1||http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E19_ANamedPortOfAnotherProtocolIsAnotherPort) {
  add_pod("p", "10.0.0.1", declares("web", 8080));
  add_service(ports(R"({"name":"http","port":80,"targetPort":"web","protocol":"UDP"})"));
  start();
  EXPECT_EQ(subsets(), Texts());
}

TEST_F(EndpointsContentTest, E20_ASidecarsPortCounts) {
  add_pod("p", "10.0.0.1", R"({"spec":{"initContainers":[{"name":"i","restartPolicy":"Always",
      "ports":[{"name":"web","containerPort":7,"protocol":"TCP"}]}]}})");
  add_service(ports(port("http", R"("web")")));
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:7/TCP"}));
}

TEST_F(EndpointsContentTest, E21_AnInitContainersPortDoesNot) {
  add_pod("p", "10.0.0.1", R"({"spec":{"initContainers":[{"name":"i",
      "ports":[{"name":"web","containerPort":7,"protocol":"TCP"}]}]}})");
  add_service(ports(port("http", R"("web")")));
  start();
  EXPECT_EQ(subsets(), Texts());
}

TEST_F(EndpointsContentTest, E22_EachPodIsListedWithThePortsThatItHas) {
  add_pod("p1", "10.0.0.1", declares("px", 1));
  add_pod("p2", "10.0.0.2", declares("py", 2));
  add_service(ports(port("x", R"("px")") + "," + port("y", R"("py")")));
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.2||y:2/TCP", "10.0.0.1||x:1/TCP"}));
}

TEST_F(EndpointsContentTest, E23_WithAPortItsSubsetGoes) {
  add_pod("p1", "10.0.0.1", declares("px", 1));
  add_pod("p2", "10.0.0.2", declares("py", 2));
  add_service(ports(port("x", R"("px")") + "," + port("y", R"("py")")));
  start();
  edit_service(ports(port("x", R"("px")")));
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||x:1/TCP"}));
}

TEST_F(EndpointsContentTest, E24_ANumberNeedsNoDeclaration) {
  add_pod("p", "10.0.0.1");
  add_service(ports(port("http", "7777")));
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:7777/TCP"}));
}

TEST_F(EndpointsContentTest, E25_TheApplicationProtocolIsCopied) {
  add_pod("p", "10.0.0.1");
  add_service(ports(R"({"name":"http","port":80,"targetPort":8080,"protocol":"TCP",
                        "appProtocol":"kubernetes.io/h2c"})"));
  start();
  const Json subset = items(endpoints(), "subsets").front();
  EXPECT_EQ(text(items(subset, "ports").front(), {"appProtocol"}), "kubernetes.io/h2c");
}

TEST_F(EndpointsContentTest, E26_HeadlessServicesLabelTheirEndpoints) {
  add_service(R"({"spec":{"clusterIP":"None"}})");
  start();
  EXPECT_EQ(labels(), with_manager(R"({"service.kubernetes.io/headless":""})"));
}

TEST_F(EndpointsContentTest, E27_AHeadlessServiceNeedsNoPorts) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"spec":{"clusterIP":"None","ports":null}})");
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||"}));
  EXPECT_EQ(items(endpoints(), "subsets").front().find("ports"), nullptr);
}

TEST_F(EndpointsContentTest, E38_APodThatIsGoneLeavesNoTime) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  erase_pod("p");
  run_until_idle();
  EXPECT_EQ(subsets(), Texts());
  EXPECT_EQ(trigger(), "");
}

TEST_F(EndpointsContentTest, E39_AnAddressThatChangesIsFollowed) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  edit_pod("p", R"({"status":{"podIP":"10.0.0.7","podIPs":[{"ip":"10.0.0.7"}]}})");
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"10.0.0.7||http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E40_TheSubdomainOfTheServiceGivesAHostname) {
  add_pod("p", "10.0.0.1", R"({"spec":{"hostname":"h","subdomain":"s"}})");
  add_service();
  start();
  EXPECT_EQ(text(address(), {"hostname"}), "h");
}

TEST_F(EndpointsContentTest, E41_AnotherSubdomainGivesNone) {
  add_pod("p", "10.0.0.1", R"({"spec":{"hostname":"h","subdomain":"other"}})");
  add_service();
  start();
  EXPECT_EQ(address().find("hostname"), nullptr);
}

TEST_F(EndpointsContentTest, E42_TheServicesFirstFamilyIsPublished) {
  add_pod("p", "", kBoth);
  add_service(families(R"("IPv6","IPv4")"));
  start();
  EXPECT_EQ(subsets(), Texts({"fd00::1||http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E43_AndOnlyThat) {
  add_pod("p", "", kBoth);
  add_service(families(R"("IPv4","IPv6")"));
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E44_APodOfAnotherFamilyIsNotAFailure) {
  add_pod("p", "10.0.0.1");
  add_service(families(R"("IPv6")"));
  start();
  EXPECT_EQ(subsets(), Texts());
  EXPECT_EQ(events(), Texts());
}

TEST_F(EndpointsContentTest, E70_TheAnnotationOfOldReleasesIsNotHonoured) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_service(R"({"metadata":{"annotations":{
      "service.alpha.kubernetes.io/tolerate-unready-endpoints":"true"}}})");
  start();
  EXPECT_EQ(subsets(), Texts({"|10.0.0.1|http:8080/TCP"}));
}

TEST_F(EndpointsContentTest, E71_AFailedPodGoesWithTheNextSync) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_service();
  start();
  edit_pod("p", R"({"status":{"phase":"Failed"}})");
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"|10.0.0.1|http:8080/TCP"}));
  touch_service();
  run_until_idle();
  EXPECT_EQ(subsets(), Texts());
}

TEST_F(EndpointsContentTest, E73_LeadingZerosOfAddressesAreDropped) {
  add_pod("p", "010.000.000.001");
  add_service();
  start();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
}

}  // namespace
}  // namespace davit::endpoint
