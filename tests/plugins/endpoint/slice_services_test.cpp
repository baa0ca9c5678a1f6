/// Rows ES39 to ES51: slices by the kind of Service, and through its life.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/endpoint/slices_fixture.hpp"

namespace davit::endpoint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class SliceServicesTest : public SlicesTest {};

TEST_F(SliceServicesTest, ES39_TwoFamiliesHaveASliceEach) {
  add_pod("p", "10.0.0.1", R"({"status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}})");
  add_service(R"({"spec":{"ipFamilies":["IPv4","IPv6"]}})");
  start();
  EXPECT_THAT(shapes(),
              ElementsAre("IPv4 [http:8080/TCP] 10.0.0.1", "IPv6 [http:8080/TCP] fd00::1"));
}

TEST_F(SliceServicesTest, ES40_AFamilyThatNoPodHasIsAPlaceholder) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"spec":{"ipFamilies":["IPv4","IPv6"]}})");
  start();
  const std::vector<std::string> all = shapes();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0], "IPv4 [http:8080/TCP] 10.0.0.1");
  EXPECT_THAT(all[1], StartsWith("IPv6 ["));
  EXPECT_EQ(sizes(), std::vector<std::size_t>({1, 0}));
}

TEST_F(SliceServicesTest, ES41_APodOfAnotherFamilyIsNotAFailure) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"spec":{"ipFamilies":["IPv6"]}})");
  start();
  EXPECT_EQ(text(slice(), {"addressType"}), "IPv6");
  EXPECT_EQ(addresses_of(slice()), "");
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(SliceServicesTest, ES42_AFamilyGivenUpLosesItsSlices) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"spec":{"ipFamilies":["IPv4","IPv6"]}})");
  start();
  clear_records();

  edit_service(R"({"spec":{"ipFamilies":["IPv4"]}})");
  run_until_idle();

  EXPECT_THAT(shapes(), ElementsAre("IPv4 [http:8080/TCP] 10.0.0.1"));
  EXPECT_EQ(count_writes(testing::Verb::kDelete), 1U);
  EXPECT_THAT(writes(), SizeIs(1)) << "the other family's slice is untouched";
}

TEST_F(SliceServicesTest, ES43_AFamilyTakenOnGetsSlices) {
  add_pod("p", "10.0.0.1", R"({"status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}})");
  add_service();
  start();
  edit_service(R"({"spec":{"ipFamilies":["IPv4","IPv6"]}})");
  run_until_idle();
  EXPECT_THAT(shapes(),
              ElementsAre("IPv4 [http:8080/TCP] 10.0.0.1", "IPv6 [http:8080/TCP] fd00::1"));
}

TEST_F(SliceServicesTest, ES44_AServiceWithoutSelectorHasNoSlices) {
  add_service(R"({"spec":{"selector":null}})");
  start();
  touch_service();
  run_until_idle();
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(SliceServicesTest, ES45_WithoutItsSelectorASlicesFreezes) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  edit_service(R"({"spec":{"selector":null}})");
  run_until_idle();
  clear_records();

  set_ready("p", "False");
  advance(kAWhile);

  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_EQ(conditions_of(endpoint()), "true/true/false");
}

TEST_F(SliceServicesTest, ES46_AnExternalNameHasNoSlices) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"spec":{"type":"ExternalName"}})");
  start();
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(SliceServicesTest, ES47_AnExternalNameThatBecomesAClusterAddressGetsSlices) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"spec":{"type":"ExternalName"}})");
  start();
  edit_service(R"({"spec":{"type":"ClusterIP"}})");
  run_until_idle();
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

TEST_F(SliceServicesTest, ES48_ForAServiceThatIsGoneNothingIsSent) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();
  clear_records();

  remove_service();
  cluster().erase<EndpointSlice>({"t", name_of(slice())});  // As the garbage collector does.
  advance(kAWhile);

  EXPECT_THAT(cluster().requests(), IsEmpty());
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(SliceServicesTest, ES49_WithoutACollectorTheSlicesOfAServiceThatIsGoneStay) {
  add_pod("p", "10.0.0.1");
  add_service();
  start();

  remove_service();
  advance(kAWhile);

  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

TEST_F(SliceServicesTest, ES50_ARecreatedServiceGetsItsOwnSlices) {
  add_pod("p", "10.0.0.1");
  add_service(R"({"metadata":{"uid":"first"}})");
  start();
  remove_service();
  run_until_idle();

  add_service(R"({"metadata":{"uid":"second"}})");
  advance(kAWhile);

  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
  EXPECT_EQ(text(slice().at({"metadata", "ownerReferences"})->items().front(), {"uid"}), "second");
}

TEST_F(SliceServicesTest, ES51_AServiceThatIsBeingDeletedGetsNoNewSlices) {
  const auto web = [](const std::string& number) {
    return container_ports(R"({"name":"web","protocol":"TCP","containerPort":)" + number + "}");
  };
  add_pod("p", "10.0.0.1", web("7"));
  add_service(ports(R"({"name":"http","port":80,"targetPort":"web","protocol":"TCP"})"));
  start();
  clear_records();

  edit_service(R"({"metadata":{"finalizers":["example.com/x"],
                   "deletionTimestamp":"2024-05-01T11:59:00Z"}})");
  add_pod("q", "10.0.0.2", web("8"));
  set_ready("p", "False");
  run_until_idle();

  EXPECT_THAT(shapes(), ElementsAre("IPv4 [http:7/TCP] 10.0.0.1")) << "none for the other port";
  EXPECT_EQ(conditions_of(endpoint()), "false/false/false");
  EXPECT_EQ(count_writes(testing::Verb::kCreate), 0U);
}

TEST_F(SliceServicesTest, SlicesOfTheSameServiceNameInAnotherNamespaceAreNotTouched) {
  add_slice("foreign",
            R"({"kubernetes.io/service-name":"s",
                "endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io"})",
            R"({"metadata":{"namespace":"another"}})");
  add_pod("p", "10.0.0.1");
  add_service();

  start();

  EXPECT_THAT(writes(), SizeIs(1));
  EXPECT_EQ(count_writes(testing::Verb::kCreate), 1U);
  EXPECT_THAT(shapes(), ::testing::Contains("IPv4 [http:8080/TCP] 10.0.0.1"));
}

}  // namespace
}  // namespace davit::endpoint
