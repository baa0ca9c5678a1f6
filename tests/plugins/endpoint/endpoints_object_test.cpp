/// Rows E28 to E37, E45 to E69 and E72: when the object is written, and what becomes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/plugins/endpoint/endpoints_fixture.hpp"

namespace davit::endpoint {
namespace {

using std::chrono::milliseconds;
using testing::Verb;

class EndpointsObjectTest : public EndpointsTest {
 protected:
  static constexpr std::string_view kOverCapacity = "endpoints.kubernetes.io/over-capacity";

  void start_with_pod(std::string_view service_patch = "{}") {
    add_pod("p", "10.0.0.1");
    add_service(service_patch);
    start();
    clear_records();
  }
  void edit_endpoints(std::string_view patch) { cluster().merge<Endpoints>({"t", "s"}, patch); }
  /// The next requests of this kind are refused.
  void refuse(Verb verb, const std::string& message, const Texts& causes = {}) {
    cluster().fail_next({.verb = verb,
                         .resource = "endpoints",
                         .http_status = 403,
                         .reason = "Forbidden",
                         .message = message,
                         .causes = causes,
                         .times = testing::Fault::kAlways});
  }
  /// The pod gets another address so long after the start.
  void move_at(std::initializer_list<milliseconds> times) {
    milliseconds now{0};
    int last = 1;
    for (const milliseconds each : times) {
      advance(each - now);
      now = each;
      const std::string ip = "10.0.0." + std::to_string(++last);
      edit_pod("p", R"({"status":{"podIPs":[{"ip":")" + ip + R"("}]}})");
      run_until_idle();
    }
  }
};

TEST_F(EndpointsObjectTest, E28_AServiceWithAnAddressIsNotHeadless) {
  start_with_pod();
  EXPECT_EQ(labels(), with_manager());
}

TEST_F(EndpointsObjectTest, E29_LabelsOfTheServiceAreCopied) {
  start_with_pod(R"({"metadata":{"labels":{"x":"y"}}})");
  EXPECT_EQ(labels(), with_manager(R"({"x":"y"})"));
}

TEST_F(EndpointsObjectTest, E30_LabelsFollowTheService) {
  start_with_pod(R"({"metadata":{"labels":{"x":"y"}}})");
  edit_service(R"({"metadata":{"labels":{"x":"z","q":"r"}}})");
  run_until_idle();
  EXPECT_EQ(labels(), with_manager(R"({"x":"z","q":"r"})"));
}

TEST_F(EndpointsObjectTest, E31_AForeignLabelGoesWithTheNextSync) {
  start_with_pod();
  edit_endpoints(R"({"metadata":{"labels":{"foo":"bar"}}})");
  touch_service();
  run_until_idle();
  EXPECT_EQ(labels(), with_manager());
}

TEST_F(EndpointsObjectTest, E32_AnnotationsOfTheServiceAreNotCopied) {
  start_with_pod(R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_EQ(annotation("a"), "");
}

TEST_F(EndpointsObjectTest, E33_AForeignAnnotationStays) {
  start_with_pod();
  edit_endpoints(R"({"metadata":{"annotations":{"note":"1"}}})");
  set_ready("p", "False");
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"|10.0.0.1|http:8080/TCP"}));
  EXPECT_EQ(annotation("note"), "1");
}

TEST_F(EndpointsObjectTest, E34_AnAnnotationOfTheServiceIsNotAReasonToWrite) {
  start_with_pod();
  touch_service();
  run_until_idle();
  EXPECT_EQ(writes(), Texts());
}

TEST_F(EndpointsObjectTest, E35_AnAnnotationOfAPodIsNotAReasonToWrite) {
  start_with_pod();
  edit_pod("p", R"({"metadata":{"annotations":{"a":"b"}}})");
  run_until_idle();
  EXPECT_EQ(writes(), Texts());
}

TEST_F(EndpointsObjectTest, E36_AnUnselectedLabelIsNotAReasonToWrite) {
  start_with_pod();
  edit_pod("p", R"({"metadata":{"labels":{"other":"x"}}})");
  run_until_idle();
  EXPECT_EQ(writes(), Texts());
}

TEST_F(EndpointsObjectTest, E37_ARelabelledPodMovesToTheOtherService) {
  start_with_pod();
  add_service(R"({"spec":{"selector":{"app":"b"}}})", "s2");
  run_until_idle();
  edit_pod("p", R"({"metadata":{"labels":{"app":"b"}}})");
  run_until_idle();
  EXPECT_EQ(subsets("s"), Texts());
  EXPECT_EQ(subsets("s2"), Texts({"10.0.0.1||http:8080/TCP"}));
}

TEST_F(EndpointsObjectTest, E45_EndpointsOfAServiceWithoutSelectorBelongToTheirMaker) {
  add_endpoints("s");
  add_service(R"({"spec":{"selector":null}})");
  start();
  touch_service();
  run_until_idle();
  EXPECT_EQ(writes(), Texts());
}

TEST_F(EndpointsObjectTest, E46_TheyGoWithTheService) {
  add_endpoints("s");
  add_service(R"({"spec":{"selector":null}})");
  start();
  remove_service();
  run_until_idle();
  EXPECT_FALSE(has_endpoints());
}

TEST_F(EndpointsObjectTest, E47_AnExternalNameHasNoEndpoints) {
  start_with_pod(R"({"spec":{"type":"ExternalName"}})");
  EXPECT_FALSE(has_endpoints());
}

TEST_F(EndpointsObjectTest, E48_AnExternalNameThatBecomesAClusterAddressGetsEndpoints) {
  start_with_pod(R"({"spec":{"type":"ExternalName"}})");
  edit_service(R"({"spec":{"type":"ClusterIP"}})");
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
  EXPECT_EQ(labels(), with_manager());
}

TEST_F(EndpointsObjectTest, E49_EndpointsDeletedByHandReturn) {
  start_with_pod();
  const std::string before = text(endpoints(), {"metadata", "uid"});
  cluster().erase<Endpoints>({"t", "s"});
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
  EXPECT_NE(text(endpoints(), {"metadata", "uid"}), before);
}

TEST_F(EndpointsObjectTest, E50_EndpointsChangedByHandAreRestoredWithTheNextSync) {
  start_with_pod();
  edit_endpoints(R"({"subsets":[]})");
  run_until_idle();
  EXPECT_EQ(subsets(), Texts());
  touch_service();
  run_until_idle();
  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
}

TEST_F(EndpointsObjectTest, E51_WithTheServiceItsEndpointsGo) {
  start_with_pod();
  remove_service();
  run_until_idle();
  EXPECT_FALSE(has_endpoints());
  EXPECT_EQ(events(), Texts());
}

TEST_F(EndpointsObjectTest, E52_LeftoversOfTheControllerGoAtItsStart) {
  add_endpoints("o", R"({"metadata":{"labels":{
      "endpoints.kubernetes.io/managed-by":"endpoint-controller"}}})");
  start();
  EXPECT_FALSE(has_endpoints("o"));
}

TEST_F(EndpointsObjectTest, E53_ALockIsNotALeftover) {
  add_endpoints("lock", R"({"metadata":{"annotations":{
      "control-plane.alpha.kubernetes.io/leader":"x"}}})");
  start();
  EXPECT_TRUE(has_endpoints("lock"));
}

TEST_F(EndpointsObjectTest, E54_EndpointsWithoutAServiceAreDeletedAtTheStartToo) {
  add_endpoints("u");
  start();
  EXPECT_FALSE(has_endpoints("u"));
}

TEST_F(EndpointsObjectTest, E55_ThoseMadeLaterStay) {
  start();
  add_endpoints("u2");
  run_until_idle();
  EXPECT_TRUE(has_endpoints("u2"));
}

TEST_F(EndpointsObjectTest, E56_TheControllersLabelIsAdded) {
  start_with_pod();
  cluster().stop(kController);
  edit_endpoints(R"({"metadata":{"labels":null}})");
  clear_records();
  start();
  EXPECT_EQ(writes(), Texts({"update endpoints/s 200"}));
  EXPECT_EQ(labels(), with_manager());
}

TEST_F(EndpointsObjectTest, E57_AnotherOrderIsNotAReasonToWrite) {
  add_pod("p", "10.0.0.1");
  add_pod("q", "10.0.0.2");
  add_service(ports(R"({"name":"a","port":1,"targetPort":1,"protocol":"TCP"},
                       {"name":"b","port":2,"targetPort":2,"protocol":"TCP"})"));
  start();
  cluster().modify<Endpoints>({"t", "s"}, [](Json& object) {
    Json& subset = object["subsets"].items().front();
    for (const char* list : {"addresses", "ports"}) {
      std::reverse(subset[list].items().begin(), subset[list].items().end());
    }
  });
  restart();
  EXPECT_EQ(writes(), Texts());
}

TEST_F(EndpointsObjectTest, E58_E59_OfMoreThanAThousandTheLastAreLeftOut) {
  add_pods(0, 1001);
  add_service();
  start();
  EXPECT_EQ(count("addresses"), 1000U);
  EXPECT_EQ(annotation(kOverCapacity), "truncated");
  EXPECT_EQ(subsets().front().find("10.0.3.99 "), std::string::npos) << "the last by its bytes";

  for (std::size_t i = 0; i < 501; ++i) erase_pod(numbered(i));
  run_until_idle();
  EXPECT_EQ(count("addresses"), 500U);
  EXPECT_EQ(annotation(kOverCapacity), "");
}

TEST_F(EndpointsObjectTest, E60_E61_ReadyPodsAreKeptFirst) {
  add_pods(0, 997);
  add_pods(997, 4, kNotReady);
  add_service();
  start();
  EXPECT_EQ(count("addresses"), 997U);
  EXPECT_EQ(count("notReadyAddresses"), 3U);
  EXPECT_EQ(annotation(kOverCapacity), "truncated");

  add_pods(1001, 3);
  add_pods(1004, 6, kNotReady);
  run_until_idle();
  EXPECT_EQ(count("addresses"), 1000U);
  EXPECT_EQ(count("notReadyAddresses"), 0U);
  EXPECT_EQ(annotation(kOverCapacity), "truncated");
}

TEST_F(EndpointsObjectTest, E62_AThousandAreNotTooMany) {
  add_pods(0, 1000);
  add_service();
  add_endpoints("s", R"({"metadata":{"annotations":{
      "endpoints.kubernetes.io/over-capacity":"warning"}}})");
  start();
  EXPECT_EQ(count("addresses"), 1000U);
  EXPECT_EQ(annotation(kOverCapacity), "");
}

TEST_F(EndpointsObjectTest, E63_ANamespaceThatGoesIsNotAFailure) {
  refuse(Verb::kCreate, "t is being terminated", {"NamespaceTerminating"});
  add_service();
  start();
  advance(std::chrono::minutes(1));
  EXPECT_EQ(writes(), Texts({"create endpoints 403"}));
  EXPECT_EQ(events(), Texts());
}

TEST_F(EndpointsObjectTest, E64_ARefusedCreationIsReportedAndTriedFifteenTimesMore) {
  refuse(Verb::kCreate, "exceeded quota");
  add_service();
  start();
  advance(std::chrono::hours(1));
  EXPECT_EQ(events(), Texts({"Warning FailedToCreateEndpoint Failed to create endpoint for "
                             "service t/s: exceeded quota"}));
  EXPECT_EQ(cluster().events().front().kind, "Endpoints");
  EXPECT_EQ(cluster().events().front().ns, "") << "which the recorder writes into default";
  EXPECT_EQ(writes().size(), 16U);
}

TEST_F(EndpointsObjectTest, E65_ARefusedUpdateIsReported) {
  start_with_pod();
  refuse(Verb::kUpdate, "webhook says no");
  set_ready("p", "False");
  run_until_idle();
  EXPECT_EQ(events(), Texts({"Warning FailedToUpdateEndpoint Failed to update endpoint t/s: "
                             "webhook says no"}));
  EXPECT_EQ(cluster().events().front().ns, "t");
}

TEST_F(EndpointsObjectTest, E66_QuickFlipsEndWithTheTruth) {
  add_pod("p", "10.0.0.1");
  for (int i = 0; i < 10; ++i) add_service("{}", "s" + std::to_string(i));
  start();
  cluster().hold("endpoints");
  set_ready("p", "False");
  run_until_idle();
  set_ready("p", "True");
  run_until_idle();
  cluster().release("endpoints");
  advance(std::chrono::minutes(1));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(subsets("s" + std::to_string(i)), Texts({"10.0.0.1||http:8080/TCP"}));
  }
}

class EndpointsBatchTest : public EndpointsObjectTest {
 protected:
  EndpointsBatchTest() {
    add_pod("p", "10.0.0.1");
    add_service();
    start(R"({"endpointUpdatesBatchPeriod":"1s"})");
    advance(std::chrono::seconds(2));
    clear_records();
  }
};

TEST_F(EndpointsBatchTest, E67_ChangesWithinTheBatchPeriodAreOneWrite) {
  move_at({milliseconds(0), milliseconds(100), milliseconds(200)});
  advance(milliseconds(750));
  EXPECT_EQ(writes(), Texts());
  advance(milliseconds(100));
  EXPECT_EQ(writes().size(), 1U);
  advance(std::chrono::seconds(5));
  EXPECT_EQ(writes().size(), 1U);
}

TEST_F(EndpointsBatchTest, E68_AChangeAfterItIsAnother) {
  move_at({milliseconds(0), milliseconds(100), milliseconds(1100)});
  advance(std::chrono::seconds(5));
  EXPECT_EQ(subsets(), Texts({"10.0.0.4||http:8080/TCP"}));
  EXPECT_EQ(writes().size(), 2U);
}

TEST_F(EndpointsBatchTest, E69_TheServiceItselfDoesNotWait) {
  edit_service(R"({"metadata":{"labels":{"x":"y"}}})");
  run_until_idle();
  EXPECT_EQ(labels(), with_manager(R"({"x":"y"})"));
}

TEST_F(EndpointsObjectTest, E72_TheFirstWriteAfterAStartSaysWhenTheServiceWasMade) {
  start_with_pod();
  cluster().stop(kController);
  set_ready("p", "False");
  start();
  EXPECT_EQ(subsets(), Texts({"|10.0.0.1|http:8080/TCP"}));
  EXPECT_EQ(trigger(), kEarly);
}

}  // namespace
}  // namespace davit::endpoint
