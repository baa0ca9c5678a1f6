/// The content of a mirrored slice: rows EM01, EM03, EM04 and EM14 to EM26.
#include "tests/plugins/endpointslicemirroring/fixture.hpp"

namespace davit::endpointslicemirroring {
namespace {

TEST_F(MirroringTest, EM01_OneAddressBecomesOneSlice) {
  mirror_one();
  const Json mirrored = slice();
  EXPECT_THAT(mirrored.text_at({"metadata", "name"}), StartsWith("s-"));
  EXPECT_EQ(mirrored.text_at({"metadata", "generateName"}), "s-");
  EXPECT_EQ(mirrored.text_at({"addressType"}), "IPv4");
  EXPECT_EQ(part(mirrored, {"ports"}).canonical(), R"([{"name":"","port":80,"protocol":"TCP"}])");
  EXPECT_EQ(part(mirrored, {"endpoints"}).canonical(),
            R"([{"addresses":["10.0.0.1"],"conditions":{"ready":true}}])");
  EXPECT_EQ(part(mirrored, {"metadata", "labels"}).canonical(),
            R"({"endpointslice.kubernetes.io/managed-by":)"
            R"("endpointslicemirroring-controller.k8s.io","kubernetes.io/service-name":"s"})");
  const Json owners = part(mirrored, {"metadata", "ownerReferences"});
  ASSERT_EQ(owners.items().size(), 1);
  EXPECT_EQ(owners.items().front().text_at({"apiVersion"}), "v1");
  EXPECT_EQ(owners.items().front().text_at({"kind"}), "Endpoints");
  EXPECT_EQ(owners.items().front().text_at({"name"}), "s");
  EXPECT_EQ(owners.items().front().text_at({"uid"}),
            cluster_.json<Endpoints>({"t", "s"}).text_at({"metadata", "uid"}));
  EXPECT_EQ(owners.items().front().text_at({"controller"}), "true");
  EXPECT_EQ(owners.items().front().text_at({"blockOwnerDeletion"}), "true");
  EXPECT_TRUE(part(mirrored, {"metadata", "annotations"}).is_null());
}

TEST_F(MirroringTest, EM03_LabelsAndAnnotationsAreCopiedAndRemoved) {
  mirror_one();
  edit_endpoints(R"({"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}}})");
  EXPECT_EQ(slice().text_at({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(slice().text_at({"metadata", "annotations", "c"}), "d");
  edit_endpoints(R"({"metadata":{"labels":{"a":null},"annotations":{"c":null}}})");
  EXPECT_EQ(slice().text_at({"metadata", "labels", "a"}), "");
  EXPECT_TRUE(part(slice(), {"metadata", "annotations"}).is_null());
}

TEST_F(MirroringTest, TheControllersOwnLabelsWin) {
  start();
  add_service();
  add_endpoints(kOneAddress,
                R"({"metadata":{"labels":{"kubernetes.io/service-name":"other",
                    "endpointslice.kubernetes.io/managed-by":"me"}}})");
  EXPECT_EQ(slice().text_at({"metadata", "labels", "kubernetes.io/service-name"}), "s");
  EXPECT_EQ(slice().text_at({"metadata", "labels", "endpointslice.kubernetes.io/managed-by"}),
            "endpointslicemirroring-controller.k8s.io");
}

TEST_F(MirroringTest, EM04_TwoAnnotationsAreNotCopied) {
  constexpr const char* kPatch =
      R"({"metadata":{"annotations":{"endpoints.kubernetes.io/last-change-trigger-time":"x",
          "kubectl.kubernetes.io/last-applied-configuration":"y"}}})";
  mirror_one();
  edit_endpoints(kPatch);
  EXPECT_TRUE(part(slice(), {"metadata", "annotations"}).is_null());
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(MirroringTest, EM14_AnAddressThatIsNotReadySaysSoAndNothingElse) {
  start();
  add_service();
  add_endpoints(R"([{"notReadyAddresses":[{"ip":"10.0.0.1"}],
                     "ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(part(slice(), {"endpoints"}).canonical(),
            R"([{"addresses":["10.0.0.1"],"conditions":{"ready":false}}])");
}

constexpr const char* kWholeAddress =
    R"([{"addresses":[{"ip":"10.0.0.1","hostname":"h","nodeName":"n1",
         "targetRef":{"kind":"Pod","namespace":"t","name":"p","uid":"u","resourceVersion":"7"}}],
         "ports":[{"port":80,"protocol":"TCP"}]}])";

TEST_F(MirroringTest, EM15_TheWholeAddressIsCopied) {
  start();
  add_service();
  add_endpoints(kWholeAddress);
  EXPECT_EQ(part(slice(), {"endpoints"}).canonical(),
            R"([{"addresses":["10.0.0.1"],"conditions":{"ready":true},"hostname":"h",)"
            R"("nodeName":"n1","targetRef":{"kind":"Pod","name":"p","namespace":"t",)"
            R"("resourceVersion":"7","uid":"u"}}])");
}

TEST_F(MirroringTest, EM16_TheVersionOfATargetIsNotCompared) {
  start();
  add_service();
  add_endpoints(kWholeAddress);
  cluster_.clear_records();
  std::string changed = kWholeAddress;
  changed.replace(changed.find("\"7\""), 3, "\"8\"");
  set_subsets(changed);
  EXPECT_GE(cluster_.syncs().size(), 1);
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(MirroringTest, EM17_EachSetOfPortsHasItsSlice) {
  start();
  add_service();
  add_endpoints(R"([{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80,"protocol":"TCP"}]},
                    {"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":90,"protocol":"TCP"}]}])");
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [:80/TCP] 10.0.0.1", "IPv4 [:90/TCP] 10.0.0.2"));
}

TEST_F(MirroringTest, EM18_PortsOfTheSameAddressesShareASlice) {
  start();
  add_service();
  add_endpoints(R"([{"addresses":[{"ip":"10.0.0.1"}],
                     "ports":[{"name":"p1","port":80,"protocol":"TCP"}]},
                    {"addresses":[{"ip":"10.0.0.1"}],
                     "ports":[{"name":"p2","port":90,"protocol":"TCP"}]}])");
  const Json ports = part(slice(), {"ports"});
  EXPECT_EQ(ports.items().size(), 2);
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

constexpr const char* kTwoFamilies = R"([{"addresses":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}],
                                          "ports":[{"port":80,"protocol":"TCP"}]}])";

TEST_F(MirroringTest, EM19_EachFamilyHasItsSlice) {
  start();
  add_service();
  add_endpoints(kTwoFamilies);
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [:80/TCP] 10.0.0.1", "IPv6 [:80/TCP] fd00::1"));
}

TEST_F(MirroringTest, EM20_AFamilyWithoutAddressesLosesItsSlice) {
  start();
  add_service();
  add_endpoints(kTwoFamilies);
  cluster_.clear_records();
  set_subsets(kOneAddress);
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [:80/TCP] 10.0.0.1"));
  EXPECT_EQ(cluster_.writes().size(), 1);
  EXPECT_EQ(count(Verb::kDelete), 1);
}

TEST_F(MirroringTest, EM21_NewPortsReuseTheName) {
  mirror_one();
  const std::string name = slice_name();
  set_subsets(R"([{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":81,"protocol":"TCP"}]}])");
  EXPECT_EQ(slice_name(), name);
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [:81/TCP] 10.0.0.1"));
  EXPECT_THAT(writes(), ElementsAre("update endpointslices/" + name + " 200"));
}

TEST_F(MirroringTest, EM22_WithoutAddressesThereIsNoSlice) {
  mirror_one();
  set_subsets("[]");
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(MirroringTest, EM23_AThousandAddressesOfASubsetAreMirrored) {
  std::string addresses;
  for (int i = 0; i <= 1000; ++i) {
    addresses += (i == 0 ? "" : ",") + (R"({"ip":"10.0.)" + std::to_string(i / 250)) + "." +
                 std::to_string(i % 250 + 1) + "\"}";
  }
  start();
  add_service();
  add_endpoints(R"([{"addresses":[)" + addresses + R"(],"ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(part(slice(), {"endpoints"}).items().size(), 1000);
  EXPECT_THAT(events(),
              Each("Warning TooManyAddressesToMirror A max of 1000 addresses can be mirrored to "
                   "EndpointSlices per Endpoints subset. 1 addresses were skipped"));
  EXPECT_EQ(cluster_.events().front().kind, "Endpoints");
  EXPECT_EQ(cluster_.events().front().name, "s");
}

TEST_F(MirroringTest, EM24_ReadyAddressesComeFirst) {
  start(R"({"mirroringMaxEndpointsPerSubset":2})");
  add_service();
  add_endpoints(R"([{"addresses":[{"ip":"10.0.0.8"},{"ip":"10.0.0.9"}],
                     "notReadyAddresses":[{"ip":"10.0.0.1"}],
                     "ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(addresses_of(slice()), "10.0.0.8 10.0.0.9");
}

TEST_F(MirroringTest, EM25_AnInvalidAddressIsSkippedAndReported) {
  start();
  add_service();
  add_endpoints(R"([{"addresses":[{"ip":"bad"},{"ip":"10.0.0.1"}],
                     "ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
  EXPECT_THAT(events(), Each("Warning InvalidIPAddress Skipped 1 invalid IP addresses when "
                             "mirroring to EndpointSlices"));
  EXPECT_FALSE(events().empty());
}

TEST_F(MirroringTest, EM26_AnAddressIsWrittenInItsCanonicalForm) {
  start();
  add_service();
  add_endpoints(R"([{"addresses":[{"ip":"010.000.000.001"}],
                     "ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

}  // namespace
}  // namespace davit::endpointslicemirroring
