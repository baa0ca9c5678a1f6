/// Rows ES32 to ES38, ES52 to ES68 and ES85 to ES89: which slices are written, when.
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>

#include "plugins/endpoint/endpointslice_controller.hpp"
#include "tests/plugins/endpoint/slices_fixture.hpp"

namespace davit::endpoint {
namespace {

using testing::Verb;
using Sizes = std::vector<std::size_t>;
using Texts = std::vector<std::string>;

constexpr const char* kOwnLabels = R"({"kubernetes.io/service-name":"s",
    "endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io"})";

class SliceChangesTest : public SlicesTest {
 protected:
  static constexpr std::size_t kFull = 100;

  /// Starts with slices of these sizes: full ones, from which pods go.
  void start_with(const Sizes& sizes) {
    add_pods(0, kFull * sizes.size());
    add_service();
    start();
    const std::vector<Json> all = slices();
    ASSERT_EQ(all.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::vector<Json> endpoints = items(all[i], "endpoints");
      for (std::size_t k = sizes[i]; k < endpoints.size(); ++k) erase_pod(pod_of(endpoints[k]));
    }
    run_until_idle();
    advance(kAWhile);
    clear_records();
  }
  void start_with_pod() {
    add_pod("p", "10.0.0.1");
    add_service();
    start();
    advance(kAWhile);
    clear_records();
  }
  static std::string pod_of(const Json& endpoint) { return text(endpoint, {"targetRef", "name"}); }
  /// After those that start_with() made.
  void add_more_pods(std::size_t count) {
    constexpr std::size_t kBeyond = 1000;
    add_pods(kBeyond, count);
    run_until_idle();
  }
  [[nodiscard]] Texts names() {
    Texts out;
    for (const Json& each : slices()) out.push_back(name_of(each));
    return out;
  }
  void refuse_creates(const std::string& message, const Texts& causes = {}) {
    cluster().fail_next({.verb = Verb::kCreate,
                         .resource = "endpointslices",
                         .http_status = 403,
                         .reason = "Forbidden",
                         .message = message,
                         .causes = causes,
                         .times = testing::Fault::kAlways});
  }
};

TEST_F(SliceChangesTest, ES32_AForeignLabelGoes) {
  start_with_pod();
  edit_slice(slice(), R"({"metadata":{"labels":{"x":"y"}}})");
  run_until_idle();
  EXPECT_EQ(text(slice(), {"metadata", "labels", "x"}), "y");

  advance(kAWhile);
  EXPECT_EQ(slice().at({"metadata", "labels", "x"}), nullptr);
}

TEST_F(SliceChangesTest, ES33_AForeignAnnotationStays) {
  start_with_pod();
  edit_slice(slice(), R"({"metadata":{"annotations":{"note":"1"}}})");
  advance(kAWhile);
  EXPECT_EQ(writes(), Texts());

  set_ready("p", "False");
  run_until_idle();
  EXPECT_EQ(conditions_of(endpoint()), "false/false/false");
  EXPECT_EQ(text(slice(), {"metadata", "annotations", "note"}), "1");
}

TEST_F(SliceChangesTest, ES34_EndpointsChangedByHandAreRestored) {
  start_with_pod();
  edit_slice(slice(), R"({"endpoints":[{"addresses":["10.9.9.9"],"conditions":{}}]})");
  advance(kAWhile);
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
}

TEST_F(SliceChangesTest, ES35_ASliceDeletedByHandIsReplaced) {
  start_with_pod();
  const std::string before = name_of(slice());
  cluster().erase<EndpointSlice>({"t", before});
  run_until_idle();
  EXPECT_EQ(names(), Texts());

  advance(kAWhile);
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
  EXPECT_NE(name_of(slice()), before);
}

TEST_F(SliceChangesTest, ES36_ANewStartWritesNothing) {
  start_with_pod();
  restart();
  EXPECT_EQ(writes(), Texts());
}

TEST_F(SliceChangesTest, ES37_ASliceThatSomebodyElseMadeInItsNameIsDeleted) {
  start_with_pod();
  const Json ours = slice();
  add_slice("by-hand", kOwnLabels);
  advance(kAWhile);

  EXPECT_EQ(names(), Texts({name_of(ours)}));
  EXPECT_EQ(version_of(slice()), version_of(ours));
}

TEST_F(SliceChangesTest, ES38_SlicesOfOthersAreNeverTouched) {
  start_with_pod();
  add_slice("x1", R"({"kubernetes.io/service-name":"s",
                      "endpointslice.kubernetes.io/managed-by":"me"})");
  add_slice("x2", R"({"kubernetes.io/service-name":"s"})");
  set_ready("p", "False");
  advance(kAWhile);

  EXPECT_EQ(count_writes(Verb::kUpdate), 1U) << "its own";
  EXPECT_EQ(slices().size(), 3U);
}

TEST_F(SliceChangesTest, ES52_ASliceHoldsAHundredEndpoints) {
  add_pods(0, 250);
  add_service();
  start();
  EXPECT_EQ(sizes(), Sizes({100, 100, 50}));
}

TEST_F(SliceChangesTest, ES53_OtherPortsGoIntoSlicesOfTheSameNames) {
  add_pods(0, 250);
  add_service();
  start();
  const Texts before = names();
  clear_records();

  edit_service(R"({"spec":{"ports":[{"name":"http","port":80,"targetPort":9,"protocol":"TCP"}]}})");
  run_until_idle();

  EXPECT_EQ(names(), before);
  EXPECT_EQ(sizes(), Sizes({100, 100, 50}));
  EXPECT_EQ(count_writes(Verb::kUpdate), 3U);
  EXPECT_EQ(cluster().writes().size(), 3U);
}

TEST_F(SliceChangesTest, ES54_NewPodsGoWhereThereIsRoom) {
  start_with({100, 50});
  add_more_pods(10);
  EXPECT_EQ(sizes(), Sizes({100, 60}));
  EXPECT_EQ(cluster().writes().size(), 1U);
}

TEST_F(SliceChangesTest, ES55_SlicesThatAreWrittenAnywayAreFilledFirst) {
  start_with({80, 20});
  for (const Json& each : slices()) set_ready(pod_of(items(each, "endpoints").front()), "False");
  add_more_pods(15);
  EXPECT_EQ(sizes(), Sizes({95, 20}));
  EXPECT_EQ(count_writes(Verb::kCreate), 0U);
}

TEST_F(SliceChangesTest, ES56_ARestThatFitsIntoNoSliceOpensAnother) {
  start_with({74, 74});
  add_more_pods(152);
  EXPECT_EQ(sizes(), Sizes({100, 74, 74, 52}));
  EXPECT_EQ(count_writes(Verb::kCreate), 2U);
  EXPECT_EQ(cluster().writes().size(), 2U);
}

TEST_F(SliceChangesTest, ES57_AHundredNewPodsAreASliceOfTheirOwn) {
  start_with({40});
  add_more_pods(100);
  EXPECT_EQ(sizes(), Sizes({100, 40}));
  EXPECT_EQ(cluster().writes().size(), 1U);
}

TEST_F(SliceChangesTest, ES58_ASliceWithoutEndpointsGoes) {
  start_with({100, 1});
  for (const Json& each : slices()) {
    const std::vector<Json> endpoints = items(each, "endpoints");
    if (endpoints.size() == 1) erase_pod(pod_of(endpoints.front()));
  }
  run_until_idle();
  EXPECT_EQ(sizes(), Sizes({100}));
  EXPECT_EQ(count_writes(Verb::kDelete), 1U);
  EXPECT_EQ(cluster().writes().size(), 1U);
}

TEST_F(SliceChangesTest, ES59_SlicesAreNeverMerged) {
  start_with({50, 50});
  touch_service();
  advance(kAWhile);
  EXPECT_EQ(sizes(), Sizes({50, 50}));
  EXPECT_EQ(writes(), Texts());
}

TEST_F(SliceChangesTest, ES60_TheSizeOfSlicesIsAnOption) {
  add_pods(0, 10);
  add_service();
  start(R"({"maxEndpointsPerSlice":3})");
  EXPECT_EQ(sizes(), Sizes({3, 3, 3, 1}));
}

TEST_F(SliceChangesTest, ES61_ASliceThatIsTooLargeStaysSo) {
  start_with({50});
  restart(R"({"maxEndpointsPerSlice":10})");
  add_more_pods(1);
  EXPECT_EQ(sizes(), Sizes({50, 1}));
}

TEST_F(SliceChangesTest, ES62_TwoPodsOfOneAddressAreTwoEndpoints) {
  add_pod("p", "192.168.0.1");
  add_pod("q", "192.168.0.1");
  add_service();
  start();
  EXPECT_EQ(addresses_of(slice()), "192.168.0.1 192.168.0.1");
}

TEST_F(SliceChangesTest, ES63_ARecreatedPodTakesItsOldPlace) {
  start_with_pod();
  const std::string before = name_of(slice());
  erase_pod("p");
  add_pod("p", "10.0.0.1", R"({"metadata":{"uid":"another"}})");
  run_until_idle();

  EXPECT_EQ(text(endpoint(), {"targetRef", "uid"}), "another");
  EXPECT_EQ(name_of(slice()), before);
}

TEST_F(SliceChangesTest, ES64_WhatNoRuleReadsIsNotAReasonToWrite) {
  start_with_pod();
  edit_pod("p", R"({"metadata":{"annotations":{"a":"b"}}})");
  edit_pod("p", R"({"metadata":{"labels":{"c":"d"}}})");
  touch_service();
  advance(kAWhile);
  EXPECT_EQ(writes(), Texts());
}

TEST_F(SliceChangesTest, ES65_AWriteShowsWhenThePodBecameReady) {
  start_with_pod();
  set_ready("p", "False", "2024-05-01T11:00:00Z");
  run_until_idle();
  set_ready("p", "True", kLater);
  run_until_idle();
  EXPECT_EQ(trigger_of(slice()), kLater);
}

TEST_F(SliceChangesTest, ES66_AChangeWithoutATimeTakesTheAnnotationAway) {
  add_pod("q", "10.0.0.2");
  start_with_pod();
  EXPECT_EQ(trigger_of(slice()), kEarly);

  erase_pod("q");
  run_until_idle();
  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
  EXPECT_EQ(slice().at({"metadata", "annotations", kTriggerTime}), nullptr);
}

TEST_F(SliceChangesTest, ES67_ASliceThatDoesNotChangeKeepsItsAnnotation) {
  add_pods(0, 2);
  add_service();
  start(R"({"maxEndpointsPerSlice":1,"writeWindow":"0s"})");
  const std::vector<Json> before = slices();
  set_ready(pod_of(items(before[0], "endpoints").front()), "False");
  run_until_idle();

  const std::vector<Json> after = slices();
  EXPECT_EQ(trigger_of(after[0]), kLater);
  EXPECT_EQ(trigger_of(after[1]), kEarly);
  EXPECT_EQ(version_of(after[1]), version_of(before[1]));
}

TEST_F(SliceChangesTest, ES68_ChangesWithinTheBatchPeriodAreOneWrite) {
  using std::chrono::milliseconds;
  add_pod("p", "10.0.0.1");
  add_service();
  start(R"({"endpointUpdatesBatchPeriod":"1s"})");
  advance(kAWhile);
  clear_records();

  for (const char* status : {"False", "True", "False"}) {
    set_ready("p", status, status == std::string("True") ? kEarly : kLater);
    advance(milliseconds(100));
  }
  advance(milliseconds(650));
  EXPECT_EQ(writes(), Texts());
  advance(milliseconds(100));
  EXPECT_EQ(cluster().writes().size(), 1U);
  advance(kAWhile);
  EXPECT_EQ(cluster().writes().size(), 1U);
}

TEST_F(SliceChangesTest, ES85_ANamespaceThatGoesIsNotAFailure) {
  refuse_creates("t is being terminated", {"NamespaceTerminating"});
  add_service();
  start();
  advance(std::chrono::seconds(10));
  EXPECT_EQ(count_writes(Verb::kCreate), 1U);
  EXPECT_EQ(events(), Texts());
}

TEST_F(SliceChangesTest, ES86_ARefusedSliceIsReportedAndTriedAgain) {
  refuse_creates("denied");
  add_service();
  start();
  EXPECT_EQ(events(), Texts({"Warning FailedToUpdateEndpointSlices Error updating Endpoint Slices "
                             "for Service t/s: failed to create EndpointSlice for Service t/s: "
                             "denied"}));

  advance(std::chrono::seconds(16));
  EXPECT_EQ(count_writes(Verb::kCreate), 5U) << "at 0, 1, 3, 7 and 15 seconds";
}

TEST_F(SliceChangesTest, ES87_SizesThatTheServerRefusesAreRefused) {
  for (const char* size : {"1001", "0"}) {
    const Status started = cluster().start(kController, &EndpointSliceController::open,
                                           R"({"maxEndpointsPerSlice":)" + std::string(size) + "}");
    EXPECT_FALSE(started.ok()) << size;
    EXPECT_NE(started.message().find(", but got " + std::string(size)), std::string::npos);
  }
}

TEST_F(SliceChangesTest, ES88_ARelabelledPodMovesToTheOtherService) {
  start_with_pod();
  add_service(R"({"spec":{"selector":{"app":"b"}}})", "s2");
  run_until_idle();

  edit_pod("p", R"({"metadata":{"labels":{"app":"b"}}})");
  run_until_idle();

  EXPECT_EQ(addresses_of(slice("s")), "");
  EXPECT_EQ(addresses_of(slice("s2")), "10.0.0.1");
}

TEST_F(SliceChangesTest, ES89_TheOrderOfPortsIsNotAReasonToWrite) {
  add_service(ports(R"({"name":"http","port":80,"targetPort":80,"protocol":"TCP"},
                       {"name":"https","port":443,"targetPort":443,"protocol":"TCP"})"));
  add_pod("p", "10.0.0.1");
  start();
  advance(kAWhile);
  clear_records();

  edit_slice(slice(), R"({"ports":[{"name":"http","port":80,"protocol":"TCP"},
                                   {"name":"https","port":443,"protocol":"TCP"}]})");
  advance(kAWhile);
  EXPECT_EQ(writes(), Texts());
}

TEST_F(SliceChangesTest, AServerWithoutSlicesSkipsTheController) {
  cluster().remove_resource("endpointslices");
  const Status started = cluster().start(kController, &EndpointSliceController::open);
  EXPECT_EQ(started.code(), Code::kUnsupported);
  EXPECT_NE(started.message().find("discovery.k8s.io/v1"), std::string::npos);
}

}  // namespace
}  // namespace davit::endpoint
