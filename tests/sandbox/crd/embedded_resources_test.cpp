#include "sandbox/crd/embedded_resources.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {
namespace {

/// The errors of an object with the embedded resource `v`, those of the list `all` and of the map
/// `named`.
std::vector<std::string> errors_of(const char* object) {
  constexpr const char* kEmbedded = R"({"type":"object","x-kubernetes-embedded-resource":true,
      "x-kubernetes-preserve-unknown-fields":true})";
  const Json embedded = json_literal(kEmbedded);
  Json schema = json_literal(R"({"type":"object","properties":{"all":{"type":"array"},
      "named":{"type":"object"}}})");
  schema["properties"].set("v", embedded);
  schema["properties"]["all"].set("items", embedded);
  schema["properties"]["named"].set("additionalProperties", embedded);
  FieldErrors errors;
  check_embedded_resources(json_literal(object), **compile_schema(schema), errors);
  std::vector<std::string> out;
  for (const FieldError& each : errors) out.push_back(each.field + ": " + each.message);
  return out;
}

using Lines = std::vector<std::string>;

TEST(EmbeddedResourcesTest, AResourceHasAVersionAndAKind) {
  EXPECT_EQ(errors_of(R"({"v":{"apiVersion":"apps/v1","kind":"Deployment"}})"), Lines());
  EXPECT_EQ(errors_of(R"({"v":{}})"),
            (Lines{"v.apiVersion: Required value", "v.kind: Required value"}));
  EXPECT_EQ(errors_of(R"({"v":{"apiVersion":"","kind":1}})"),
            (Lines{R"(v.apiVersion: Invalid value: "": must not be empty)",
                   "v.kind: Invalid value: 1: must be a string"}));
  EXPECT_EQ(
      errors_of(R"({"v":{"apiVersion":"a/b/c","kind":"B"}})"),
      (Lines{R"(v.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c)"}));
}

TEST(EmbeddedResourcesTest, AKindMayHaveCapitalLetters) {
  const Lines errors = errors_of(R"({"v":{"apiVersion":"v1","kind":"A_b"}})");

  ASSERT_EQ(errors.size(), 1U);
  EXPECT_TRUE(errors[0].starts_with(
      R"(v.kind: Invalid value: "A_b": may have mixed case, but should otherwise match: )"))
      << errors[0];
}

TEST(EmbeddedResourcesTest, TheMetadataIsCheckedWhereverTheResourceStands) {
  const std::string labelled =
      R"({"apiVersion":"v1","kind":"B","metadata":{"name":"A_","labels":{"a b":"c"}}})";

  for (const auto& [object, field] :
       {std::pair(R"({"v":)" + labelled + "}", "v.metadata.labels"),
        std::pair(R"({"all":[{"apiVersion":"v1","kind":"B"},)" + labelled + "]}",
                  "all[1].metadata.labels"),
        std::pair(R"({"named":{"x":)" + labelled + "}}", "named[x].metadata.labels")}) {
    const Lines errors = errors_of(object.c_str());
    ASSERT_EQ(errors.size(), 1U) << object;
    EXPECT_TRUE(errors[0].starts_with(std::string(field) + R"(: Invalid value: "a b": )"))
        << errors[0];
  }
}

TEST(EmbeddedResourcesTest, TheNamespaceIsALabel) {
  const Lines errors = errors_of(
      R"({"v":{"apiVersion":"v1","kind":"B","metadata":{"namespace":"A_","name":"a/b"}}})");

  ASSERT_EQ(errors.size(), 2U);
  EXPECT_TRUE(errors[0].starts_with("v.metadata.name: ")) << errors[0];
  EXPECT_TRUE(errors[1].starts_with("v.metadata.namespace: ")) << errors[1];
}

TEST(EmbeddedResourcesTest, MetadataOfTheWrongTypeIsRefused) {
  const Lines errors =
      errors_of(R"({"v":{"apiVersion":"v1","kind":"B","metadata":{"labels":{"a":1}}}})");

  ASSERT_EQ(errors.size(), 1U);
  EXPECT_TRUE(errors[0].starts_with("v.metadata: Invalid value: ")) << errors[0];
}

TEST(EmbeddedResourcesTest, TheCustomResourceItselfIsNotOne) {
  EXPECT_EQ(errors_of(R"({"metadata":{"labels":{"a b":"c"}}})"), Lines());
}

}  // namespace
}  // namespace davit::sandbox
