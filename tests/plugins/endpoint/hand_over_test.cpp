/// Another build of a controller takes over: it continues where the old one was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/endpoint/endpointslice_controller.hpp"
#include "tests/plugins/endpoint/endpoints_fixture.hpp"
#include "tests/plugins/endpoint/slices_fixture.hpp"

namespace davit::endpoint {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kAuto =
    R"({"metadata":{"annotations":{"service.kubernetes.io/topology-mode":"Auto"}}})";

class SlicesHandOverTest : public SlicesTest {
 protected:
  void start_with_two_pods() {
    cluster().erase<Node>({"", "n0"});
    start();  // Nodes are looked at before the Service.
    add_pod("p", "10.0.0.1");
    add_pod("q", "10.0.0.2", R"({"spec":{"nodeName":"n2"}})");
    add_service(kAuto);
    run_until_idle();
    advance(kAWhile);
    clear_records();
  }
  /// The new build, which has not synced yet.
  void swap() {
    const Status swapped = cluster().swap(kController, &EndpointSliceController::open);
    ASSERT_TRUE(swapped.ok()) << swapped.message();
  }
};

TEST_F(SlicesHandOverTest, ASwapWritesNothingAndTakesNoHintsAway) {
  start_with_two_pods();
  const std::string before = version_of(slice());
  ASSERT_THAT(cluster().state_of(kController), HasSubstr(R"("ratio":"0.5")"));

  for (int i = 0; i < 3; ++i) {
    swap();
    run_until_idle();
    advance(kAWhile);
  }

  EXPECT_EQ(writes(), std::vector<std::string>());
  EXPECT_EQ(version_of(slice()), before);
}

TEST_F(SlicesHandOverTest, ASliceOfTheOldBuildThatSomebodyDeletesIsMissedByTheNewOne) {
  start_with_two_pods();
  swap();
  run_until_idle();
  const std::string before = name_of(slice());

  cluster().erase<EndpointSlice>({"t", before});
  run_until_idle();
  advance(kAWhile);

  EXPECT_EQ(addresses_of(slice()), "10.0.0.1 10.0.0.2");
  EXPECT_NE(name_of(slice()), before);
}

TEST_F(SlicesHandOverTest, TheFirstWriteOfTheNewBuildNamesItsOwnCause) {
  start_with_two_pods();
  ASSERT_EQ(trigger_of(slice()), kEarly);

  erase_pod("q");  // Leaves no time.
  swap();
  run_until_idle();

  EXPECT_EQ(addresses_of(slice()), "10.0.0.1");
  EXPECT_EQ(slice().at({"metadata", "annotations", kTriggerTime}), nullptr);
}

TEST_F(SlicesHandOverTest, StateGoesRoundUnchangedAndGarbageChangesNothing) {
  start_with_two_pods();
  const std::string before = cluster().state_of(kController);
  EXPECT_THAT(before, HasSubstr(R"("generation":1)"));
  EXPECT_THAT(before, HasSubstr(R"("hinted":["t/s"])"));
  ASSERT_TRUE(cluster().give_state(kController, 1, before).ok());
  EXPECT_EQ(cluster().state_of(kController), before);

  const std::string rest = R"("triggers":[],"generations":[],)";
  const std::vector<std::string> garbage_of_all_kinds = {
      std::string(),
      std::string("[]"),
      std::string("{}"),
      R"({"triggers":[{}],"generations":[],"zones":{"allocated":[],"hinted":[]}})",
      R"({"triggers":[],"generations":[{"service":"t/s","slices":
               [{"uid":"u","generation":-2}]}],"zones":{"allocated":[],"hinted":[]}})",
      "{" + rest + R"("zones":[]})",
      "{" + rest + R"("zones":{"allocated":[],"hinted":[1]}})",
      "{" + rest + R"("zones":{"ratios":[{"zone":"za","ratio":"nan"}],"allocated":[],
               "hinted":[]}})",
      "{" + rest + R"("zones":{"allocated":[{"service":"t/s","type":"FQDN","zones":[]}],
               "hinted":[]}})",
      "{" + rest + R"("zones":{"allocated":[{"service":"t/s","type":"IPv4",
               "zones":[{"zone":"za","endpoints":-1}]}],"hinted":[]}})",
  };
  for (const std::string& garbage : garbage_of_all_kinds) {
    EXPECT_FALSE(cluster().give_state(kController, 1, garbage).ok()) << garbage;
  }
  for (std::size_t size = 0; size < before.size(); ++size) {
    EXPECT_FALSE(cluster().give_state(kController, 1, before.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(cluster().give_state(kController, 2, before).ok()) << "another form";
  EXPECT_EQ(cluster().state_of(kController), before);
}

class EndpointsHandOverTest : public EndpointsTest {};

TEST_F(EndpointsHandOverTest, TheFirstWriteOfTheNewBuildNamesItsOwnCause) {
  add_pod("p", "10.0.0.1");
  add_pod("q", "10.0.0.2");
  add_service();
  start();
  ASSERT_EQ(trigger(), kEarly);
  const std::string before = cluster().state_of(kController);
  ASSERT_TRUE(cluster().give_state(kController, 1, before).ok());
  EXPECT_EQ(cluster().state_of(kController), before);
  EXPECT_FALSE(cluster().give_state(kController, 1, R"({"triggers":[{"service":1}]})").ok());

  erase_pod("q");
  ASSERT_TRUE(cluster().swap(kController, &EndpointsController::open).ok());
  run_until_idle();

  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
  EXPECT_EQ(trigger(), "");
}

}  // namespace
}  // namespace davit::endpoint
