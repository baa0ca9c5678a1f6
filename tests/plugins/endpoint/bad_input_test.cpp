/// Services and pods that no API server accepts: reported with their names, and everything else
/// continues.
#include <gtest/gtest.h>

#include <algorithm>

#include "plugins/endpoint/endpoints_controller.hpp"
#include "plugins/endpoint/endpointslice_controller.hpp"
#include "tests/plugins/endpoint/slices_fixture.hpp"

namespace davit::endpoint {
namespace {

struct Mistake {
  const char* name;
  const char* service;  ///< Merge patches.
  const char* pod;
  const char* told;    ///< The object that the log names; "" when it is no mistake.
  const char* listed;  ///< The addresses in the slices of the Service.
};

constexpr Mistake kMistakes[] = {
    {"NoPorts", R"({"spec":{"ports":null}})", "{}", "", "10.0.0.1"},
    {"APortThatNoPodHas",
     R"({"spec":{"ports":[{"name":"x","port":1,"targetPort":"none","protocol":"TCP"}]}})", "{}", "",
     "10.0.0.1"},
    {"PortsAsText", R"({"spec":{"ports":"http"}})", "{}", "t/s", "10.0.0.1"},
    {"ATargetOfNoKind", R"({"spec":{"ports":[{"name":"x","port":1,"targetPort":{}}]}})", "{}",
     "t/s", "10.0.0.1"},
    {"APortThatIsNoObject", R"({"spec":{"ports":[7]}})", "{}", "t/s", "10.0.0.1"},
    {"FamiliesAsText", R"({"spec":{"ipFamilies":"IPv4"}})", "{}", "t/s", "10.0.0.1"},
    {"ASelectorAsText", R"({"spec":{"selector":"app"}})", "{}", "t/s", ""},
    {"NoAddress", "{}", R"({"status":{"podIP":null,"podIPs":null}})", "", ""},
    {"AWrongAddress", "{}", R"({"status":{"podIPs":[{"ip":"10.0.0.256"}]}})", "t/p", ""},
    {"AddressesAsText", "{}", R"({"status":{"podIPs":"10.0.0.1"}})", "t/p", ""},
    {"AddressesThatAreNoObjects", "{}", R"({"status":{"podIPs":["10.0.0.1"]}})", "t/p", ""},
    {"ConditionsAsText", "{}", R"({"status":{"conditions":"Ready"}})", "", "10.0.0.1"},
    {"ContainersAsNumber", "{}", R"({"spec":{"containers":5}})", "", "10.0.0.1"},
    {"ANodeThatDoesNotExist", "{}", R"({"spec":{"nodeName":"gone"}})", "", ""},
};

class BadInputTest : public SlicesTest, public ::testing::WithParamInterface<Mistake> {
 protected:
  [[nodiscard]] bool log_names(const std::string& object) const {
    const auto& log = cluster().log();
    return std::any_of(log.begin(), log.end(), [&](const auto& record) {
      return std::any_of(record.fields.begin(), record.fields.end(),
                         [&](const auto& field) { return field.second == object; });
    });
  }
};

TEST_P(BadInputTest, IsReportedAndHindersNoOther) {
  add_service(GetParam().service);
  add_pod("p", "10.0.0.1", GetParam().pod);
  add_service(R"({"spec":{"selector":{"app":"b"}}})", "sound");
  add_pod("q", "10.0.0.2", R"({"metadata":{"labels":{"app":"b"}}})");

  const Status endpoints = cluster().start("endpoints-controller", &EndpointsController::open);
  ASSERT_TRUE(endpoints.ok()) << endpoints.message();
  start();

  std::string listed;
  for (const Json& each : slices("s")) listed += addresses_of(each);
  EXPECT_EQ(listed, GetParam().listed);
  if (*GetParam().told != '\0') {
    EXPECT_TRUE(log_names(GetParam().told));
  }
  EXPECT_EQ(addresses_of(slice("sound")), "10.0.0.2");
  EXPECT_EQ(items(cluster().json<Endpoints>({"t", "sound"}), "subsets").size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Objects, BadInputTest, ::testing::ValuesIn(kMistakes),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace davit::endpoint
