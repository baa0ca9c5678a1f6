#include "host/plugin/cloud_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace davit::host {
namespace {

using ::testing::HasSubstr;

TEST(CloudAnswersTest, FactsOfAMachineMayHaveEachKnownMember) {
  EXPECT_TRUE(check_machine_metadata("{}").ok());
  EXPECT_TRUE(check_machine_metadata(
                  R"({"providerID":"t://1","instanceType":"big","zone":"eu west","region":"r",)"
                  R"("nodeAddresses":[{"type":"InternalIP","address":"10.0.0.4"},)"
                  R"({"type":"ExternalIP","address":"fd00::1"},)"
                  R"({"type":"Hostname","address":"n1"}],"additionalLabels":{"a":"b"}})")
                  .ok());
}

TEST(CloudAnswersTest, WrongFactsAreRefusedWithTheirPlace) {
  struct Case {
    std::string text;
    std::string place;
  };
  const Case cases[] = {
      {"", "line 1"},
      {"[]", "metadata: must be an object"},
      {R"({"providerId":"t://1"})", "metadata.providerId: is not known"},
      {R"({"zone":1})", "metadata.zone: must be a string"},
      {R"({"additionalLabels":{"a":1}})", "additionalLabels.a: must be a string"},
      {R"({"additionalLabels":[]})", "additionalLabels: must be an object"},
      {R"({"nodeAddresses":{}})", "nodeAddresses: must be a list"},
      {R"({"nodeAddresses":[{"type":"InternalIP"}]})", "nodeAddresses[0].address: is missing"},
      {R"({"nodeAddresses":[{"type":"Home","address":"x"}]})", "nodeAddresses[0].type: "},
      {R"({"nodeAddresses":[{"type":"InternalIP","address":"010.0.0.1"}]})",
       "nodeAddresses[0].address: "},
      {R"({"nodeAddresses":[{"type":"ExternalIP","address":"::ffff:10.0.0.1"}]})",
       "nodeAddresses[0].address: "},
  };
  for (const Case& each : cases) {
    const Status checked = check_machine_metadata(each.text);
    EXPECT_EQ(checked.code(), Code::kInvalid) << each.text;
    EXPECT_THAT(checked.message(), HasSubstr("the provider's answer is not valid: " + each.place));
  }
}

TEST(CloudAnswersTest, RoutesOfOthersMayHaveAnyDestination) {
  EXPECT_TRUE(check_route_list("[]").ok());
  EXPECT_TRUE(
      check_route_list(R"([{"name":"r","targetNode":"n1","enableNodeAddresses":true,)"
                       R"("targetNodeAddresses":[{"type":"InternalIP","address":"10.0.0.4"}],)"
                       R"("destinationCIDR":"10.244.1.0/24","blackhole":false},)"
                       R"({"destinationCIDR":"junk"}])")
          .ok());
}

TEST(CloudAnswersTest, WrongRoutesAreRefusedWithTheirPlace) {
  struct Case {
    std::string text;
    std::string place;
  };
  const Case cases[] = {
      {"", "line 1"},
      {"{}", "routes: must be a list"},
      {"[1]", "routes[0]: must be an object"},
      {R"([{},{"node":"n1"}])", "routes[1].node: is not known"},
      {R"([{"targetNode":1}])", "routes[0].targetNode: must be a string"},
      {R"([{"blackhole":"true"}])", "routes[0].blackhole: must be true or false"},
      {R"([{"targetNodeAddresses":[{}]}])", "routes[0].targetNodeAddresses[0].address: is missing"},
  };
  for (const Case& each : cases) {
    const Status checked = check_route_list(each.text);
    EXPECT_EQ(checked.code(), Code::kInvalid) << each.text;
    EXPECT_THAT(checked.message(), HasSubstr("the provider's answer is not valid: " + each.place));
  }
}

}  // namespace
}  // namespace davit::host
