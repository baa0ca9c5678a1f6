#include "host/upstream/upstream_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;

UpstreamProcess process_of(const std::vector<std::string>& args) {
  return UpstreamProcess::of(read_command_line(args).flags);
}
bool runs(const std::vector<std::string>& args, std::string_view controller) {
  return process_of(args).runs(*find_upstream_controller(controller));
}

TEST(UpstreamProcessTest, ListOfControllersCountsAsUpstreamReadsIt) {
  EXPECT_TRUE(runs({}, "job-controller"));
  EXPECT_FALSE(runs({}, "token-cleaner-controller")) << "off by default";
  EXPECT_TRUE(runs({"--controllers=*,tokencleaner"}, "token-cleaner-controller"));
  EXPECT_FALSE(runs({"--controllers=*,-job"}, "job-controller"));
  EXPECT_TRUE(runs({"--controllers=job"}, "job-controller"));
  EXPECT_FALSE(runs({"--controllers=job"}, "cronjob-controller"));
}

TEST(UpstreamProcessTest, KeyAloneDecidesOnTheControllerOfTokens) {
  EXPECT_FALSE(runs({"--controllers=*"}, "serviceaccount-token-controller"));
  EXPECT_TRUE(runs({"--controllers=job", "--service-account-private-key-file=/sa.key"},
                   "serviceaccount-token-controller"));
  EXPECT_FALSE(runs({"--service-account-private-key-file="}, "serviceaccount-token-controller"));
}

TEST(UpstreamProcessTest, LeaseIsTheFlagsOrTheDefault) {
  EXPECT_EQ(process_of({}).lease, "kube-controller-manager");
  EXPECT_EQ(process_of({"--leader-elect-resource-name=other"}).lease, "other");
  EXPECT_FALSE(process_of({"--leader-elect=false"}).elects);
  EXPECT_THAT(process_of({"--controllers=-podgc,mine"}).controllers,
              ElementsAre("-pod-garbage-collector-controller", "mine"));
}

}  // namespace
}  // namespace davit::host
