#include "sandbox/kinds/metadata.hpp"

#include <gtest/gtest.h>

#include "tests/sandbox/kinds/rule_cases.hpp"

namespace davit::sandbox {
namespace {

const RuleCase kMetadataCases[] = {
    {R"({})", ""},
    {"{\"metadata\":{\"name\":null}}",
     "metadata.name: Required value: name or generateName is required"},
    {"{\"metadata\":{\"namespace\":\"a.b\"}}",
     "metadata.namespace: Invalid value: \"a.b\": must not contain dots"},
    {R"({"metadata":{"generateName":"a-"}})", ""},
    {R"({"metadata":{"labels":{"a/":""}}})",
     "metadata.labels: Invalid value: \"a/\": name part must be non-empty\n"
     "metadata.labels: Invalid value: \"a/\": name part must consist of alphanumeric characters, "
     "'-', '_' or '.', "
     "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
     "'123-abc', regex used "
     "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
    {R"({"metadata":{"annotations":{"Example.com/A":"x"}}})", ""},
    {R"({"metadata":{"finalizers":["kubernetes","a.b/c"]}})", ""},
    {R"({"metadata":{"finalizers":["bad"]}})",
     "metadata.finalizers[0]: Invalid value: \"bad\": name is neither a standard finalizer name "
     "nor is it fully qualified"},
    {R"({"metadata":{"finalizers":["orphan","foregroundDeletion"]}})",
     "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan "
     "and foregroundDeletion cannot be both set"},
    {R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p"}]}})",
     R"(metadata.ownerReferences.uid: Invalid value: "": must not be empty)"},
    {R"({"metadata":{"ownerReferences":[{"uid":"u"}]}})",
     "metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty\n"
     "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty\n"
     "metadata.ownerReferences.name: Invalid value: \"\": must not be empty"},
};

constexpr std::string_view kObject =
    "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\"}}";

TEST(MetadataTest, RulesOfNewObjectsAreThoseOfTheRealServer) {
  const ResourcePtr kind = find_builtin("v1", "LimitRange");
  for (const RuleCase& each : kMetadataCases) {
    EXPECT_EQ(to_lines(kind->rules->validate_create(merged(kObject, each.patch))), each.lines)
        << each.patch;
  }
}

TEST(MetadataTest, OnlyOneOwnerControls) {
  const Json object = merged(kObject, R"({"metadata":{"ownerReferences":[
      {"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},
      {"apiVersion":"v1","kind":"B","name":"b","uid":"2","controller":true}]}})");

  const FieldErrors errors = find_builtin("v1", "LimitRange")->rules->validate_create(object);

  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].field, "metadata.ownerReferences");
  EXPECT_NE(errors[0].message.find("Only one reference can have Controller set to true. Found "
                                   "\"true\" in references for A/a and B/b"),
            std::string::npos);
}

TEST(MetadataTest, AnnotationsHaveALimitInAll) {
  Json object = json_literal(kObject);
  object["metadata"]["annotations"]["a"] = std::string(kAnnotationsBytesMax, 'x');

  EXPECT_EQ(to_lines(find_builtin("v1", "LimitRange")->rules->validate_create(object)),
            "metadata.annotations: Too long: may not be more than 262144 bytes");
}

TEST(MetadataTest, ClusterScopedObjectsHaveNoNamespace) {
  const ResourcePtr kind = find_builtin("scheduling.k8s.io/v1", "PriorityClass");

  const FieldErrors errors = kind->rules->validate_create(json_literal(kObject));

  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors.front().field, "metadata.namespace");
  EXPECT_EQ(errors.front().message, "Forbidden: not allowed on this type");
}

const RuleCase kMetadataUpdateCases[] = {
    {R"({"metadata":{"labels":{"a":"b"},"generateName":"x"}})", ""},
    {"{\"metadata\":{\"uid\":\"1\"}}", "metadata.uid: Invalid value: \"1\": field is immutable"},
    {"{\"metadata\":{\"name\":\"b\"}}", "metadata.name: Invalid value: \"b\": field is immutable"},
    {R"({"metadata":{"finalizers":["a/b"]}})", ""},
    {R"({"metadata":{"finalizers":["a/c","a/b"]}})",
     "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
     "deleted, found new finalizers []string{\"a/c\"}"},
};

TEST(MetadataTest, RulesOfUpdatesAreThoseOfTheRealServer) {
  const ResourcePtr kind = find_builtin("v1", "LimitRange");
  const std::string_view kDeleting =
      R"({"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["a/b","a/d"]})";
  for (const RuleCase& each : kMetadataUpdateCases) {
    Json old = json_literal(kObject);
    merge(old["metadata"], json_literal(kDeleting));
    Json object = old;
    merge(object, json_literal(each.patch));
    EXPECT_EQ(to_lines(kind->rules->validate_update(object, old, UpdateTarget::kObject)),
              each.lines)
        << each.patch;
  }
}

const RuleCase kSelectorCases[] = {
    {R"({"matchLabels":{"a":"b"}})", ""},
    {R"({"matchExpressions":[{"key":"a","operator":"In"}]})",
     "s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or "
     "'NotIn'"},
    {R"({"matchExpressions":[{"key":"a","operator":"Exists","values":["x"]}]})",
     "s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or "
     "'DoesNotExist'"},
    {R"({"matchExpressions":[{"key":"a","operator":"Foo"}]})",
     "s.matchExpressions[0].operator: Invalid value: \"Foo\": not a valid selector operator"},
};

TEST(MetadataTest, LabelSelectorsAreChecked) {
  for (const RuleCase& each : kSelectorCases) {
    FieldErrors errors;
    check_label_selector(json_literal(each.patch), FieldPath("s"), errors);
    EXPECT_EQ(to_lines(errors), each.lines) << each.patch;
  }
}

TEST(MetadataTest, LabelSelectorsMatch) {
  const Json labels = json_literal(R"({"a":"b","c":"d"})");
  const auto matches = [&](std::string_view selector) {
    return selector_matches(json_literal(selector), labels);
  };

  EXPECT_TRUE(matches("{}"));
  EXPECT_FALSE(matches("null"));
  EXPECT_TRUE(matches(R"({"matchLabels":{"a":"b"}})"));
  EXPECT_FALSE(matches(R"({"matchLabels":{"a":"x"}})"));
  EXPECT_TRUE(matches(
      "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"x\",\"b\"]}]}"));
  EXPECT_TRUE(matches(
      "{\"matchExpressions\":[{\"key\":\"z\",\"operator\":\"NotIn\",\"values\":[\"x\"]}]}"));
  EXPECT_TRUE(matches(R"({"matchExpressions":[{"key":"z","operator":"DoesNotExist"}]})"));
  EXPECT_FALSE(matches(R"({"matchExpressions":[{"key":"z","operator":"Exists"}]})"));
}

}  // namespace
}  // namespace davit::sandbox
