// OpenAPI v2 documents of several servers in one, as kube-openapi/pkg/aggregator merges them.
#include "sandbox/aggregation/merged_openapi.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::sandbox {
namespace {

Json own_document() {
  return json_literal(R"({"swagger":"2.0","paths":{"/apis/apps/v1/":{"get":{}}},"definitions":{
      "Meta":{"type":"object"},
      "Time":{"format":"date-time","x-kubernetes-group-version-kind":[
        {"group":"","kind":"T","version":"v1"}]}}})");
}

/// A document whose path `path` refers to the definition `name`, which has this text.
Json other_document(const std::string& path, const std::string& name,
                    const std::string& definition) {
  return json_literal(R"({"paths":{")" + path + R"(":{"get":{"schema":{"$ref":"#/definitions/)" +
                      name + R"("}}}},"definitions":{")" + name + "\":" + definition + "}}");
}

std::string reference_at(const Json& document, const std::string& path) {
  return document.text_at({"paths", path, "get", "schema", "$ref"});
}

TEST(MergedOpenApiTest, OnlyWhatThePathsReferToIsKept) {
  const Json document = json_literal(R"({"swagger":"2.0","paths":{
      "/apis/a/v1/x":{"parameters":[{"$ref":"#/parameters/p"}],
                      "get":{"schema":{"items":{"$ref":"#/definitions/A"}}}},
      "/apis/a/v10/x":{"get":{"schema":{"$ref":"#/definitions/D"}}}},
      "definitions":{"A":{"properties":{"b":{"$ref":"#/definitions/B"}}},
                     "B":{"properties":{"a":{"$ref":"#/definitions/A"},
                                        "c":{"$ref":"#/definitions/missing"}}},
                     "C":{},"D":{}},
      "parameters":{"p":{"name":"p"},"q":{"name":"q"}}})");

  const std::optional<Json> below = openapi_below(document, "/apis/a/v1/");

  ASSERT_TRUE(below.has_value());
  EXPECT_EQ(below->get("paths").size(), 1U);
  EXPECT_TRUE(below->get("definitions").contains("A"));
  EXPECT_TRUE(below->get("definitions").contains("B"));
  EXPECT_EQ(below->get("definitions").size(), 2U);
  EXPECT_EQ(below->get("parameters").size(), 1U);
}

TEST(MergedOpenApiTest, WhatIsNoDocumentIsRefused) {
  for (const char* text : {"[]", "7", R"({"paths":[]})", R"({"paths":{"/apis/a/v1/x":7}})",
                           R"({"definitions":{"A":[]}})", R"({"parameters":"p"})"}) {
    EXPECT_EQ(openapi_below(json_literal(text), "/apis/"), std::nullopt) << text;
  }
  EXPECT_TRUE(openapi_below(json_literal("{}"), "/apis/").has_value());
}

TEST(MergedOpenApiTest, AnEqualDefinitionIsShared) {
  Json document = own_document();
  merge_openapi(document, other_document("/x", "Meta", R"({"type":"object"})"));
  EXPECT_EQ(reference_at(document, "/x"), "#/definitions/Meta");
  EXPECT_EQ(document.get("definitions").size(), 2U);
}

TEST(MergedOpenApiTest, AnotherDefinitionOfTheNameGetsANumber) {
  Json document = own_document();
  merge_openapi(document, other_document("/x", "Meta", R"({"type":"string"})"));
  merge_openapi(document, other_document("/y", "Meta", R"({"type":"number"})"));
  merge_openapi(document, other_document("/z", "Meta", R"({"type":"string"})"));
  EXPECT_EQ(reference_at(document, "/x"), "#/definitions/Meta_v2");
  EXPECT_EQ(reference_at(document, "/y"), "#/definitions/Meta_v3");
  EXPECT_EQ(reference_at(document, "/z"), "#/definitions/Meta_v2") << "an equal one is used again";
  EXPECT_EQ(document.text_at({"definitions", "Meta", "type"}), "object");
  EXPECT_EQ(document.text_at({"definitions", "Meta_v3", "type"}), "number");
}

TEST(MergedOpenApiTest, ANumberThatTheOtherDocumentUsesIsLeftOut) {
  Json document = own_document();
  Json other =
      other_document("/x", "Meta", R"({"properties":{"a":{"$ref":"#/definitions/Meta_v2"}}})");
  other["definitions"].set("Meta_v2", Json::object({{"type", "integer"}}));
  merge_openapi(document, other);
  EXPECT_EQ(reference_at(document, "/x"), "#/definitions/Meta_v3");
  EXPECT_EQ(document.text_at({"definitions", "Meta_v3", "properties", "a", "$ref"}),
            "#/definitions/Meta_v2");
  EXPECT_EQ(document.text_at({"definitions", "Meta_v2", "type"}), "integer");
}

TEST(MergedOpenApiTest, KindsOfOneDefinitionAreJoined) {
  Json document = own_document();
  merge_openapi(document,
                other_document("/x", "Time",
                               R"({"format":"date-time","x-kubernetes-group-version-kind":[
                         {"group":"a","kind":"T","version":"v1"},
                         {"group":"","kind":"T","version":"v1"}]})"));
  EXPECT_EQ(reference_at(document, "/x"), "#/definitions/Time");
  EXPECT_EQ(to_text(document.get("definitions").get("Time").get("x-kubernetes-group-version-kind")),
            R"([{"group":"","kind":"T","version":"v1"},{"group":"a","kind":"T","version":"v1"}])");
}

TEST(MergedOpenApiTest, APathThatIsThereStays) {
  Json document = own_document();
  Json other = other_document("/apis/apps/v1/", "Evil", "{}");
  merge_openapi(document, other);
  EXPECT_EQ(document, own_document());

  other["paths"].set("/y", Json::object({{"get", Json::object()}}));
  merge_openapi(document, other);
  EXPECT_NE(document.at({"paths", "/y"}), nullptr);
  EXPECT_FALSE(document.get("definitions").contains("Evil")) << "no path that stays uses it";
}

}  // namespace
}  // namespace davit::sandbox
