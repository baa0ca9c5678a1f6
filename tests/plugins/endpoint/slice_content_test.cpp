/// Rows ES01 to ES31 and ES90: what the slices of a Service say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/endpoint/slices_fixture.hpp"

namespace davit::endpoint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class SliceContentTest : public SlicesTest {
 protected:
  static constexpr std::string_view kNamedTarget =
      R"({"spec":{"ports":[{"name":"http","port":80,"targetPort":"web","protocol":"TCP"}]}})";
  static std::string web(int number) {
    return container_ports(R"({"name":"web","containerPort":)" + std::to_string(number) +
                           R"(,"protocol":"TCP"})");
  }
  static std::string hostname(const std::string& subdomain) {
    return R"({"spec":{"hostname":"h","subdomain":")" + subdomain + R"("}})";
  }
};

TEST_F(SliceContentTest, ES01_AServiceWithoutPodsHasAnEmptySlice) {
  add_service();
  start();

  const Json one = slice();
  EXPECT_THAT(name_of(one), StartsWith("s-"));
  EXPECT_EQ(name_of(one).size(), std::string("s-").size() + 5);
  EXPECT_EQ(text(one, {"addressType"}), "IPv4");
  EXPECT_THAT(items(one, "endpoints"), IsEmpty());
  EXPECT_THAT(items(one, "ports"), IsEmpty());
  EXPECT_EQ(*one.at({"metadata", "labels"}), Json::must(R"({"kubernetes.io/service-name":"s",
      "endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io"})"));
  EXPECT_EQ(trigger_of(one), kEarly);
}

TEST_F(SliceContentTest, ES02_TheServiceOwnsItsSlices) {
  add_service(R"({"metadata":{"uid":"u-s"}})");
  start();

  const Json one = slice();
  EXPECT_EQ(*one.at({"metadata", "ownerReferences"}),
            Json::must(R"([{"apiVersion":"v1","kind":"Service","name":"s","uid":"u-s",
                            "controller":true,"blockOwnerDeletion":true}])"));
  EXPECT_EQ(text(one, {"metadata", "generateName"}), "s-");
}

TEST_F(SliceContentTest, ES03_AReadyPodIsListed) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();

  EXPECT_EQ(endpoint(), Json::must(R"({"addresses":["10.0.0.1"],
      "conditions":{"ready":true,"serving":true,"terminating":false},
      "targetRef":{"kind":"Pod","namespace":"t","name":"p","uid":"uid-p"},
      "nodeName":"n1","zone":"za"})"));
  EXPECT_EQ(*slice().find("ports"),
            Json::must(R"([{"name":"http","port":8080,"protocol":"TCP"}])"));
}

TEST_F(SliceContentTest, ES04_TheFirstPodTurnsThePlaceholderIntoItsSlice) {
  add_service();
  start();
  const Json before = slice();

  add_pod("p", "10.0.0.1");
  run_until_idle();

  const Json after = slice();
  EXPECT_EQ(name_of(after), name_of(before));
  EXPECT_EQ(uid_of(after), uid_of(before));
  EXPECT_EQ(addresses_of(after), "10.0.0.1");
  EXPECT_EQ(ports_of(after), "http:8080/TCP");
}

TEST_F(SliceContentTest, ES05_WithTheLastPodTheSliceBecomesAPlaceholder) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  const Json before = slice();

  erase_pod("p");
  run_until_idle();

  const Json after = slice();
  EXPECT_EQ(name_of(after), name_of(before));
  EXPECT_EQ(uid_of(after), uid_of(before));
  EXPECT_THAT(items(after, "endpoints"), IsEmpty());
  EXPECT_THAT(items(after, "ports"), IsEmpty());
}

TEST_F(SliceContentTest, ES06_APodThatIsNotReadyIsListedAsSuch) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_service();
  start();
  EXPECT_EQ(conditions_of(endpoint()), "false/false/false");
}

TEST_F(SliceContentTest, ES07_APublishedPodIsReadyThoughItDoesNotServe) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_service(R"({"spec":{"publishNotReadyAddresses":true}})");
  start();
  EXPECT_EQ(conditions_of(endpoint()), "true/false/false");
}

TEST_F(SliceContentTest, ES08_ATerminatingPodServesOn) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  delete_pod("p");
  run_until_idle();
  EXPECT_EQ(conditions_of(endpoint()), "false/true/true");
}

TEST_F(SliceContentTest, ES09_ATerminatingPodThatIsNotReadyDoesNotServe) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_service();
  start();
  delete_pod("p");
  run_until_idle();
  EXPECT_EQ(conditions_of(endpoint()), "false/false/true");
}

TEST_F(SliceContentTest, ES10_APublishedPodIsReadyToTheEnd) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"spec":{"publishNotReadyAddresses":true}})");
  start();
  delete_pod("p");
  run_until_idle();
  EXPECT_EQ(conditions_of(endpoint()), "true/true/true");
}

TEST_F(SliceContentTest, ES11_FinishedPodsAreNotListed) {
  add_pod("p", "10.0.0.1", R"({"status":{"phase":"Failed"}})");
  add_pod("q", "10.0.0.2", R"({"status":{"phase":"Succeeded"}})");
  add_service();
  start();
  EXPECT_EQ(addresses_of(slice()), "");
}

TEST_F(SliceContentTest, ES12_APodIsListedOnceItHasAnAddress) {
  add_pod("p", "");
  add_service();
  start();
  EXPECT_EQ(addresses_of(slice()), "");

  edit_pod("p", R"({"status":{"podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}]}})");
  run_until_idle();
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

TEST_F(SliceContentTest, ES13_ANodeWithoutZoneGivesNone) {
  add_pod("p", "10.0.0.1", R"({"spec":{"nodeName":"n0"}})");
  add_service();
  start();
  EXPECT_EQ(text(endpoint(), {"nodeName"}), "n0");
  EXPECT_EQ(endpoint().find("zone"), nullptr);
}

TEST_F(SliceContentTest, ES14_APodOfAnUnknownNodeIsLeftOutAndReported) {
  add_pod("p", "10.0.0.1", R"({"spec":{"nodeName":"nx"}})");
  add_pod("q", "10.0.0.2");
  add_service();
  start();

  EXPECT_EQ(addresses_of(slice()), "10.0.0.2");
  EXPECT_THAT(events(), ElementsAre("Warning FailedToUpdateEndpointSlices Error updating Endpoint "
                                    "Slices for Service t/s: skipping Pod p for Service t/s: Node "
                                    "nx Not Found"));
}

TEST_F(SliceContentTest, ES15_ANodeThatAppearsIsNoticedByTryingAgain) {
  add_pod("p", "10.0.0.1", R"({"spec":{"nodeName":"nx"}})");
  add_service();
  start();
  add_node("nx", "za");
  run_until_idle();
  EXPECT_EQ(addresses_of(slice()), "");

  advance(kAWhile);
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

TEST_F(SliceContentTest, ES16_APublishedPodNeedsNoNode) {
  add_pod("p", "10.0.0.1", R"({"spec":{"nodeName":"nx"}})");
  add_pod("q", "10.0.0.2");
  add_service(R"({"spec":{"publishNotReadyAddresses":true}})");
  start();

  EXPECT_EQ(addresses_of(slice()), "10.0.0.1 10.0.0.2");
  EXPECT_EQ(items(slice(), "endpoints")[0].find("zone"), nullptr);
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(SliceContentTest, ES17_TheSubdomainOfTheServiceGivesAHostname) {
  add_pod("p", "10.0.0.1", hostname("s"));
  add_service();
  start();
  EXPECT_EQ(text(endpoint(), {"hostname"}), "h");
}

TEST_F(SliceContentTest, ES18_AnotherSubdomainGivesNone) {
  add_pod("p", "10.0.0.1", hostname("other"));
  add_service();
  start();
  EXPECT_EQ(endpoint().find("hostname"), nullptr);
}

TEST_F(SliceContentTest, ES19_PodsWithDifferentNumbersOfAPortAreInDifferentSlices) {
  add_pod("p", "10.0.0.1", web(3000));
  add_pod("q", "10.0.0.2", web(3001));
  add_service(kNamedTarget);
  start();
  EXPECT_THAT(shapes(),
              ElementsAre("IPv4 [http:3000/TCP] 10.0.0.1", "IPv4 [http:3001/TCP] 10.0.0.2"));
}

TEST_F(SliceContentTest, ES20_APortThatNoPodHasIsLeftOut) {
  add_pod("p", "10.0.0.1");
  add_service(kNamedTarget);
  start();
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [] 10.0.0.1"));
}

TEST_F(SliceContentTest, ES21_EachPodIsListedWithThePortsThatItHas) {
  add_pod("p1", "10.0.0.1", container_ports(R"({"name":"px","containerPort":1,"protocol":"TCP"})"));
  add_pod("p2", "10.0.0.2", container_ports(R"({"name":"py","containerPort":2,"protocol":"TCP"})"));
  add_service(ports(R"({"name":"x","port":1,"targetPort":"px","protocol":"TCP"},
                       {"name":"y","port":2,"targetPort":"py","protocol":"TCP"})"));
  start();
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [x:1/TCP] 10.0.0.1", "IPv4 [y:2/TCP] 10.0.0.2"));
}

TEST_F(SliceContentTest, ES22_PortsOfSidecarsCountThoseOfInitContainersDoNot) {
  const std::string init = R"({"name":"i","ports":[{"name":"web","containerPort":7,
                               "protocol":"TCP"}])";
  add_pod("p", "10.0.0.1",
          R"({"spec":{"initContainers":[)" + init + R"(,"restartPolicy":"Always"}]}})");
  add_pod("q", "10.0.0.2", R"({"spec":{"initContainers":[)" + init + "}]}}");
  add_service(kNamedTarget);
  start();
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [] 10.0.0.2", "IPv4 [http:7/TCP] 10.0.0.1"));
}

TEST_F(SliceContentTest, ES23_APortWithoutNameHasAnEmptyOne) {
  add_pod("p", "10.0.0.1");
  add_service(ports(R"({"port":80,"targetPort":8080,"protocol":"TCP"})"));
  start();
  EXPECT_EQ(*slice().find("ports"), Json::must(R"([{"name":"","port":8080,"protocol":"TCP"}])"));
}

TEST_F(SliceContentTest, ES24_TheApplicationProtocolIsCopied) {
  add_pod("p", "10.0.0.1");
  add_service(ports(R"({"name":"http","port":80,"targetPort":8080,"protocol":"TCP",
                        "appProtocol":"kubernetes.io/h2c"})"));
  start();
  EXPECT_EQ(text(items(slice(), "ports").front(), {"appProtocol"}), "kubernetes.io/h2c");
}

TEST_F(SliceContentTest, ES25_PortsAreInTheOrderOfTheirHashes) {
  add_pod("p", "10.0.0.1");
  add_service(ports(R"({"name":"http","port":80,"targetPort":80,"protocol":"TCP"},
                       {"name":"https","port":443,"targetPort":443,"protocol":"TCP"})"));
  start();
  EXPECT_EQ(ports_of(slice()), "https:443/TCP http:80/TCP");
}

TEST_F(SliceContentTest, ES26_HeadlessServicesLabelTheirSlices) {
  add_service(R"({"spec":{"clusterIP":"None"}})");
  start();
  EXPECT_NE(slice().at({"metadata", "labels", "service.kubernetes.io/headless"}), nullptr);
}

TEST_F(SliceContentTest, ES27_AHeadlessServiceNeedsNoPorts) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"spec":{"clusterIP":"None","ports":null}})");
  start();
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [] 10.0.0.1"));
}

TEST_F(SliceContentTest, ES28_AHeadlessLabelOfTheServiceIsNotCopied) {
  add_service(R"({"metadata":{"labels":{"service.kubernetes.io/headless":""}}})");
  start();
  EXPECT_EQ(slice().at({"metadata", "labels", "service.kubernetes.io/headless"}), nullptr);
}

TEST_F(SliceContentTest, ES29_LabelsAreCopiedAnnotationsAreNot) {
  add_service(R"({"metadata":{"labels":{"x":"y"},"annotations":{"a":"b"}}})");
  start();
  EXPECT_EQ(text(slice(), {"metadata", "labels", "x"}), "y");
  EXPECT_EQ(slice().at({"metadata", "annotations", "a"}), nullptr);
}

TEST_F(SliceContentTest, ES30_LabelsFollowTheService) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"metadata":{"labels":{"x":"y"}}})");
  start();
  const Json before = slice();

  edit_service(R"({"metadata":{"labels":{"x":"z","q":"r"}}})");
  run_until_idle();
  EXPECT_EQ(text(slice(), {"metadata", "labels", "x"}), "z");
  EXPECT_EQ(text(slice(), {"metadata", "labels", "q"}), "r");

  edit_service(R"({"metadata":{"labels":{"q":null}}})");
  run_until_idle();
  EXPECT_EQ(slice().at({"metadata", "labels", "q"}), nullptr);
  EXPECT_EQ(uid_of(slice()), uid_of(before));
}

TEST_F(SliceContentTest, ES31_ReservedLabelsOfTheServiceChangeNothing) {
  add_service();
  start();
  clear_records();

  edit_service(R"({"metadata":{"labels":{"kubernetes.io/service-name":"bad",
                   "endpointslice.kubernetes.io/managed-by":"actor"}}})");
  run_until_idle();

  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_THAT(slices(), SizeIs(1));
}

TEST_F(SliceContentTest, ES90_LeadingZerosOfAddressesAreDropped) {
  add_pod("p", "010.000.000.001");
  add_service();
  start();
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

}  // namespace
}  // namespace davit::endpoint
