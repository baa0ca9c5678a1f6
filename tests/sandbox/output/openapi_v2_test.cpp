#include "sandbox/output/openapi_v2.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <protozero/pbf_reader.hpp>

#include "sandbox/kinds/resource.hpp"
#include "sandbox/output/openapi.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

/// The texts of a message's length-delimited fields, by number.
std::multimap<std::uint32_t, std::string> texts_of(const std::string& message) {
  std::multimap<std::uint32_t, std::string> out;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    const std::uint32_t number = reader.tag();  // Reading the value forgets it.
    out.emplace(number, reader.get_string());
  }
  return out;
}

std::string text_of(const std::string& message, std::uint32_t number) {
  const auto fields = texts_of(message);
  const auto found = fields.find(number);
  return found == fields.end() ? "(none)" : found->second;
}

/// The value of `name` in a list of named pairs.
std::string named(const std::string& list, std::uint32_t entry, const std::string& name) {
  for (const auto& [number, pair] : texts_of(list)) {
    if (number == entry && text_of(pair, 1) == name) return text_of(pair, 2);
  }
  ADD_FAILURE() << "no " << name;
  return "";
}

Json definition_of(const std::string& schema) {
  Json schemas = Json::object();
  schemas.set("a.Widget", json_literal(schema));
  const Json document = openapi_v2_document(Json::object(), schemas);
  return document.get("definitions").get("a.Widget");
}

TEST(OpenApiV2Test, OldAndNewNamesOfTheProtobufFormAreTakenAndJsonIsTheDefault) {
  const auto protobuf = OpenApiV2Form::kProtobuf;
  EXPECT_EQ(negotiate_openapi_v2("application/com.github.proto-openapi.spec.v2@v1.0+protobuf"),
            protobuf);
  EXPECT_EQ(negotiate_openapi_v2("application/com.github.proto-openapi.spec.v2.v1.0+protobuf"),
            protobuf);
  EXPECT_EQ(negotiate_openapi_v2("application/json"), OpenApiV2Form::kJson);
  EXPECT_EQ(negotiate_openapi_v2(""), OpenApiV2Form::kJson);
  EXPECT_EQ(negotiate_openapi_v2("text/html"), std::nullopt);
}

// The numbers are those of a document that kube-apiserver sends.
TEST(OpenApiV2Test, ProtobufHasTheFieldNumbersOfGnostic) {
  Json schemas = Json::object();
  schemas.set("a.Widget",
              json_literal(R"({"type":"object","description":"D","required":["size"],"properties":)"
                           R"({"size":{"type":"integer","format":"int32"},"list":{"type":"array",)"
                           R"("items":{"type":"string"},"x-kubernetes-list-type":"set"},)"
                           R"("map":{"type":"object","additionalProperties":{"$ref":)"
                           R"("#/components/schemas/a.Other"}}}})"));
  const std::string document = openapi_v2_protobuf(openapi_v2_document(Json::object(), schemas));

  EXPECT_EQ(text_of(document, 1), "2.0");
  const std::string widget = named(text_of(document, 9), 1, "a.Widget");
  EXPECT_EQ(text_of(widget, 4), "D");
  EXPECT_EQ(text_of(widget, 19), "size");
  EXPECT_EQ(text_of(text_of(widget, 22), 1), "object");
  const std::string properties = text_of(widget, 25);
  EXPECT_EQ(text_of(named(properties, 1, "size"), 2), "int32");
  const std::string list = named(properties, 1, "list");
  EXPECT_EQ(text_of(text_of(text_of(text_of(list, 23), 1), 22), 1), "string");
  EXPECT_EQ(text_of(text_of(list, 31), 1), "x-kubernetes-list-type");
  EXPECT_EQ(text_of(text_of(text_of(list, 31), 2), 2), "\"set\"");
  EXPECT_EQ(text_of(text_of(text_of(named(properties, 1, "map"), 21), 1), 1),
            "#/definitions/a.Other");
}

TEST(OpenApiV2Test, PathsNameTheParametersThatOldClientsLookFor) {
  std::vector<ResourcePtr> resources = builtin_resources();
  const Json v3 = openapi_document(resources, "apps/v1", Json::object());
  const std::string document =
      openapi_v2_protobuf(openapi_v2_document(v3.get("paths"), Json::object()));

  const std::string item =
      named(text_of(document, 8), 2, "/apis/apps/v1/namespaces/{namespace}/deployments/{name}");
  const std::string patch = text_of(item, 8);
  std::vector<std::string> parameters;
  for (const auto& [number, each] : texts_of(patch)) {
    if (number != 8) continue;
    const std::string query = text_of(text_of(text_of(each, 1), 2), 3);
    EXPECT_EQ(text_of(query, 2), "query");
    parameters.push_back(text_of(query, 4));
  }
  EXPECT_THAT(parameters, ElementsAre("dryRun", "fieldValidation"));
}

TEST(OpenApiV2Test, ListsOfAnythingHaveTheirOneEmptyItemInProtobuf) {
  Json schemas = Json::object();
  schemas.set("a.Widget", json_literal(R"({"type":"array","items":{}})"));
  const std::string document = openapi_v2_protobuf(openapi_v2_document(Json::object(), schemas));

  const std::string widget = named(text_of(document, 9), 1, "a.Widget");
  EXPECT_EQ(text_of(text_of(widget, 23), 1), "") << "old kubectl wants exactly one item";
}

TEST(OpenApiV2Test, WhatVersionTwoCannotSayIsLeftOut) {
  const Json widget = definition_of(
      R"({"type":"object","properties":{"maybe":{"type":"string","nullable":true},)"
      R"("free":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],)"
      R"("x-kubernetes-preserve-unknown-fields":true},"color":{"type":"string","default":"red",)"
      R"("enum":["red","blue"]},"either":{"type":"object","oneOf":[{"required":["x"]}]}}})");

  EXPECT_EQ(to_text(widget.get("properties")),
            R"({"maybe":{},"free":{"x-kubernetes-preserve-unknown-fields":true},)"
            R"("color":{"type":"string","enum":["red","blue"]},"either":{"type":"object"}})");
}

}  // namespace
}  // namespace davit::sandbox
