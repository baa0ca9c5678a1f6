#include "plugins/shared/pods/pod_body.hpp"

#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>

namespace davit::pods {
namespace {

using testing::Json;

TEST(PodNamePrefixTest, IsTheOwnersNameAndADash) {
  EXPECT_EQ(pod_name_prefix("web"), "web-");
  EXPECT_EQ(pod_name_prefix("w"), "w-");
  EXPECT_EQ(pod_name_prefix("web.v2"), "web.v2-");
  EXPECT_EQ(pod_name_prefix(std::string(253, 'a')), std::string(253, 'a') + "-");
}

TEST(PodNamePrefixTest, HasNoDashWhereNoPodNameCouldBeginSo) {
  EXPECT_EQ(pod_name_prefix("Web"), "Web");
  EXPECT_EQ(pod_name_prefix(std::string(254, 'a')), std::string(254, 'a'));
  EXPECT_EQ(pod_name_prefix("-web"), "-web");
  EXPECT_EQ(pod_name_prefix("a..b"), "a..b");
}

class PodBodyTest : public ::testing::Test {
 protected:
  [[nodiscard]] Json body(std::string_view pod_template, const PodMetadata& metadata,
                          std::span<const Replacement> spec = {}) {
    const OwnerIdentity owner{"batch/v1", "Job", "sum", "u1"};
    return Json::must(pod_body(cluster_.value(pod_template), metadata, owner, spec));
  }

  testing::Cluster cluster_;
};

TEST_F(PodBodyTest, TakesLabelsAnnotationsFinalizersAndSpecFromTheTemplateAndNothingElse) {
  EXPECT_EQ(body(R"({"metadata":{"name":"x","namespace":"y","labels":{"a":"1"},
                     "annotations":{"b":"2"},"finalizers":["c/d"]},"spec":{"unknown":[1]}})",
                 {.generate_name = "sum-"}),
            Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"sum-",
              "labels":{"a":"1"},"annotations":{"b":"2"},"finalizers":["c/d"],
              "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"sum","uid":"u1",
                "controller":true,"blockOwnerDeletion":true}]},"spec":{"unknown":[1]}})"));
}

TEST_F(PodBodyTest, WhatTheControllerAddsWinsOverTheTemplate) {
  const Json pod = body(R"({"metadata":{"labels":{"a":"1","b":"1"},"finalizers":["x/y"]}})",
                        {.name = "sum-0",
                         .labels = {{"b", "2"}},
                         .annotations = {{"index", "0"}},
                         .finalizers = {"x/y", "batch/tracking"}});
  const Json& metadata = *pod.find("metadata");
  EXPECT_EQ(*metadata.find("name"), Json::must(R"("sum-0")"));
  EXPECT_EQ(metadata.find("generateName"), nullptr);
  EXPECT_EQ(*metadata.find("labels"), Json::must(R"({"a":"1","b":"2"})"));
  EXPECT_EQ(*metadata.find("annotations"), Json::must(R"({"index":"0"})"));
  EXPECT_EQ(*metadata.find("finalizers"), Json::must(R"(["x/y","batch/tracking"])"));
}

TEST_F(PodBodyTest, ReplacedMembersOfTheSpecStandAloneAndAnEmptyFunctionLeavesOneOut) {
  const std::vector<Replacement> spec = {{"hostname", [](JsonWriter& out) { out.string("sum-0"); }},
                                         {"nodeName", {}}};
  EXPECT_EQ(
      *body(R"({"spec":{"hostname":"h","nodeName":"n","x":{"y":null}}})", {}, spec).find("spec"),
      Json::must(R"({"x":{"y":null},"hostname":"sum-0"})"));
}

}  // namespace
}  // namespace davit::pods
