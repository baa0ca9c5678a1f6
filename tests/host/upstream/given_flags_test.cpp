#include "host/upstream/given_flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "name=value,value" for each flag.
std::vector<std::string> read(const std::vector<std::string>& args) {
  const GivenFlags given = read_command_line(args);
  EXPECT_THAT(given.problems, IsEmpty());
  std::vector<std::string> out;
  for (const GivenFlag& each : given.flags) {
    std::string line = std::string(each.found.flag->name) + "=";
    for (const std::string& value : each.values) line += (line.ends_with('=') ? "" : ",") + value;
    out.push_back(line);
  }
  return out;
}

TEST(GivenFlagsTest, FlagsAreReadAsPflagDoes) {
  EXPECT_THAT(read({"/usr/bin/kube-controller-manager", "--leader-elect", "--kube-api-qps", "5",
                    "--kube_api_burst=7", "-v=2", "--controllers=a,b", "--controllers", "-c",
                    "--master=", "--terminated-pod-gc-threshold", "-1"}),
              ElementsAre("leader-elect=true", "kube-api-qps=5", "kube-api-burst=7", "v=2",
                          "controllers=a,b,-c", "master=", "terminated-pod-gc-threshold=-1"));
  EXPECT_THAT(read({"-v2"}), ElementsAre("v=2"));
  EXPECT_THAT(read({"-v", "3"}), ElementsAre("v=3"));
  EXPECT_THAT(read({"--leader-elect=false", "--concurrent_rc_syncs=4"}),
              ElementsAre("leader-elect=false", "concurrent-rc-syncs=4"));
}

TEST(GivenFlagsTest, WhatCannotBeReadIsReported) {
  EXPECT_THAT(
      read_command_line({"kube-controller-manager", "x", "--leader-elekt", "--master"}).problems,
      ElementsAre("not a flag of kube-controller-manager: \"x\"",
                  "unknown flag: --leader-elekt; did you mean --leader-elect?",
                  "flag needs an argument: --master"));
}

}  // namespace
}  // namespace davit::host
