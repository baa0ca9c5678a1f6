/// When slices come, change and go: rows EM02, EM05 to EM13, EM27 to EM33 and EM36 to EM39.
#include "tests/plugins/endpointslicemirroring/fixture.hpp"

namespace davit::endpointslicemirroring {
namespace {

TEST_F(MirroringTest, EM02_ANewAddressChangesTheSlice) {
  mirror_one();
  const std::string name = slice_name();
  set_subsets(R"([{"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(slice_name(), name);
  EXPECT_EQ(addresses_of(slice()), "10.0.0.2");
}

TEST_F(MirroringTest, EM05_TheSliceGoesWithItsEndpoints) {
  mirror_one();
  ASSERT_TRUE(cluster_.erase<Endpoints>({"t", "s"}));
  cluster_.run_until_idle();
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(MirroringTest, EM06_TheSliceGoesWithItsService) {
  mirror_one();
  ASSERT_TRUE(cluster_.erase<Service>({"t", "s"}));
  cluster_.run_until_idle();
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(MirroringTest, EM07_AServiceThatGetsASelectorIsNotMirrored) {
  mirror_one();
  edit_service(R"({"spec":{"selector":{"a":"b"}}})");
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(MirroringTest, EM08_AServiceThatLosesItsSelectorIsMirrored) {
  start();
  add_service(R"({"spec":{"selector":{"a":"b"}}})");
  add_endpoints();
  EXPECT_THAT(slices(), IsEmpty());
  edit_service(R"({"spec":{"selector":null}})");
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [:80/TCP] 10.0.0.1"));
}

TEST_F(MirroringTest, EM09_TheServiceMayComeLater) {
  start();
  add_endpoints();
  EXPECT_THAT(slices(), IsEmpty());
  add_service();
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [:80/TCP] 10.0.0.1"));
}

TEST_F(MirroringTest, EM10_WithoutAServiceNothingIsMirrored) {
  start();
  add_endpoints();
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(MirroringTest, EM11_ALabelSkipsTheMirror) {
  start();
  add_service();
  add_endpoints(kOneAddress,
                R"({"metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":"true"}}})");
  EXPECT_THAT(slices(), IsEmpty());
  for (const char* other : {"false", "True", ""}) {
    edit_endpoints(R"({"metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":")" +
                   std::string(other) + "\"}}}");
    EXPECT_EQ(slices().size(), 1) << other;
  }
}

TEST_F(MirroringTest, EM12_TheLabelCountsLaterToo) {
  mirror_one();
  edit_endpoints(R"({"metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":"true"}}})");
  EXPECT_THAT(slices(), IsEmpty());
  edit_endpoints(R"({"metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":null}}})");
  EXPECT_EQ(slices().size(), 1);
}

TEST_F(MirroringTest, EM13_ALockIsNotMirrored) {
  start();
  add_service();
  add_endpoints(
      kOneAddress,
      R"({"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{}"}}})");
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(MirroringTest, EM27_AForeignChangeOfEndpointsIsUndone) {
  mirror_one();
  edit_slice(slice_name(),
             R"({"endpoints":[{"addresses":["10.0.0.9"],"conditions":{"ready":true}}]})");
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

TEST_F(MirroringTest, EM28_AForeignLabelIsRemovedAtOnceAndAnAnnotationLater) {
  mirror_one();
  // The server raises the generation with the labels, which the test cluster does for specs only.
  cluster_.modify<EndpointSlice>({"t", slice_name()}, [](Json& each) {
    each["metadata"]["labels"]["x"] = Json("y");
    each["metadata"]["generation"] = Json(2);
  });
  cluster_.run_until_idle();
  EXPECT_EQ(slice().text_at({"metadata", "labels", "x"}), "");

  cluster_.clear_records();
  edit_slice(slice_name(), R"({"metadata":{"annotations":{"x":"y"}}})");
  EXPECT_THAT(writes(), IsEmpty());
  edit_endpoints(R"({"metadata":{"annotations":{"z":"z"}}})");
  EXPECT_EQ(slice().text_at({"metadata", "annotations", "x"}), "");
  EXPECT_EQ(slice().text_at({"metadata", "annotations", "z"}), "z");
}

TEST_F(MirroringTest, EM29_ADeletedSliceIsMadeAgain) {
  mirror_one();
  const std::string name = slice_name();
  ASSERT_TRUE(cluster_.erase<EndpointSlice>({"t", name}));
  cluster_.run_until_idle();
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [:80/TCP] 10.0.0.1"));
  EXPECT_NE(slice_name(), name);
}

TEST_F(MirroringTest, EM30_OfTwoSlicesForTheSamePortsOneStays) {
  mirror_one();
  add_slice("s-zzz");
  EXPECT_EQ(slices().size(), 1);
  EXPECT_EQ(count(Verb::kDelete), 1);
}

TEST_F(MirroringTest, EM31_ASliceOfAnotherManagerIsLeftAlone) {
  mirror_one();
  add_slice("other", R"({"metadata":{"labels":{
      "endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io"}}})");
  set_subsets("[]");
  ASSERT_TRUE(cluster_.erase<Service>({"t", "s"}));
  cluster_.run_until_idle();
  EXPECT_EQ(slice_name(), "other");
}

TEST_F(MirroringTest, EM32_TheSliceOfAFormerObjectGetsTheNewOwner) {
  start();
  add_service();
  add_slice("s-old", R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Endpoints",
      "name":"s","uid":"former","controller":true}]}})");
  EXPECT_THAT(slices(), IsEmpty()) << "there are no Endpoints";
  cluster_.stop(kController);
  add_slice("s-old", R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Endpoints",
      "name":"s","uid":"former","controller":true}]}})");
  add_endpoints(kOneAddress, R"({"metadata":{"uid":"present"}})");
  start();
  EXPECT_EQ(slice_name(), "s-old");
  EXPECT_EQ(part(slice(), {"metadata", "ownerReferences"}).items().front().text_at({"uid"}),
            "present");
}

TEST_F(MirroringTest, ASliceWithoutAnOwnerIsKeptAsItIs) {
  add_service();
  add_endpoints();
  add_slice("s-hand");
  start();
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(MirroringTest, EM33_EndpointsThatAreBeingDeletedGetNoNewSlices) {
  start();
  add_service();
  add_endpoints(kOneAddress, R"({"metadata":{"finalizers":["example.com/hold"]}})");
  cluster_.remove<Endpoints>({"t", "s"});
  cluster_.run_until_idle();
  cluster_.clear_records();
  set_subsets(R"([{"addresses":[{"ip":"10.0.0.3"}],"ports":[{"port":80,"protocol":"TCP"}]},
                  {"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":90,"protocol":"TCP"}]}])");
  EXPECT_THAT(shapes(), ElementsAre("IPv4 [:80/TCP] 10.0.0.3"));
  EXPECT_EQ(count(Verb::kCreate), 0);
}

TEST_F(MirroringTest, EM36_TheTypeOfTheServiceDoesNotMatter) {
  start();
  add_service(R"({"spec":{"type":"ExternalName","externalName":"example.com"}})");
  add_endpoints();
  EXPECT_EQ(slices().size(), 1);
}

TEST_F(MirroringTest, EM37_TheServersOwnEndpointsAreSkipped) {
  start();
  cluster_.add(R"({"apiVersion":"v1","kind":"Service",
      "metadata":{"namespace":"default","name":"kubernetes"},"spec":{"ports":[{"port":443}]}})");
  cluster_.add(R"({"apiVersion":"v1","kind":"Endpoints",
      "metadata":{"namespace":"default","name":"kubernetes",
                  "labels":{"endpointslice.kubernetes.io/skip-mirror":"true"}},
      "subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":443,"protocol":"TCP"}]}]})");
  cluster_.run_until_idle();
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(MirroringTest, EM38_ARestartWritesNothing) {
  mirror_one();
  cluster_.stop(kController);
  start();
  EXPECT_GE(cluster_.syncs().size(), 1);
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(MirroringTest, EM39_TheBatchPeriodDelaysChangesOfSlicesOnly) {
  start(R"({"mirroringEndpointsliceUpdatesBatchPeriod":"5s"})");
  add_service();
  add_endpoints();
  ASSERT_EQ(slices().size(), 1);
  edit_slice(slice_name(),
             R"({"endpoints":[{"addresses":["10.0.0.9"],"conditions":{"ready":true}}]})");
  cluster_.advance(5s - 1ms);
  EXPECT_EQ(addresses_of(slice()), "10.0.0.9");
  cluster_.advance(1ms);
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

TEST_F(MirroringTest, ASwapHandsOverTheGenerations) {
  mirror_one();
  const std::string name = slice_name();
  ASSERT_TRUE(cluster_.swap(kController, &EndpointSliceMirroringController::open).ok());
  cluster_.run_until_idle();
  ASSERT_TRUE(cluster_.erase<EndpointSlice>({"t", name}));
  cluster_.run_until_idle();
  EXPECT_EQ(slices().size(), 1) << "its deletion is nobody's whose controller is new";
}

TEST_F(MirroringTest, AMalformedStateIsRefused) {
  mirror_one();
  EXPECT_FALSE(cluster_.give_state(kController, 1, R"({"generations":7})").ok());
  EXPECT_TRUE(cluster_.give_state(kController, 1, cluster_.state_of(kController)).ok());
}

}  // namespace
}  // namespace davit::endpointslicemirroring
