#include "lib/kube/patch/field_set.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

FieldSet set_of(const char* fields) { return parse_fields(json_literal(fields)).value(); }

constexpr const char* kContainers =
    R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{}}}}})";

TEST(FieldSetTest, FieldsSurviveTheWayThereAndBack) {
  EXPECT_EQ(to_fields(set_of(kContainers)), json_literal(kContainers));
}

TEST(FieldSetTest, PathsAreShownAsMessagesShowThem) {
  const FieldSet set = set_of(R"({"f:a":{"f:z":{}},"f:b":{},"f:l":{"k:{\"n\":\"x\",\"p\":80}":{},
      "v:\"q\"":{},"i:3":{}}})");

  EXPECT_EQ(path_texts(set),
            (std::vector<std::string>{".b", ".a.z", ".l[3]", ".l[n=\"x\",p=80]", ".l[=\"q\"]"}));
}

TEST(FieldSetTest, KeysOfNoKnownFormAreRefused) {
  for (const char* fields : {R"({"x":{}})", R"({"g:x":{}})", R"({"k:x":{}})", R"({"k:1":{}})",
                             R"({"v:x":{}})", R"({"i:x":{}})", R"({"f:a":1})", "[]"}) {
    EXPECT_FALSE(parse_fields(json_literal(fields))) << fields;
  }
}

struct Case {
  const char* a;
  const char* b;
  const char* united;
  const char* common;
  const char* rest;
};

constexpr Case kCases[] = {
    {R"({"f:a":{},"f:b":{}})", R"({"f:b":{},"f:c":{}})", R"({"f:a":{},"f:b":{},"f:c":{}})",
     R"({"f:b":{}})", R"({"f:a":{}})"},
    {R"({"f:a":{".":{},"f:x":{}}})", R"({"f:a":{}})", R"({"f:a":{".":{},"f:x":{}}})",
     R"({"f:a":{}})", R"({"f:a":{"f:x":{}}})"},
    {R"({"f:a":{}})", R"({"f:a":{"f:x":{}}})", R"({"f:a":{".":{},"f:x":{}}})", R"({})",
     R"({"f:a":{}})"},
    {R"({"f:a":{"f:x":{}}})", R"({"f:a":{"f:x":{}}})", R"({"f:a":{"f:x":{}}})",
     R"({"f:a":{"f:x":{}}})", R"({})"},
    {R"({"f:a":{"f:x":{},"f:y":{}}})", R"({"f:b":{}})", R"({"f:a":{"f:x":{},"f:y":{}},"f:b":{}})",
     R"({})", R"({"f:a":{"f:x":{},"f:y":{}}})"},
};

TEST(FieldSetTest, SetOperationsFollowTheTable) {
  for (const Case& each : kCases) {
    const FieldSet a = set_of(each.a);
    const FieldSet b = set_of(each.b);
    EXPECT_EQ(union_of(a, b), set_of(each.united)) << each.a << each.b;
    EXPECT_EQ(intersection_of(a, b), set_of(each.common)) << each.a << each.b;
    EXPECT_EQ(difference_of(a, b), set_of(each.rest)) << each.a << each.b;
  }
}

TEST(FieldSetTest, OperationsOnEncodedFieldsAgreeWithThoseOnSets) {
  for (const Case& each : kCases) {
    Json added = json_literal(each.a);
    EXPECT_EQ(add_to_fields(added, set_of(each.b)), !(set_of(each.united) == set_of(each.a)));
    EXPECT_EQ(added, json_literal(each.united)) << each.a << each.b << to_text(added);

    Json left = json_literal(each.a);
    EXPECT_EQ(subtract_from_fields(left, set_of(each.b)), !(set_of(each.rest) == set_of(each.a)));
    if (left.is_null()) left = Json::object();
    EXPECT_EQ(left, json_literal(each.rest)) << each.a << each.b << to_text(left);
  }
}

}  // namespace
}  // namespace davit
