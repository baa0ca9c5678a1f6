#include "host/upstream/static_pod.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(StaticPodTest, CommandAndArgumentsOfTheContainerAreJoined) {
  const auto line = command_line_of_pod(R"(
kind: Pod
spec:
  containers:
  - name: other
    command: [x]
  - name: kube-controller-manager
    command: [kube-controller-manager]
    args: ["--master=https://$(HOST):6443", --cluster-name=a$$b]
    env: [{name: HOST, value: m}]
)",
                                        "pod.yaml");
  ASSERT_TRUE(line) << line.error().message();
  EXPECT_THAT(*line, ElementsAre("kube-controller-manager", "--master=https://m:6443",
                                 "--cluster-name=a$b"));
}

TEST(StaticPodTest, AWorkloadHasItsContainerInTheTemplate) {
  const auto line = command_line_of_pod(
      "kind: Deployment\nspec: {template: {spec: {containers: [{name: kube-controller-manager, "
      "args: [--leader-elect]}]}}}\n",
      "d.yaml");
  ASSERT_TRUE(line) << line.error().message();
  EXPECT_THAT(*line, ElementsAre("kube-controller-manager", "--leader-elect"));
}

TEST(StaticPodTest, EachMistakeHasItsPlace) {
  const auto mistake = [](const std::string& container) {
    const auto line =
        command_line_of_pod("spec:\n  containers:\n  - " + container + "\n", "p.yaml");
    return line ? std::string("no mistake") : line.error().message();
  };
  EXPECT_THAT(mistake("name: x"), HasSubstr("a container named kube-controller-manager"));
  EXPECT_THAT(mistake("{name: kube-controller-manager, command: [/bin/sh, -c, kcm]}"),
              HasSubstr("p.yaml:3:5: the container runs a shell (/bin/sh)"));
  EXPECT_THAT(mistake("{name: kube-controller-manager, args: [\"--v=$(LEVEL)\"]}"),
              HasSubstr("the value of the variable \"LEVEL\" is not in this file"));
  EXPECT_THAT(mistake("{name: kube-controller-manager, command: x}"),
              HasSubstr("command must be a list"));
  EXPECT_THAT(mistake("{"), HasSubstr("p.yaml:"));
}

}  // namespace
}  // namespace davit::host
